; Where workers run: never on the processor of the thread that calls, which is busy with its own share of the work.
;
; The scheduler tends to wake a worker where its waker runs, although other processors idle, and may leave it there for
; milliseconds. So before sleeping workers are woken, the caller's processor is taken out of what they may run on; that
; is one system call per worker whenever the caller has moved.

@tids      = internal global [16 x i32] zeroinitializer  ; of the first workers
@tid_count = internal global i64 0
@avoided   = internal global i32 -1                      ; the processor workers keep away from; -1: none yet

declare i32 @gettid()
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)

define internal void @forget_places() {
  store i64 0, ptr @tid_count
  store atomic i32 -1, ptr @avoided monotonic, align 4
  ret void
}

; A worker makes itself known: n = tid_count++; if (n < 16) tids[n] = gettid(); avoided = -1;
define internal void @register_place() {
entry:
  %n = atomicrmw add ptr @tid_count, i64 1 seq_cst
  %known = icmp slt i64 %n, 16
  br i1 %known, label %keep, label %out
keep:
  %tid = call i32 @gettid()
  %p = getelementptr [16 x i32], ptr @tids, i64 0, i64 %n
  store atomic i32 %tid, ptr %p seq_cst, align 4
  store atomic i32 -1, ptr @avoided seq_cst, align 4
  br label %out
out:
  ret void
}

; if ((cpu = sched_getcpu()) != avoided && 0 <= cpu < 1024 && tid_count <= 16) {
;   avoided = cpu; sched_getaffinity(0, sizeof mask, mask); mask &= ~(1 << cpu);
;   if (mask is not empty) for (n < tid_count) if (tids[n]) sched_setaffinity(tids[n], sizeof mask, mask);
; }
define internal void @keep_away() {
entry:
  %mask = alloca [16 x i64], align 16
  %cpu = call i32 @sched_getcpu()
  %last = load atomic i32, ptr @avoided monotonic, align 4
  %moved = icmp ne i32 %cpu, %last
  %small = icmp ult i32 %cpu, 1024
  %count = load atomic i64, ptr @tid_count monotonic, align 8
  %few = icmp sle i64 %count, 16
  %a = and i1 %moved, %small
  %b = and i1 %a, %few
  br i1 %b, label %read, label %out
read:
  store atomic i32 %cpu, ptr @avoided monotonic, align 4
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 128, i1 false)
  %got = call i32 @sched_getaffinity(i32 0, i64 128, ptr %mask)
  %failed = icmp slt i32 %got, 0
  br i1 %failed, label %out, label %clear
clear:
  %wide = zext i32 %cpu to i64
  %word = lshr i64 %wide, 6
  %bit = and i64 %wide, 63
  %one = shl i64 1, %bit
  %others = xor i64 %one, -1
  %w = getelementptr i64, ptr %mask, i64 %word
  %old = load i64, ptr %w
  %new = and i64 %old, %others
  store i64 %new, ptr %w
  br label %scan
scan:
  %k = phi i64 [ 0, %clear ], [ %k1, %scan ]
  %all = phi i64 [ 0, %clear ], [ %all1, %scan ]
  %wp = getelementptr i64, ptr %mask, i64 %k
  %bits = load i64, ptr %wp
  %all1 = or i64 %all, %bits
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 16
  br i1 %more, label %scan, label %judge
judge:
  %none = icmp eq i64 %all1, 0
  %nobody = icmp sle i64 %count, 0
  %skip = or i1 %none, %nobody
  br i1 %skip, label %out, label %next
next:
  %n = phi i64 [ 0, %judge ], [ %n1, %step ]
  %tp = getelementptr [16 x i32], ptr @tids, i64 0, i64 %n
  %tid = load atomic i32, ptr %tp seq_cst, align 4
  %there = icmp ne i32 %tid, 0
  br i1 %there, label %set, label %step
set:
  %rc = call i32 @sched_setaffinity(i32 %tid, i64 128, ptr %mask)
  br label %step
step:
  %n1 = add i64 %n, 1
  %again = icmp slt i64 %n1, %count
  br i1 %again, label %next, label %out
out:
  ret void
}
