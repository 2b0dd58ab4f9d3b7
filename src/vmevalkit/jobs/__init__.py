"""Mapping work over processes: a failed job is a record, and never ends the batch."""
