"""Any program, tuned from annotations in its source."""
