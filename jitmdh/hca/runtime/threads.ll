; Generated from threads.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 513130709dbcdd880cccab85ee456eb8

%struct.Mutex = type { [128 x i8] }
%struct.Condition = type { [128 x i8] }
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
@state = internal global i64 0, align 64
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
@job.0 = internal global ptr null, align 64
@job.1 = internal global ptr null, align 64
@job.2 = internal global i64 0, align 16
@job.3 = internal global i64 0, align 64
@job.4 = internal global ptr null, align 32
@limit = internal global i64 0, align 8
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

define void @jitmdh_reset() nounwind {
  %1 = tail call i32 @pthread_mutex_init(ptr @wake_mutex, ptr null)
  %2 = tail call i32 @pthread_cond_init(ptr @wake_condition, ptr null)
  %3 = tail call i32 @pthread_mutex_init(ptr @done_mutex, ptr null)
  %4 = tail call i32 @pthread_cond_init(ptr @done_condition, ptr null)
  store atomic i64 0, ptr @state seq_cst, align 64
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
  store ptr %0, ptr @job.0, align 64
  store ptr %1, ptr @job.1, align 64
  store ptr %4, ptr @job.4, align 32
  %12 = tail call i64 @llvm.smin.i64(i64 %3, i64 64)
  store i64 %2, ptr @job.2, align 16
  store i64 %12, ptr @job.3, align 64
  %13 = icmp sgt i64 %3, 0
  br i1 %13, label %14, label %23

14:
  %15 = tail call i64 @llvm.smax.i64(i64 %12, i64 1)
  br label %16

16:
  %17 = phi i64 [ %21, %16 ], [ 0, %14 ]
  %18 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %17
  %19 = mul i64 %17, %2
  %20 = sdiv i64 %19, %12
  store atomic i64 %20, ptr %18 monotonic, align 64
  %21 = add nuw nsw i64 %17, 1
  %22 = icmp eq i64 %21, %15
  br i1 %22, label %23, label %16

23:
  store atomic i64 %7, ptr @limit monotonic, align 8
  %24 = load atomic i64, ptr @state seq_cst, align 64
  %25 = and i64 %24, -4294967296
  %26 = add i64 %25, 4294967297
  store atomic i64 %26, ptr @state seq_cst, align 64
  %27 = load i64, ptr @job.2, align 16
  %28 = load i64, ptr @job.3, align 64
  %29 = shl i64 %28, 2
  %30 = icmp sgt i64 %27, %29
  br i1 %30, label %31, label %39

31:
  %32 = tail call i32 @platform_clock_monotonic()
  %33 = call i32 @clock_gettime(i32 %32, ptr %6)
  %34 = load i64, ptr %6, align 8
  %35 = mul i64 %34, 1000000000
  %36 = getelementptr inbounds %struct.TimeSpec, ptr %6, i64 0, i32 1
  %37 = load i64, ptr %36, align 8
  %38 = add i64 %35, %37
  br label %39

39:
  %40 = phi i64 [ %38, %31 ], [ 0, %23 ]
  call void @places_keep_away()
  %41 = load atomic i64, ptr @parked seq_cst, align 64
  %42 = icmp slt i64 %41, 1
  br i1 %42, label %57, label %43

43:
  %44 = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %45 = icmp sgt i64 %41, %7
  br i1 %45, label %46, label %48

46:
  %47 = icmp sgt i64 %7, 0
  br i1 %47, label %50, label %55

48:
  %49 = call i32 @pthread_cond_broadcast(ptr @wake_condition)
  br label %55

50:
  %51 = phi i64 [ %53, %50 ], [ 0, %46 ]
  %52 = call i32 @pthread_cond_signal(ptr @wake_condition)
  %53 = add nuw nsw i64 %51, 1
  %54 = icmp eq i64 %53, %7
  br i1 %54, label %55, label %50

55:
  %56 = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %57

57:
  %58 = load ptr, ptr @job.0, align 64
  %59 = load ptr, ptr @job.1, align 64
  %60 = load i64, ptr @job.2, align 16
  %61 = load i64, ptr @job.3, align 64
  %62 = icmp eq i64 %61, 0
  br i1 %62, label %82, label %63

63:
  %64 = phi i64 [ %65, %80 ], [ 0, %57 ]
  %65 = add nuw i64 %64, 1
  %66 = mul i64 %65, %60
  %67 = udiv i64 %66, %61
  %68 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %64
  %69 = atomicrmw add ptr %68, i64 1 monotonic, align 8
  %70 = icmp slt i64 %69, %67
  br i1 %70, label %71, label %80

71:
  %72 = phi i64 [ %78, %77 ], [ %69, %63 ]
  %73 = load ptr, ptr @job.4, align 32
  %74 = load atomic i64, ptr @ended monotonic, align 8
  %75 = inttoptr i64 %74 to ptr
  %76 = icmp eq ptr %73, %75
  br i1 %76, label %82, label %77

77:
  call void %58(ptr %59, i64 %72)
  %78 = atomicrmw add ptr %68, i64 1 monotonic, align 8
  %79 = icmp slt i64 %78, %67
  br i1 %79, label %71, label %80

80:
  %81 = icmp eq i64 %65, %61
  br i1 %81, label %82, label %63

82:
  %83 = atomicrmw and ptr @state, i64 -2 seq_cst, align 8
  %84 = and i64 %83, 4294967294
  %85 = icmp eq i64 %84, 0
  br i1 %85, label %87, label %86

86:
  call fastcc void @await_workers(i64 %40)
  br label %87

87:
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

define internal fastcc void @await_workers(i64 %0) noinline nounwind {
  %2 = alloca %struct.TimeSpec, align 8
  %3 = alloca %struct.TimeSpec, align 8
  %4 = alloca %struct.TimeSpec, align 8
  %5 = alloca %struct.TimeSpec, align 8
  %6 = icmp eq i64 %0, 0
  br i1 %6, label %17, label %7

7:
  %8 = tail call i32 @platform_clock_monotonic()
  %9 = call i32 @clock_gettime(i32 %8, ptr %3)
  %10 = load i64, ptr %3, align 8
  %11 = mul i64 %10, 1000000000
  %12 = getelementptr inbounds %struct.TimeSpec, ptr %3, i64 0, i32 1
  %13 = load i64, ptr %12, align 8
  %14 = sub i64 %13, %0
  %15 = add i64 %14, %11
  %16 = ashr i64 %15, 4
  br label %17

17:
  %18 = phi i64 [ %16, %7 ], [ 0, %1 ]
  %19 = call i32 @platform_clock_monotonic()
  %20 = call i32 @clock_gettime(i32 %19, ptr %5)
  %21 = load i64, ptr %5, align 8
  %22 = mul i64 %21, 1000000000
  %23 = getelementptr inbounds %struct.TimeSpec, ptr %5, i64 0, i32 1
  %24 = load i64, ptr %23, align 8
  %25 = add i64 %22, %24
  %26 = call i64 @llvm.smin.i64(i64 %18, i64 200000)
  %27 = load atomic i64, ptr @least_spin_ns monotonic, align 8
  %28 = call i64 @llvm.smax.i64(i64 %26, i64 %27)
  %29 = add i64 %25, %28
  %30 = getelementptr inbounds %struct.TimeSpec, ptr %4, i64 0, i32 1
  br label %31

31:
  %32 = load atomic i64, ptr @state seq_cst, align 64
  %33 = and i64 %32, 4294967294
  %34 = icmp eq i64 %33, 0
  br i1 %34, label %94, label %39

35:
  %36 = load atomic i64, ptr @state seq_cst, align 64
  %37 = and i64 %36, 4294967294
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %51, label %39

39:
  %40 = phi i32 [ %41, %35 ], [ 0, %31 ]
  call void @platform_relax()
  %41 = add nuw nsw i32 %40, 1
  %42 = icmp eq i32 %41, 16
  br i1 %42, label %43, label %35

43:
  %44 = call i32 @platform_clock_monotonic()
  %45 = call i32 @clock_gettime(i32 %44, ptr %4)
  %46 = load i64, ptr %4, align 8
  %47 = mul i64 %46, 1000000000
  %48 = load i64, ptr %30, align 8
  %49 = add i64 %47, %48
  %50 = icmp sgt i64 %49, %29
  br i1 %50, label %53, label %31

51:
  %52 = icmp ult i32 %40, 15
  br i1 %52, label %94, label %53

53:
  %54 = load atomic i64, ptr @state seq_cst, align 64
  %55 = and i64 %54, 4294967294
  %56 = icmp eq i64 %55, 0
  br i1 %56, label %94, label %57

57:
  %58 = getelementptr inbounds %struct.TimeSpec, ptr %2, i64 0, i32 1
  br label %59

59:
  %60 = call i32 @pthread_mutex_lock(ptr @done_mutex)
  store atomic i8 1, ptr @waiting seq_cst, align 1
  %61 = load atomic i64, ptr @state seq_cst, align 64
  %62 = and i64 %61, 4294967294
  %63 = icmp eq i64 %62, 0
  br i1 %63, label %88, label %64

64:
  %65 = call i32 @clock_gettime(i32 0, ptr %2)
  %66 = load i64, ptr %58, align 8
  %67 = add i64 %66, 20000000
  store i64 %67, ptr %58, align 8
  %68 = icmp sgt i64 %67, 999999999
  br i1 %68, label %69, label %73

69:
  %70 = add nsw i64 %66, -980000000
  store i64 %70, ptr %58, align 8
  %71 = load i64, ptr %2, align 8
  %72 = add i64 %71, 1
  store i64 %72, ptr %2, align 8
  br label %73

73:
  %74 = call i32 @pthread_cond_timedwait(ptr @done_condition, ptr @done_mutex, ptr %2)
  %75 = icmp eq i32 %74, 0
  store atomic i8 0, ptr @waiting seq_cst, align 1
  %76 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br i1 %75, label %90, label %77

77:
  %78 = load ptr, ptr @job.4, align 32
  %79 = call ptr @pthread_self()
  %80 = load ptr, ptr @main_thread, align 8
  %81 = icmp eq ptr %79, %80
  br i1 %81, label %82, label %90

82:
  %83 = load atomic i64, ptr @ended monotonic, align 8
  %84 = inttoptr i64 %83 to ptr
  %85 = icmp eq ptr %78, %84
  br i1 %85, label %90, label %86

86:
  %87 = load ptr, ptr @job.4, align 32
  call fastcc void @look_for_signals(ptr %87)
  br label %90

88:
  store atomic i8 0, ptr @waiting seq_cst, align 1
  %89 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %90

90:
  %91 = load atomic i64, ptr @state seq_cst, align 64
  %92 = and i64 %91, 4294967294
  %93 = icmp eq i64 %92, 0
  br i1 %93, label %94, label %59

94:
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
  %9 = icmp eq ptr %0, null
  %10 = ptrtoint ptr %0 to i64
  %11 = add i64 %10, -1
  %12 = getelementptr inbounds %struct.TimeSpec, ptr %2, i64 0, i32 1
  br label %13

13:
  %14 = phi i64 [ -1, %1 ], [ %88, %173 ]
  %15 = phi i64 [ 0, %1 ], [ %162, %173 ]
  br label %17

16:
  br label %17

17:
  %18 = phi i64 [ %15, %13 ], [ 0, %16 ]
  %19 = call i32 @platform_clock_monotonic()
  %20 = call i32 @clock_gettime(i32 %19, ptr %5)
  %21 = load i64, ptr %5, align 8
  %22 = mul i64 %21, 1000000000
  %23 = load i64, ptr %6, align 8
  %24 = add i64 %22, %23
  %25 = ashr i64 %18, 4
  %26 = call i64 @llvm.smin.i64(i64 %25, i64 200000)
  %27 = load atomic i64, ptr @least_spin_ns monotonic, align 8
  %28 = call i64 @llvm.smax.i64(i64 %26, i64 %27)
  %29 = add i64 %24, %28
  br label %30

30:
  %31 = phi i1 [ true, %17 ], [ %49, %48 ]
  %32 = phi i32 [ 0, %17 ], [ %50, %48 ]
  %33 = load atomic i64, ptr @state seq_cst, align 64
  %34 = and i64 %33, 1
  %35 = icmp eq i64 %34, 0
  %36 = lshr i64 %33, 32
  %37 = icmp eq i64 %36, %14
  %38 = or i1 %35, %37
  br i1 %38, label %44, label %39

39:
  %40 = lshr i64 %33, 1
  %41 = and i64 %40, 2147483647
  %42 = load atomic i64, ptr @limit monotonic, align 8
  %43 = icmp slt i64 %41, %42
  br i1 %43, label %59, label %44

44:
  call void @platform_relax()
  %45 = add nuw nsw i32 %32, 1
  %46 = icmp ult i32 %32, 15
  %47 = icmp eq i32 %45, 16
  br i1 %47, label %51, label %48

48:
  %49 = phi i1 [ %46, %44 ], [ true, %51 ]
  %50 = phi i32 [ %45, %44 ], [ 0, %51 ]
  br label %30

51:
  %52 = call i32 @platform_clock_monotonic()
  %53 = call i32 @clock_gettime(i32 %52, ptr %4)
  %54 = load i64, ptr %4, align 8
  %55 = mul i64 %54, 1000000000
  %56 = load i64, ptr %7, align 8
  %57 = add i64 %55, %56
  %58 = icmp sgt i64 %57, %29
  br i1 %58, label %59, label %48

59:
  %60 = phi i1 [ %31, %39 ], [ %46, %51 ]
  br i1 %60, label %81, label %61

61:
  %62 = call i32 @pthread_mutex_lock(ptr @wake_mutex)
  %63 = atomicrmw add ptr @parked, i64 1 seq_cst, align 8
  br label %64

64:
  %65 = load atomic i64, ptr @state seq_cst, align 64
  %66 = and i64 %65, 1
  %67 = icmp eq i64 %66, 0
  %68 = lshr i64 %65, 32
  %69 = icmp eq i64 %68, %14
  %70 = or i1 %67, %69
  br i1 %70, label %76, label %71

71:
  %72 = lshr i64 %65, 1
  %73 = and i64 %72, 2147483647
  %74 = load atomic i64, ptr @limit monotonic, align 8
  %75 = icmp slt i64 %73, %74
  br i1 %75, label %78, label %76

76:
  %77 = call i32 @pthread_cond_wait(ptr @wake_condition, ptr @wake_mutex)
  br label %64

78:
  %79 = atomicrmw sub ptr @parked, i64 1 seq_cst, align 8
  %80 = call i32 @pthread_mutex_unlock(ptr @wake_mutex)
  br label %81

81:
  %82 = load atomic i64, ptr @state seq_cst, align 64
  br label %83

83:
  %84 = phi i64 [ %82, %81 ], [ %99, %95 ]
  %85 = and i64 %84, 1
  %86 = icmp eq i64 %85, 0
  br i1 %86, label %16, label %87

87:
  %88 = lshr i64 %84, 32
  %89 = icmp eq i64 %88, %14
  br i1 %89, label %16, label %90

90:
  %91 = lshr i64 %84, 1
  %92 = and i64 %91, 2147483647
  %93 = load atomic i64, ptr @limit monotonic, align 8
  %94 = icmp slt i64 %92, %93
  br i1 %94, label %95, label %16

95:
  %96 = add i64 %84, 2
  %97 = cmpxchg weak ptr @state, i64 %84, i64 %96 seq_cst seq_cst, align 8
  %98 = extractvalue { i64, i1 } %97, 1
  %99 = extractvalue { i64, i1 } %97, 0
  br i1 %98, label %100, label %83

100:
  %101 = load i64, ptr @job.2, align 16
  %102 = load i64, ptr @job.3, align 64
  %103 = shl i64 %102, 2
  %104 = icmp sgt i64 %101, %103
  br i1 %104, label %105, label %114

105:
  %106 = call i32 @platform_clock_monotonic()
  %107 = call i32 @clock_gettime(i32 %106, ptr %3)
  %108 = load i64, ptr %3, align 8
  %109 = mul i64 %108, 1000000000
  %110 = load i64, ptr %8, align 8
  %111 = add i64 %109, %110
  %112 = load i64, ptr @job.3, align 64
  %113 = load i64, ptr @job.2, align 16
  br label %114

114:
  %115 = phi i64 [ %101, %100 ], [ %113, %105 ]
  %116 = phi i64 [ %102, %100 ], [ %112, %105 ]
  %117 = phi i64 [ 0, %100 ], [ %111, %105 ]
  %118 = load ptr, ptr @job.0, align 64
  %119 = load ptr, ptr @job.1, align 64
  br i1 %9, label %124, label %120

120:
  %121 = add i64 %116, -1
  %122 = urem i64 %11, %121
  %123 = add nuw i64 %122, 1
  br label %124

124:
  %125 = phi i64 [ %123, %120 ], [ 0, %114 ]
  %126 = icmp eq i64 %116, 0
  br i1 %126, label %149, label %127

127:
  %128 = phi i64 [ %147, %146 ], [ 0, %124 ]
  %129 = add i64 %128, %125
  %130 = urem i64 %129, %116
  %131 = add nuw i64 %130, 1
  %132 = mul i64 %131, %115
  %133 = udiv i64 %132, %116
  %134 = getelementptr [64 x %struct.Share], ptr @shares, i64 0, i64 %130
  %135 = atomicrmw add ptr %134, i64 1 monotonic, align 8
  %136 = icmp slt i64 %135, %133
  br i1 %136, label %137, label %146

137:
  %138 = phi i64 [ %144, %143 ], [ %135, %127 ]
  %139 = load ptr, ptr @job.4, align 32
  %140 = load atomic i64, ptr @ended monotonic, align 8
  %141 = inttoptr i64 %140 to ptr
  %142 = icmp eq ptr %139, %141
  br i1 %142, label %149, label %143

143:
  call void %118(ptr %119, i64 %138)
  %144 = atomicrmw add ptr %134, i64 1 monotonic, align 8
  %145 = icmp slt i64 %144, %133
  br i1 %145, label %137, label %146

146:
  %147 = add nuw i64 %128, 1
  %148 = icmp eq i64 %147, %116
  br i1 %148, label %149, label %127

149:
  %150 = atomicrmw sub ptr @state, i64 2 seq_cst, align 8
  %151 = add i64 %150, 4294967294
  %152 = icmp eq i64 %117, 0
  br i1 %152, label %161, label %153

153:
  %154 = call i32 @platform_clock_monotonic()
  %155 = call i32 @clock_gettime(i32 %154, ptr %2)
  %156 = load i64, ptr %2, align 8
  %157 = mul i64 %156, 1000000000
  %158 = load i64, ptr %12, align 8
  %159 = sub i64 %158, %117
  %160 = add i64 %159, %157
  br label %161

161:
  %162 = phi i64 [ %160, %153 ], [ 0, %149 ]
  %163 = and i64 %151, 4294967294
  %164 = icmp eq i64 %163, 0
  br i1 %164, label %165, label %173

165:
  %166 = load atomic i8, ptr @waiting seq_cst, align 1
  %167 = and i8 %166, 1
  %168 = icmp eq i8 %167, 0
  br i1 %168, label %173, label %169

169:
  %170 = call i32 @pthread_mutex_lock(ptr @done_mutex)
  %171 = call i32 @pthread_cond_signal(ptr @done_condition)
  %172 = call i32 @pthread_mutex_unlock(ptr @done_mutex)
  br label %173

173:
  br label %13
}

declare i32 @pthread_detach(ptr)

declare void @places_register()

declare i32 @pthread_cond_signal(ptr)

declare i32 @pthread_cond_wait(ptr, ptr)

declare void @platform_relax()

declare i32 @pthread_cond_broadcast(ptr)

declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)

declare i32 @posix_memalign(ptr, i64, i64)

declare void @platform_advise_huge(ptr, i64)

declare i64 @llvm.smin.i64(i64, i64)

declare i64 @llvm.smax.i64(i64, i64)
