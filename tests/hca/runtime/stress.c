/* The thread pool, parking, scratch memory and forks under load: linked with the runtime and a sanitizer.
 *
 *     stress JOBS FORKS QUIET     QUIET 1: no job runs, and no thread begins, while the process forks (for sanitizers
 *                                 whose own memory manager does not survive that)
 *
 * Exits with 0 if every task ran once and nobody else wrote to its memory. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- what the loader supplies */
int platform_clock_monotonic(void) { return CLOCK_MONOTONIC; }
int platform_sig_setmask(void) { return SIG_SETMASK; }
void platform_relax(void) { sched_yield(); }
void platform_advise_huge(void *block, size_t bytes) { madvise(block, bytes, MADV_HUGEPAGE); }

/* ---- Python, without any signal */
int PyGILState_Ensure(void) { return 0; }
void PyGILState_Release(int state) { (void)state; }
int PyErr_CheckSignals(void) { return 0; }
void PyErr_Fetch(void **type, void **value, void **traceback) { *type = *value = *traceback = NULL; }
void PyErr_Restore(void *type, void *value, void *traceback) { (void)type, (void)value, (void)traceback; }
void Py_DecRef(void *object) { (void)object; }

/* ---- pool.h, which cannot be included beside the system's headers */
typedef void Task(void *env, int64_t index);
int64_t jitmdh_parallel(Task *task, void *env, int64_t count, const void *call);
void jitmdh_reset(void);
void jitmdh_set_num_threads(int64_t count);
void jitmdh_set_spin_ns(int64_t ns);
int64_t jitmdh_num_workers(void);
int64_t jitmdh_num_threads(void);
void *jitmdh_scratch_acquire(int64_t bytes);
void jitmdh_scratch_release(void *block);
void jitmdh_scratch_trim(void);

enum { CALLERS = 3, MOST = 300 };
static pthread_rwlock_t forking = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool failed;
static int jobs, forks, quiet;

static void check(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "wrong: %s\n", what);
        failed = 1;
    }
}

/* Plain memory on purpose: the pool has to order these writes before the caller's reads. */
static void increment(void *env, int64_t index) { ((int64_t *)env)[index]++; }

static void nested(void *env, int64_t index) { jitmdh_parallel(increment, (int64_t *)env + 10 * index, 10, env); }

static void scratch(void *env, int64_t index)
{
    int64_t bytes = index % 17 == 0 ? 3 << 20 : 64 + 1000 * index;
    unsigned char *block = jitmdh_scratch_acquire(bytes), mark = (unsigned char)(index + 1);
    if (!block || (uintptr_t)block % 64) {
        check(0, "scratch");
        return;
    }
    memset(block, mark, (size_t)(bytes < 4096 ? bytes : 4096));
    block[bytes - 1] = mark;
    sched_yield();
    check(block[0] == mark && block[bytes - 1] == mark, "scratch is shared");
    jitmdh_scratch_release(block);
    ((int64_t *)env)[index]++;
}

static void job(unsigned *seed)
{
    static const int64_t counts[] = {0, 1, 2, 3, 7, 63, 64, 65, 100, MOST};
    int64_t cells[MOST] = {0}, count = counts[rand_r(seed) % 10];
    switch (rand_r(seed) % 3) {
    case 0: jitmdh_parallel(increment, cells, count, cells); break;
    case 1: jitmdh_parallel(scratch, cells, count = count > 40 ? 40 : count, cells); break;
    case 2: jitmdh_parallel(nested, cells, count = count > 30 ? 30 : count, cells); count *= 10; break;
    }
    for (int64_t k = 0; k < MOST; k++)
        check(cells[k] == (k < count), "a task ran more or less than once");
}

static _Atomic int64_t meeting, arrived; /* threads that have run a task of this meeting */
static _Thread_local int64_t met;

static void arrive(void *env, int64_t index)
{
    (void)env, (void)index;
    if (met != meeting) {
        met = meeting;
        arrived++;
    }
    usleep(50);
}

/* Waits until all workers have run a task: none is about to begin, and none is in a memory manager. */
static void settle(void)
{
    int64_t usual = jitmdh_num_threads(), all = jitmdh_num_workers() + 1;
    jitmdh_set_num_threads(all);
    arrived = 0;
    meeting++;
    while (all > 1 && arrived < all)
        jitmdh_parallel(arrive, NULL, 8 * all, &usual);
    jitmdh_set_num_threads(usual);
}

static void *caller(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    for (int n = 0; n < jobs && !failed; n++) {
        pthread_rwlock_rdlock(&forking);
        job(&seed);
        pthread_rwlock_unlock(&forking);
        if (rand_r(&seed) % 16 == 0)
            usleep(rand_r(&seed) % 300); /* long enough for workers to park */
        if (rand_r(&seed) % 32 == 0)
            jitmdh_set_spin_ns(rand_r(&seed) % 2 ? 0 : 20000);
        if (rand_r(&seed) % 64 == 0)
            jitmdh_scratch_trim();
        if (rand_r(&seed) % 64 == 0)
            jitmdh_set_num_threads(1 + rand_r(&seed) % 5);
    }
    return NULL;
}

/* In the child of a fork: a pool of its own; once more in a child of that. */
static void child(int depth, unsigned seed)
{
    alarm(120);
    jitmdh_reset();
    check(jitmdh_num_workers() == 0, "workers in a child");
    jitmdh_set_num_threads(3);
    for (int n = 0; n < 5; n++)
        job(&seed);
    if (depth == 0) {
        if (quiet)
            settle();
        pid_t inner = fork();
        if (inner == 0)
            child(1, seed + 1);
        int status = 1;
        check(waitpid(inner, &status, 0) == inner && status == 0, "the child of a child");
    }
    _exit(failed);
}

int main(int count, char **arguments)
{
    pthread_t threads[CALLERS];
    (void)count;
    jobs = atoi(arguments[1]), forks = atoi(arguments[2]), quiet = atoi(arguments[3]);
    alarm(300);
    jitmdh_reset();
    jitmdh_set_num_threads(4);
    for (uintptr_t k = 0; k < CALLERS; k++)
        pthread_create(&threads[k], NULL, caller, (void *)(k + 1));
    for (int n = 0; n < forks && !failed; n++) {
        usleep(3000);
        if (quiet) {
            pthread_rwlock_wrlock(&forking);
            settle();
        }
        pid_t pid = fork();
        if (pid == 0)
            child(0, (unsigned)n);
        if (quiet)
            pthread_rwlock_unlock(&forking);
        int status = 1;
        check(waitpid(pid, &status, 0) == pid && status == 0, "a child");
    }
    for (int k = 0; k < CALLERS; k++)
        pthread_join(threads[k], NULL);
    jitmdh_scratch_trim();
    return failed;
}
