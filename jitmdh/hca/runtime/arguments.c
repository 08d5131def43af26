/* Arguments into the frame: types, strides, overlap. All of it on every call, so: no call of Python's where none is
 * needed, one pass over the axes of an array. */
#include "plan.h"

/* The bytes an array spans; signed, since strides set by hand can lead below address 0. */
typedef struct { int64_t begin, end; } Extent;

#define LARGEST ((uint64_t)1 << 56) /* see base/capacity.py */

/* Whether no two elements share memory, by a sufficient test: taken by ascending stride, each stride is at least the
 * extent of those before. Axes of one element do not count. */
static NOINLINE bool elements_are_separate(const ArrayObject *array, int64_t rank, int64_t item_bytes)
{
    int64_t need = item_bytes;
    uint64_t done = 0;
    for (;;) {
        int64_t best = -1, best_stride = INT64_MAX;
        for (int64_t k = 0; k < rank; k++) {
            int64_t stride = array->strides[k] < 0 ? -array->strides[k] : array->strides[k];
            if (!(done >> k & 1) && array->shape[k] > 1 && stride < best_stride) {
                best = k;
                best_stride = stride;
            }
        }
        if (best < 0)
            return true;
        if (best_stride < need)
            return false;
        need += (array->shape[best] - 1) * best_stride;
        done |= UINT64_C(1) << best;
    }
}

/* Checks an array against its parameter, fills its slots of the frame and its extent. Whether it fits. */
INLINE bool take_array(const Parameter *p, const ArrayObject *array, int64_t *frame, Extent *extent)
{
    int64_t rank = p->size, item_bytes = p->item_bytes;
    if (array->head.type != &jitmdh_ndarray_type || (array->dtype != p->type && array->dtype != p->twin)
        || array->rank != rank || (array->flags & p->flags) != p->flags)
        return false;

    int64_t *own = frame + p->slot, *shape_out = own + 1, *strides_out = shape_out + rank;
    uint64_t lowest = (uint64_t)array->data, highest = lowest;
    uint64_t far = 0; /* at least LARGEST: more elements or bytes than kernels are for */
    bool overflow = false; /* or so far that it is no 64-bit number */
    int64_t odd = 0; /* not 0: a stride is no multiple of the item size */
    bool empty = false, dense = false; /* neighbours along some axis are neighbours in memory */
    bool power_of_two = !(item_bytes & (item_bytes - 1)); /* all scalar types, and some records */
    own[0] = (int64_t)array->data;
    for (int64_t k = 0; k < rank; k++) {
        int64_t n = array->shape[k], given = array->strides[k];
        int64_t stride = n > 1 ? given : item_bytes; /* the stride of a single element means nothing */
        dense |= given == item_bytes && n > 1;
        odd |= power_of_two ? stride & (item_bytes - 1) : stride % item_bytes;
        shape_out[k] = n;
        strides_out[k] = stride;
        int64_t reach;
        overflow |= __builtin_mul_overflow(n - 1, stride, &reach);
        far |= (uint64_t)n | (reach < 0 ? 0 - (uint64_t)reach : (uint64_t)reach);
        *(reach < 0 ? &lowest : &highest) += (uint64_t)reach;
        empty |= n == 0;
    }
    if (odd || far >= LARGEST || overflow)
        return false;
    *extent = empty ? (Extent){0, 0} : (Extent){(int64_t)lowest, (int64_t)highest + item_bytes}; /* empty: overlaps nothing */
    if (p->unit_axis >= 0) {
        if (strides_out[p->unit_axis] != item_bytes && !empty) /* strides of no elements mean nothing either */
            return false;
    } else if (dense && !empty) { /* what has such an axis has code that knows it */
        return false;
    }
    if ((p->flags & WRITEABLE) && !(array->flags & CONTIGUOUS) && !empty)
        return elements_are_separate(array, rank, item_bytes);
    return true;
}

/* Puts a scalar into its slot. Whether it fits; no exception is left set. */
INLINE bool take_scalar(const Parameter *p, Object *object, int64_t *frame)
{
    int64_t *own = frame + p->slot;
    switch (p->kind) {
    case COPIED_VALUE: {
        const unsigned char *value = ((const ScalarObject *)object)->value;
        if (object->type != p->type)
            return false;
        if (p->size == 8) {
            *own = *(const int64_t *)value;
        } else {
            *own = 0;
            __builtin_memcpy(own, value, (size_t)p->size);
        }
        return true;
    }
    case PYTHON_INT: {
        int overflow;
        if (object->type != &PyLong_Type)
            return false;
        *own = PyLong_AsLongLongAndOverflow(object, &overflow);
        return !overflow;
    }
    case STATIC: {
        Object *expected = (Object *)p->type;
        *own = 0;
        return object == expected
               || (p->size && object->type == expected->type && PyObject_RichCompareBool(object, expected, EQUAL) == 1);
    }
    default:
        *own = (const char *)object == &_Py_TrueStruct;
        return *own || (const char *)object == &_Py_FalseStruct;
    }
}

static bool same_words(const int64_t *a, const int64_t *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (a[k] != b[k])
            return false;
    return true;
}

/* Whether arrays share memory exactly as the specialisation expects: those of one alias class are the same array, and
 * no written array overlaps one of another class. */
static bool aliases_hold(const Plan *plan, const int64_t *frame, const Extent *extents)
{
    const Parameter *p = parameters_of(plan);
    for (int64_t i = 0; i < plan->parameters; i++) {
        if (p[i].kind != ARRAY)
            continue;
        for (int64_t j = i + 1; j < plan->parameters; j++) {
            if (p[j].kind != ARRAY)
                continue;
            if (p[i].alias == p[j].alias) {
                if (!same_words(frame + p[i].slot, frame + p[j].slot, 1 + 2 * p[i].size))
                    return false;
            } else if (((p[i].flags | p[j].flags) & WRITEABLE) && extents[i].begin < extents[j].end
                       && extents[j].begin < extents[i].end) {
                return false;
            }
        }
    }
    return true;
}

/* Fills the frame from the arguments. Whether they fit the plan, and share memory as it expects. */
INLINE bool take_arguments(const Plan *plan, Object *const *arguments, int64_t *frame, Extent *extents)
{
    const Parameter *p = parameters_of(plan);
    for (int64_t i = 0; i < plan->parameters; i++, p++) {
        bool fits = p->kind == ARRAY ? take_array(p, (const ArrayObject *)arguments[i], frame, &extents[i])
                                     : take_scalar(p, arguments[i], frame);
        if (!fits)
            return false;
    }
    return !plan->writes || aliases_hold(plan, frame, extents);
}

/* Of two sizes; the largest number where it is too large to be one. */
INLINE int64_t product(int64_t one, int64_t other)
{
    int64_t found;
    return __builtin_mul_overflow(one, other, &found) ? INT64_MAX : found;
}

/* Whether the sizes are those that the plan's code was compiled for. */
INLINE bool conditions_hold(const Conditions *conditions, const int64_t *frame)
{
    if (!conditions)
        return true;
    const SizeCondition *c = conditions->each, *end = c + conditions->count;
    for (; c < end; c++) {
        int64_t size = frame[c->slot];
        for (; c->factor; c++)
            size = product(size, frame[c[1].slot]);
        if (size < c->least || size > c->most || (c->multiple != 1 && size % c->multiple))
            return false;
    }
    return true;
}

/* The first plan of a chain whose conditions hold; or null. */
INLINE Plan *first_that_holds(Plan *plan, const int64_t *frame)
{
    for (;;) {
        const Conditions *conditions = conditions_of(plan);
        if (conditions_hold(conditions, frame))
            return plan;
        plan = conditions->next;
        if (!plan)
            return NULL;
    }
}

/* The same, looked up: functions that are called with many sizes have dozens of codes. */
static NOINLINE Plan *remembered(Memo *memo, Plan *plan, const int64_t *frame)
{
    uint64_t hash = 0;
    for (int64_t k = 0; k < memo->count; k++)
        hash = (hash ^ (uint64_t)frame[memo->slots[k]]) * UINT64_C(0x9E3779B97F4A7C15);
    Remembered *known = &memo->each[hash >> (64 - MEMO_BITS)];
    bool same = known->plan != NULL;
    for (int64_t k = 0; same && k < memo->count; k++)
        same = known->sizes[k] == frame[memo->slots[k]];
    if (same)
        return known->plan;
    Plan *found = first_that_holds(plan, frame);
    if (found) {
        for (int64_t k = 0; k < memo->count; k++)
            known->sizes[k] = frame[memo->slots[k]];
        known->plan = found;
    }
    return found;
}

/* Of a plan and those that come next, the one that the sizes are for; or null. */
INLINE Plan *plan_for(Plan *plan, const int64_t *frame)
{
    const Conditions *conditions = conditions_of(plan);
    return conditions && conditions->memo ? remembered(conditions->memo, plan, frame) : first_that_holds(plan, frame);
}
