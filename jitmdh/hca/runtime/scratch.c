/* Scratch memory: blocks that kernels work in, kept for the next call.
 *
 * At most SLOTS blocks are known at a time; one that found no slot is freed when it is released. From 2 MiB on, blocks
 * are aligned to huge pages and ask for them. */
#include "pool.h"

#define SLOTS 64
#define HUGE_PAGE INT64_C(2097152)
#define LINE INT64_C(64)
#define MOST_IDLE_BYTES (INT64_C(1) << 30)

typedef struct { void *block; int64_t bytes; bool used; } Slot;

static Slot slots[SLOTS];
static int64_t idle_bytes; /* in blocks kept, but not in use */
static Mutex scratch_mutex;

void scratch_reset(void)
{
    pthread_mutex_init(&scratch_mutex, NULL);
    for (int k = 0; k < SLOTS; k++)
        slots[k] = (Slot){0};
    idle_bytes = 0;
}

static void *new_block(int64_t bytes)
{
    void *block = NULL;
    bool big = bytes >= HUGE_PAGE;
    if (posix_memalign(&block, (size_t)(big ? HUGE_PAGE : LINE), (size_t)bytes))
        return NULL;
    if (big)
        platform_advise_huge(block, (size_t)bytes);
    return block;
}

/* Frees all blocks not in use. The lock is held. */
static void free_idle(void)
{
    for (int k = 0; k < SLOTS; k++)
        if (slots[k].block && !slots[k].used) {
            free(slots[k].block);
            slots[k].block = NULL;
        }
    idle_bytes = 0;
}

void jitmdh_scratch_trim(void)
{
    pthread_mutex_lock(&scratch_mutex);
    free_idle();
    pthread_mutex_unlock(&scratch_mutex);
}

/* The least idle block that is large enough, but not four times too large; null: there is none. *empty: a slot
 * without a block, or null. */
static Slot *idle_slot(int64_t bytes, Slot **empty)
{
    Slot *best = NULL;
    uint64_t best_bytes = 4 * (uint64_t)bytes + 65536;
    *empty = NULL;
    for (int k = 0; k < SLOTS; k++) {
        Slot *slot = &slots[k];
        if (!slot->block)
            *empty = slot;
        else if (!slot->used && slot->bytes >= bytes && (uint64_t)slot->bytes < best_bytes) {
            best = slot;
            best_bytes = (uint64_t)slot->bytes;
        }
    }
    return best;
}

static void *acquired(int64_t bytes)
{
    Slot *empty, *slot = idle_slot(bytes, &empty);
    if (slot) {
        slot->used = true;
        idle_bytes -= slot->bytes;
        return slot->block;
    }
    if (!empty) {
        free_idle();
        idle_slot(bytes, &empty);
    }
    void *block = new_block(bytes);
    if (!block) {
        free_idle();
        block = new_block(bytes);
    }
    if (block && empty)
        *empty = (Slot){block, bytes, true};
    return block;
}

void *jitmdh_scratch_acquire(int64_t bytes)
{
    int64_t least = max64(bytes, LINE);
    int64_t unit = least >= HUGE_PAGE ? HUGE_PAGE : LINE;
    if (least > INT64_MAX - unit)
        return NULL;
    pthread_mutex_lock(&scratch_mutex);
    void *block = acquired((least + unit - 1) & -unit);
    pthread_mutex_unlock(&scratch_mutex);
    return block;
}

void jitmdh_scratch_release(void *block)
{
    void *unwanted = block;
    pthread_mutex_lock(&scratch_mutex);
    for (int k = 0; k < SLOTS; k++) {
        Slot *slot = &slots[k];
        if (slot->block != block || !block)
            continue;
        slot->used = false;
        if (idle_bytes + slot->bytes > MOST_IDLE_BYTES) {
            slot->block = NULL;
        } else {
            idle_bytes += slot->bytes;
            unwanted = NULL;
        }
        break;
    }
    pthread_mutex_unlock(&scratch_mutex);
    free(unwanted);
}
