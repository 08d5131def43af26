/* Calls of tensor kernels: arguments by name or in order, of extents that are known, with zeros where those are known.
 * Whatever does not fit is left to Python, which says what it is or computes it otherwise; nothing is written before.
 * Part of module `call`. */

#define PART_BYTES INT64_C(131072) /* of known zeros that one thread looks at before it takes others */

/* An array as a kernel is given it: `outer` times `inner` elements of a tensor. */
typedef struct {
    const char *data;
    const int64_t *strides; /* of the tensor's axes */
    int64_t outer, outer_stride, inner, inner_stride, count;
} View;

/* The bits of numbers off the pattern; 0: all are zero. `bytes` is a constant where this is inlined. */
INLINE uint64_t numbers_in_row(const char *p, int64_t count, int64_t stride, int64_t bytes)
{
    uint64_t found = 0;
    for (int64_t n = 0; n < count; n++, p += stride) {
        switch (bytes) {
        case 1: found |= *(const uint8_t *)p; break;
        case 2: found |= *(const uint16_t *)p; break;
        case 4: found |= *(const uint32_t *)p; break;
        case 8: found |= *(const uint64_t *)p; break;
        default: found |= ((const uint64_t *)p)[0] | ((const uint64_t *)p)[1];
        }
    }
    return found;
}

INLINE uint64_t numbers_in_runs(const Formal *f, const View *v, int64_t bytes)
{
    int64_t last = f->rank - 1;
    uint64_t found = 0;
    for (int64_t b = 0; b < v->outer; b++) {
        const char *element = v->data + b * v->outer_stride;
        int64_t left = v->count - b * v->inner, inner = left < v->inner ? left : v->inner;
        const int64_t *run = f->absent;
        for (int64_t r = 0; r < f->runs; r++, run += last + 2) {
            const char *row = element + run[last] * v->strides[last];
            for (int64_t k = 0; k < last; k++)
                row += run[k] * v->strides[k];
            int64_t length = run[last + 1] - run[last];
            if (inner == 1)
                found |= numbers_in_row(row, length, v->strides[last], bytes);
            else
                for (int64_t n = 0; n < length; n++, row += v->strides[last])
                    found |= numbers_in_row(row, inner, v->inner_stride, bytes);
        }
    }
    return found;
}

INLINE uint64_t word_at(const char *p)
{
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
    return word;
}

/* The bits of all numbers in so many bytes, which begin with a number. */
INLINE uint64_t numbers_in_bytes(const char *p, int64_t bytes)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (; bytes >= 32; bytes -= 32, p += 32) {
        __builtin_prefetch(p + 1024);
        a |= word_at(p), b |= word_at(p + 8), c |= word_at(p + 16), d |= word_at(p + 24);
    }
    for (; bytes >= 8; bytes -= 8, p += 8)
        a |= word_at(p);
    for (int64_t k = 0; k < bytes; k++)
        b |= (uint64_t)(unsigned char)p[k] << 8 * k;
    return a | b | c | d;
}

/* Of elements of the tensor that lie one behind the other, `inner` of them side by side. */
static uint64_t numbers_in_stretches(const Formal *f, const View *v)
{
    uint64_t found = 0;
    int64_t size = f->item_bytes * v->inner;
    for (int64_t b = 0; b < v->outer; b++) {
        const char *element = v->data + b * v->outer_stride;
        for (int64_t r = 0; r < f->stretches; r++)
            found |= numbers_in_bytes(element + f->flat[2 * r] * size, f->flat[2 * r + 1] * size);
    }
    for (int64_t width = 4; width >= f->item_bytes; width /= 2)
        found |= found >> 8 * width; /* the numbers of a word come together in its lowest one */
    return found;
}

/* Whether the elements of a tensor lie one behind the other, each with all those that are side by side. */
static bool is_dense(const Formal *f, const View *v)
{
    int64_t step = f->item_bytes * v->inner;
    if (v->inner > 1 && v->inner_stride != f->item_bytes)
        return false;
    for (int64_t k = f->rank - 1; k >= 0; step *= f->shape[k--])
        if (f->shape[k] > 1 && v->strides[k] != step)
            return false;
    return true;
}

static bool is_trusted(const Trusted *trusted)
{
    int64_t count = trusted->count, listed = sizeof trusted->threads / sizeof *trusted->threads;
    if (!count)
        return false;
    uint64_t here = PyThread_get_thread_ident();
    for (int64_t k = 0; k < count && k < listed; k++)
        if (trusted->threads[k] == here)
            return true;
    return false;
}

/* Whether an array has the type and the extents of a tensor, behind `before` axes and in front of `after`. */
INLINE bool is_array_of(const Formal *f, const ArrayObject *a, int64_t before, int64_t after)
{
    if (a->head.type != &jitmdh_ndarray_type || (a->dtype != f->dtype && a->dtype != f->type)
        || a->rank != before + f->rank + after)
        return false;
    return same_words(a->shape + before, f->shape, f->rank);
}

/* What a call is given, as positional arguments of the compiled function. */
typedef struct {
    const Formula *formula;
    Object **arguments;
    Object **owned;        /* references to drop; some are null */
    int64_t count;         /* elements of the batch; -1: not known yet */
    bool in_blocks, trusted, ended; /* ended: because of a signal */
} Given;

/* Blocks of a tensor's elements that threads look at together. */
typedef struct {
    const Formal *formal;
    const View *view;
    int64_t parts;
    _Atomic uint64_t found;
} Look;

static void look_at(void *env, int64_t part)
{
    Look *look = env;
    View v = *look->view;
    int64_t begin = part * v.outer / look->parts, end = (part + 1) * v.outer / look->parts;
    v.data += begin * v.outer_stride, v.outer = end - begin;
    atomic_fetch_or_explicit(&look->found, numbers_in_stretches(look->formal, &v), memory_order_relaxed);
}

/* As `numbers_in_stretches`, by all threads where it is worth it. */
static uint64_t numbers_in_all(Given *g, const Formal *f, const View *v)
{
    int64_t parts = f->zeros * f->item_bytes * v->inner * v->outer / PART_BYTES;
    Look look = {f, v, parts < v->outer ? parts : v->outer, 0};
    if (look.parts < 2)
        return numbers_in_stretches(f, v);
    g->ended = g->formula->pool->parallel(look_at, &look, look.parts, &look);
    return look.found;
}

static uint64_t numbers_off(Given *g, const Formal *f, const View *v)
{
    View rest = *v;
    uint64_t found = 0;
    if (is_dense(f, v)) {
        View whole = *v; /* without a last block in which some are missing */
        rest.outer = v->count % v->inner != 0, whole.outer -= rest.outer;
        rest.data += whole.outer * v->outer_stride, rest.count -= whole.outer * v->inner;
        found = numbers_in_all(g, f, &whole);
    }
    switch (rest.outer ? f->item_bytes : 0) {
    case 0: return found;
    case 1: return found | numbers_in_runs(f, &rest, 1);
    case 2: return found | numbers_in_runs(f, &rest, 2);
    case 4: return found | numbers_in_runs(f, &rest, 4);
    case 8: return found | numbers_in_runs(f, &rest, 8);
    default: return found | numbers_in_runs(f, &rest, 16);
    }
}

/* Whether there are zeros where the tensor has known ones: 0.0, -0.0, but no NaN. */
static NOINLINE bool zeros_hold(Given *g, const Formal *f, const View *v)
{
    return !(numbers_off(g, f, v) & (uint64_t)f->number) && !g->ended;
}

INLINE bool same_count(Given *g, int64_t count)
{
    if (g->count < 0)
        g->count = count;
    return g->count == count;
}

/* One array, or one object that holds elements in blocks. Whether it fits. */
static bool take_tensor(Given *g, int64_t k)
{
    const Formal *f = g->formula->each + k;
    const ArrayObject *a = (const ArrayObject *)g->arguments[k];
    View v = {.outer = 1, .inner = 1, .count = 1};
    if (!(f->flags & EACH)) {
        if (!is_array_of(f, a, 0, 0))
            return false;
        v.data = a->data, v.strides = a->strides;
    } else if (g->in_blocks) {
        int64_t lanes = g->formula->lanes, count;
        int overflow = 1;
        Object *object = (Object *)a, *number;
        if (object->type != g->formula->blocks_type || !(g->owned[k] = PyObject_GetAttr(object, g->formula->blocks))
            || !(number = PyObject_GetAttr(object, g->formula->elements)))
            return false;
        count = number->type == &PyLong_Type ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
        Py_DecRef(number);
        g->arguments[k] = g->owned[k];
        a = (const ArrayObject *)g->owned[k];
        if (overflow || !is_array_of(f, a, 1, 1) || a->shape[f->rank + 1] != lanes
            || a->shape[0] != (count + lanes - 1) / lanes || !same_count(g, count))
            return false;
        v = (View){a->data, a->strides + 1, a->shape[0], a->strides[0], lanes, a->strides[f->rank + 1], count};
    } else {
        if (!is_array_of(f, a, 1, 0) || !same_count(g, a->shape[0]))
            return false;
        v = (View){a->data, a->strides + 1, a->shape[0], a->strides[0], 1, 0, a->shape[0]};
    }
    return !f->runs || g->trusted || zeros_hold(g, f, &v);
}

/* A number as NumPy's scalar of the parameter's type. Whether there was one that keeps its value. */
static bool take_number(Given *g, int64_t k)
{
    const Formal *f = g->formula->each + k;
    Object *object = g->arguments[k];
    if (object->type == f->type)
        return true;
    if (!(f->flags & REAL) || object->type != &PyFloat_Type)
        return false;
    g->arguments[k] = g->owned[k] = jitmdh_array_scalar(((const ScalarObject *)object)->value, f->dtype, NULL);
    return g->owned[k];
}

/* An array for a tensor that the call leaves out. */
static bool make_tensor(Given *g, int64_t k)
{
    const Formal *f = g->formula->each + k;
    int64_t *shape = __builtin_alloca(8 * (size_t)(f->rank + 1)), before = f->flags & EACH ? 1 : 0;
    if (before && (g->in_blocks || g->count < 0))
        return false;
    shape[0] = g->count;
    for (int64_t n = 0; n < f->rank; n++)
        shape[before + n] = f->shape[n];
    Py_IncRef(f->dtype); /* which NumPy takes over */
    g->arguments[k] = g->owned[k] = f->flags & ZEROS ? jitmdh_array_zeros((int)(before + f->rank), shape, f->dtype, 0)
                                                     : jitmdh_array_empty((int)(before + f->rank), shape, f->dtype, 0);
    return g->owned[k];
}

/* Number of the parameter of this name; that of none: the number of all. */
INLINE int64_t formal_named(const Formula *f, Object *name)
{
    for (int64_t k = 0; k < f->formals; k++)
        if (f->each[k].name == name)
            return k;
    for (int64_t k = 0; k < f->formals; k++) /* names made while the program runs */
        if (PyObject_RichCompareBool(f->each[k].name, name, EQUAL) == 1)
            return k;
    return f->formals;
}

/* Puts arguments that were given by name into their places. Whether each is a parameter's, once. */
INLINE bool place_named(const Formula *f, Object **arguments, Object *const *given, Object *names)
{
    for (int64_t n = 0, count = PyTuple_Size(names); n < count; n++) {
        int64_t k = formal_named(f, PyTuple_GetItem(names, n));
        if (k == f->formals || arguments[k])
            return false;
        arguments[k] = given[n];
    }
    return true;
}

/* All arguments. Whether they fit; made: bit k, whether the call leaves out tensor k. */
static bool take_given(Given *g, uint64_t *made)
{
    const Formula *f = g->formula;
    *made = 0;
    for (int64_t k = 0; k < f->formals && !g->in_blocks; k++)
        g->in_blocks = f->each[k].flags & EACH && g->arguments[k] && g->arguments[k]->type == f->blocks_type;
    for (int64_t k = 0; k < f->formals; k++) {
        if (!g->arguments[k]) {
            if (!(f->each[k].flags & MADE))
                return false;
            *made |= UINT64_C(1) << k;
        } else if (!(f->each[k].rank < 0 ? take_number(g, k) : take_tensor(g, k))) {
            return false;
        }
    }
    for (int64_t k = 0; k < f->formals; k++)
        if (*made >> k & 1 && !make_tensor(g, k))
            return false;
    return true;
}

/* What a call returns that left out these tensors: a new reference, or null. */
static Object *made_tensors(Given *g, uint64_t made, Object *nothing)
{
    if (!made)
        return nothing;
    Object *found = __builtin_popcountll(made) == 1 ? NULL : PyTuple_New(__builtin_popcountll(made));
    bool one = !(made & (made - 1));
    Py_DecRef(nothing);
    for (int64_t k = 0, n = 0; made && (one || found); k++, made >>= 1) {
        if (!(made & 1))
            continue;
        if (one)
            found = g->owned[k];
        else
            PyTuple_SetItem(found, n++, g->owned[k]);
        g->owned[k] = NULL;
    }
    return found;
}

/* Runs a call whose arguments are in their places. Whether it was done, as of `called`. */
static bool run_formula(const Formula *f, Object **arguments, Object **value)
{
    Object **owned = __builtin_alloca(sizeof(Object *) * (size_t)f->formals);
    for (int64_t k = 0; k < f->formals; k++)
        owned[k] = NULL;
    Given g = {f, arguments, owned, -1, false, is_trusted(f->trusted), false};
    uint64_t made;
    bool done = take_given(&g, &made);
    Table *table = g.in_blocks ? f->stored : f->table;
    done = done && table && called(table, arguments, f->formals + f->constants, value);
    if (done && *value)
        *value = made_tensors(&g, made, *value);
    for (int64_t k = 0; k < f->formals; k++)
        if (owned[k])
            Py_DecRef(owned[k]);
    if (g.ended && f->pool->raise_ended()) {
        *value = NULL;
        return true;
    }
    if (!done)
        PyErr_Clear();
    return done;
}

/* A call of a kernel of tensors, or else of its slow path. */
static NOINLINE Object *formula_called(const Formula *f, Object *const *given, int64_t count, Object *names)
{
    if (count <= f->formals) {
        Object **arguments = __builtin_alloca(sizeof(Object *) * (size_t)(f->formals + f->constants));
        for (int64_t k = 0; k < f->formals; k++)
            arguments[k] = k < count ? given[k] : NULL;
        for (int64_t k = 0; k < f->constants; k++)
            arguments[f->formals + k] = constants_of(f)[k];
        Object *value;
        if ((!names || place_named(f, arguments, given + count, names)) && run_formula(f, arguments, &value))
            return value;
    }
    return PyObject_Vectorcall(f->slow, given, count, names);
}

/* A METH_FASTCALL | METH_KEYWORDS function; `self` is a capsule of its formula. */
Object *jitmdh_formula(Object *self, Object *const *given, int64_t count, Object *names)
{
    return formula_called(PyCapsule_GetPointer(self, NULL), given, count, names);
}

/* The vectorcall of a kernel of tensors: no dictionary of what is given by name. */
Object *jitmdh_formula_object(Object *self, Object *const *given, int64_t flags, Object *names)
{
    return formula_called(((CallableObject *)self)->words, given, COUNT(flags), names);
}
