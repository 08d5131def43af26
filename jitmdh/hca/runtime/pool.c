/* The thread pool of generated code.
 *
 * One job at a time is open. Its state is one word, changed atomically:
 *
 *     bit 0: open    bits 1..31: workers inside    bits 32..63: generation of the job
 *
 * A worker may enter only while the job is open, by adding 2; the caller closes the job and waits until nobody is
 * inside. So a worker that wakes up late finds the job closed and is not waited for, and no field of a job is read by
 * anyone who has not entered it.
 */
#include "interrupts.c"

#define SHARES 64            /* into which a job is divided, at most */
#define LONGEST_SPIN 200000  /* ns */
#define SPINS_PER_CLOCK 16   /* a clock is read after so many looks */

#define OPEN UINT64_C(1)
#define ONE_INSIDE UINT64_C(2)
#define ALL_INSIDE UINT64_C(0xfffffffe)
INLINE uint64_t generation_of(uint64_t state) { return state >> 32; }
INLINE uint64_t lowest_bit(uint64_t bits) { return bits & -bits; }
INLINE int64_t inside_of(uint64_t state) { return (int64_t)((state & ALL_INSIDE) >> 1); }

/* A counter on a cache line of its own: threads that take from different shares do not disturb each other. */
typedef struct { _Alignas(CACHE_LINE) _Atomic int64_t next; } Share;

/* What those look at who wait, and all that those read who come in, on one line: it goes to each thread once. The job is
 * written by the caller before it opens, and read by those inside. */
typedef struct {
    _Alignas(CACHE_LINE) _Atomic uint64_t state;
    _Atomic int64_t limit;     /* workers the open job admits */
    _Atomic uint64_t left;     /* a job of one task for each thread: those that nobody has taken, a bit each */
    Task *task;
    void *env;
    int64_t count, shares;
    const void *call;
} Pool;
_Static_assert(sizeof(Pool) == CACHE_LINE, "one line");
Pool jitmdh_pool; /* not static: clang would give each field a place of its own, on four lines */
static Share shares[SHARES];                            /* of each: the next index to be taken */

static _Alignas(CACHE_LINE) atomic_bool busy;           /* somebody's job is on the pool */
static _Atomic int64_t threads = 1;
_Atomic int64_t jitmdh_pool_refusals;
static _Atomic int64_t workers;                         /* started so far; changed by who has `busy` */
static _Atomic int64_t least_spin_ns = 15000;
static _Alignas(CACHE_LINE) _Atomic int64_t parked;     /* workers asleep, or about to be */
static atomic_bool waiting;                             /* the caller sleeps until the last worker leaves */
static Mutex wake_mutex, done_mutex;
static Condition wake_condition, done_condition;

void jitmdh_reset(void)
{
    pthread_mutex_init(&wake_mutex, NULL);
    pthread_cond_init(&wake_condition, NULL);
    pthread_mutex_init(&done_mutex, NULL);
    pthread_cond_init(&done_condition, NULL);
    jitmdh_pool.state = 0;
    workers = 0;
    parked = 0;
    waiting = false;
    places_forget();
    scratch_reset();
    interrupts_reset();
    atomic_store_explicit(&busy, false, memory_order_release);
}

int64_t jitmdh_num_threads(void) { return atomic_load_explicit(&threads, memory_order_relaxed); }
void jitmdh_set_num_threads(int64_t count) { atomic_store_explicit(&threads, count, memory_order_relaxed); }
void jitmdh_set_spin_ns(int64_t ns) { atomic_store_explicit(&least_spin_ns, ns, memory_order_relaxed); }
int64_t jitmdh_num_workers(void) { return atomic_load_explicit(&workers, memory_order_relaxed); }

/* ------------------------------------------------------------------------------------------------- spinning */

/* The time, where the open job has so many tasks that it may be a long one; else 0: short ones are not for reading
 * clocks. */
static int64_t begin(void) { return jitmdh_pool.count > 4 * jitmdh_pool.shares ? now() : 0; }
static int64_t since(int64_t begun) { return begun ? now() - begun : 0; }

/* How long to spin for somebody who has worked for as long as oneself, before going to sleep: to be woken takes about
 * as long as 1/16 of a job of a millisecond, and is waited for by whoever wakes. Longer jobs are not worth more. */
static int64_t patience(int64_t worked)
{
    return max64(min64(worked >> 4, LONGEST_SPIN), atomic_load_explicit(&least_spin_ns, memory_order_relaxed));
}

/* Whether there is an open job, other than the `last` this worker was in, with room for it. */
static bool job_ready(uint64_t last)
{
    uint64_t s = jitmdh_pool.state;
    return (s & OPEN) && generation_of(s) != last
        && inside_of(s) < atomic_load_explicit(&jitmdh_pool.limit, memory_order_relaxed);
}

static bool nobody_inside(uint64_t unused)
{
    (void)unused;
    return !(jitmdh_pool.state & ALL_INSIDE);
}

/* Spins until `holds(argument)`, for patience(worked) at most; whether it holds. */
INLINE bool spin(bool holds(uint64_t), uint64_t argument, int64_t worked)
{
    int64_t deadline = 0;
    do {
        for (int k = 0; k < SPINS_PER_CLOCK; k++) {
            if (holds(argument))
                return true;
            platform_relax();
        }
        if (!deadline) /* the first looks are over before a clock is read */
            deadline = now() + patience(worked);
    } while (now() <= deadline);
    return false;
}

/* -------------------------------------------------------------------------------------------------- workers */

static void await_job(uint64_t last, int64_t worked)
{
    if (spin(job_ready, last, worked))
        return;
    pthread_mutex_lock(&wake_mutex);
    parked++; /* before the last look: who opens a job afterwards sees it, and wakes */
    while (!job_ready(last))
        pthread_cond_wait(&wake_condition, &wake_mutex);
    parked--;
    pthread_mutex_unlock(&wake_mutex);
}

/* Takes the task `first`, if it is there, and then those that others have left. */
static void run_single_tasks(uint64_t first)
{
    Task *task = jitmdh_pool.task;
    void *env = jitmdh_pool.env;
    uint64_t wanted = UINT64_C(1) << first;
    do {
        if (!(atomic_fetch_and_explicit(&jitmdh_pool.left, ~wanted, memory_order_relaxed) & wanted))
            continue;
        if (ends(jitmdh_pool.call))
            return;
        task(env, (int64_t)__builtin_ctzll(wanted));
    } while ((wanted = lowest_bit(atomic_load_explicit(&jitmdh_pool.left, memory_order_relaxed))));
}

/* Takes indices until none is left. A thread begins with the same share in each call, whose data are in its caches
 * (share 0 is the caller's, number 0), and goes on with what others have left. */
static void run_tasks(int64_t number)
{
    Task *task = jitmdh_pool.task;
    void *env = jitmdh_pool.env;
    uint64_t count = (uint64_t)jitmdh_pool.count, n = (uint64_t)jitmdh_pool.shares;
    uint64_t first = number == 0 ? 0 : 1 + (uint64_t)(number - 1) % (n - 1);
    if (count == n) {
        run_single_tasks(first);
        return;
    }
    for (uint64_t k = 0; k < n; k++) {
        uint64_t s = (first + k) % n;
        int64_t end = (int64_t)((s + 1) * count / n), index;
        while ((index = atomic_fetch_add_explicit(&shares[s].next, 1, memory_order_relaxed)) < end) {
            if (ends(jitmdh_pool.call))
                return;
            task(env, index);
        }
    }
}

/* Enters the open job. False: there is none, or it is full. */
static bool enter(uint64_t *last)
{
    uint64_t s = jitmdh_pool.state;
    while ((s & OPEN) && generation_of(s) != *last
           && inside_of(s) < atomic_load_explicit(&jitmdh_pool.limit, memory_order_relaxed)) {
        if (atomic_compare_exchange_weak(&jitmdh_pool.state, &s, s + ONE_INSIDE)) {
            *last = generation_of(s);
            return true;
        }
    }
    return false;
}

static void *worker(void *number)
{
    uint64_t last = ~UINT64_C(0);
    int64_t worked = 0;
    places_register();
    for (;;) {
        await_job(last, worked);
        worked = 0;
        if (!enter(&last))
            continue;
        int64_t begun = begin();
        run_tasks((int64_t)(intptr_t)number);
        uint64_t left = atomic_fetch_sub(&jitmdh_pool.state, ONE_INSIDE) - ONE_INSIDE;
        worked = since(begun);
        if (!(left & ALL_INSIDE) && waiting) {
            pthread_mutex_lock(&done_mutex);
            pthread_cond_signal(&done_condition);
            pthread_mutex_unlock(&done_mutex);
        }
    }
    return NULL;
}

/* Starts workers until there are `wanted` or the system refuses. Signals are for the threads of the program: workers
 * have all of them blocked. */
static NOINLINE void start_workers(int64_t wanted)
{
    SignalSet all, old;
    sigfillset(&all);
    pthread_sigmask(platform_sig_setmask(), &all, &old);
    while (workers < wanted) {
        Thread thread;
        int64_t number = workers + 1; /* the caller is number 0 */
        if (pthread_create(&thread, NULL, worker, (void *)(intptr_t)number))
            break;
        pthread_detach(thread);
        workers = number;
    }
    pthread_sigmask(platform_sig_setmask(), &old, NULL);
}

/* ----------------------------------------------------------------------------------------- parallel regions */

static void wake_workers(int64_t wanted)
{
    int64_t asleep = parked;
    if (asleep <= 0)
        return;
    pthread_mutex_lock(&wake_mutex);
    if (wanted >= asleep)
        pthread_cond_broadcast(&wake_condition);
    else
        for (int64_t k = 0; k < wanted; k++)
            pthread_cond_signal(&wake_condition);
    pthread_mutex_unlock(&wake_mutex);
}

static NOINLINE void await_workers(int64_t begun)
{
    if (spin(nobody_inside, 0, since(begun)))
        return;
    if (inside_of(jitmdh_pool.state) == 1) { /* several would take turns here, for as long as each has work */
        places_note();
        if (spin(nobody_inside, 0, 0))
            return;
        places_give_way();
    }
    while (!nobody_inside(0)) {
        bool long_enough = false;
        pthread_mutex_lock(&done_mutex);
        waiting = true; /* before the last look: who leaves afterwards sees it, and signals */
        if (!nobody_inside(0))
            long_enough = wait_briefly(&done_condition, &done_mutex);
        waiting = false;
        pthread_mutex_unlock(&done_mutex);
        if (long_enough && may_look(jitmdh_pool.call))
            look_for_signals(jitmdh_pool.call); /* not under the lock: handlers of signals run in here */
    }
}

/* Divides the job's indices into at most `threads` shares, one behind the other. */
static void divide(int64_t count, int64_t wanted)
{
    int64_t n = min64(wanted, SHARES);
    jitmdh_pool.count = count;
    jitmdh_pool.shares = n;
    if (count == n) {
        atomic_store_explicit(&jitmdh_pool.left, ~UINT64_C(0) >> (SHARES - n), memory_order_relaxed);
        return;
    }
    for (int64_t s = 0; s < n; s++)
        atomic_store_explicit(&shares[s].next, s * count / n, memory_order_relaxed);
}

static NOINLINE void run_on_pool(Task *task, void *env, int64_t count, int64_t used, const void *call)
{
    int64_t helpers = used - 1;
    if (workers < helpers)
        start_workers(helpers);
    jitmdh_pool.task = task;
    jitmdh_pool.env = env;
    jitmdh_pool.call = call;
    divide(count, used);
    atomic_store_explicit(&jitmdh_pool.limit, helpers, memory_order_relaxed);
    jitmdh_pool.state = (generation_of(jitmdh_pool.state) + 1) << 32 | OPEN;
    int64_t begun = begin();
    places_keep_away();
    wake_workers(helpers);
    run_tasks(0);
    if (atomic_fetch_and(&jitmdh_pool.state, ~OPEN) & ALL_INSIDE)
        await_workers(begun);
}

int64_t jitmdh_parallel(Task *task, void *env, int64_t count, const void *call)
{
    int64_t most = jitmdh_num_threads();
    bool idle = false;
    if (most > 1 && count > 1
        && atomic_compare_exchange_strong_explicit(&busy, &idle, true, memory_order_acquire, memory_order_relaxed)) {
        int64_t process = forks_survived;
        run_on_pool(task, env, count, min64(count, most), call);
        if (process != forks_survived)
            return end_call(call); /* a handler has forked, and this is the child: tasks of workers were left behind */
        atomic_store_explicit(&busy, false, memory_order_release);
    } else {
        if (idle) /* by now: it is not */
            atomic_fetch_add_explicit(&jitmdh_pool_refusals, 1, memory_order_relaxed);
        for (int64_t index = 0; index < count && !ends(call); index++)
            task(env, index);
    }
    return ends(call);
}
