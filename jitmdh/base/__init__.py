"""The ground floor: words that all wings share."""
