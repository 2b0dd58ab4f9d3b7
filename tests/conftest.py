"""Its presence lets all tests import what they share from this folder."""
