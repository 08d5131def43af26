/* Where workers run: not on the processor of the thread that calls, while that is busy with its own share of the work.
 *
 * The scheduler tends to wake a worker where its waker runs, although other processors idle, and may leave it there for
 * milliseconds. So before sleeping workers are woken, the caller's processor is taken out of what they may run on; that
 * is one system call per worker whenever the caller has moved. Another program that is at work on a worker's processor
 * may keep it from running for as long. So when the caller has nothing left to do but wait for a worker that does not
 * run, it lets that one have its own processor. Linux only; elsewhere these functions do nothing. */
#include "platform.h"

#define KNOWN 16        /* workers; where there are more, all may run anywhere */
#define PROCESSORS 1024 /* bits of the mask */
#define WORDS (PROCESSORS / 64)

static _Atomic int tids[KNOWN];         /* of the first workers; 0: about to be written */
static _Atomic int64_t tid_count;
static _Atomic int avoided = -1;        /* the processor workers keep away from; -1: none yet */
static int64_t ran[KNOWN];              /* processor time of each when the caller noted it; by who has `busy` */

int gettid(void);
int sched_getcpu(void);
int sched_getaffinity(int tid, size_t bytes, uint64_t *mask);
int sched_setaffinity(int tid, size_t bytes, const uint64_t *mask);

void places_forget(void)
{
    tid_count = 0;
    avoided = -1;
    for (int n = 0; n < KNOWN; n++)
        tids[n] = 0;
}

/* A worker makes itself known. */
void places_register(void)
{
    int64_t n = tid_count++;
    if (n < KNOWN) {
        tids[n] = gettid();
        avoided = -1;
    }
}

void places_keep_away(void)
{
    int processor = sched_getcpu();
    int64_t count = tid_count;
    if (processor == avoided || processor < 0 || processor >= PROCESSORS || count > KNOWN)
        return;
    avoided = processor;
    uint64_t mask[WORDS] = {0}, any = 0;
    if (sched_getaffinity(0, sizeof mask, mask) < 0)
        return;
    mask[processor / 64] &= ~(UINT64_C(1) << processor % 64);
    for (int k = 0; k < WORDS; k++)
        any |= mask[k];
    for (int64_t n = 0; any && n < count; n++) {
        int tid = tids[n];
        if (tid)
            sched_setaffinity(tid, sizeof mask, mask);
    }
}

/* Nanoseconds of processor time that a thread has had; -1: the system does not say. */
static int64_t ran_ns(int tid)
{
    TimeSpec time;
    int clock = (int)((unsigned)~tid << 3 | 6); /* CPUCLOCK_SCHED of one thread */
    return tid && !clock_gettime(clock, &time) ? time.seconds * 1000000000 + time.nanoseconds : -1;
}

/* What workers have run so far, for `places_give_way`. */
void places_note(void)
{
    for (int64_t n = 0; n < KNOWN && n < tid_count; n++)
        ran[n] = ran_ns(tids[n]);
}

/* The caller waits: those workers that have not run since `places_note` go on here at once. Those that sleep, too, which
 * changes nothing, since they keep away again before they are woken. */
void places_give_way(void)
{
    int processor = sched_getcpu();
    uint64_t every[WORDS] = {0}, here[WORDS] = {0};
    int64_t count = tid_count;
    if (processor < 0 || processor >= PROCESSORS || count > KNOWN || sched_getaffinity(0, sizeof every, every) < 0)
        return;
    here[processor / 64] = UINT64_C(1) << processor % 64;
    for (int64_t n = 0; n < count; n++) {
        int tid = tids[n];
        if (ran[n] < 0 || ran_ns(tid) != ran[n])
            continue;
        avoided = -1;
        sched_setaffinity(tid, sizeof here, here); /* which moves it; afterwards it may be moved elsewhere */
        sched_setaffinity(tid, sizeof every, every);
    }
}
