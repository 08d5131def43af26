"""The table of scalar operations: one row holds all that is known of one; everything else looks it up there."""
