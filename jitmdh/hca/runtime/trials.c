/* Timed calls: the plan's own code, or that of a challenger. The clock is read without the GIL, for which a call may
 * wait; all else is done with it. */
#include "plan.h"

#define NOTICE (INT64_C(1) << 62) /* no status: the call was good, and the trial asks to be looked at */
#define NOTICE_AGAIN_NS INT64_C(1000000000)

INLINE int64_t trial_clock(void)
{
    TimeSpec time;
    clock_gettime(platform_clock_monotonic(), &time);
    return time.seconds * 1000000000 + time.nanoseconds;
}

INLINE bool takes_challenger(const Trial *t)
{
    return t->left > 0 && t->challenger && t->pattern >> t->taken % t->length & 1;
}

/* The next call that is timed, given how long this one took. Those that belong to a comparison follow each other. */
INLINE void wait_for_next(Trial *t, int64_t ns)
{
    bool compares = t->left > 0 && t->challenger;
    t->skip = t->skipped = compares || ns >= t->short_ns ? 0 : t->period;
}

/* Takes in a call. `number`: the sample it began in; one that ends after this sample did is of no use. */
static void take(Trial *t, int64_t number, int64_t kind, int64_t ns)
{
    if (t->left > 0 && number == t->taken) {
        t->ns += ns;
        t->kind |= kind;
        if (++t->calls >= t->burst) {
            Sample *s = &t->ring[t->taken & (t->capacity - 1)];
            s->ns = t->ns;
            s->kind = t->kind;
            t->ns = t->calls = t->kind = 0;
            t->taken++;
            t->left--;
        }
    }
}

/* Keeps the sizes of a call that stands for so many nanoseconds. */
static void keep(Calls *c, const int64_t *frame, int64_t ns)
{
    int64_t *at = c->words + c->count + (c->taken++ & (c->capacity - 1)) * (c->count + 1);
    *at++ = ns;
    for (int64_t k = 0; k < c->count; k++)
        *at++ = frame[c->words[k]];
}

/* One call with the clock read on both sides. The kernel's status, or NOTICE. */
static NOINLINE int64_t run_timed(const Plan *plan, Trial *trial, int64_t *frame)
{
    int64_t number = trial->taken, weight = trial->skipped + 1;
    int64_t kind = takes_challenger(trial) ? CHALLENGER : 0;
    Code *code = kind ? trial->challenger : plan->kernel;
    int64_t refusals = trial->refusals ? *trial->refusals : 0;
    if (trial->inside++)
        kind |= DISTURBED; /* by a call in another thread */
    void *thread = plan->releases_gil ? PyEval_SaveThread() : NULL;
    int64_t begin = trial_clock();
    int64_t status = code(frame);
    int64_t ns = trial_clock() - begin;
    if (thread)
        PyEval_RestoreThread(thread);
    if (--trial->inside || (trial->refusals && *trial->refusals != refusals))
        kind |= DISTURBED;
    trial->spent_ns += ns * weight;
    if (trial->kept)
        keep(trial->kept, frame, ns * weight);
    if (kind & CHALLENGER)
        trial->lost_ns += ns;
    if (!status)
        take(trial, number, kind, ns);
    wait_for_next(trial, ns);
    if (status || trial->spent_ns < trial->notice_ns)
        return status;
    trial->notice_ns = trial->spent_ns + NOTICE_AGAIN_NS; /* if a signal ends `observe` before it has said when */
    return NOTICE;
}
