/* The thread pool, as generated code and Python see it. */
#ifndef JITMDH_POOL_H
#define JITMDH_POOL_H

#include "platform.h"

typedef void Task(void *env, int64_t index);

/* Runs task(env, index) for index 0..count-1, each once, on the pool and here. Inline if somebody uses the pool.
 * Not 0: the call is to end, and some were not run. */
EXPORT int64_t jitmdh_parallel(Task *task, void *env, int64_t count, const void *call);

/* How many such calls ran inline so far because somebody used the pool. */
extern EXPORT _Atomic int64_t jitmdh_pool_refusals;

/* After loading, and in the child of a fork: no workers, no job, all locks free, no scratch memory. */
EXPORT void jitmdh_reset(void);

EXPORT int64_t jitmdh_num_threads(void);        /* that one call may use, the calling one included */
EXPORT void jitmdh_set_num_threads(int64_t count);
EXPORT void jitmdh_set_spin_ns(int64_t ns);     /* for tests: how long a thread spins at least before it sleeps */
EXPORT int64_t jitmdh_num_workers(void);        /* started so far, in this process */

/* ---- interrupts.c: the end of a call before its time, because of a signal. A call is an address that tells it from
 * others. */

EXPORT int64_t jitmdh_poll(int64_t *call);           /* from time to time: whether the call is to end; call: its status,
                                                        and when it looked for signals last (0: it has not) */
EXPORT void jitmdh_interrupted(void);                /* the call that was to end has ended */
EXPORT void jitmdh_raise(void);                      /* sets the exception that a handler raised; none: does nothing */
EXPORT int64_t jitmdh_raise_ended(void);             /* both of these; whether there is an exception now */
EXPORT void jitmdh_set_main_thread(Thread thread);   /* that Python runs handlers in */

/* ---- scratch.c: memory that kernels work in, 64-byte aligned, kept from call to call */

EXPORT void *jitmdh_scratch_acquire(int64_t bytes); /* null: no memory */
EXPORT void jitmdh_scratch_release(void *block);
EXPORT void jitmdh_scratch_trim(void);               /* gives back to the system what is not in use */
void scratch_reset(void);

/* ---- repeat.c: calls `kernel` so often with one frame; the first status that is not 0 ends it, and is returned */

EXPORT int64_t jitmdh_repeat(int64_t (*kernel)(int64_t *frame), int64_t *frame, int64_t count);

#endif
