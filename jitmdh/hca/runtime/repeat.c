/* Executions of one kernel without Python between them, for measurements. */
#include "pool.h"

int64_t jitmdh_repeat(int64_t (*kernel)(int64_t *frame), int64_t *frame, int64_t count)
{
    int64_t status = 0;
    for (int64_t k = 0; k < count && !status; k++)
        status = kernel(frame);
    return status;
}
