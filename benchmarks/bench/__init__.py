"""`python -m jitmdh bench`: measures, reports and draws."""
