; Generated from places.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 1b3c0cf395ae9a8e6ed10e097c96e902

%struct.TimeSpec = type { i64, i64 }

@tid_count = internal global i64 0, align 8
@avoided = internal global i32 -1, align 4
@tids = internal global [16 x i32] zeroinitializer, align 16
@ran = internal global [16 x i64] zeroinitializer, align 16

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

define void @places_note() nounwind {
  %1 = alloca %struct.TimeSpec, align 8
  %2 = getelementptr inbounds %struct.TimeSpec, ptr %1, i64 0, i32 1
  br label %3

3:
  %4 = phi i64 [ 0, %0 ], [ %26, %23 ]
  %5 = load atomic i64, ptr @tid_count seq_cst, align 8
  %6 = icmp slt i64 %4, %5
  br i1 %6, label %8, label %7

7:
  ret void

8:
  %9 = getelementptr [16 x i32], ptr @tids, i64 0, i64 %4
  %10 = load atomic i32, ptr %9 seq_cst, align 4
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %23, label %12

12:
  %13 = xor i32 %10, -1
  %14 = shl i32 %13, 3
  %15 = or i32 %14, 6
  %16 = call i32 @clock_gettime(i32 %15, ptr %1)
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %23

18:
  %19 = load i64, ptr %1, align 8
  %20 = mul i64 %19, 1000000000
  %21 = load i64, ptr %2, align 8
  %22 = add i64 %20, %21
  br label %23

23:
  %24 = phi i64 [ %22, %18 ], [ -1, %12 ], [ -1, %8 ]
  %25 = getelementptr [16 x i64], ptr @ran, i64 0, i64 %4
  store i64 %24, ptr %25, align 8
  %26 = add nuw nsw i64 %4, 1
  %27 = icmp eq i64 %26, 16
  br i1 %27, label %7, label %3
}

define void @places_give_way() nounwind {
  %1 = alloca %struct.TimeSpec, align 8
  %2 = alloca [16 x i64], align 16
  %3 = alloca [16 x i64], align 16
  %4 = tail call i32 @sched_getcpu()
  call void @llvm.memset.p0.i64(ptr align 16 %2, i8 0, i64 128, i1 false)
  call void @llvm.memset.p0.i64(ptr align 16 %3, i8 0, i64 128, i1 false)
  %5 = load atomic i64, ptr @tid_count seq_cst, align 8
  %6 = icmp ugt i32 %4, 1023
  %7 = icmp sgt i64 %5, 16
  %8 = select i1 %6, i1 true, i1 %7
  br i1 %8, label %52, label %9

9:
  %10 = call i32 @sched_getaffinity(i32 0, i64 128, ptr %2)
  %11 = icmp slt i32 %10, 0
  br i1 %11, label %52, label %12

12:
  %13 = and i32 %4, 63
  %14 = zext i32 %13 to i64
  %15 = shl nuw i64 1, %14
  %16 = lshr i32 %4, 6
  %17 = zext i32 %16 to i64
  %18 = getelementptr [16 x i64], ptr %3, i64 0, i64 %17
  store i64 %15, ptr %18, align 8
  %19 = icmp sgt i64 %5, 0
  br i1 %19, label %20, label %52

20:
  %21 = getelementptr inbounds %struct.TimeSpec, ptr %1, i64 0, i32 1
  br label %22

22:
  %23 = phi i64 [ 0, %20 ], [ %50, %49 ]
  %24 = getelementptr [16 x i32], ptr @tids, i64 0, i64 %23
  %25 = load atomic i32, ptr %24 seq_cst, align 4
  %26 = getelementptr [16 x i64], ptr @ran, i64 0, i64 %23
  %27 = load i64, ptr %26, align 8
  %28 = icmp slt i64 %27, 0
  br i1 %28, label %49, label %29

29:
  %30 = icmp eq i32 %25, 0
  br i1 %30, label %42, label %31

31:
  %32 = xor i32 %25, -1
  %33 = shl i32 %32, 3
  %34 = or i32 %33, 6
  %35 = call i32 @clock_gettime(i32 %34, ptr %1)
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %42

37:
  %38 = load i64, ptr %1, align 8
  %39 = mul i64 %38, 1000000000
  %40 = load i64, ptr %21, align 8
  %41 = add i64 %39, %40
  br label %42

42:
  %43 = phi i64 [ %41, %37 ], [ -1, %31 ], [ -1, %29 ]
  %44 = load i64, ptr %26, align 8
  %45 = icmp eq i64 %43, %44
  br i1 %45, label %46, label %49

46:
  store atomic i32 -1, ptr @avoided seq_cst, align 4
  %47 = call i32 @sched_setaffinity(i32 %25, i64 128, ptr %3)
  %48 = call i32 @sched_setaffinity(i32 %25, i64 128, ptr %2)
  br label %49

49:
  %50 = add nuw nsw i64 %23, 1
  %51 = icmp eq i64 %50, %5
  br i1 %51, label %52, label %22

52:
  ret void
}

declare i32 @clock_gettime(i32, ptr)
