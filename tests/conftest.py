"""Its presence lets all tests import what they share from this folder."""

import signal

# A shell starts what runs in the background with interrupts ignored, and so do its children: a test that interrupts one
# would wait in vain.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
