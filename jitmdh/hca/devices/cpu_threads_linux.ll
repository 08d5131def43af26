; Where workers run, on Linux. Filled into cpu_threads.ll for {{PLACEMENT}}.
;
; The kernel likes to wake a thread where its waker runs, most of all in virtual machines. A worker on its caller's
; processor only takes turns with it, call after call, until the load balancer looks, milliseconds later. So a worker
; that finds itself there steps aside, to a processor where none of the pool was seen last. Not if the pool has more
; threads than there are processors: then there is no place to go, and trying costs more than sharing.

@processor_of = internal global [64 x i32] zeroinitializer, align 64   ; where last seen, +1; 0: the caller, n: worker n

declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
declare i64 @llvm.ctpop.i64(i64)

; processor_of[n] = sched_getcpu() + 1
define internal i32 @note_processor(i64 %n) {
  %cpu = call i32 @sched_getcpu()
  %seen = add i32 %cpu, 1
  %p = getelementptr [64 x i32], ptr @processor_of, i64 0, i64 %n
  store atomic i32 %seen, ptr %p monotonic, align 4
  ret i32 %seen
}

; mask &= ~(1 << (seen - 1)), if that is in it
define internal void @leave_out(ptr %mask, i32 %seen) {
entry:
  %cpu = sub i32 %seen, 1
  %known = icmp ult i32 %cpu, 1024
  br i1 %known, label %clear, label %out
clear:
  %wide = zext i32 %cpu to i64
  %word = lshr i64 %wide, 6
  %place = and i64 %wide, 63
  %bit = shl i64 1, %place
  %others = xor i64 %bit, -1
  %p = getelementptr i64, ptr %mask, i64 %word
  %before = load i64, ptr %p
  %after = and i64 %before, %others
  store i64 %after, ptr %p
  br label %out
out:
  ret void
}

; How many processors are in a mask.
define internal i64 @processors(ptr %mask) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more_bits, %loop ]
  %p = getelementptr i64, ptr %mask, i64 %k
  %word = load i64, ptr %p
  %bits = call i64 @llvm.ctpop.i64(i64 %word)
  %more_bits = add i64 %sum, %bits
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 16
  br i1 %more, label %loop, label %out
out:
  ret i64 %more_bits
}

; Worker n after it was woken: if it is where the caller is, moves elsewhere, if it may. Its affinity stays as it was.
define internal void @step_aside(i64 %n) {
entry:
  %allowed = alloca [16 x i64], align 16
  %free = alloca [16 x i64], align 16
  %here = call i32 @note_processor(i64 %n)
  %caller = load atomic i32, ptr @processor_of monotonic, align 64
  %same = icmp eq i32 %here, %caller
  br i1 %same, label %look, label %out
look:
  %got = call i32 @sched_getaffinity(i32 0, i64 128, ptr %allowed)
  %failed = icmp slt i32 %got, 0
  br i1 %failed, label %out, label %count
count:
  %room = call i64 @processors(ptr %allowed)
  %threads = load atomic i64, ptr @threads monotonic, align 8
  %crowded = icmp slt i64 %room, %threads
  br i1 %crowded, label %out, label %choose
choose:
  call void @llvm.memcpy.p0.p0.i64(ptr %free, ptr %allowed, i64 128, i1 false)
  br label %others
others:
  %k = phi i64 [ 0, %choose ], [ %k1, %others ]
  %p = getelementptr [64 x i32], ptr @processor_of, i64 0, i64 %k
  %seen = load atomic i32, ptr %p monotonic, align 4
  call void @leave_out(ptr %free, i32 %seen)
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 64
  br i1 %more, label %others, label %move
move:
  %moved = call i32 @sched_setaffinity(i32 0, i64 128, ptr %free)
  %none = icmp ne i32 %moved, 0                        ; no processor is left in the mask
  br i1 %none, label %out, label %restore
restore:
  %back = call i32 @sched_setaffinity(i32 0, i64 128, ptr %allowed)
  %now = call i32 @note_processor(i64 %n)
  br label %out
out:
  ret void
}
