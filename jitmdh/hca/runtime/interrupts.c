/* Signals while a call runs: Python's handlers for them run soon, and one that raises ends the call.
 *
 * Python's own handler in C, which the system calls, only notes that a signal has come. Its handlers in Python run in
 * the main thread between two instructions of Python, or where it is asked to run them: here, from time to time, by
 * the main thread, with the GIL. No handler of the system is installed or changed. What a handler has raised is kept
 * until the kernel has returned and somebody takes it. A call is known by an address in its own stack frame, that of its
 * status; the number behind that is when it looked for signals last. To look means to wait for the GIL, so a call begins to
 * count when it asks for the first time: one that is over within an interval never waits.
 */
#include "pool.h"

#define INTERVAL INT64_C(20000000) /* ns between two looks for signals */

static const char nobody;
static const void *_Atomic ended = &nobody;  /* the call of the main thread that is to end */
static Thread main_thread;
static int64_t forks_survived;               /* how often this process has become the child of a fork */
static Object *raised[3];                    /* class, exception and traceback */

static int64_t now(void)
{
    TimeSpec time;
    clock_gettime(platform_clock_monotonic(), &time);
    return time.seconds * 1000000000 + time.nanoseconds;
}

void jitmdh_set_main_thread(Thread thread) { main_thread = thread; }

static void interrupts_reset(void)
{
    forks_survived++;
    main_thread = pthread_self(); /* of a process that was forked: the only one */
}

INLINE bool ends(const void *call) { return atomic_load_explicit(&ended, memory_order_relaxed) == call; }

static bool end_call(const void *call)
{
    atomic_store_explicit(&ended, call, memory_order_relaxed);
    return true;
}

/* Lets Python's handlers of signals run; the call ends where one raises. */
static NOINLINE void look_for_signals(const void *call)
{
    int held = PyGILState_Ensure();
    if (PyErr_CheckSignals()) {
        for (int k = 0; k < 3; k++)
            if (raised[k])
                Py_DecRef(raised[k]);
        PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
        end_call(call);
    }
    PyGILState_Release(held);
}

static bool may_look(const void *call) { return pthread_self() == main_thread && !ends(call); }

int64_t jitmdh_poll(int64_t *call)
{
    if (may_look(call)) {
        int64_t *looked = call + 1, time = now();
        if (!*looked) {
            *looked = time;
        } else if (time - *looked >= INTERVAL) {
            *looked = time;
            look_for_signals(call);
        }
    }
    return ends(call);
}

void jitmdh_interrupted(void) { atomic_store_explicit(&ended, &nobody, memory_order_relaxed); }

void jitmdh_raise(void)
{
    if (!raised[0])
        return;
    PyErr_Restore(raised[0], raised[1], raised[2]);
    raised[0] = raised[1] = raised[2] = NULL;
}

int64_t jitmdh_raise_ended(void)
{
    bool found = raised[0];
    jitmdh_interrupted();
    jitmdh_raise();
    return found;
}

/* Waits on a condition, at most for as long as signals may wait; whether it was for so long. The clock of conditions is that of the day: if it is
 * set back meanwhile, signals wait for longer. */
static bool wait_briefly(Condition *condition, Mutex *mutex)
{
    TimeSpec until;
    clock_gettime(0, &until);
    until.nanoseconds += INTERVAL;
    if (until.nanoseconds >= 1000000000) {
        until.nanoseconds -= 1000000000;
        until.seconds++;
    }
    return pthread_cond_timedwait(condition, mutex, &until) != 0;
}
