"""How long a GPU waits, and for what: as makers and the literature say, rounded. Nothing of it is measured."""

from __future__ import annotations

LAUNCH_SECONDS = 2.5e-6
SHARE_OF_L2 = 0.65  # of the bytes that the second-level cache moves in a second
MEMORY_CLOCKS, BARRIER_CLOCKS, SHARED_CLOCKS, CACHE_CLOCKS = 800, 40, 30, 250
UNROLLED = 4  # iterations of a short loop whose loads the compiler brings together
