"""The auto-tuner beside its peers: `python -m benchmarks.atf`."""
