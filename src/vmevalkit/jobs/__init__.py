"""Execution of many jobs, in processes or at providers. A failed job becomes a record and never ends the batch."""
