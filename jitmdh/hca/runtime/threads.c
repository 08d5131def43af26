/* Module `threads`: thread pool, scratch memory and measurements, one unit so that it is optimised as a whole. */
#include "pool.c"
#include "scratch.c"
#include "repeat.c"
