/* Module `cuda`: what device.c asks of an OpenCL driver, by the functions of CUDA's.
 *
 * Memory is an address of the device, which kernels take as they take a handle; a kernel keeps the values of its
 * arguments, since CUDA is given all of them at a launch. A stream is a queue. Errors are CUDA's, negated, since
 * OpenCL's are negative. */
#include "platform.h"

/* By their names in CUDA's driver, found by cuda_program.py; addresses of the device are 64-bit numbers. */
typedef struct {
    int32_t (*push_context)(void *context);
    int32_t (*pop_context)(void **context);
    int32_t (*allocate)(void **memory, size_t bytes);
    int32_t (*copy_out)(void *host, void *memory, size_t bytes, void *stream);
    int32_t (*copy_in)(void *memory, const void *host, size_t bytes, void *stream);
    int32_t (*synchronize)(void *stream);
    int32_t (*launch)(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
                      uint32_t block_y, uint32_t block_z, uint32_t shared_bytes, void *stream, void **parameters,
                      void **extra);
    void *context;
    void *stream;      /* of this call */
    void *last_stream; /* of the one before: working memory may be in use there still */
} Stream;

/* value: two words for each argument; parameter: their addresses. */
typedef struct { void *function; int64_t (*value)[2]; void **parameter; } Kernel;

enum { INVALID_VALUE = -1 };
#define MOST_BLOCKS INT64_C(0x7fffffff)

EXPORT void *jitmdh_cuda_create(Stream *stream, uint64_t flags, size_t bytes, void *host, int32_t *error);
EXPORT int32_t jitmdh_cuda_bind(Kernel *kernel, uint32_t place, size_t bytes, const void *value);
EXPORT int32_t jitmdh_cuda_range(Stream *stream, Kernel *kernel, uint32_t dimensions, const size_t *offset,
                                 const size_t *global, const size_t *local, uint32_t waits, void *const *wait,
                                 void **event);
EXPORT int32_t jitmdh_cuda_read(Stream *stream, void *memory, uint32_t blocks, size_t offset, size_t bytes, void *host,
                                uint32_t waits, void *const *wait, void **event);
EXPORT int32_t jitmdh_cuda_write(Stream *stream, void *memory, uint32_t blocks, size_t offset, size_t bytes,
                                 const void *host, uint32_t waits, void *const *wait, void **event);
EXPORT int32_t jitmdh_cuda_finish(Stream *stream);
EXPORT int32_t jitmdh_cuda_enter(Stream *stream);
EXPORT void jitmdh_cuda_leave(Stream *stream);

void *jitmdh_cuda_create(Stream *stream, uint64_t flags, size_t bytes, void *host, int32_t *error)
{
    void *memory = NULL;
    (void)flags, (void)host;
    *error = -stream->allocate(&memory, bytes);
    return *error ? NULL : memory;
}

int32_t jitmdh_cuda_bind(Kernel *kernel, uint32_t place, size_t bytes, const void *value)
{
    __builtin_memcpy(kernel->value[place], value, bytes);
    return 0;
}

/* One dimension; groups are blocks. */
int32_t jitmdh_cuda_range(Stream *stream, Kernel *kernel, uint32_t dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, uint32_t waits, void *const *wait, void **event)
{
    (void)dimensions, (void)offset, (void)waits, (void)wait, (void)event;
    int64_t blocks = local ? (int64_t)(*global / *local) : 0;
    if (blocks < 1 || blocks > MOST_BLOCKS)
        return INVALID_VALUE;
    return -stream->launch(kernel->function, (uint32_t)blocks, 1, 1, (uint32_t)*local, 1, 1, 0, stream->stream,
                          kernel->parameter, NULL);
}

int32_t jitmdh_cuda_read(Stream *stream, void *memory, uint32_t blocks, size_t offset, size_t bytes, void *host,
                         uint32_t waits, void *const *wait, void **event)
{
    (void)waits, (void)wait, (void)event;
    int32_t error = stream->copy_out(host, (char *)memory + offset, bytes, stream->stream);
    return -(error || !blocks ? error : stream->synchronize(stream->stream));
}

int32_t jitmdh_cuda_write(Stream *stream, void *memory, uint32_t blocks, size_t offset, size_t bytes, const void *host,
                          uint32_t waits, void *const *wait, void **event)
{
    (void)blocks, (void)waits, (void)wait, (void)event;
    int32_t error = stream->copy_in((char *)memory + offset, host, bytes, stream->stream);
    return -(error ? error : stream->synchronize(stream->stream));
}

int32_t jitmdh_cuda_finish(Stream *stream) { return -stream->synchronize(stream->stream); }

/* The device is this thread's current one, and what another stream does with working memory has ended. */
int32_t jitmdh_cuda_enter(Stream *stream)
{
    int32_t error = stream->push_context(stream->context);
    if (error)
        return -error;
    if (stream->stream != stream->last_stream && (error = stream->synchronize(stream->last_stream))) {
        jitmdh_cuda_leave(stream);
        return -error;
    }
    stream->last_stream = stream->stream;
    return 0;
}

void jitmdh_cuda_leave(Stream *stream)
{
    void *context;
    stream->pop_context(&context);
}
