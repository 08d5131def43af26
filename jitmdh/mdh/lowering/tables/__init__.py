"""Configurations as the thesis's figures list them."""
