/* Where workers run: never on the processor of the thread that calls, which is busy with its own share of the work.
 *
 * The scheduler tends to wake a worker where its waker runs, although other processors idle, and may leave it there for
 * milliseconds. So before sleeping workers are woken, the caller's processor is taken out of what they may run on; that
 * is one system call per worker whenever the caller has moved. Linux only; elsewhere these functions do nothing. */
#include "platform.h"

#define KNOWN 16        /* workers; where there are more, all may run anywhere */
#define PROCESSORS 1024 /* bits of the mask */
#define WORDS (PROCESSORS / 64)

static _Atomic int tids[KNOWN];         /* of the first workers; 0: about to be written */
static _Atomic int64_t tid_count;
static _Atomic int avoided = -1;        /* the processor workers keep away from; -1: none yet */

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
