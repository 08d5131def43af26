; Generated from threads.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 1b3c0cf395ae9a8e6ed10e097c96e902

%struct.Mutex = type { [128 x i8] }
%struct.Condition = type { [128 x i8] }
%struct.Pool = type { i64, i64, i64, ptr, ptr, i64, i64, ptr }
%struct.Slot = type { ptr, i64, i8 }
%struct.Share = type { i64, [56 x i8] }
%struct.TimeSpec = type { i64, i64 }
%struct.SignalSet = type { [128 x i8] }

@main_thread = internal global ptr null, align 8
@ended = internal global ptr @nobody, align 8
@nobody = internal constant i8 0, align 1
@raised = internal global [3 x ptr] zeroinitializer, align 16
@wake_mutex = internal global %struct.Mutex zeroinitializer, align 64
@wake_condition = internal global %struct.Condition zeroinitializer, align 64
@done_mutex = internal global %struct.Mutex zeroinitializer, align 64
@done_condition = internal global %struct.Condition zeroinitializer, align 64
@jitmdh_pool = global %struct.Pool zeroinitializer, align 64
@workers = internal global i64 0, align 8
@parked = internal global i64 0, align 64
@waiting = internal global i8 0, align 1
@busy = internal global i8 0, align 64
@threads = internal global i64 1, align 8
@least_spin_ns = internal global i64 15000, align 8
@forks_survived = internal global i64 0, align 8
@jitmdh_pool_refusals = global i64 0, align 8
@scratch_mutex = internal global %struct.Mutex zeroinitializer, align 64
@slots = internal global [64 x %struct.Slot] zeroinitializer, align 16
@idle_bytes = internal global i64 0, align 8
@shares = internal global [64 x %struct.Share] zeroinitializer, align 64

define void @jitmdh_set_main_thread(ptr %0) nounwind {
  store ptr %0, ptr @main_thread, align 8
  ret void
}

define i64 @jitmdh_poll(ptr %0) nounwind {
  %2 = alloca %struct.TimeSpec, align 8
  %3 = tail call ptr @pthread_self()
  %4 = load ptr, ptr @main_thread, align 8
  %5 = icmp eq ptr %3, %4
  br i1 %5, label %6, label %26

6:
  %7 = load atomic i64, ptr @ended monotonic, align 8
  %8 = inttoptr i64 %7 to ptr
  %9 = icmp eq ptr %8, %0
  br i1 %9, label %26, label %10

10:
  %11 = getelementptr i64, ptr %0, i64 1
  %12 = tail call i32 @platform_clock_monotonic()
  %13 = call i32 @clock_gettime(i32 %12, ptr %2)
  %14 = load i64, ptr %2, align 8
  %15 = mul i64 %14, 1000000000
  %16 = getelementptr inbounds %struct.TimeSpec, ptr %2, i64 0, i32 1
  %17 = load i64, ptr %16, align 8
  %18 = add i64 %15, %17
  %19 = load i64, ptr %11, align 8
  %20 = icmp eq i64 %19, 0
  br i1 %20, label %21, label %22

21:
  store i64 %18, ptr %11, align 8
  br label %26

22:
  %23 = sub i64 %18, %19
  %24 = icmp sgt i64 %23, 19999999
  br i1 %24, label %25, label %26

25:
  store i64 %18, ptr %11, align 8
  call fastcc void @look_for_signals(ptr %0)
  br label %26

26:
  %27 = load atomic i64, ptr @ended monotonic, align 8
  %28 = inttoptr i64 %27 to ptr
  %29 = icmp eq ptr %28, %0
  %30 = zext i1 %29 to i64
  ret i64 %30
}

define internal fastcc void @look_for_signals(ptr %0) noinline nounwind {
  %2 = tail call i32 @PyGILState_Ensure()
  %3 = tail call i32 @PyErr_CheckSignals()
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %16, label %7

5:
  tail call void @PyErr_Fetch(ptr @raised, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 1), ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 2))
  %6 = ptrtoint ptr %0 to i64
  store atomic i64 %6, ptr @ended monotonic, align 8
  br label %16

7:
  %8 = phi i64 [ %14, %13 ], [ 0, %1 ]
  %9 = getelementptr [3 x ptr], ptr @raised, i64 0, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = icmp eq ptr %10, null
  br i1 %11, label %13, label %12

12:
  tail call void @Py_DecRef(ptr %10)
  br label %13

13:
  %14 = add nuw nsw i64 %8, 1
  %15 = icmp eq i64 %14, 3
  br i1 %15, label %5, label %7

16:
  tail call void @PyGILState_Release(i32 %2)
  ret void
}

define void @jitmdh_interrupted() nounwind {
  store atomic i64 ptrtoint (ptr @nobody to i64), ptr @ended monotonic, align 8
  ret void
}

define void @jitmdh_raise() nounwind {
  %1 = load ptr, ptr @raised, align 16
  %2 = icmp eq ptr %1, null
  br i1 %2, label %6, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 1), align 8
  %5 = load ptr, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 2), align 16
  tail call void @PyErr_Restore(ptr %1, ptr %4, ptr %5)
  store ptr null, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 2), align 16
  store ptr null, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 1), align 8
  store ptr null, ptr @raised, align 16
  br label %6

6:
  ret void
}

declare void @PyErr_Restore(ptr, ptr, ptr)

define i64 @jitmdh_raise_ended() nounwind {
  %1 = load ptr, ptr @raised, align 16
  store atomic i64 ptrtoint (ptr @nobody to i64), ptr @ended monotonic, align 8
  %2 = icmp eq ptr %1, null
  br i1 %2, label %6, label %3

3:
  %4 = load ptr, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 1), align 8
  %5 = load ptr, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 2), align 16
  tail call void @PyErr_Restore(ptr %1, ptr %4, ptr %5)
  store ptr null, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 2), align 16
  store ptr null, ptr getelementptr inbounds ([3 x ptr], ptr @raised, i64 0, i64 1), align 8
  store ptr null, ptr @raised, align 16
  br label %6

6:
  %7 = icmp ne ptr %1, null
  %8 = zext i1 %7 to i64
  ret i64 %8
}

define void @jitmdh_reset() nounwind {
  %1 = tail call i32 @pthread_mutex_init(ptr @wake_mutex, ptr null)
  %2 = tail call i32 @pthread_cond_init(ptr @wake_condition, ptr null)
  %3 = tail call i32 @pthread_mutex_init(ptr @done_mutex, ptr null)
  %4 = tail call i32 @pthread_cond_init(ptr @done_condition, ptr null)
  store atomic i64 0, ptr @jitmdh_pool seq_cst, align 64
  store atomic i64 0, ptr @workers seq_cst, align 8
  store atomic i64 0, ptr @parked seq_cst, align 64
  store atomic i8 0, ptr @waiting seq_cst, align 1
  tail call void @places_forget()
  %5 = tail call i32 @pthread_mutex_init(ptr @scratch_mutex, ptr null)
  br label %6

6:
  %7 = phi i64 [ 0, %0 ], [ %9, %6 ]
  %8 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %7
  tail call void @llvm.memset.p0.i64(ptr align 8 %8, i8 0, i64 24, i1 false)
  %9 = add nuw nsw i64 %7, 1
  %10 = icmp eq i64 %9, 64
  br i1 %10, label %11, label %6

11:
  store i64 0, ptr @idle_bytes, align 8
  %12 = load i64, ptr @forks_survived, align 8
  %13 = add i64 %12, 1
  store i64 %13, ptr @forks_survived, align 8
  %14 = tail call ptr @pthread_self()
  store ptr %14, ptr @main_thread, align 8
  store atomic i8 0, ptr @busy release, align 64
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr)

declare i32 @pthread_cond_init(ptr, ptr)

declare void @places_forget()

define void @scratch_reset() nounwind {
  %1 = tail call i32 @pthread_mutex_init(ptr @scratch_mutex, ptr null)
  br label %3

2:
  store i64 0, ptr @idle_bytes, align 8
  ret void

3:
  %4 = phi i64 [ 0, %0 ], [ %6, %3 ]
  %5 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %4
  tail call void @llvm.memset.p0.i64(ptr align 8 %5, i8 0, i64 24, i1 false)
  %6 = add nuw nsw i64 %4, 1
  %7 = icmp eq i64 %6, 64
  br i1 %7, label %2, label %3
}

define i64 @jitmdh_num_threads() nounwind {
  %1 = load atomic i64, ptr @threads monotonic, align 8
  ret i64 %1
}

define void @jitmdh_set_num_threads(i64 %0) nounwind {
  store atomic i64 %0, ptr @threads monotonic, align 8
  ret void
}

define void @jitmdh_set_spin_ns(i64 %0) nounwind {
  store atomic i64 %0, ptr @least_spin_ns monotonic, align 8
  ret void
}

define i64 @jitmdh_num_workers() nounwind {
  %1 = load atomic i64, ptr @workers monotonic, align 8
  ret i64 %1
}

define i64 @jitmdh_parallel(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = load atomic i64, ptr @threads monotonic, align 8
  %6 = icmp sgt i64 %5, 1
  %7 = icmp sgt i64 %2, 1
  %8 = and i1 %7, %6
  br i1 %8, label %9, label %26

9:
  %10 = cmpxchg ptr @busy, i8 0, i8 1 acquire monotonic, align 1
  %11 = extractvalue { i8, i1 } %10, 1
  br i1 %11, label %12, label %20

12:
  %13 = load i64, ptr @forks_survived, align 8
  %14 = tail call i64 @llvm.smin.i64(i64 %2, i64 %5)
  tail call fastcc void @run_on_pool(ptr %0, ptr %1, i64 %2, i64 %14, ptr %3)
  %15 = load i64, ptr @forks_survived, align 8
  %16 = icmp eq i64 %13, %15
  br i1 %16, label %17, label %18

17:
  store atomic i8 0, ptr @busy release, align 64
  br label %37

18:
  %19 = ptrtoint ptr %3 to i64
  store atomic i64 %19, ptr @ended monotonic, align 8
  br label %42

20:
  %21 = extractvalue { i8, i1 } %10, 0
  %22 = and i8 %21, 1
  %23 = icmp eq i8 %22, 0
  br i1 %23, label %28, label %24

24:
  %25 = atomicrmw add ptr @jitmdh_pool_refusals, i64 1 monotonic, align 8
  br label %28

26:
  %27 = icmp sgt i64 %2, 0
  br i1 %27, label %28, label %37

28:
  br label %29

29:
  %30 = phi i64 [ %35, %34 ], [ 0, %28 ]
  %31 = load atomic i64, ptr @ended monotonic, align 8
  %32 = inttoptr i64 %31 to ptr
  %33 = icmp eq ptr %32, %3
  br i1 %33, label %37, label %34

34:
  tail call void %0(ptr %1, i64 %30)
  %35 = add nuw nsw i64 %30, 1
  %36 = icmp eq i64 %35, %2
  br i1 %36, label %37, label %29

37:
  %38 = load atomic i64, ptr @ended monotonic, align 8
  %39 = inttoptr i64 %38 to ptr
  %40 = icmp eq ptr %39, %3
  %41 = zext i1 %40 to i64
  br label %42

42:
  %43 = phi i64 [ %41, %37 ], [ 1, %18 ]
  ret i64 %43
}

define internal fastcc void @run_on_pool(ptr %0, ptr %1, i64 %2, i64 %3, ptr %4) noinline nounwind {
  %6 = alloca %struct.TimeSpec, align 8
  %7 = add i64 %3, -1
  %8 = load atomic i64, ptr @workers seq_cst, align 8
  %9 = icmp slt i64 %8, %7
  br i1 %9, label %10, label %11

10:
  tail call fastcc void @start_workers(i64 %7)
  br label %11

11:
  store ptr %0, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 3), align 8
  store ptr %1, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 4), align 32
  store ptr %4, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %12 = tail call i64 @llvm.smin.i64(i64 %3, i64 64)
  store i64 %2, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 5), align 8
  store i64 %12, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 6), align 16
  %13 = icmp eq i64 %12, %2
  br i1 %13, label %18, label %14

14:
  %15 = icmp sgt i64 %3, 0
  br i1 %15, label %16, label %28

16:
  %17 = tail call i64 @llvm.smax.i64(i64 %12, i64 1)
  br label %21

18:
  %19 = sub i64 64, %2
  %20 = lshr i64 -1, %19
  store atomic i64 %20, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 2) monotonic, align 16
  br label %28

21:
  %22 = phi i64 [ %26, %21 ], [ 0, %16 ]
  %23 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %22
  %24 = mul i64 %22, %2
  %25 = sdiv i64 %24, %12
  store atomic i64 %25, ptr %23 monotonic, align 64
  %26 = add nuw nsw i64 %22, 1
  %27 = icmp eq i64 %26, %17
  br i1 %27, label %28, label %21

28:
  store atomic i64 %7, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 1) monotonic, align 8
  %29 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %30 = and i64 %29, -4294967296
  %31 = add i64 %30, 4294967297
  store atomic i64 %31, ptr @jitmdh_pool seq_cst, align 64
  %32 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 5), align 8
  %33 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 6), align 16
  %34 = shl i64 %33, 2
  %35 = icmp sgt i64 %32, %34
  br i1 %35, label %36, label %44

36:
  %37 = tail call i32 @platform_clock_monotonic()
  %38 = call i32 @clock_gettime(i32 %37, ptr %6)
  %39 = load i64, ptr %6, align 8
  %40 = mul i64 %39, 1000000000
  %41 = getelementptr inbounds %struct.TimeSpec, ptr %6, i64 0, i32 1
  %42 = load i64, ptr %41, align 8
  %43 = add i64 %40, %42
  br label %44

44:
  %45 = phi i64 [ %43, %36 ], [ 0, %28 ]
  call void @places_keep_away()
  %46 = load atomic i64, ptr @parked seq_cst, align 64
  %47 = icmp slt i64 %46, 1
  br i1 %47, label %62, label %48

48:
  %49 = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %50 = icmp sgt i64 %46, %7
  br i1 %50, label %51, label %53

51:
  %52 = icmp sgt i64 %7, 0
  br i1 %52, label %55, label %60

53:
  %54 = call i32 @pthread_cond_broadcast(ptr @wake_condition)
  br label %60

55:
  %56 = phi i64 [ %58, %55 ], [ 0, %51 ]
  %57 = call i32 @pthread_cond_signal(ptr @wake_condition)
  %58 = add nuw nsw i64 %56, 1
  %59 = icmp eq i64 %58, %7
  br i1 %59, label %60, label %55

60:
  %61 = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %62

62:
  %63 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 3), align 8
  %64 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 4), align 32
  %65 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 5), align 8
  %66 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 6), align 16
  %67 = icmp eq i64 %65, %66
  br i1 %67, label %70, label %68

68:
  %69 = icmp eq i64 %66, 0
  br i1 %69, label %107, label %88

70:
  %71 = phi i64 [ %86, %83 ], [ 1, %62 ]
  %72 = xor i64 %71, -1
  %73 = atomicrmw and ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 2), i64 %72 monotonic, align 8
  %74 = and i64 %73, %71
  %75 = icmp eq i64 %74, 0
  br i1 %75, label %83, label %76

76:
  %77 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %78 = load atomic i64, ptr @ended monotonic, align 8
  %79 = inttoptr i64 %78 to ptr
  %80 = icmp eq ptr %77, %79
  br i1 %80, label %107, label %81

81:
  %82 = call i64 @llvm.cttz.i64(i64 %71, i1 true)
  call void %63(ptr %64, i64 %82)
  br label %83

83:
  %84 = load atomic i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 2) monotonic, align 16
  %85 = sub i64 0, %84
  %86 = and i64 %84, %85
  %87 = icmp eq i64 %86, 0
  br i1 %87, label %107, label %70

88:
  %89 = phi i64 [ %90, %105 ], [ 0, %68 ]
  %90 = add nuw i64 %89, 1
  %91 = mul i64 %90, %65
  %92 = udiv i64 %91, %66
  %93 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %89
  %94 = atomicrmw add ptr %93, i64 1 monotonic, align 8
  %95 = icmp slt i64 %94, %92
  br i1 %95, label %96, label %105

96:
  %97 = phi i64 [ %103, %102 ], [ %94, %88 ]
  %98 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %99 = load atomic i64, ptr @ended monotonic, align 8
  %100 = inttoptr i64 %99 to ptr
  %101 = icmp eq ptr %98, %100
  br i1 %101, label %107, label %102

102:
  call void %63(ptr %64, i64 %97)
  %103 = atomicrmw add ptr %93, i64 1 monotonic, align 8
  %104 = icmp slt i64 %103, %92
  br i1 %104, label %96, label %105

105:
  %106 = icmp eq i64 %90, %66
  br i1 %106, label %107, label %88

107:
  %108 = atomicrmw and ptr @jitmdh_pool, i64 -2 seq_cst, align 8
  %109 = and i64 %108, 4294967294
  %110 = icmp eq i64 %109, 0
  br i1 %110, label %112, label %111

111:
  call fastcc void @await_workers(i64 %45)
  br label %112

112:
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @jitmdh_scratch_trim() nounwind {
  %1 = tail call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  br label %2

2:
  %3 = phi i64 [ 0, %0 ], [ %13, %12 ]
  %4 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %3
  %5 = load ptr, ptr %4, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %12, label %7

7:
  %8 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %3, i32 2
  %9 = load i8, ptr %8, align 8
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %11, label %12

11:
  tail call void @free(ptr %5)
  store ptr null, ptr %4, align 8
  br label %12

12:
  %13 = add nuw nsw i64 %3, 1
  %14 = icmp eq i64 %13, 64
  br i1 %14, label %15, label %2

15:
  store i64 0, ptr @idle_bytes, align 8
  %16 = tail call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  ret void
}

declare i32 @pthread_mutex_lock(ptr)

declare i32 @pthread_mutex_unlock(ptr)

define ptr @jitmdh_scratch_acquire(i64 %0) nounwind {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = tail call i64 @llvm.smax.i64(i64 %0, i64 64)
  %5 = icmp ult i64 %4, 2097152
  %6 = select i1 %5, i64 64, i64 2097152
  %7 = xor i64 %6, 9223372036854775807
  %8 = icmp ugt i64 %4, %7
  br i1 %8, label %125, label %9

9:
  %10 = select i1 %5, i64 -64, i64 -2097152
  %11 = tail call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  %12 = add nsw i64 %4, -1
  %13 = add nuw i64 %12, %6
  %14 = and i64 %13, %10
  %15 = shl i64 %14, 2
  %16 = add i64 %15, 65536
  br label %17

17:
  %18 = phi ptr [ null, %9 ], [ %38, %37 ]
  %19 = phi i64 [ 0, %9 ], [ %41, %37 ]
  %20 = phi ptr [ null, %9 ], [ %40, %37 ]
  %21 = phi i64 [ %16, %9 ], [ %39, %37 ]
  %22 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %19
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %37, label %25

25:
  %26 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %19, i32 2
  %27 = load i8, ptr %26, align 8
  %28 = icmp eq i8 %27, 0
  br i1 %28, label %29, label %37

29:
  %30 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %19, i32 1
  %31 = load i64, ptr %30, align 8
  %32 = icmp sge i64 %31, %14
  %33 = icmp ult i64 %31, %21
  %34 = select i1 %32, i1 %33, i1 false
  %35 = select i1 %34, i64 %31, i64 %21
  %36 = select i1 %34, ptr %22, ptr %20
  br label %37

37:
  %38 = phi ptr [ %18, %29 ], [ %18, %25 ], [ %22, %17 ]
  %39 = phi i64 [ %35, %29 ], [ %21, %25 ], [ %21, %17 ]
  %40 = phi ptr [ %36, %29 ], [ %20, %25 ], [ %20, %17 ]
  %41 = add nuw nsw i64 %19, 1
  %42 = icmp eq i64 %41, 64
  br i1 %42, label %43, label %17

43:
  %44 = icmp eq ptr %40, null
  br i1 %44, label %52, label %45

45:
  %46 = getelementptr inbounds %struct.Slot, ptr %40, i64 0, i32 2
  store i8 1, ptr %46, align 8
  %47 = getelementptr inbounds %struct.Slot, ptr %40, i64 0, i32 1
  %48 = load i64, ptr %47, align 8
  %49 = load i64, ptr @idle_bytes, align 8
  %50 = sub i64 %49, %48
  store i64 %50, ptr @idle_bytes, align 8
  %51 = load ptr, ptr %40, align 8
  br label %122

52:
  %53 = icmp eq ptr %38, null
  br i1 %53, label %54, label %77

54:
  %55 = phi i64 [ %65, %64 ], [ 0, %52 ]
  %56 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %55
  %57 = load ptr, ptr %56, align 8
  %58 = icmp eq ptr %57, null
  br i1 %58, label %64, label %59

59:
  %60 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %55, i32 2
  %61 = load i8, ptr %60, align 8
  %62 = icmp eq i8 %61, 0
  br i1 %62, label %63, label %64

63:
  tail call void @free(ptr %57)
  store ptr null, ptr %56, align 8
  br label %64

64:
  %65 = add nuw nsw i64 %55, 1
  %66 = icmp eq i64 %65, 64
  br i1 %66, label %67, label %54

67:
  store i64 0, ptr @idle_bytes, align 8
  br label %68

68:
  %69 = phi ptr [ null, %67 ], [ %74, %68 ]
  %70 = phi i64 [ 0, %67 ], [ %75, %68 ]
  %71 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %70
  %72 = load ptr, ptr %71, align 8
  %73 = icmp eq ptr %72, null
  %74 = select i1 %73, ptr %71, ptr %69
  %75 = add nuw nsw i64 %70, 1
  %76 = icmp eq i64 %75, 64
  br i1 %76, label %77, label %68

77:
  %78 = phi ptr [ %38, %52 ], [ %74, %68 ]
  store ptr null, ptr %3, align 8
  %79 = icmp sgt i64 %14, 2097151
  %80 = select i1 %79, i64 2097152, i64 64
  %81 = call i32 @posix_memalign(ptr %3, i64 %80, i64 %14)
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %84, label %83

83:
  br label %90

84:
  br i1 %79, label %85, label %87

85:
  %86 = load ptr, ptr %3, align 8
  call void @platform_advise_huge(ptr %86, i64 %14)
  br label %87

87:
  %88 = load ptr, ptr %3, align 8
  %89 = icmp eq ptr %88, null
  br i1 %89, label %90, label %114

90:
  br label %91

91:
  %92 = phi i64 [ %102, %101 ], [ 0, %90 ]
  %93 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %92
  %94 = load ptr, ptr %93, align 8
  %95 = icmp eq ptr %94, null
  br i1 %95, label %101, label %96

96:
  %97 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %92, i32 2
  %98 = load i8, ptr %97, align 8
  %99 = icmp eq i8 %98, 0
  br i1 %99, label %100, label %101

100:
  call void @free(ptr %94)
  store ptr null, ptr %93, align 8
  br label %101

101:
  %102 = add nuw nsw i64 %92, 1
  %103 = icmp eq i64 %102, 64
  br i1 %103, label %104, label %91

104:
  store i64 0, ptr @idle_bytes, align 8
  store ptr null, ptr %2, align 8
  %105 = call i32 @posix_memalign(ptr %2, i64 %80, i64 %14)
  %106 = icmp eq i32 %105, 0
  br i1 %106, label %107, label %112

107:
  br i1 %79, label %108, label %110

108:
  %109 = load ptr, ptr %2, align 8
  call void @platform_advise_huge(ptr %109, i64 %14)
  br label %110

110:
  %111 = load ptr, ptr %2, align 8
  br label %112

112:
  %113 = phi ptr [ %111, %110 ], [ null, %104 ]
  br label %114

114:
  %115 = phi ptr [ %88, %87 ], [ %113, %112 ]
  %116 = icmp ne ptr %115, null
  %117 = icmp ne ptr %78, null
  %118 = select i1 %116, i1 %117, i1 false
  br i1 %118, label %119, label %122

119:
  store ptr %115, ptr %78, align 8
  %120 = getelementptr inbounds i8, ptr %78, i64 8
  store i64 %14, ptr %120, align 8
  %121 = getelementptr inbounds i8, ptr %78, i64 16
  store i8 1, ptr %121, align 8
  br label %122

122:
  %123 = phi ptr [ %51, %45 ], [ %115, %119 ], [ %115, %114 ]
  %124 = call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  br label %125

125:
  %126 = phi ptr [ %123, %122 ], [ null, %1 ]
  ret ptr %126
}

define void @jitmdh_scratch_release(ptr %0) nounwind {
  %2 = tail call i32 @pthread_mutex_lock(ptr @scratch_mutex)
  %3 = icmp eq ptr %0, null
  br label %4

4:
  %5 = phi i64 [ 0, %1 ], [ %21, %20 ]
  %6 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = icmp ne ptr %7, %0
  %9 = or i1 %3, %8
  br i1 %9, label %20, label %10

10:
  %11 = and i64 %5, 4294967295
  %12 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %11, i32 2
  store i8 0, ptr %12, align 8
  %13 = load i64, ptr @idle_bytes, align 8
  %14 = getelementptr [64 x %struct.Slot], ptr @slots, i64 0, i64 %11, i32 1
  %15 = load i64, ptr %14, align 8
  %16 = add i64 %15, %13
  %17 = icmp sgt i64 %16, 1073741824
  br i1 %17, label %18, label %19

18:
  store ptr null, ptr %6, align 8
  br label %23

19:
  store i64 %16, ptr @idle_bytes, align 8
  br label %23

20:
  %21 = add nuw nsw i64 %5, 1
  %22 = icmp eq i64 %21, 64
  br i1 %22, label %23, label %4

23:
  %24 = phi ptr [ null, %19 ], [ %0, %18 ], [ %0, %20 ]
  %25 = tail call i32 @pthread_mutex_unlock(ptr @scratch_mutex)
  tail call void @free(ptr %24)
  ret void
}

declare void @free(ptr)

define i64 @jitmdh_repeat(ptr %0, ptr %1, i64 %2) nounwind {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %7, label %5

5:
  %6 = phi i64 [ 0, %3 ], [ %9, %7 ]
  ret i64 %6

7:
  %8 = phi i64 [ %10, %7 ], [ 0, %3 ]
  %9 = tail call i64 %0(ptr %1)
  %10 = add nuw nsw i64 %8, 1
  %11 = icmp slt i64 %10, %2
  %12 = icmp eq i64 %9, 0
  %13 = select i1 %11, i1 %12, i1 false
  br i1 %13, label %7, label %5
}

declare ptr @pthread_self()

declare i32 @clock_gettime(i32, ptr)

declare i32 @platform_clock_monotonic()

declare i32 @PyGILState_Ensure()

declare i32 @PyErr_CheckSignals()

declare void @Py_DecRef(ptr)

declare void @PyErr_Fetch(ptr, ptr, ptr)

declare void @PyGILState_Release(i32)

define internal fastcc void @start_workers(i64 %0) noinline nounwind {
  %2 = alloca %struct.SignalSet, align 16
  %3 = alloca %struct.SignalSet, align 16
  %4 = alloca ptr, align 8
  %5 = call i32 @sigfillset(ptr %2)
  %6 = call i32 @platform_sig_setmask()
  %7 = call i32 @pthread_sigmask(i32 %6, ptr %2, ptr %3)
  %8 = load atomic i64, ptr @workers seq_cst, align 8
  %9 = icmp slt i64 %8, %0
  br i1 %9, label %10, label %22

10:
  %11 = load atomic i64, ptr @workers seq_cst, align 8
  %12 = add i64 %11, 1
  %13 = inttoptr i64 %12 to ptr
  %14 = call i32 @pthread_create(ptr %4, ptr null, ptr @worker, ptr %13)
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %17, label %16

16:
  br label %22

17:
  %18 = load ptr, ptr %4, align 8
  %19 = call i32 @pthread_detach(ptr %18)
  store atomic i64 %12, ptr @workers seq_cst, align 8
  %20 = load atomic i64, ptr @workers seq_cst, align 8
  %21 = icmp slt i64 %20, %0
  br i1 %21, label %10, label %22

22:
  %23 = call i32 @platform_sig_setmask()
  %24 = call i32 @pthread_sigmask(i32 %23, ptr %3, ptr null)
  ret void
}

declare void @places_keep_away()

define internal fastcc void @run_tasks(i64 %0) nounwind {
  %2 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 3), align 8
  %3 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 4), align 32
  %4 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 5), align 8
  %5 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 6), align 16
  %6 = icmp eq i64 %0, 0
  br i1 %6, label %12, label %7

7:
  %8 = add i64 %0, -1
  %9 = add i64 %5, -1
  %10 = urem i64 %8, %9
  %11 = add nuw i64 %10, 1
  br label %12

12:
  %13 = phi i64 [ %11, %7 ], [ 0, %1 ]
  %14 = icmp eq i64 %4, %5
  br i1 %14, label %17, label %15

15:
  %16 = icmp eq i64 %5, 0
  br i1 %16, label %59, label %37

17:
  %18 = shl nuw i64 1, %13
  br label %19

19:
  %20 = phi i64 [ %18, %17 ], [ %35, %32 ]
  %21 = xor i64 %20, -1
  %22 = atomicrmw and ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 2), i64 %21 monotonic, align 8
  %23 = and i64 %22, %20
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %32, label %25

25:
  %26 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %27 = load atomic i64, ptr @ended monotonic, align 8
  %28 = inttoptr i64 %27 to ptr
  %29 = icmp eq ptr %26, %28
  br i1 %29, label %59, label %30

30:
  %31 = tail call i64 @llvm.cttz.i64(i64 %20, i1 true)
  tail call void %2(ptr %3, i64 %31)
  br label %32

32:
  %33 = load atomic i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 2) monotonic, align 16
  %34 = sub i64 0, %33
  %35 = and i64 %33, %34
  %36 = icmp eq i64 %35, 0
  br i1 %36, label %59, label %19

37:
  %38 = phi i64 [ %57, %56 ], [ 0, %15 ]
  %39 = add i64 %38, %13
  %40 = urem i64 %39, %5
  %41 = add nuw i64 %40, 1
  %42 = mul i64 %41, %4
  %43 = udiv i64 %42, %5
  %44 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %40
  %45 = atomicrmw add ptr %44, i64 1 monotonic, align 8
  %46 = icmp slt i64 %45, %43
  br i1 %46, label %47, label %56

47:
  %48 = phi i64 [ %54, %53 ], [ %45, %37 ]
  %49 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %50 = load atomic i64, ptr @ended monotonic, align 8
  %51 = inttoptr i64 %50 to ptr
  %52 = icmp eq ptr %49, %51
  br i1 %52, label %59, label %53

53:
  tail call void %2(ptr %3, i64 %48)
  %54 = atomicrmw add ptr %44, i64 1 monotonic, align 8
  %55 = icmp slt i64 %54, %43
  br i1 %55, label %47, label %56

56:
  %57 = add nuw i64 %38, 1
  %58 = icmp eq i64 %57, %5
  br i1 %58, label %59, label %37

59:
  ret void
}

define internal fastcc void @await_workers(i64 %0) noinline nounwind {
  %2 = alloca %struct.TimeSpec, align 8
  %3 = alloca %struct.TimeSpec, align 8
  %4 = alloca %struct.TimeSpec, align 8
  %5 = alloca %struct.TimeSpec, align 8
  %6 = alloca %struct.TimeSpec, align 8
  %7 = alloca %struct.TimeSpec, align 8
  %8 = icmp eq i64 %0, 0
  br i1 %8, label %19, label %9

9:
  %10 = tail call i32 @platform_clock_monotonic()
  %11 = call i32 @clock_gettime(i32 %10, ptr %3)
  %12 = load i64, ptr %3, align 8
  %13 = mul i64 %12, 1000000000
  %14 = getelementptr inbounds %struct.TimeSpec, ptr %3, i64 0, i32 1
  %15 = load i64, ptr %14, align 8
  %16 = sub i64 %15, %0
  %17 = add i64 %16, %13
  %18 = ashr i64 %17, 4
  br label %19

19:
  %20 = phi i64 [ %18, %9 ], [ 0, %1 ]
  %21 = getelementptr inbounds %struct.TimeSpec, ptr %7, i64 0, i32 1
  %22 = call i64 @llvm.smin.i64(i64 %20, i64 200000)
  %23 = getelementptr inbounds %struct.TimeSpec, ptr %6, i64 0, i32 1
  br label %24

24:
  %25 = phi i64 [ 0, %19 ], [ %50, %49 ]
  %26 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %27 = and i64 %26, 4294967294
  %28 = icmp eq i64 %27, 0
  br i1 %28, label %145, label %33

29:
  %30 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %31 = and i64 %30, 4294967294
  %32 = icmp eq i64 %31, 0
  br i1 %32, label %58, label %33

33:
  %34 = phi i32 [ %35, %29 ], [ 0, %24 ]
  call void @platform_relax()
  %35 = add nuw nsw i32 %34, 1
  %36 = icmp eq i32 %35, 16
  br i1 %36, label %37, label %29

37:
  %38 = icmp eq i64 %25, 0
  br i1 %38, label %39, label %49

39:
  %40 = call i32 @platform_clock_monotonic()
  %41 = call i32 @clock_gettime(i32 %40, ptr %7)
  %42 = load i64, ptr %7, align 8
  %43 = mul i64 %42, 1000000000
  %44 = load i64, ptr %21, align 8
  %45 = add i64 %43, %44
  %46 = load atomic i64, ptr @least_spin_ns monotonic, align 8
  %47 = call i64 @llvm.smax.i64(i64 %22, i64 %46)
  %48 = add i64 %45, %47
  br label %49

49:
  %50 = phi i64 [ %25, %37 ], [ %48, %39 ]
  %51 = call i32 @platform_clock_monotonic()
  %52 = call i32 @clock_gettime(i32 %51, ptr %6)
  %53 = load i64, ptr %6, align 8
  %54 = mul i64 %53, 1000000000
  %55 = load i64, ptr %23, align 8
  %56 = add i64 %54, %55
  %57 = icmp sgt i64 %56, %50
  br i1 %57, label %60, label %24

58:
  %59 = icmp ult i32 %34, 15
  br i1 %59, label %145, label %60

60:
  %61 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %62 = and i64 %61, 4294967294
  %63 = icmp eq i64 %62, 2
  br i1 %63, label %64, label %104

64:
  call void @places_note()
  %65 = getelementptr inbounds %struct.TimeSpec, ptr %5, i64 0, i32 1
  %66 = getelementptr inbounds %struct.TimeSpec, ptr %4, i64 0, i32 1
  br label %67

67:
  %68 = phi i64 [ 0, %64 ], [ %93, %92 ]
  %69 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %70 = and i64 %69, 4294967294
  %71 = icmp eq i64 %70, 0
  br i1 %71, label %145, label %76

72:
  %73 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %74 = and i64 %73, 4294967294
  %75 = icmp eq i64 %74, 0
  br i1 %75, label %101, label %76

76:
  %77 = phi i32 [ %78, %72 ], [ 0, %67 ]
  call void @platform_relax()
  %78 = add nuw nsw i32 %77, 1
  %79 = icmp eq i32 %78, 16
  br i1 %79, label %80, label %72

80:
  %81 = icmp eq i64 %68, 0
  br i1 %81, label %82, label %92

82:
  %83 = call i32 @platform_clock_monotonic()
  %84 = call i32 @clock_gettime(i32 %83, ptr %5)
  %85 = load i64, ptr %5, align 8
  %86 = mul i64 %85, 1000000000
  %87 = load i64, ptr %65, align 8
  %88 = add i64 %86, %87
  %89 = load atomic i64, ptr @least_spin_ns monotonic, align 8
  %90 = call i64 @llvm.smax.i64(i64 %89, i64 0)
  %91 = add i64 %88, %90
  br label %92

92:
  %93 = phi i64 [ %68, %80 ], [ %91, %82 ]
  %94 = call i32 @platform_clock_monotonic()
  %95 = call i32 @clock_gettime(i32 %94, ptr %4)
  %96 = load i64, ptr %4, align 8
  %97 = mul i64 %96, 1000000000
  %98 = load i64, ptr %66, align 8
  %99 = add i64 %97, %98
  %100 = icmp sgt i64 %99, %93
  br i1 %100, label %103, label %67

101:
  %102 = icmp ult i32 %77, 15
  br i1 %102, label %145, label %103

103:
  call void @places_give_way()
  br label %104

104:
  %105 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %106 = and i64 %105, 4294967294
  %107 = icmp eq i64 %106, 0
  br i1 %107, label %145, label %108

108:
  %109 = getelementptr inbounds %struct.TimeSpec, ptr %2, i64 0, i32 1
  br label %110

110:
  %111 = call i32 @pthread_mutex_lock(ptr @done_mutex)
  store atomic i8 1, ptr @waiting seq_cst, align 1
  %112 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %113 = and i64 %112, 4294967294
  %114 = icmp eq i64 %113, 0
  br i1 %114, label %139, label %115

115:
  %116 = call i32 @clock_gettime(i32 0, ptr %2)
  %117 = load i64, ptr %109, align 8
  %118 = add i64 %117, 20000000
  store i64 %118, ptr %109, align 8
  %119 = icmp sgt i64 %118, 999999999
  br i1 %119, label %120, label %124

120:
  %121 = add nsw i64 %117, -980000000
  store i64 %121, ptr %109, align 8
  %122 = load i64, ptr %2, align 8
  %123 = add i64 %122, 1
  store i64 %123, ptr %2, align 8
  br label %124

124:
  %125 = call i32 @pthread_cond_timedwait(ptr @done_condition, ptr @done_mutex, ptr %2)
  %126 = icmp eq i32 %125, 0
  store atomic i8 0, ptr @waiting seq_cst, align 1
  %127 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br i1 %126, label %141, label %128

128:
  %129 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  %130 = call ptr @pthread_self()
  %131 = load ptr, ptr @main_thread, align 8
  %132 = icmp eq ptr %130, %131
  br i1 %132, label %133, label %141

133:
  %134 = load atomic i64, ptr @ended monotonic, align 8
  %135 = inttoptr i64 %134 to ptr
  %136 = icmp eq ptr %129, %135
  br i1 %136, label %141, label %137

137:
  %138 = load ptr, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 7), align 8
  call fastcc void @look_for_signals(ptr %138)
  br label %141

139:
  store atomic i8 0, ptr @waiting seq_cst, align 1
  %140 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %141

141:
  %142 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %143 = and i64 %142, 4294967294
  %144 = icmp eq i64 %143, 0
  br i1 %144, label %145, label %110

145:
  ret void
}

declare i32 @sigfillset(ptr)

declare i32 @pthread_sigmask(i32, ptr, ptr)

declare i32 @platform_sig_setmask()

declare i32 @pthread_create(ptr, ptr, ptr, ptr)

define internal ptr @worker(ptr %0) nounwind {
  %2 = alloca %struct.TimeSpec, align 8
  %3 = alloca %struct.TimeSpec, align 8
  %4 = alloca %struct.TimeSpec, align 8
  %5 = alloca %struct.TimeSpec, align 8
  tail call void @places_register()
  %6 = getelementptr inbounds %struct.TimeSpec, ptr %5, i64 0, i32 1
  %7 = getelementptr inbounds %struct.TimeSpec, ptr %4, i64 0, i32 1
  %8 = getelementptr inbounds %struct.TimeSpec, ptr %3, i64 0, i32 1
  %9 = ptrtoint ptr %0 to i64
  %10 = getelementptr inbounds %struct.TimeSpec, ptr %2, i64 0, i32 1
  br label %11

11:
  %12 = phi i64 [ -1, %1 ], [ %89, %138 ]
  %13 = phi i64 [ 0, %1 ], [ %127, %138 ]
  br label %15

14:
  br label %15

15:
  %16 = phi i64 [ %13, %11 ], [ 0, %14 ]
  %17 = ashr i64 %16, 4
  %18 = call i64 @llvm.smin.i64(i64 %17, i64 200000)
  br label %19

19:
  %20 = phi i64 [ 0, %15 ], [ %52, %51 ]
  br label %21

21:
  %22 = phi i1 [ true, %19 ], [ %37, %35 ]
  %23 = phi i32 [ 0, %19 ], [ %36, %35 ]
  %24 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %25 = and i64 %24, 1
  %26 = icmp eq i64 %25, 0
  %27 = lshr i64 %24, 32
  %28 = icmp eq i64 %27, %12
  %29 = or i1 %26, %28
  br i1 %29, label %35, label %30

30:
  %31 = lshr i64 %24, 1
  %32 = and i64 %31, 2147483647
  %33 = load atomic i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 1) monotonic, align 8
  %34 = icmp slt i64 %32, %33
  br i1 %34, label %60, label %35

35:
  call void @platform_relax()
  %36 = add nuw nsw i32 %23, 1
  %37 = icmp ult i32 %23, 15
  %38 = icmp eq i32 %36, 16
  br i1 %38, label %39, label %21

39:
  %40 = icmp eq i64 %20, 0
  br i1 %40, label %41, label %51

41:
  %42 = call i32 @platform_clock_monotonic()
  %43 = call i32 @clock_gettime(i32 %42, ptr %5)
  %44 = load i64, ptr %5, align 8
  %45 = mul i64 %44, 1000000000
  %46 = load i64, ptr %6, align 8
  %47 = add i64 %45, %46
  %48 = load atomic i64, ptr @least_spin_ns monotonic, align 8
  %49 = call i64 @llvm.smax.i64(i64 %18, i64 %48)
  %50 = add i64 %47, %49
  br label %51

51:
  %52 = phi i64 [ %20, %39 ], [ %50, %41 ]
  %53 = call i32 @platform_clock_monotonic()
  %54 = call i32 @clock_gettime(i32 %53, ptr %4)
  %55 = load i64, ptr %4, align 8
  %56 = mul i64 %55, 1000000000
  %57 = load i64, ptr %7, align 8
  %58 = add i64 %56, %57
  %59 = icmp sgt i64 %58, %52
  br i1 %59, label %60, label %19

60:
  %61 = phi i1 [ %22, %30 ], [ %37, %51 ]
  br i1 %61, label %82, label %62

62:
  %63 = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %64 = atomicrmw add ptr @parked, i64 1 seq_cst, align 8
  br label %65

65:
  %66 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  %67 = and i64 %66, 1
  %68 = icmp eq i64 %67, 0
  %69 = lshr i64 %66, 32
  %70 = icmp eq i64 %69, %12
  %71 = or i1 %68, %70
  br i1 %71, label %77, label %72

72:
  %73 = lshr i64 %66, 1
  %74 = and i64 %73, 2147483647
  %75 = load atomic i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 1) monotonic, align 8
  %76 = icmp slt i64 %74, %75
  br i1 %76, label %79, label %77

77:
  %78 = call i32 @pthread_cond_wait(ptr @wake_condition, ptr @wake_mutex)
  br label %65

79:
  %80 = atomicrmw sub ptr @parked, i64 1 seq_cst, align 8
  %81 = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %82

82:
  %83 = load atomic i64, ptr @jitmdh_pool seq_cst, align 64
  br label %84

84:
  %85 = phi i64 [ %83, %82 ], [ %100, %96 ]
  %86 = and i64 %85, 1
  %87 = icmp eq i64 %86, 0
  br i1 %87, label %14, label %88

88:
  %89 = lshr i64 %85, 32
  %90 = icmp eq i64 %89, %12
  br i1 %90, label %14, label %91

91:
  %92 = lshr i64 %85, 1
  %93 = and i64 %92, 2147483647
  %94 = load atomic i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 1) monotonic, align 8
  %95 = icmp slt i64 %93, %94
  br i1 %95, label %96, label %14

96:
  %97 = add i64 %85, 2
  %98 = cmpxchg weak ptr @jitmdh_pool, i64 %85, i64 %97 seq_cst seq_cst, align 8
  %99 = extractvalue { i64, i1 } %98, 1
  %100 = extractvalue { i64, i1 } %98, 0
  br i1 %99, label %101, label %84

101:
  %102 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 5), align 8
  %103 = load i64, ptr getelementptr inbounds (%struct.Pool, ptr @jitmdh_pool, i64 0, i32 6), align 16
  %104 = shl i64 %103, 2
  %105 = icmp sgt i64 %102, %104
  br i1 %105, label %106, label %113

106:
  %107 = call i32 @platform_clock_monotonic()
  %108 = call i32 @clock_gettime(i32 %107, ptr %3)
  %109 = load i64, ptr %3, align 8
  %110 = mul i64 %109, 1000000000
  %111 = load i64, ptr %8, align 8
  %112 = add i64 %110, %111
  br label %113

113:
  %114 = phi i64 [ %112, %106 ], [ 0, %101 ]
  call fastcc void @run_tasks(i64 %9)
  %115 = atomicrmw sub ptr @jitmdh_pool, i64 2 seq_cst, align 8
  %116 = add i64 %115, 4294967294
  %117 = icmp eq i64 %114, 0
  br i1 %117, label %126, label %118

118:
  %119 = call i32 @platform_clock_monotonic()
  %120 = call i32 @clock_gettime(i32 %119, ptr %2)
  %121 = load i64, ptr %2, align 8
  %122 = mul i64 %121, 1000000000
  %123 = load i64, ptr %10, align 8
  %124 = sub i64 %123, %114
  %125 = add i64 %124, %122
  br label %126

126:
  %127 = phi i64 [ %125, %118 ], [ 0, %113 ]
  %128 = and i64 %116, 4294967294
  %129 = icmp eq i64 %128, 0
  br i1 %129, label %130, label %138

130:
  %131 = load atomic i8, ptr @waiting seq_cst, align 1
  %132 = and i8 %131, 1
  %133 = icmp eq i8 %132, 0
  br i1 %133, label %138, label %134

134:
  %135 = call i32 @pthread_mutex_lock(ptr @done_mutex)
  %136 = call i32 @pthread_cond_signal(ptr @done_condition)
  %137 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %138

138:
  br label %11
}

declare i32 @pthread_detach(ptr)

declare void @places_register()

declare i32 @pthread_cond_signal(ptr)

declare i32 @pthread_cond_wait(ptr, ptr)

declare void @platform_relax()

declare i32 @pthread_cond_broadcast(ptr)

declare i64 @llvm.cttz.i64(i64, i1)

declare void @places_note()

declare void @places_give_way()

declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)

declare i32 @posix_memalign(ptr, i64, i64)

declare void @platform_advise_huge(ptr, i64)

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
