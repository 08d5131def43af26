/* What a function returns: arrays are made before the kernel runs and filled by it; scalars are written into cells,
 * and become objects afterwards. */
#include "plan.h"

typedef struct { _Alignas(16) unsigned char bytes[16]; } Cell;

/* Drops the references held in objects[0..count), some of them null. */
static void drop(Object **objects, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (objects[k])
            Py_DecRef(objects[k]);
}

/* Makes the arrays and cells, and puts their addresses into the frame. False: an exception is set. */
INLINE bool allocate(const Plan *plan, int64_t *frame, Object **objects, Cell *cells)
{
    const Allocation *a = allocations_of(plan);
    for (int64_t k = 0; k < plan->allocations; k++, a++) {
        int64_t *own = frame + a->slot;
        objects[k] = NULL;
        if (a->kind != NEW_ARRAY) {
            own[0] = (int64_t)&cells[k];
            continue;
        }
        Py_IncRef(a->dtype); /* which PyArray_Empty takes over */
        objects[k] = jitmdh_array_empty((int)a->rank, own + 1, a->dtype, (int)a->fortran);
        if (!objects[k]) {
            drop(objects, k);
            return false;
        }
        own[0] = (int64_t)((ArrayObject *)objects[k])->data;
    }
    return true;
}

/* The content of a cell as an object: a new reference, or null. */
static Object *scalar_object(const Allocation *a, const Cell *cell)
{
    const double *number = (const double *)cell->bytes;
    switch (a->kind) {
    case PYTHON_FLOAT:
        return PyFloat_FromDouble(number[0]);
    case NEW_INT:
        return PyLong_FromLongLong(*(const int64_t *)cell->bytes);
    case NEW_BOOL: {
        Object *truth = (Object *)(cell->bytes[0] ? &_Py_TrueStruct : &_Py_FalseStruct);
        Py_IncRef(truth);
        return truth;
    }
    case PYTHON_COMPLEX:
        return PyComplex_FromDoubles(number[0], number[1]);
    default:
        return jitmdh_array_scalar(cell->bytes, a->dtype, NULL);
    }
}

/* Leaves an array its first `rows` rows only. False: an exception is set. */
static bool shortened(Object *object, int64_t rows)
{
    const ArrayObject *array = (const ArrayObject *)object;
    if (rows == array->shape[0])
        return true;
    int64_t shape[64]; /* NumPy's largest rank */
    __builtin_memcpy(shape, array->shape, 8 * (size_t)array->rank);
    shape[0] = rows;
    Object *none = jitmdh_array_resize(object, &(Shape){shape, array->rank}, 0, 0);
    if (none)
        Py_DecRef(none);
    return none != NULL;
}

/* After the kernel: arrays get their lengths, and cells become objects. False: an exception is set. */
INLINE bool collect(const Plan *plan, Object **objects, const Cell *cells)
{
    const Allocation *a = allocations_of(plan);
    for (int64_t k = 0; k < plan->allocations; k++, a++)
        if (a->kind != NEW_ARRAY ? !(objects[k] = scalar_object(a, &cells[k]))
                                 : a->length && !shortened(objects[k], *(const int64_t *)cells[a->length - 1].bytes))
            return false;
    return true;
}

/* One result, a new reference. */
INLINE Object *result(const Result *r, Object *const *arguments, Object *const *objects)
{
    Object *object = (r->allocated ? objects : arguments)[r->number];
    Py_IncRef(object);
    return object;
}

/* What the function returns: a new reference, or null. */
INLINE Object *returned(const Plan *plan, Object *const *arguments, Object *const *objects)
{
    const Result *r = results_of(plan);
    if (plan->results < 0) {
        Py_IncRef((Object *)&_Py_NoneStruct);
        return (Object *)&_Py_NoneStruct;
    }
    if (!plan->returns_tuple)
        return result(r, arguments, objects);
    Object *tuple = PyTuple_New(plan->results);
    for (int64_t k = 0; tuple && k < plan->results; k++)
        PyTuple_SetItem(tuple, k, result(r + k, arguments, objects));
    return tuple;
}
