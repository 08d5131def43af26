"""From a call to compiled code: signature, stages, store."""
