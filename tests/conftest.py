"""What holds for all tests. Its presence lets them import what they share from this folder."""

import signal

from hypothesis import HealthCheck, settings

# A shell starts what runs in the background with interrupts ignored, and so do its children: a test that interrupts one
# would wait in vain.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run, and no example fails because the machine is busy.
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
