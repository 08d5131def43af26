; The thread pool and scratch memory of generated code. LLVM IR, so that no C compiler is needed where it runs.
;
; {{NAME}} stands for a fact about the platform, filled in by cpu_runtime.py. The comments give the C.
;
; One job at a time is open. Its state is one word, changed atomically:
;     bit 0: open    bits 1..31: workers inside    bits 32..63: generation of the job
; A worker may enter only while the job is open, by adding 2; the caller closes the job and waits until nobody is
; inside. So a worker that wakes up late finds the job closed and is not waited for, and no fields of a job are read
; by anyone who has not entered it.

; ------------------------------------------------------------------------------------------------ state

@state      = internal global i64 0, align 64
@next       = internal global [64 x [8 x i64]] zeroinitializer, align 64 ; of each share: next index to be taken, on a line
@shares     = internal global i64 1                    ; into which the open job's indices are divided
@task       = internal global ptr null, align 64
@env        = internal global ptr null
@count      = internal global i64 0
@limit      = internal global i64 0                    ; workers the open job admits
@busy       = internal global i32 0, align 64          ; 1: somebody's job is on the pool
@threads    = internal global i64 1                    ; that a call may use, its own included
@workers    = internal global i64 0                    ; started so far
@parked     = internal global i64 0, align 64          ; workers asleep, or about to be
@waiting    = internal global i32 0                    ; 1: the caller sleeps until the last worker leaves
@spin_ns    = internal global i64 15000                ; at least; see patience
@wake_mutex = internal global [128 x i8] zeroinitializer, align 64
@wake_cond  = internal global [128 x i8] zeroinitializer, align 64
@done_mutex = internal global [128 x i8] zeroinitializer, align 64
@done_cond  = internal global [128 x i8] zeroinitializer, align 64

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

{{PLACES}}

; static i64 now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }
define internal i64 @now() {
  %t = alloca [2 x i64]
  %rc = call i32 @clock_gettime(i32 {{CLOCK_MONOTONIC}}, ptr %t)
  %seconds = load i64, ptr %t
  %p = getelementptr i64, ptr %t, i64 1
  %ns = load i64, ptr %p
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %ns
  ret i64 %sum
}

; After loading, and in the child of a fork: no workers, nothing open, locks free.
define void @jitmdh_reset() {
  %a = call i32 @pthread_mutex_init(ptr @wake_mutex, ptr null)
  %b = call i32 @pthread_cond_init(ptr @wake_cond, ptr null)
  %c = call i32 @pthread_mutex_init(ptr @done_mutex, ptr null)
  %d = call i32 @pthread_cond_init(ptr @done_cond, ptr null)
  %e = call i32 @pthread_mutex_init(ptr @scratch_mutex, ptr null)
  store i64 0, ptr @state
  store i64 0, ptr @workers
  store i64 0, ptr @parked
  store i32 0, ptr @waiting
  call void @forget_places()
  call void @llvm.memset.p0.i64(ptr @slots, i8 0, i64 1536, i1 false)
  store i64 0, ptr @idle_bytes
  store atomic i32 0, ptr @busy release, align 4
  ret void
}

define i64 @jitmdh_num_threads() {
  %n = load atomic i64, ptr @threads monotonic, align 8
  ret i64 %n
}

define void @jitmdh_set_num_threads(i64 %n) {
  store atomic i64 %n, ptr @threads monotonic, align 8
  ret void
}

define void @jitmdh_set_spin_ns(i64 %n) {
  store atomic i64 %n, ptr @spin_ns monotonic, align 8
  ret void
}

; How long to spin for somebody who has worked for as long as oneself, before going to sleep: to be woken takes about
; as long as 1/16 of a job of a millisecond, and is waited for by whoever wakes. Longer jobs are not worth more.
; static i64 patience(i64 worked) { return max(spin_ns, min(worked / 16, 200000)); }
define internal i64 @patience(i64 %worked) {
  %part = ashr i64 %worked, 4
  %few = call i64 @llvm.smin.i64(i64 %part, i64 200000)
  %least = load atomic i64, ptr @spin_ns monotonic, align 8
  %spin = call i64 @llvm.smax.i64(i64 %few, i64 %least)
  ret i64 %spin
}

; The time, where the open job has so many tasks that it may be a long one; else 0: short ones are not for reading clocks.
define internal i64 @begin() {
entry:
  %count = load i64, ptr @count
  %shares = load i64, ptr @shares
  %few = mul i64 %shares, 4
  %many = icmp sgt i64 %count, %few
  br i1 %many, label %clock, label %out
clock:
  %now = call i64 @now()
  br label %out
out:
  %t = phi i64 [ 0, %entry ], [ %now, %clock ]
  ret i64 %t
}

; static i64 since(i64 begun) { return begun ? now() - begun : 0; }
define internal i64 @since(i64 %begun) {
entry:
  %known = icmp ne i64 %begun, 0
  br i1 %known, label %clock, label %out
clock:
  %now = call i64 @now()
  %passed = sub i64 %now, %begun
  br label %out
out:
  %t = phi i64 [ 0, %entry ], [ %passed, %clock ]
  ret i64 %t
}

; Workers alive; for tests.
define i64 @jitmdh_num_workers() {
  %n = load i64, ptr @workers
  ret i64 %n
}

; ------------------------------------------------------------------------------------------------ workers

; static bool ready(i64 last) { s = state; return (s & 1) && s >> 32 != last && ((s >> 1) & 0x7fffffff) < limit; }
define internal i1 @ready(i64 %last) alwaysinline {
  %s = load atomic i64, ptr @state seq_cst, align 8
  %bit = and i64 %s, 1
  %open = icmp ne i64 %bit, 0
  %generation = lshr i64 %s, 32
  %new = icmp ne i64 %generation, %last
  %half = lshr i64 %s, 1
  %inside = and i64 %half, 2147483647
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %room = icmp slt i64 %inside, %limit
  %a = and i1 %open, %new
  %b = and i1 %a, %room
  ret i1 %b
}

; Spins for patience(worked), then sleeps, until ready(last).
define internal void @await_job(i64 %last, i64 %worked) {
entry:
  %begin = call i64 @now()
  %spin = call i64 @patience(i64 %worked)
  %deadline = add i64 %begin, %spin
  br label %spinning
spinning:
  %k = phi i64 [ 0, %entry ], [ %k1, %more ], [ 0, %again ]
  %r = call i1 @ready(i64 %last)
  br i1 %r, label %out, label %pause
pause:
  call void asm sideeffect "{{PAUSE}}", ""()
  %k1 = add i64 %k, 1
  %check = icmp eq i64 %k1, 16
  br i1 %check, label %clock, label %more
more:
  br label %spinning
clock:
  %t = call i64 @now()
  %late = icmp sgt i64 %t, %deadline
  br i1 %late, label %park, label %again
again:
  br label %spinning
park:
  %l = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %p0 = atomicrmw add ptr @parked, i64 1 seq_cst
  br label %asleep
asleep:
  %r2 = call i1 @ready(i64 %last)
  br i1 %r2, label %awake, label %sleep
sleep:
  %w = call i32 @pthread_cond_wait(ptr @wake_cond, ptr @wake_mutex)
  br label %asleep
awake:
  %p1 = atomicrmw sub ptr @parked, i64 1 seq_cst
  %u = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %out
out:
  ret void
}

; first = number == 0 ? 0 : 1 + (number - 1) % (shares - 1);          /* share 0 is the caller's */
; for (k = 0; k < shares; k++) {
;   s = (first + k) % shares; end = (s + 1) * count / shares;
;   while ((i = next[s]++) < end) task(env, i);
; }
; A thread begins with the same share in each call, whose data are in its caches, and goes on with what others have left.
define internal void @run_tasks(i64 %number) {
entry:
  %task = load ptr, ptr @task
  %env = load ptr, ptr @env
  %count = load i64, ptr @count
  %shares = load i64, ptr @shares
  %others = sub i64 %shares, 1
  %below = sub i64 %number, 1
  %among = urem i64 %below, %others
  %behind = add i64 %among, 1
  %caller = icmp eq i64 %number, 0
  %first = select i1 %caller, i64 0, i64 %behind
  br label %share
share:
  %k = phi i64 [ 0, %entry ], [ %k1, %done ]
  %turned = add i64 %first, %k
  %s = urem i64 %turned, %shares
  %s1 = add i64 %s, 1
  %scaled = mul i64 %s1, %count
  %end = udiv i64 %scaled, %shares
  %counter = getelementptr [64 x [8 x i64]], ptr @next, i64 0, i64 %s, i64 0
  br label %take
take:
  %i = atomicrmw add ptr %counter, i64 1 monotonic
  %some = icmp slt i64 %i, %end
  br i1 %some, label %run, label %done
run:
  call void %task(ptr %env, i64 %i)
  br label %take
done:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %shares
  br i1 %more, label %share, label %out
out:
  ret void
}

; Divides `count` indices into at most `threads` shares, one behind the other.
define internal void @divide(i64 %count, i64 %threads) {
entry:
  %many = icmp sgt i64 %threads, 64
  %shares = select i1 %many, i64 64, i64 %threads
  store i64 %count, ptr @count
  store i64 %shares, ptr @shares
  br label %share
share:
  %s = phi i64 [ 0, %entry ], [ %s1, %share ]
  %scaled = mul i64 %s, %count
  %first = udiv i64 %scaled, %shares
  %counter = getelementptr [64 x [8 x i64]], ptr @next, i64 0, i64 %s, i64 0
  store atomic i64 %first, ptr %counter monotonic, align 8
  %s1 = add i64 %s, 1
  %more = icmp slt i64 %s1, %shares
  br i1 %more, label %share, label %out
out:
  ret void
}

; static void *worker(void *number) {
;   for (i64 last = -1, worked = 0;;) {
;     await_job(last, worked); worked = 0;
;     do { s = state; if (!(s & 1) || s >> 32 == last || full) goto again; } while (!CAS(&state, s, s + 2));
;     last = s >> 32; begun = begin(); run_tasks(number);
;     s = (state -= 2); worked = since(begun);
;     if (nobody inside && waiting) { lock; signal(done_cond); unlock; }
; } }
define internal ptr @worker(ptr %argument) {
entry:
  %number = ptrtoint ptr %argument to i64
  call void @register_place()
  br label %idle
idle:
  %last = phi i64 [ -1, %entry ], [ %last, %enter ], [ %generation, %leave ], [ %generation, %tell ]
  %worked = phi i64 [ 0, %entry ], [ 0, %enter ], [ %work, %leave ], [ %work, %tell ]
  call void @await_job(i64 %last, i64 %worked)
  br label %enter
enter:
  %s = load atomic i64, ptr @state seq_cst, align 8
  %r = call i1 @ready(i64 %last)
  br i1 %r, label %try, label %idle
try:
  %bit = and i64 %s, 1
  %open = icmp ne i64 %bit, 0
  %generation = lshr i64 %s, 32
  %new = icmp ne i64 %generation, %last
  %fits = and i1 %open, %new
  br i1 %fits, label %swap, label %enter
swap:
  %s2 = add i64 %s, 2
  %pair = cmpxchg ptr @state, i64 %s, i64 %s2 seq_cst seq_cst
  %ok = extractvalue { i64, i1 } %pair, 1
  br i1 %ok, label %inside, label %enter
inside:
  %begun = call i64 @begin()
  call void @run_tasks(i64 %number)
  %old = atomicrmw sub ptr @state, i64 2 seq_cst
  %work = call i64 @since(i64 %begun)
  %now = sub i64 %old, 2
  %left = and i64 %now, 4294967294
  %alone = icmp eq i64 %left, 0
  br i1 %alone, label %leave, label %tell
leave:
  %flag = load atomic i32, ptr @waiting seq_cst, align 4
  %sleeps = icmp ne i32 %flag, 0
  br i1 %sleeps, label %wake, label %idle
wake:
  %l = call i32 @pthread_mutex_lock(ptr @done_mutex)
  %c = call i32 @pthread_cond_signal(ptr @done_cond)
  %u = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %tell
tell:
  br label %idle
}

; Starts workers, with all signals blocked, until there are `wanted` or the system refuses.
define internal void @start_workers(i64 %wanted) {
entry:
  %all = alloca [128 x i8], align 16
  %old = alloca [128 x i8], align 16
  %thread = alloca ptr
  %f = call i32 @sigfillset(ptr %all)
  %m = call i32 @pthread_sigmask(i32 {{SIG_SETMASK}}, ptr %all, ptr %old)
  br label %next
next:
  %n = load i64, ptr @workers
  %enough = icmp sge i64 %n, %wanted
  br i1 %enough, label %out, label %start
start:
  %number = add i64 %n, 1                              ; the caller is number 0
  %argument = inttoptr i64 %number to ptr
  %rc = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr %argument)
  %failed = icmp ne i32 %rc, 0
  br i1 %failed, label %out, label %started
started:
  %t = load ptr, ptr %thread
  %d = call i32 @pthread_detach(ptr %t)
  store i64 %number, ptr @workers
  br label %next
out:
  %m2 = call i32 @pthread_sigmask(i32 {{SIG_SETMASK}}, ptr %old, ptr null)
  ret void
}

; ------------------------------------------------------------------------------------------------ parallel regions

; Wakes up to `helpers` of those asleep.
define internal void @wake_workers(i64 %helpers) {
entry:
  %asleep = load atomic i64, ptr @parked seq_cst, align 8
  %any = icmp sgt i64 %asleep, 0
  br i1 %any, label %lock, label %out
lock:
  %l = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %all = icmp sge i64 %helpers, %asleep
  br i1 %all, label %everyone, label %some
everyone:
  %b = call i32 @pthread_cond_broadcast(ptr @wake_cond)
  br label %unlock
some:
  %k = phi i64 [ 0, %lock ], [ %k1, %some ]
  %s = call i32 @pthread_cond_signal(ptr @wake_cond)
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %helpers
  br i1 %more, label %some, label %unlock
unlock:
  %u = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %out
out:
  ret void
}

; Until nobody is inside: spins for patience(since `begun`), then sleeps.
define internal void @await_workers(i64 %begun) {
entry:
  %begin = call i64 @now()
  %worked = call i64 @since(i64 %begun)
  %spin = call i64 @patience(i64 %worked)
  %deadline = add i64 %begin, %spin
  br label %spinning
spinning:
  %k = phi i64 [ 0, %entry ], [ %k1, %more ], [ 0, %again ]
  %s = load atomic i64, ptr @state seq_cst, align 8
  %inside = and i64 %s, 4294967294
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %out, label %pause
pause:
  call void asm sideeffect "{{PAUSE}}", ""()
  %k1 = add i64 %k, 1
  %check = icmp eq i64 %k1, 16
  br i1 %check, label %clock, label %more
more:
  br label %spinning
clock:
  %t = call i64 @now()
  %late = icmp sgt i64 %t, %deadline
  br i1 %late, label %park, label %again
again:
  br label %spinning
park:
  %l = call i32 @pthread_mutex_lock(ptr @done_mutex)
  store atomic i32 1, ptr @waiting seq_cst, align 4
  br label %asleep
asleep:
  %s2 = load atomic i64, ptr @state seq_cst, align 8
  %inside2 = and i64 %s2, 4294967294
  %none2 = icmp eq i64 %inside2, 0
  br i1 %none2, label %awake, label %sleep
sleep:
  %w = call i32 @pthread_cond_wait(ptr @done_cond, ptr @done_mutex)
  br label %asleep
awake:
  store atomic i32 0, ptr @waiting seq_cst, align 4
  %u = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %out
out:
  ret void
}

; Runs task(env, index) for index 0..count-1, each once, on the pool and here; inline if the pool is busy.
define void @jitmdh_parallel(ptr %task, ptr %env, i64 %count) {
entry:
  %threads = load atomic i64, ptr @threads monotonic, align 8
  %one_thread = icmp slt i64 %threads, 2
  %one_task = icmp slt i64 %count, 2
  %alone = or i1 %one_thread, %one_task
  br i1 %alone, label %inline, label %claim
claim:
  %pair = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %prepare, label %inline
prepare:
  %fewer = icmp slt i64 %count, %threads
  %used = select i1 %fewer, i64 %count, i64 %threads
  %helpers = sub i64 %used, 1
  %workers = load i64, ptr @workers
  %lack = icmp slt i64 %workers, %helpers
  br i1 %lack, label %start, label %open
start:
  call void @start_workers(i64 %helpers)
  br label %open
open:
  store ptr %task, ptr @task
  store ptr %env, ptr @env
  store atomic i64 %helpers, ptr @limit monotonic, align 8
  call void @divide(i64 %count, i64 %used)
  %s = load atomic i64, ptr @state monotonic, align 8
  %generation = lshr i64 %s, 32
  %following = add i64 %generation, 1
  %shifted = shl i64 %following, 32
  %opened = or i64 %shifted, 1
  store atomic i64 %opened, ptr @state seq_cst, align 8
  %begun = call i64 @begin()
  call void @keep_away()
  call void @wake_workers(i64 %helpers)
  call void @run_tasks(i64 0)
  %old = atomicrmw and ptr @state, i64 -2 seq_cst
  %inside = and i64 %old, 4294967294
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %finish, label %await
await:
  call void @await_workers(i64 %begun)
  br label %finish
finish:
  store atomic i32 0, ptr @busy release, align 4
  ret void
inline:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %out
loop:
  %i = phi i64 [ 0, %inline ], [ %i1, %loop ]
  call void %task(ptr %env, i64 %i)
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %count
  br i1 %more, label %loop, label %out
out:
  ret void
}

; ------------------------------------------------------------------------------------------------ scratch memory

%slot = type { ptr, i64, i64 }                         ; block, its size in bytes, 1 = in use
@slots         = internal global [64 x %slot] zeroinitializer, align 64
@idle_bytes    = internal global i64 0                 ; in blocks kept but not in use
@scratch_mutex = internal global [128 x i8] zeroinitializer, align 64

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A new block of `size` bytes, or null. From 2 MiB on aligned to, and advised to be, huge pages.
define internal ptr @new_block(i64 %size, i1 %big) {
  %p = alloca ptr
  store ptr null, ptr %p
  %alignment = select i1 %big, i64 2097152, i64 64
  %rc = call i32 @posix_memalign(ptr %p, i64 %alignment, i64 %size)
  %failed = icmp ne i32 %rc, 0
  br i1 %failed, label %none, label %made
none:
  ret ptr null
made:
  %block = load ptr, ptr %p
  br i1 %big, label %advise, label %out
advise:
  {{ADVISE}}
  br label %out
out:
  ret ptr %block
}

; Frees all blocks not in use. The lock is held.
define internal void @free_idle() {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %continue ]
  %s = getelementptr [64 x %slot], ptr @slots, i64 0, i64 %k
  %block = load ptr, ptr %s
  %up = getelementptr %slot, ptr %s, i64 0, i32 2
  %used = load i64, ptr %up
  %idle = icmp eq i64 %used, 0
  %there = icmp ne ptr %block, null
  %drop = and i1 %idle, %there
  br i1 %drop, label %release, label %continue
release:
  call void @free(ptr %block)
  store ptr null, ptr %s
  br label %continue
continue:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 64
  br i1 %more, label %loop, label %out
out:
  store i64 0, ptr @idle_bytes
  ret void
}

define void @jitmdh_scratch_trim() {
  %l = call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  call void @free_idle()
  %u = call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  ret void
}

; The least idle block that is large enough (but not four times too large), else a new one; null: no memory.
define ptr @jitmdh_scratch_acquire(i64 %bytes) {
entry:
  %some = icmp sgt i64 %bytes, 64
  %least = select i1 %some, i64 %bytes, i64 64
  %big = icmp sge i64 %least, 2097152
  %unit = select i1 %big, i64 2097151, i64 63
  %padded = add i64 %least, %unit
  %mask = xor i64 %unit, -1
  %size = and i64 %padded, %mask
  %four = shl i64 %size, 2
  %most = add i64 %four, 65536
  %l = call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  br label %search
search:
  %k = phi i64 [ 0, %entry ], [ %k1, %step ]
  %best = phi i64 [ -1, %entry ], [ %best1, %step ]
  %best_size = phi i64 [ %most, %entry ], [ %best_size1, %step ]
  %empty = phi i64 [ -1, %entry ], [ %empty1, %step ]
  %s = getelementptr [64 x %slot], ptr @slots, i64 0, i64 %k
  %block = load ptr, ptr %s
  %sp = getelementptr %slot, ptr %s, i64 0, i32 1
  %slot_size = load i64, ptr %sp
  %up = getelementptr %slot, ptr %s, i64 0, i32 2
  %used = load i64, ptr %up
  %absent = icmp eq ptr %block, null
  %empty1 = select i1 %absent, i64 %k, i64 %empty
  %there = xor i1 %absent, true
  %idle = icmp eq i64 %used, 0
  %fits = icmp uge i64 %slot_size, %size
  %better = icmp ult i64 %slot_size, %best_size
  %c1 = and i1 %there, %idle
  %c2 = and i1 %fits, %better
  %take = and i1 %c1, %c2
  %best1 = select i1 %take, i64 %k, i64 %best
  %best_size1 = select i1 %take, i64 %slot_size, i64 %best_size
  br label %step
step:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 64
  br i1 %more, label %search, label %found
found:
  %any = icmp sge i64 %best1, 0
  br i1 %any, label %reuse, label %fresh
reuse:
  %r = getelementptr [64 x %slot], ptr @slots, i64 0, i64 %best1
  %ru = getelementptr %slot, ptr %r, i64 0, i32 2
  store i64 1, ptr %ru
  %reused = load ptr, ptr %r
  %idle_now = load i64, ptr @idle_bytes
  %idle_less = sub i64 %idle_now, %best_size1
  store i64 %idle_less, ptr @idle_bytes
  br label %out
fresh:
  %full = icmp slt i64 %empty1, 0
  br i1 %full, label %make_room, label %make
make_room:
  call void @free_idle()
  br label %make
make:
  %first = call ptr @new_block(i64 %size, i1 %big)
  %failed = icmp eq ptr %first, null
  br i1 %failed, label %retry, label %made
retry:
  call void @free_idle()
  %second = call ptr @new_block(i64 %size, i1 %big)
  br label %made
made:
  %p = phi ptr [ %first, %make ], [ %second, %retry ]
  %void = icmp eq ptr %p, null
  %unslotted = or i1 %void, %full
  br i1 %unslotted, label %out, label %keep
keep:
  %e = getelementptr [64 x %slot], ptr @slots, i64 0, i64 %empty1
  store ptr %p, ptr %e
  %es = getelementptr %slot, ptr %e, i64 0, i32 1
  store i64 %size, ptr %es
  %eu = getelementptr %slot, ptr %e, i64 0, i32 2
  store i64 1, ptr %eu
  br label %out
out:
  %result = phi ptr [ %reused, %reuse ], [ %p, %made ], [ %p, %keep ]
  %u = call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  ret ptr %result
}

; Keeps the block for the next acquire; frees it if it has no slot, or if 1 GiB lies idle already.
define void @jitmdh_scratch_release(ptr %block) {
entry:
  %l = call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  br label %search
search:
  %k = phi i64 [ 0, %entry ], [ %k1, %step ]
  %s = getelementptr [64 x %slot], ptr @slots, i64 0, i64 %k
  %b = load ptr, ptr %s
  %same = icmp eq ptr %b, %block
  br i1 %same, label %found, label %step
step:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 64
  br i1 %more, label %search, label %drop
found:
  %sp = getelementptr %slot, ptr %s, i64 0, i32 1
  %size = load i64, ptr %sp
  %up = getelementptr %slot, ptr %s, i64 0, i32 2
  store i64 0, ptr %up
  %idle = load i64, ptr @idle_bytes
  %after = add i64 %idle, %size
  %much = icmp ugt i64 %after, 1073741824
  br i1 %much, label %forget, label %keep
keep:
  store i64 %after, ptr @idle_bytes
  br label %out
forget:
  store ptr null, ptr %s
  br label %drop
drop:
  call void @free(ptr %block)
  br label %out
out:
  %u = call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  ret void
}
