/* Module `device`: calls of programs whose parallel loops run on a device, by OpenCL's functions or what stands for them
 * (cuda.c).
 *
 * What stays on the host (sizes, sequential loops, working buffers) is generated code, `steps`, which comes back here to
 * launch kernels: nothing of Python's runs from the first launch of a call to its last. The driver's functions are
 * called by address. Buffers of a device that shares the host's memory are made of the arrays themselves, for as long
 * as the call takes; those of other devices come as handles, in the place of addresses. */
#include "platform.h"

typedef void *Handle; /* of the driver: a context, queue, kernel, piece of memory */

typedef struct {
    Handle (*create_buffer)(Handle context, uint64_t flags, size_t bytes, void *host, int32_t *error);
    int32_t (*release_memory)(Handle memory);
    int32_t (*set_argument)(Handle kernel, uint32_t place, size_t bytes, const void *value);
    int32_t (*enqueue_range)(Handle queue, Handle kernel, uint32_t dimensions, const size_t *offset,
                             const size_t *global, const size_t *local, uint32_t waits, const Handle *wait,
                             Handle *event);
    int32_t (*enqueue_read)(Handle queue, Handle memory, uint32_t blocks, size_t offset, size_t bytes, void *host,
                            uint32_t waits, const Handle *wait, Handle *event);
    int32_t (*enqueue_write)(Handle queue, Handle memory, uint32_t blocks, size_t offset, size_t bytes,
                             const void *host, uint32_t waits, const Handle *wait, Handle *event);
    int32_t (*finish)(Handle queue);
    int32_t (*enter)(Handle queue); /* before a call, and `leave` after it, where the driver has a state; or null */
    void (*leave)(Handle queue);
} Driver;

#define READ_WRITE UINT64_C(1)
#define USE_HOST_POINTER UINT64_C(8)
#define MOST_IDLE_BYTES (INT64_C(1) << 30)
#define EXECUTION_STATUS UINT32_C(0x11D3)

/* How long the end of a call's last kernel is looked for before the thread sleeps: to be waked takes as long, and twice
 * so where the processor has gone to sleep as well. Calls after one that took longer do not look, but for one in: */
#define LONGEST_LOOK 20000 /* ns */
#define LOOKS_PER_CLOCK 4
#define TRIED_ANEW 32

/* Working memory on the device. zeros: it holds nothing else whenever it is idle, since kernels leave it so. */
typedef struct Block Block;
struct Block {
    Block *next;
    Handle memory;
    int64_t bytes, used, zeros;
};

/* An in-order queue of a device, and what calls on it share. Calls take turns: a kernel's arguments are state. */
typedef struct {
    Driver driver;
    Handle context, queue;
    int64_t forked;     /* this process is the child of one that had the queue: it would wait for ever */
    int64_t error;      /* of the driver, in the call that failed last */
    int64_t idle_bytes; /* in blocks that are not in use */
    int64_t launches, allocations; /* so far, as those of each program */
    Block *blocks;      /* as many as were in use at a time, or are kept for the next call */
    int32_t (*event_info)(Handle event, uint32_t what, size_t bytes, void *value, size_t *size); /* or null */
    int32_t (*release_event)(Handle event);
    Handle last;        /* event of the kernel that was started last in a call that waits, if these two are given */
    Mutex mutex;
} Queue;

_Static_assert(offsetof(Queue, blocks) == 128 && offsetof(Queue, mutex) == 192, "words of a queue");

typedef struct { int64_t slot, rank, item_bytes; Handle memory; } Array; /* slot: of the frame, with address or handle */

/* AN_ARRAY: number of an array; WORKING: number of a word of `environment` that is a handle; VALUE: of a word that is the
 * value; ARGUMENT: byte of the frame where the value is. bound: what the argument is set to. */
enum { AN_ARRAY, WORKING, VALUE, ARGUMENT };
typedef struct { int64_t kind, number, bytes, is_bound; int64_t bound[2]; } Place;

/* local: work-items of each of the groups that a launch counts; 0: it counts work-items, grouped as the driver likes. */
typedef struct { Handle kernel; int64_t places; Place *place; int64_t local; } Code;

/* When calls return: SILENT, when kernels are started, which report nothing; WAITS, when kernels have ended; LATER, as
 * SILENT, and what kernels report is asked for by `jitmdh_device_settle`, or found by the next call. */
enum { SILENT, WAITS, LATER };

/* A program on a queue. takes_handles: arrays come as handles. */
typedef struct {
    Queue *queue;
    int64_t takes_handles;
    int64_t launches, allocations; /* so far */
    int64_t arrays;
    Array *array;
    Code *code;
    char *frame;
    int64_t returns;    /* SILENT, WAITS or LATER */
    Handle status;      /* int32 on the device: 0, or what a kernel has reported first */
    int32_t *cell;      /* the same in main memory, which the device shares; or null */
    int32_t *seen;      /* where it is copied to without anybody waiting, of a program with LATER and no cell */
    int64_t in_flight;  /* calls have returned that nobody has waited for since */
    int64_t sleeps;     /* so many calls do not look for their end */
} Program;

_Static_assert(sizeof(Place) == 48 && sizeof(Code) == 32 && sizeof(Program) == 112, "words of a program");

enum { NOT_AFTER_FORK = 5, ONLY_BY_COPIES = (1 << 20) - 1 }; /* see base/status.py */
#define FIRST_OF_DRIVER (INT64_C(1) << 40)

EXPORT void jitmdh_device_reset(Queue *queue);
EXPORT int64_t jitmdh_device_call(Program *program, int64_t (*steps)(int64_t *frame), int64_t *frame);
EXPORT void jitmdh_device_launch(Program *program, int64_t code, const int64_t *environment, int64_t count);
EXPORT int64_t jitmdh_device_status(Program *program);
EXPORT int64_t jitmdh_device_settle(Program *program);
EXPORT Handle jitmdh_device_acquire(Program *program, int64_t bytes, int64_t zeros);
EXPORT void jitmdh_device_release(Program *program, Handle memory);

void jitmdh_device_reset(Queue *queue) { pthread_mutex_init(&queue->mutex, NULL); }

/* Notes an error of the driver, the first of a call. Whether there was none. */
INLINE bool good(Queue *queue, int32_t error)
{
    if (error && !queue->error)
        queue->error = error;
    return !error;
}

/* The status that stands for the error. */
INLINE int64_t failed(const Queue *queue) { return FIRST_OF_DRIVER - queue->error; }

/* ---- arrays as buffers */

/* Bytes from the first element to the end of the last; -1: some lie before the first. */
INLINE int64_t extent_of(const Array *array, const int64_t *frame)
{
    const int64_t *shape = frame + array->slot + 1, *strides = shape + array->rank;
    int64_t bytes = array->item_bytes;
    for (int64_t k = 0; k < array->rank; k++) {
        if (shape[k] < 1)
            return 0;
        if (shape[k] > 1 && strides[k] < 0)
            return -1;
        bytes += shape[k] > 1 ? (shape[k] - 1) * strides[k] : 0;
    }
    return bytes;
}

/* Gives the buffers up that `open` has made of the first `count` arrays. */
static void close(Program *program, int64_t count)
{
    for (int64_t k = 0; !program->takes_handles && k < count; k++)
        program->queue->driver.release_memory(program->array[k].memory);
}

/* Makes a buffer of each array. 0, or the status of the call that cannot be. */
static int64_t open(Program *program, const int64_t *frame)
{
    Queue *queue = program->queue;
    for (int64_t k = 0; k < program->arrays; k++) {
        Array *array = &program->array[k];
        void *address = (void *)frame[array->slot];
        array->memory = address;
        if (program->takes_handles)
            continue;
        int64_t bytes = extent_of(array, frame);
        int32_t error = 0;
        if (bytes >= 0)
            array->memory = queue->driver.create_buffer(queue->context, READ_WRITE | USE_HOST_POINTER,
                                                        (size_t)max64(bytes, 1), address, &error);
        if (bytes < 0 || !good(queue, error)) {
            close(program, k);
            return bytes < 0 ? ONLY_BY_COPIES : failed(queue);
        }
    }
    return 0;
}

/* ---- working memory: blocks that are kept for the next call */

/* Gives up all blocks that are not in use, or this one only. */
static void drop(Queue *queue, const Block *only)
{
    for (Block **place = &queue->blocks, *b; (b = *place);) {
        if (b->used || (only && b != only)) {
            place = &b->next;
            continue;
        }
        *place = b->next;
        queue->idle_bytes -= b->bytes;
        queue->driver.release_memory(b->memory);
        free(b);
    }
}

/* The smallest idle block that is large enough, but not four times too large; null: there is none. */
static Block *idle_block(const Queue *queue, int64_t bytes, int64_t zeros)
{
    Block *best = NULL;
    for (Block *b = queue->blocks; b; b = b->next)
        if (!b->used && b->zeros == zeros && b->bytes >= bytes && b->bytes / 4 <= bytes + 16384 && (!best || b->bytes < best->bytes))
            best = b;
    return best;
}

/* Fills memory with zeros, and waits for it. */
static bool cleared(Queue *queue, Handle memory, int64_t bytes)
{
    static const char none[1024];
    for (int64_t at = 0, some; at < bytes; at += some) {
        some = bytes - at < (int64_t)sizeof none ? bytes - at : (int64_t)sizeof none;
        if (!good(queue, queue->driver.enqueue_write(queue->queue, memory, 1, (size_t)at, (size_t)some, none, 0, NULL,
                                                     NULL)))
            return false;
    }
    return true;
}

/* A block in use; null: there is no memory left. Where the driver has none, those that are kept are given up first. */
static Block *new_block(Queue *queue, int64_t bytes, int64_t zeros)
{
    void *room;
    if (posix_memalign(&room, sizeof(Handle), sizeof(Block)))
        return NULL;
    int32_t error = 0;
    Handle memory = queue->driver.create_buffer(queue->context, READ_WRITE, (size_t)bytes, NULL, &error);
    if ((!memory || error) && queue->idle_bytes) {
        drop(queue, NULL);
        error = 0;
        memory = queue->driver.create_buffer(queue->context, READ_WRITE, (size_t)bytes, NULL, &error);
    }
    if (!memory || !good(queue, error)) {
        free(room);
        return NULL;
    }
    if (zeros && !cleared(queue, memory, bytes)) {
        queue->driver.release_memory(memory);
        free(room);
        return NULL;
    }
    Block *block = room;
    *block = (Block){queue->blocks, memory, bytes, 1, zeros};
    queue->blocks = block;
    return block;
}

/* zeros: whether kernels find it so, and leave it so. */
Handle jitmdh_device_acquire(Program *program, int64_t bytes, int64_t zeros)
{
    Queue *queue = program->queue;
    int64_t least = max64(bytes, 64);
    Block *block = idle_block(queue, least, zeros);
    if (block) {
        block->used = 1;
        queue->idle_bytes -= block->bytes;
        return block->memory;
    }
    block = new_block(queue, least, zeros);
    if (!block)
        return NULL;
    program->allocations++;
    queue->allocations++;
    return block->memory;
}

/* From now on a block is kept for others, or given up: one of zeros where a kernel may not have ended. */
static void release(Queue *queue, Block *block)
{
    block->used = 0;
    queue->idle_bytes += block->bytes;
    if (queue->idle_bytes > MOST_IDLE_BYTES || (block->zeros && queue->error))
        drop(queue, block);
}

void jitmdh_device_release(Program *program, Handle memory)
{
    for (Block *b = program->queue->blocks; b; b = b->next)
        if (b->memory == memory) {
            release(program->queue, b);
            return;
        }
}

/* After a call that ended early: nothing is in use any more. */
static NOINLINE void release_all(Program *program)
{
    for (Block *b = program->queue->blocks, *next; b; b = next) {
        next = b->next;
        if (b->used)
            release(program->queue, b);
    }
}

/* ---- kernels */

/* Sets the arguments that are not what they were in the last launch. Handles may be reused: they are always set. */
INLINE bool bind(Program *program, Code *code, const int64_t *environment)
{
    Queue *queue = program->queue;
    for (int64_t k = 0; k < code->places; k++) {
        Place *p = &code->place[k];
        const void *value;
        if (p->kind == AN_ARRAY)
            value = &program->array[p->number].memory;
        else if (p->kind == ARGUMENT)
            value = program->frame + p->number;
        else
            value = environment + p->number;
        if (p->kind == VALUE || p->kind == ARGUMENT) {
            int64_t now[2] = {0, 0};
            __builtin_memcpy(now, value, (size_t)p->bytes);
            if (p->is_bound && now[0] == p->bound[0] && now[1] == p->bound[1])
                continue;
            p->is_bound = 1;
            p->bound[0] = now[0];
            p->bound[1] = now[1];
        }
        if (!good(queue, queue->driver.set_argument(code->kernel, (uint32_t)k + 1, (size_t)p->bytes, value))) {
            p->is_bound = 0;
            return false;
        }
    }
    return true;
}

/* No event is kept any more. */
INLINE void forget_last(Queue *queue)
{
    if (queue->last)
        queue->release_event(queue->last);
    queue->last = NULL;
}

INLINE int64_t clock_ns(void)
{
    TimeSpec time;
    clock_gettime(platform_clock_monotonic(), &time);
    return time.seconds * INT64_C(1000000000) + time.nanoseconds;
}

/* Whether the last kernel has ended, or failed; does not wait. */
INLINE bool last_has_ended(const Queue *queue)
{
    int32_t status = 0; /* what it stays if the driver does not tell */
    queue->event_info(queue->last, EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= 0;
}

/* Looks for the end of the last kernel, if calls of the program are short. */
static void look_for_end(Program *program)
{
    Queue *queue = program->queue;
    if (!queue->last)
        return;
    if (program->sleeps)
        program->sleeps--;
    else {
        int64_t until = clock_ns() + LONGEST_LOOK;
        bool over = last_has_ended(queue);
        while (!over && clock_ns() < until)
            for (int64_t k = 0; k < LOOKS_PER_CLOCK && !over; k++) {
                platform_relax();
                over = last_has_ended(queue);
            }
        program->sleeps = over ? 0 : TRIED_ANEW;
    }
    forget_last(queue);
}

/* Starts a kernel for `count` groups or work-items, behind those that were started before. Nothing, once the driver has failed. */
void jitmdh_device_launch(Program *program, int64_t number, const int64_t *environment, int64_t count)
{
    Queue *queue = program->queue;
    Code *code = &program->code[number];
    if (count <= 0 || queue->error || !bind(program, code, environment))
        return;
    size_t local = (size_t)code->local, global = (size_t)count * (local ? local : 1);
    bool looks = queue->event_info && program->returns == WAITS && program->cell;
    Handle event = NULL;
    int32_t error = queue->driver.enqueue_range(queue->queue, code->kernel, 1, NULL, &global, local ? &local : NULL, 0,
                                                NULL, looks ? &event : NULL);
    if (good(queue, error)) {
        forget_last(queue);
        queue->last = event;
        program->launches++;
        queue->launches++;
    }
}

/* Waits for all kernels: what they report, 0 if nothing. */
int64_t jitmdh_device_status(Program *program)
{
    Queue *queue = program->queue;
    Driver *driver = &queue->driver;
    int32_t status = 0;
    if (queue->error)
        return failed(queue);
    if (program->cell) {
        look_for_end(program);
        if (!good(queue, driver->finish(queue->queue)))
            return failed(queue);
        return *(volatile int32_t *)program->cell;
    }
    if (!good(queue, driver->enqueue_read(queue->queue, program->status, 1, 0, 4, &status, 0, NULL, NULL)))
        return failed(queue);
    return status;
}

/* Waits for all kernels: what they have reported, which is forgotten. */
static int64_t settled(Program *program)
{
    Queue *queue = program->queue;
    int64_t status = jitmdh_device_status(program);
    int32_t none = 0;
    if (queue->error)
        queue->driver.finish(queue->queue); /* nothing may use the arrays any more */
    program->in_flight = 0;
    if (!status)
        return 0;
    if (program->cell)
        *program->cell = 0;
    else
        good(queue, queue->driver.enqueue_write(queue->queue, program->status, 1, 0, 4, &none, 0, NULL, NULL));
    if (program->seen)
        *program->seen = 0;
    return status;
}

/* What calls that have returned are known to have reported; does not wait. */
INLINE int32_t reported(const Program *program)
{
    const volatile int32_t *known = program->cell ? program->cell : program->seen;
    return program->returns == LATER && known ? *known : 0;
}

/* The end of a call whose kernels are started: its status, or 0 if nobody knows yet. */
static int64_t ended(Program *program)
{
    Queue *queue = program->queue;
    if (program->returns == WAITS || queue->error)
        return settled(program);
    program->in_flight = 1;
    if (program->returns == LATER && !program->cell &&
        !good(queue, queue->driver.enqueue_read(queue->queue, program->status, 0, 0, 4, program->seen, 0, NULL, NULL)))
        return settled(program);
    return 0;
}

INLINE bool entered(Queue *queue) { return !queue->driver.enter || good(queue, queue->driver.enter(queue->queue)); }

INLINE void leave(Queue *queue)
{
    if (queue->driver.leave)
        queue->driver.leave(queue->queue);
}

/* Waits for calls that have returned: what they have reported, 0 if nothing. */
int64_t jitmdh_device_settle(Program *program)
{
    Queue *queue = program->queue;
    if (queue->forked)
        return 0; /* they are the parent's */
    pthread_mutex_lock(&queue->mutex);
    int64_t status = 0;
    queue->error = 0;
    if (program->in_flight) {
        bool in = entered(queue);
        status = in ? settled(program) : failed(queue);
        if (in)
            leave(queue);
    }
    pthread_mutex_unlock(&queue->mutex);
    return status;
}

/* One call of a program: 0, or a status. */
int64_t jitmdh_device_call(Program *program, int64_t (*steps)(int64_t *frame), int64_t *frame)
{
    Queue *queue = program->queue;
    if (queue->forked)
        return NOT_AFTER_FORK;
    pthread_mutex_lock(&queue->mutex);
    queue->error = 0;
    program->frame = (char *)frame;
    bool in = entered(queue);
    int64_t status = !in ? failed(queue) : reported(program) ? settled(program) : 0;
    if (!status)
        status = open(program, frame);
    if (!status) {
        status = steps(frame);
        int64_t late = ended(program);
        if (status)
            release_all(program);
        status = late ? late : status;
        forget_last(queue);
        close(program, program->arrays);
    }
    if (in)
        leave(queue);
    pthread_mutex_unlock(&queue->mutex);
    return status;
}
