/* What the runtime knows of the system below it.
 *
 * The C files are compiled once, by the maintainers, to LLVM IR for no machine in particular (build.py); the IR is
 * compiled for the user's machine when it is first loaded. So no header of a system is included: layouts and constants
 * that differ between systems must not get into the IR. Functions whose types are the same on all are declared here;
 * objects of the C library are opaque and large enough; the few facts that differ are functions `platform_...`, which
 * cpu_runtime.py supplies as IR and LLVM inlines. Required: 64-bit pointers, 32-bit int, little or big endian.
 */
#ifndef JITMDH_PLATFORM_H
#define JITMDH_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(int) == 4, "LP64");

#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
#define CACHE_LINE 64

/* ---- facts about the platform, see `_platform_facts` in cpu_runtime.py */

int platform_clock_monotonic(void);              /* CLOCK_MONOTONIC */
int platform_sig_setmask(void);                  /* SIG_SETMASK */
void platform_relax(void);                       /* the processor's hint that a thread spins */
void platform_advise_huge(void *block, size_t bytes); /* asks for huge pages, where there are some */

/* ---- C library */

typedef struct { _Alignas(CACHE_LINE) char bytes[128]; } Mutex;     /* pthread_mutex_t: 40 to 64 bytes */
typedef struct { _Alignas(CACHE_LINE) char bytes[128]; } Condition; /* pthread_cond_t: 48 bytes */
typedef struct { _Alignas(16) char bytes[128]; } SignalSet;         /* sigset_t: 4 to 128 bytes */
typedef struct { int64_t seconds, nanoseconds; } TimeSpec;
typedef void *Thread;                                                /* pthread_t: a pointer or a long */

int pthread_create(Thread *thread, const void *attributes, void *(*start)(void *), void *argument);
int pthread_detach(Thread thread);
Thread pthread_self(void);
int pthread_mutex_init(Mutex *mutex, const void *attributes);
int pthread_mutex_lock(Mutex *mutex);
int pthread_mutex_unlock(Mutex *mutex);
int pthread_cond_init(Condition *condition, const void *attributes);
int pthread_cond_wait(Condition *condition, Mutex *mutex);
int pthread_cond_timedwait(Condition *condition, Mutex *mutex, const TimeSpec *until);
int pthread_cond_signal(Condition *condition);
int pthread_cond_broadcast(Condition *condition);
int pthread_sigmask(int how, const SignalSet *set, SignalSet *old);
int sigfillset(SignalSet *set);
int clock_gettime(int clock, TimeSpec *time);
int posix_memalign(void **block, size_t alignment, size_t bytes);
void free(void *block);

/* ---- Python, of the stable ABI or as old */

typedef struct Object Object;
int PyGILState_Ensure(void);
void PyGILState_Release(int state);
int PyErr_CheckSignals(void);
void PyErr_Fetch(Object **type, Object **value, Object **traceback);
void PyErr_Restore(Object *type, Object *value, Object *traceback);
void Py_DecRef(Object *object);

/* ---- places.c, or nothing where processors cannot be chosen */

void places_forget(void);
void places_register(void);
void places_keep_away(void);
void places_note(void);
void places_give_way(void);

INLINE int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
