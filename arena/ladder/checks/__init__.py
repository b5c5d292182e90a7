"""Checks of submissions: their order, verdicts, quarantine and retries."""
