"""Speed over commits, for `asv` (`asv.conf.json`): the same computations, measured for each commit."""
