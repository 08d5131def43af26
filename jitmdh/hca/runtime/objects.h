/* CPython and NumPy as the call path sees them.
 *
 * No Python.h: the IR made from this serves every supported Python and NumPy. The layouts below are those of CPython
 * with a GIL and of NumPy 2 on 64-bit machines; cpu_entry.py tries every field on real objects before it uses any of
 * this code, and calls go through Python where one differs. The functions are part of the stable ABI or as old. */
#ifndef JITMDH_OBJECTS_H
#define JITMDH_OBJECTS_H

#include "platform.h"

struct Object { int64_t references; const void *type; };

typedef struct { Object head; _Alignas(8) unsigned char value[16]; } ScalarObject; /* float, complex, NumPy scalars */
typedef struct { Object head; Object *content; } CellObject;                        /* of a closure */
typedef struct { Object head; int64_t used, version; } DictObject;
typedef struct { Object head; void *vectorcall; const void *words; } CallableObject;     /* of cpu_callable.py */
typedef struct {
    Object head;
    char *data;
    int rank;
    int64_t *shape;
    int64_t *strides; /* in bytes */
    Object *base;
    Object *dtype;
    int flags;
} ArrayObject;

_Static_assert(offsetof(ScalarObject, value) == 16 && offsetof(CellObject, content) == 16, "scalars, cells");
_Static_assert(offsetof(ArrayObject, data) == 16 && offsetof(ArrayObject, rank) == 24, "arrays");
_Static_assert(offsetof(ArrayObject, shape) == 32 && offsetof(ArrayObject, strides) == 40, "arrays");
_Static_assert(offsetof(ArrayObject, dtype) == 56 && offsetof(ArrayObject, flags) == 64, "arrays");

#define CONTIGUOUS 0x3   /* flags of arrays: C or Fortran */
#define WRITEABLE 0x400
#define EQUAL 2          /* Py_EQ */
#define COUNT(flags) ((flags) & INT64_MAX) /* of the arguments of a vectorcall: one bit says something else */

extern char PyLong_Type, PyFloat_Type, _Py_TrueStruct, _Py_FalseStruct, _Py_NoneStruct;
extern char jitmdh_ndarray_type; /* numpy.ndarray */

void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);
long long PyLong_AsLongLongAndOverflow(Object *object, int *overflow);
Object *PyLong_FromLongLong(long long value);
Object *PyFloat_FromDouble(double value);
Object *PyComplex_FromDoubles(double real, double imaginary);
Object *PyDict_GetItem(Object *dictionary, Object *key);
Object *PyObject_GetAttr(Object *owner, Object *name);
int PyObject_RichCompareBool(Object *a, Object *b, int operation);
void PyErr_Clear(void);
Object *PyTuple_New(int64_t size);
int64_t PyTuple_Size(Object *tuple);
Object *PyTuple_GetItem(Object *tuple, int64_t index);
unsigned long PyThread_get_thread_ident(void);
int PyTuple_SetItem(Object *tuple, int64_t index, Object *item);
void Py_IncRef(Object *object);
void *PyCapsule_GetPointer(Object *capsule, const char *name);
Object *PyObject_Vectorcall(Object *callable, Object *const *arguments, int64_t count, Object *names);
Object *jitmdh_array_empty(int rank, const int64_t *shape, Object *dtype, int fortran); /* PyArray_Empty */
Object *jitmdh_array_zeros(int rank, const int64_t *shape, Object *dtype, int fortran); /* PyArray_Zeros */
typedef struct { int64_t *extents; int rank; } Shape;                                   /* PyArray_Dims */
Object *jitmdh_array_resize(Object *array, Shape *shape, int refcheck, int order);              /* PyArray_Resize */
Object *jitmdh_array_scalar(const void *data, Object *dtype, Object *base);             /* PyArray_Scalar */

#endif
