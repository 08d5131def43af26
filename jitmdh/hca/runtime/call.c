/* Module `call`: the way from CPython into a compiled function. What a C extension would do, without needing a C
 * compiler where it runs. */
#include "arguments.c"
#include "results.c"
#include "trials.c"

EXPORT int64_t jitmdh_call(Plan *plan, Object *const *arguments, int64_t count, Object **value);
EXPORT Object *jitmdh_dispatch(Object *self, Object *const *arguments, int64_t count, Object *names);
EXPORT Object *jitmdh_formula(Object *self, Object *const *given, int64_t count, Object *names);
EXPORT Object *jitmdh_dispatch_object(Object *self, Object *const *arguments, int64_t flags, Object *names);
EXPORT Object *jitmdh_formula_object(Object *self, Object *const *given, int64_t flags, Object *names);

/* Runs the kernel, without the GIL if the plan says so. What run_timed returns, or the kernel's status. */
INLINE int64_t run_kernel(Plan *plan, int64_t *frame)
{
    Trial *trial = plan->trial;
    if (trial && --trial->skip < 0)
        return run_timed(plan, trial, frame);
    if (!plan->releases_gil)
        return plan->kernel(frame);
    void *thread = PyEval_SaveThread();
    int64_t status = plan->kernel(frame);
    PyEval_RestoreThread(thread);
    return status;
}

/* From allocation to results; the arguments are in the frame. An outcome, as of jitmdh_call. */
INLINE int64_t run(Plan *plan, Object *const *arguments, int64_t *frame, Object **objects, Cell *cells, Object **value)
{
    plan->inside++; /* from here on the GIL may be released, and another plan take the place of this one */
    int64_t outcome = RAISED;
    if (allocate(plan, frame, objects, cells)) {
        int64_t status = run_kernel(plan, frame);
        if (status && status != NOTICE) {
            outcome = FAILED | status << 8;
            *value = plan->owner;
            Py_IncRef(*value);
        } else {
            *value = collect(plan, objects, cells) ? returned(plan, arguments, objects) : NULL;
            if (*value)
                outcome = status ? DONE | 1 << 8 : DONE;
        }
        drop(objects, plan->allocations);
    }
    plan->inside--;
    return outcome;
}

/* One call by a plan, or by the first of those that come next whose conditions hold. DONE: *value is a new reference.
 * MISMATCH: the arguments do not fit. RAISED: a Python exception is set. REFUSED | check << 8: the guard found a check
 * that fails, before anything was written. FAILED | status << 8: the kernel did, *value is a new reference to the plan's owner.
 * Not inlined: it takes stack. */
NOINLINE int64_t jitmdh_call(Plan *plan, Object *const *arguments, int64_t count, Object **value)
{
    if (count != plan->parameters)
        return MISMATCH;
    int64_t *frame = __builtin_alloca_with_align(8 * (size_t)plan->frame_slots, 128);
    Extent *extents = __builtin_alloca_with_align(sizeof(Extent) * (size_t)count, 128);
    if (!take_arguments(plan, arguments, frame, extents))
        return MISMATCH;
    plan = plan_for(plan, frame);
    if (!plan)
        return MISMATCH;
    if (plan->guard) {
        int64_t check = plan->guard(frame);
        if (check)
            return REFUSED | check << 8;
    }
    Object **objects = __builtin_alloca(sizeof(Object *) * (size_t)plan->allocations);
    Cell *cells = __builtin_alloca(sizeof(Cell) * (size_t)plan->allocations);
    return run(plan, arguments, frame, objects, cells, value);
}

/* Whether the object that must be in a place is there. */
static bool watch_holds(const Watch *w)
{
    if (w->kind == ITEM)
        return PyDict_GetItem(w->place, w->name) == w->expected;
    if (w->kind == WORD)
        return *(const Object *const *)w->place == w->expected;
    Object *found = PyObject_GetAttr(w->place, w->name);
    if (found)
        Py_DecRef(found);
    else
        PyErr_Clear();
    return found == w->expected;
}

/* Whether everything that compiled code rests on is what it was. */
static bool watches_hold(Watches *watches)
{
    Watch *w = watches->each, *end = w + watches->count;
    while (w < end) {
        if (w->kind != OF_DICTIONARY) {
            if (!watch_holds(w++))
                return false;
            continue;
        }
        Watch *next = w + 1 + w->items;
        int64_t version = ((const DictObject *)w->place)->version;
        if (version != w->version) {
            for (const Watch *item = w + 1; item < next; item++)
                if (!watch_holds(item))
                    return false;
            w->version = version; /* it changed elsewhere */
        }
        w = next;
    }
    return true;
}

/* Calls `fail` with the status of a kernel and the owner of its plan: it raises, or returns where plain Python is to. */
static NOINLINE Object *fail(const Table *table, int64_t status, Object *owner)
{
    Object *given[2] = {PyLong_FromLongLong(status), owner};
    if (!given[0])
        return NULL;
    Object *raised = PyObject_Vectorcall(table->fail, given, 2, NULL);
    Py_DecRef(given[0]);
    return raised;
}

/* Calls `observe` with the arguments of a call that is done. The call's value, or null if something was raised. */
static NOINLINE Object *observed(const Table *table, Object *const *arguments, int64_t count, Object *value)
{
    Object *nothing = PyObject_Vectorcall(table->observe, arguments, count, NULL);
    Py_DecRef(nothing ? nothing : value);
    return nothing ? value : NULL;
}

/* Status of a kernel whose data did not fulfil a condition, found before anything was written: the slow path says so.
 * See jit/launch.py. */
INLINE bool found_before_writing(int64_t status) { return status >= 16 && status < 1 << 20; }

/* A call by the first plan that fits. Whether it was done: *value is a new reference, or null and an exception is set.
 * False: nothing was written, and the slow path is to be taken. */
INLINE bool called(Table *table, Object *const *arguments, int64_t count, Object **value)
{
    if (table->watches && !watches_hold(table->watches))
        return false;
    for (int64_t k = 0, n = table->plans; k < n; k++) {
        int64_t outcome = jitmdh_call(table->plan[k], arguments, count, value), status = outcome >> 8;
        switch (outcome & 255) {
        case DONE:
            table->calls++;
            if (status)
                *value = observed(table, arguments, count, *value);
            return true;
        case RAISED:
            *value = NULL;
            return true;
        case FAILED: {
            Object *owner = *value;
            bool early = found_before_writing(status);
            *value = early ? NULL : fail(table, status, owner);
            Py_DecRef(owner);
            if (*value) {
                Py_DecRef(*value);
                return false;
            }
            return !early;
        }
        case REFUSED:
            return false;
        }
    }
    return false;
}

/* A call by the table, or else by the slow path. */
static NOINLINE Object *dispatched(Table *table, Object *const *arguments, int64_t count, Object *names)
{
    Object *value;
    if (!names && called(table, arguments, count, &value))
        return value;
    return PyObject_Vectorcall(table->slow, arguments, count, names);
}

/* A METH_FASTCALL | METH_KEYWORDS function; `self` is a capsule of its table. */
Object *jitmdh_dispatch(Object *self, Object *const *arguments, int64_t count, Object *names)
{
    return dispatched(PyCapsule_GetPointer(self, NULL), arguments, count, names);
}

/* The vectorcall of a decorated function, which knows its table: no tuple of arguments, no look for `__call__`. */
Object *jitmdh_dispatch_object(Object *self, Object *const *arguments, int64_t flags, Object *names)
{
    return dispatched((Table *)((CallableObject *)self)->words, arguments, COUNT(flags), names);
}

#include "formulas.c"
