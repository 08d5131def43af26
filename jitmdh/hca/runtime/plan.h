/* Plans and tables: what Python tells the call path, as arrays of 64-bit words built by cpu_entry.py.
 *
 * A plan describes one specialisation: header, parameters, allocations, results and, where the code is for some sizes
 * only, conditions. All parts lie behind each other. Fields called `reserved` are there for the width. */
#ifndef JITMDH_PLAN_H
#define JITMDH_PLAN_H

#include "objects.h"

typedef int64_t Code(int64_t *frame); /* guard or kernel; 0: good */

typedef struct { int64_t ns, kind; } Sample; /* of `burst` calls; kind: bits CHALLENGER, DISTURBED */
enum { CHALLENGER = 1, DISTURBED = 2 };

/* Which sizes the timed calls of a plan had: `count` slots, then a ring of `capacity` (a power of two) times the
 * nanoseconds that a call stands for and the numbers in these slots. */
typedef struct { int64_t count, capacity, taken; int64_t words[]; } Calls;

/* Some calls of a plan are timed, and some of these run the code of a challenger, which takes the same frame. Written
 * with the GIL held, as all of a plan, so by one thread at a time. See cpu_trial.py. */
typedef struct {
    int64_t inside;          /* calls that use this */
    Code *challenger;        /* or null: all run the plan's own code */
    int64_t pattern, length; /* bit k of `length`: whether sample k is of the challenger; again from the start */
    int64_t burst;           /* calls of one sample */
    int64_t left;            /* samples to take; then the plan's own code is timed now and then */
    int64_t taken;           /* samples so far */
    int64_t short_ns;        /* between calls that are shorter, `period` are not timed */
    int64_t period;
    int64_t skip, skipped;   /* calls until one is timed, and how many these were at first */
    int64_t ns, calls, kind; /* of the sample that is being taken */
    int64_t spent_ns;        /* in all calls, those between extrapolated */
    int64_t notice_ns;       /* once so much is spent, the table's `observe` is called after one call */
    int64_t lost_ns;         /* in calls of the challenger */
    const _Atomic int64_t *refusals; /* of the pool: calls that ran on one thread because others used it */
    Calls *kept;             /* or null */
    int64_t capacity;        /* a power of two */
    Sample ring[];
} Trial;

typedef struct Plan {
    int64_t parameters;
    Code *kernel;
    Code *guard;           /* or null */
    int64_t frame_slots;
    int64_t allocations;   /* that are returned */
    int64_t results;       /* -1: the function returns None */
    int64_t returns_tuple;
    int64_t writes;        /* to some array */
    int64_t releases_gil;
    int64_t conditions_at; /* word of this plan where its conditions begin; 0: none */
    int64_t inside;        /* calls that use this plan: it and its code are freed once there are none */
    Trial *trial;          /* or null */
    Object *owner;         /* knows what the statuses of this code mean */
} Plan;

enum ParameterKind { ARRAY, COPIED_VALUE, PYTHON_INT, PYTHON_BOOL, STATIC };

typedef struct {
    int64_t kind;
    int64_t size;          /* rank of an array, bytes of a value; of a static object whether equal ones are as good */
    const void *type;      /* dtype of an array, exact type of a value; the static object itself */
    const void *twin;      /* another dtype that is the same type */
    int64_t unit_axis;     /* whose stride is one element; -1: no axis has this stride */
    int64_t item_bytes;
    int64_t flags;         /* that an array must have; WRITEABLE: it is written */
    int64_t alias;         /* arrays of one class are the very same array */
    int64_t slot;          /* in the frame: address, extents, strides; or the value */
    int64_t reserved;
} Parameter;

enum AllocationKind { NEW_ARRAY, NUMPY_SCALAR, PYTHON_FLOAT, NEW_INT, NEW_BOOL, PYTHON_COMPLEX };

typedef struct {
    int64_t kind, rank;
    Object *dtype;
    int64_t slot;
    int64_t length;        /* 1 + number of the allocation that says how many rows are returned; 0: all */
    int64_t fortran;       /* 1: neighbours in memory are neighbours along the first axis; 0: along the last one */
} Allocation;

typedef struct { int64_t allocated, number; } Result; /* number of an allocation, or of an argument */

/* least <= frame[slot] <= most, a multiple. factor: it is that of a product with the next one, whose limits hold. */
typedef struct { int64_t slot, least, most, multiple, factor; } SizeCondition;

/* Plans that calls of some sizes were found to take, by a hash of the sizes that any plan of a chain asks for. */
enum { MEMO_SIZES = 6, MEMO_BITS = 7 };
typedef struct { int64_t sizes[MEMO_SIZES]; Plan *plan; } Remembered;
typedef struct {
    int64_t count;
    int64_t slots[MEMO_SIZES];
    Remembered each[1 << MEMO_BITS];
} Memo;

typedef struct {
    int64_t count;
    Plan *next;            /* differs in code and conditions only, and is tried if these do not hold; or null */
    Memo *memo;            /* of the chain that begins here; or null: it is short */
    SizeCondition each[];
} Conditions;

/* A place that compiled code rests on, and the object that must be there (or null). See cpu_watches.py.
 * OF_DICTIONARY: the next `items` watches are of this dictionary; while it has this version, they hold. */
enum { OF_DICTIONARY, ITEM, WORD, ATTRIBUTE };
typedef struct {
    int64_t kind;
    Object *place;         /* the dictionary; a word in memory; whose attribute */
    union { Object *name; int64_t version; };
    union { const Object *expected; int64_t items; };
} Watch;
typedef struct { int64_t count; Watch each[]; } Watches;

/* What one decorated function is called through. */
typedef struct {
    int64_t calls;         /* served here */
    int64_t plans;
    Object *slow;          /* called with the arguments where no plan fits */
    Object *fail;          /* called with a kernel's status and the plan's owner, and raises */
    Object *observe;       /* called with the arguments of a call whose trial has spent enough time */
    Watches *watches;      /* or null */
    Plan *plan[];          /* tried in order, each followed by those that come next */
} Table;

/* What one kernel of tensors is called through: arguments by name or in order. See formulas.c; built by formulas.py. */
enum { EACH = 1, MADE = 2, REAL = 4, ZEROS = 8 };
typedef struct {
    Object *name;
    int64_t rank;          /* of the tensor; -1: a scalar */
    const int64_t *shape;  /* of the tensor */
    Object *dtype;         /* of the array, or of the NumPy scalar that is made */
    const void *type;      /* another dtype that is the same type; the type of the NumPy scalar */
    int64_t flags;         /* EACH: one for each element of a batch; MADE: may be left out, and is then made; REAL: float64; ZEROS: made as zeros */
    int64_t item_bytes;
    int64_t number;        /* bits of a word that say whether a number is other than zero: all but signs */
    int64_t runs;          /* rows of known zeros that the array must have */
    const int64_t *absent; /* of each run the position in front of the last axis, where it begins there and where it ends */
    int64_t stretches;     /* of known zeros, where elements lie one behind the other: runs of several rows are one */
    const int64_t *flat;   /* of each stretch its first element and how many there are */
    int64_t zeros;         /* that are known */
} Formal;

/* Functions of the thread pool, of module `threads`; see pool.h. */
typedef struct {
    int64_t (*parallel)(void (*task)(void *env, int64_t index), void *env, int64_t count, const void *call);
    int64_t (*raise_ended)(void);
} Pool;

typedef struct { int64_t count; uint64_t threads[64]; } Trusted; /* count: of all, also of those that are not listed */

typedef struct {
    Table *table;          /* of the code for arrays, or null */
    Table *stored;         /* of the code for elements in blocks of `lanes`, or null */
    Object *slow;
    const Trusted *trusted; /* threads whose arrays are not looked at for known zeros */
    const void *blocks_type; /* the class of elements in blocks, or null */
    Object *blocks, *elements; /* names of its attributes: the array, and how many elements there are */
    int64_t lanes;
    const Pool *pool;
    int64_t formals;
    int64_t constants;     /* arrays that follow the arguments */
    Formal each[];         /* then the constants */
} Formula;

INLINE Object *const *constants_of(const Formula *f) { return (Object *const *)(f->each + f->formals); }

INLINE const Parameter *parameters_of(const Plan *plan) { return (const Parameter *)(plan + 1); }
INLINE const Allocation *allocations_of(const Plan *plan)
{
    return (const Allocation *)(parameters_of(plan) + plan->parameters);
}
INLINE const Result *results_of(const Plan *plan) { return (const Result *)(allocations_of(plan) + plan->allocations); }
INLINE const Conditions *conditions_of(const Plan *plan)
{
    return plan->conditions_at ? (const Conditions *)((const int64_t *)plan + plan->conditions_at) : NULL;
}

_Static_assert(sizeof(Plan) == 104 && sizeof(Parameter) == 80 && sizeof(Allocation) == 48, "words of a plan");
_Static_assert(sizeof(Watch) == 32 && offsetof(Watches, each) == 8 && offsetof(Table, plan) == 48, "words of a table");
_Static_assert(sizeof(Formal) == 104 && offsetof(Formula, each) == 88, "words of a formula");
_Static_assert(offsetof(Trial, ring) == 160, "words of a trial");
_Static_assert(sizeof(Memo) == 56 + 128 * 56 && offsetof(Conditions, each) == 24, "words of conditions");

/* What a call comes to, in the low byte; the rest is the number of the check that refused, the kernel's status, or,
 * if it is done, whether the trial asks to be looked at. */
enum Outcome { DONE, MISMATCH, RAISED, REFUSED, FAILED };

#endif
