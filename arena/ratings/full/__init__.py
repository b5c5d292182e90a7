"""Everything a full page of ratings says besides the table."""
