; Generated from places.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 700e61b47e7fd7cef44aa931feaf1aeb

@tid_count = internal global i64 0, align 8
@avoided = internal global i32 -1, align 4
@tids = internal global [16 x i32] zeroinitializer, align 16

define void @places_forget() nounwind {
  store atomic i64 0, ptr @tid_count seq_cst, align 8
  store atomic i32 -1, ptr @avoided seq_cst, align 4
  br label %2

1:
  ret void

2:
  %3 = phi i64 [ 0, %0 ], [ %5, %2 ]
  %4 = getelementptr [16 x i32], ptr @tids, i64 0, i64 %3
  store atomic i32 0, ptr %4 seq_cst, align 4
  %5 = add nuw nsw i64 %3, 1
  %6 = icmp eq i64 %5, 16
  br i1 %6, label %1, label %2
}

define void @places_register() nounwind {
  %1 = atomicrmw add ptr @tid_count, i64 1 seq_cst, align 8
  %2 = icmp slt i64 %1, 16
  br i1 %2, label %3, label %6

3:
  %4 = tail call i32 @gettid()
  %5 = getelementptr [16 x i32], ptr @tids, i64 0, i64 %1
  store atomic i32 %4, ptr %5 seq_cst, align 4
  store atomic i32 -1, ptr @avoided seq_cst, align 4
  br label %6

6:
  ret void
}

declare i32 @gettid()

define void @places_keep_away() nounwind {
  %1 = alloca [16 x i64], align 16
  %2 = tail call i32 @sched_getcpu()
  %3 = load atomic i64, ptr @tid_count seq_cst, align 8
  %4 = load atomic i32, ptr @avoided seq_cst, align 4
  %5 = icmp eq i32 %2, %4
  %6 = icmp ugt i32 %2, 1023
  %7 = or i1 %6, %5
  %8 = icmp sgt i64 %3, 16
  %9 = select i1 %7, i1 true, i1 %8
  br i1 %9, label %46, label %10

10:
  store atomic i32 %2, ptr @avoided seq_cst, align 4
  call void @llvm.memset.p0.i64(ptr align 16 %1, i8 0, i64 128, i1 false)
  %11 = call i32 @sched_getaffinity(i32 0, i64 128, ptr %1)
  %12 = icmp slt i32 %11, 0
  br i1 %12, label %45, label %13

13:
  %14 = and i32 %2, 63
  %15 = zext i32 %14 to i64
  %16 = shl nuw i64 1, %15
  %17 = xor i64 %16, -1
  %18 = lshr i32 %2, 6
  %19 = zext i32 %18 to i64
  %20 = getelementptr [16 x i64], ptr %1, i64 0, i64 %19
  %21 = load i64, ptr %20, align 8
  %22 = and i64 %21, %17
  store i64 %22, ptr %20, align 8
  br label %27

23:
  %24 = icmp ne i64 %32, 0
  %25 = icmp sgt i64 %3, 0
  %26 = select i1 %24, i1 %25, i1 false
  br i1 %26, label %35, label %45

27:
  %28 = phi i64 [ 0, %13 ], [ %33, %27 ]
  %29 = phi i64 [ 0, %13 ], [ %32, %27 ]
  %30 = getelementptr [16 x i64], ptr %1, i64 0, i64 %28
  %31 = load i64, ptr %30, align 8
  %32 = or i64 %31, %29
  %33 = add nuw nsw i64 %28, 1
  %34 = icmp eq i64 %33, 16
  br i1 %34, label %23, label %27

35:
  %36 = phi i64 [ %43, %42 ], [ 0, %23 ]
  %37 = getelementptr [16 x i32], ptr @tids, i64 0, i64 %36
  %38 = load atomic i32, ptr %37 seq_cst, align 4
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %42, label %40

40:
  %41 = call i32 @sched_setaffinity(i32 %38, i64 128, ptr %1)
  br label %42

42:
  %43 = add nuw nsw i64 %36, 1
  %44 = icmp slt i64 %43, %3
  br i1 %44, label %35, label %45

45:
  br label %46

46:
  ret void
}

declare i32 @sched_getcpu()

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare i32 @sched_getaffinity(i32, i64, ptr)

declare i32 @sched_setaffinity(i32, i64, ptr)
