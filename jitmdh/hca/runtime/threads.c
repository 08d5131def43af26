/* Module `threads`: thread pool and scratch memory, one unit so that it is optimised as a whole. */
#include "pool.c"
#include "scratch.c"
