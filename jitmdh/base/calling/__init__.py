"""Calls that users make: whose frames they see of an error, and what it says of arguments that do not fit."""
