; Generated from device.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: cdf242885bb26d36e0afc3999d5f4163

%struct.Queue = type { %struct.Driver, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, [32 x %struct.Block], %struct.Mutex }
%struct.Driver = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.Block = type { ptr, i64, i64 }
%struct.Mutex = type { [128 x i8] }
%struct.Program = type { ptr, i64, i64, i64, i64, ptr, ptr, ptr }
%struct.Code = type { ptr, i64, ptr, i64 }
%struct.Place = type { i64, i64, i64, i64, [2 x i64] }
%struct.Array = type { i64, i64, i64, ptr }

define void @jitmdh_device_reset(ptr %0) nounwind {
  %2 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 11
  %3 = tail call i32 @pthread_mutex_init(ptr %2, ptr null)
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr)

define ptr @jitmdh_device_acquire(ptr %0, i64 %1) nounwind {
  %3 = alloca i32, align 4
  %4 = load ptr, ptr %0, align 8
  %5 = tail call i64 @llvm.smax.i64(i64 %1, i64 64)
  %6 = add nuw i64 %5, 16384
  br label %7

7:
  %8 = phi i64 [ 0, %2 ], [ %33, %31 ]
  %9 = phi ptr [ null, %2 ], [ %32, %31 ]
  %10 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %8
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  br i1 %12, label %31, label %13

13:
  %14 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %8, i32 2
  %15 = load i64, ptr %14, align 8
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %17, label %31

17:
  %18 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %8, i32 1
  %19 = load i64, ptr %18, align 8
  %20 = icmp slt i64 %19, %5
  %21 = sdiv i64 %19, 4
  %22 = icmp sgt i64 %21, %6
  %23 = or i1 %20, %22
  br i1 %23, label %31, label %24

24:
  %25 = icmp eq ptr %9, null
  br i1 %25, label %30, label %26

26:
  %27 = getelementptr inbounds %struct.Block, ptr %9, i64 0, i32 1
  %28 = load i64, ptr %27, align 8
  %29 = icmp slt i64 %19, %28
  br i1 %29, label %30, label %31

30:
  br label %31

31:
  %32 = phi ptr [ %9, %13 ], [ %10, %30 ], [ %9, %26 ], [ %9, %17 ], [ %9, %7 ]
  %33 = add nuw nsw i64 %8, 1
  %34 = icmp eq i64 %33, 32
  br i1 %34, label %35, label %7

35:
  %36 = icmp eq ptr %32, null
  br i1 %36, label %45, label %37

37:
  %38 = getelementptr inbounds %struct.Block, ptr %32, i64 0, i32 2
  store i64 1, ptr %38, align 8
  %39 = getelementptr inbounds %struct.Block, ptr %32, i64 0, i32 1
  %40 = load i64, ptr %39, align 8
  %41 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 7
  %42 = load i64, ptr %41, align 8
  %43 = sub i64 %42, %40
  store i64 %43, ptr %41, align 8
  %44 = load ptr, ptr %32, align 8
  br label %103

45:
  %46 = phi i32 [ %74, %73 ], [ 0, %35 ]
  %47 = icmp eq i32 %46, 0
  br label %48

48:
  %49 = phi i64 [ 0, %45 ], [ %71, %70 ]
  %50 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %49
  %51 = load ptr, ptr %50, align 8
  %52 = icmp eq ptr %51, null
  br i1 %47, label %69, label %53

53:
  br i1 %52, label %77, label %54

54:
  %55 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %49, i32 2
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %56, 0
  br i1 %57, label %58, label %70

58:
  %59 = and i64 %49, 4294967295
  %60 = getelementptr %struct.Queue, ptr %4, i64 0, i32 10, i64 %59, i32 1
  %61 = load i64, ptr %60, align 8
  %62 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 7
  %63 = load i64, ptr %62, align 8
  %64 = sub i64 %63, %61
  store i64 %64, ptr %62, align 8
  %65 = getelementptr inbounds %struct.Driver, ptr %4, i64 0, i32 1
  %66 = load ptr, ptr %65, align 8
  %67 = load ptr, ptr %50, align 8
  %68 = tail call i32 %66(ptr %67)
  store ptr null, ptr %50, align 8
  br label %77

69:
  br i1 %52, label %77, label %70

70:
  %71 = add nuw nsw i64 %49, 1
  %72 = icmp eq i64 %71, 32
  br i1 %72, label %73, label %48

73:
  %74 = add nuw nsw i32 %46, 1
  %75 = icmp eq i32 %74, 2
  br i1 %75, label %76, label %45

76:
  br label %101

77:
  store i32 0, ptr %3, align 4
  %78 = load ptr, ptr %4, align 64
  %79 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 1
  %80 = load ptr, ptr %79, align 8
  %81 = call ptr %78(ptr %80, i64 1, i64 %5, ptr null, ptr %3)
  %82 = icmp eq ptr %81, null
  br i1 %82, label %101, label %83

83:
  %84 = load i32, ptr %3, align 4
  %85 = icmp eq i32 %84, 0
  br i1 %85, label %92, label %86

86:
  %87 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 6
  %88 = load i64, ptr %87, align 32
  %89 = icmp eq i64 %88, 0
  br i1 %89, label %90, label %101

90:
  %91 = sext i32 %84 to i64
  store i64 %91, ptr %87, align 32
  br label %101

92:
  %93 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 3
  %94 = load i64, ptr %93, align 8
  %95 = add i64 %94, 1
  store i64 %95, ptr %93, align 8
  %96 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 9
  %97 = load i64, ptr %96, align 8
  %98 = add i64 %97, 1
  store i64 %98, ptr %96, align 8
  store ptr %81, ptr %50, align 8
  %99 = getelementptr inbounds i8, ptr %50, i64 8
  store i64 %5, ptr %99, align 8
  %100 = getelementptr inbounds i8, ptr %50, i64 16
  store i64 1, ptr %100, align 8
  br label %101

101:
  %102 = phi ptr [ %81, %92 ], [ null, %77 ], [ null, %76 ], [ null, %86 ], [ null, %90 ]
  br label %103

103:
  %104 = phi ptr [ %44, %37 ], [ %102, %101 ]
  ret ptr %104
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @jitmdh_device_release(ptr %0, ptr %1) nounwind {
  %3 = load ptr, ptr %0, align 8
  br label %4

4:
  %5 = phi i64 [ 0, %2 ], [ %24, %23 ]
  %6 = getelementptr %struct.Queue, ptr %3, i64 0, i32 10, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, %1
  br i1 %8, label %9, label %23

9:
  %10 = and i64 %5, 4294967295
  %11 = getelementptr %struct.Queue, ptr %3, i64 0, i32 10, i64 %10, i32 2
  store i64 0, ptr %11, align 8
  %12 = getelementptr %struct.Queue, ptr %3, i64 0, i32 10, i64 %10, i32 1
  %13 = load i64, ptr %12, align 8
  %14 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 7
  %15 = load i64, ptr %14, align 8
  %16 = add i64 %15, %13
  store i64 %16, ptr %14, align 8
  %17 = icmp sgt i64 %16, 1073741824
  br i1 %17, label %18, label %26

18:
  store i64 %15, ptr %14, align 8
  %19 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 1
  %20 = load ptr, ptr %19, align 8
  %21 = load ptr, ptr %6, align 8
  %22 = tail call i32 %20(ptr %21)
  store ptr null, ptr %6, align 8
  br label %26

23:
  %24 = add nuw nsw i64 %5, 1
  %25 = icmp eq i64 %24, 32
  br i1 %25, label %26, label %4

26:
  ret void
}

define void @jitmdh_device_launch(ptr %0, i64 %1, ptr %2, i64 %3) nounwind {
  %5 = alloca [2 x i64], align 16
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = load ptr, ptr %0, align 8
  %9 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 6
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr %struct.Code, ptr %10, i64 %1
  %12 = icmp slt i64 %3, 1
  br i1 %12, label %123, label %13

13:
  %14 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 6
  %15 = load i64, ptr %14, align 32
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %17, label %123

17:
  %18 = getelementptr %struct.Code, ptr %10, i64 %1, i32 1
  %19 = load i64, ptr %18, align 8
  %20 = icmp slt i64 %19, 1
  br i1 %20, label %98, label %21

21:
  %22 = getelementptr %struct.Code, ptr %10, i64 %1, i32 2
  %23 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  %24 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %25 = getelementptr inbounds %struct.Driver, ptr %8, i64 0, i32 2
  %26 = getelementptr inbounds i8, ptr %5, i64 8
  br label %27

27:
  %28 = phi i64 [ %19, %21 ], [ %93, %92 ]
  %29 = phi i64 [ 0, %21 ], [ %94, %92 ]
  %30 = load ptr, ptr %22, align 8
  %31 = getelementptr %struct.Place, ptr %30, i64 %29
  %32 = load i64, ptr %31, align 8
  switch i64 %32, label %43 [
    i64 0, label %33
    i64 3, label %38
  ]

33:
  %34 = load ptr, ptr %24, align 8
  %35 = getelementptr %struct.Place, ptr %30, i64 %29, i32 1
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr %struct.Array, ptr %34, i64 %36, i32 3
  br label %75

38:
  %39 = load ptr, ptr %23, align 8
  %40 = getelementptr %struct.Place, ptr %30, i64 %29, i32 1
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr i8, ptr %39, i64 %41
  br label %49

43:
  %44 = getelementptr %struct.Place, ptr %30, i64 %29, i32 1
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr i64, ptr %2, i64 %45
  %47 = and i64 %32, -2
  %48 = icmp eq i64 %47, 2
  br i1 %48, label %49, label %75

49:
  %50 = phi ptr [ %42, %38 ], [ %46, %43 ]
  %51 = getelementptr %struct.Place, ptr %30, i64 %29, i32 2
  %52 = load i64, ptr %51, align 8
  %53 = icmp ugt i64 %52, 15
  %54 = sub i64 16, %52
  %55 = select i1 %53, i64 0, i64 %54
  %56 = getelementptr i8, ptr %5, i64 %52
  call void @llvm.memset.p0.i64(ptr align 1 %56, i8 0, i64 %55, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %5, ptr align 1 %50, i64 %52, i1 false)
  %57 = getelementptr %struct.Place, ptr %30, i64 %29, i32 3
  %58 = load i64, ptr %57, align 8
  %59 = icmp eq i64 %58, 0
  %60 = load i64, ptr %5, align 16
  br i1 %59, label %70, label %61

61:
  %62 = getelementptr %struct.Place, ptr %30, i64 %29, i32 4
  %63 = load i64, ptr %62, align 8
  %64 = icmp eq i64 %60, %63
  br i1 %64, label %65, label %70

65:
  %66 = load i64, ptr %26, align 8
  %67 = getelementptr %struct.Place, ptr %30, i64 %29, i32 4, i64 1
  %68 = load i64, ptr %67, align 8
  %69 = icmp eq i64 %66, %68
  br i1 %69, label %74, label %70

70:
  store i64 1, ptr %57, align 8
  %71 = getelementptr %struct.Place, ptr %30, i64 %29, i32 4
  store i64 %60, ptr %71, align 8
  %72 = load i64, ptr %26, align 8
  %73 = getelementptr %struct.Place, ptr %30, i64 %29, i32 4, i64 1
  store i64 %72, ptr %73, align 8
  br label %75

74:
  br label %92

75:
  %76 = phi ptr [ %46, %43 ], [ %37, %33 ], [ %50, %70 ]
  %77 = load ptr, ptr %25, align 16
  %78 = load ptr, ptr %11, align 8
  %79 = trunc i64 %29 to i32
  %80 = add i32 %79, 1
  %81 = getelementptr %struct.Place, ptr %30, i64 %29, i32 2
  %82 = load i64, ptr %81, align 8
  %83 = tail call i32 %77(ptr %78, i32 %80, i64 %82, ptr %76)
  %84 = icmp eq i32 %83, 0
  br i1 %84, label %85, label %87

85:
  %86 = load i64, ptr %18, align 8
  br label %92

87:
  %88 = load i64, ptr %14, align 32
  %89 = icmp eq i64 %88, 0
  br i1 %89, label %90, label %96

90:
  %91 = sext i32 %83 to i64
  store i64 %91, ptr %14, align 32
  br label %96

92:
  %93 = phi i64 [ %86, %85 ], [ %28, %74 ]
  %94 = add nuw nsw i64 %29, 1
  %95 = icmp slt i64 %94, %93
  br i1 %95, label %27, label %98

96:
  %97 = getelementptr %struct.Place, ptr %30, i64 %29, i32 3
  store i64 0, ptr %97, align 8
  br label %123

98:
  store i64 %3, ptr %6, align 8
  %99 = getelementptr %struct.Code, ptr %10, i64 %1, i32 3
  %100 = load i64, ptr %99, align 8
  store i64 %100, ptr %7, align 8
  %101 = getelementptr inbounds %struct.Driver, ptr %8, i64 0, i32 3
  %102 = load ptr, ptr %101, align 8
  %103 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 2
  %104 = load ptr, ptr %103, align 64
  %105 = load ptr, ptr %11, align 8
  %106 = icmp eq i64 %100, 0
  %107 = select i1 %106, ptr null, ptr %7
  %108 = call i32 %102(ptr %104, ptr %105, i32 1, ptr null, ptr %6, ptr %107, i32 0, ptr null, ptr null)
  %109 = icmp eq i32 %108, 0
  br i1 %109, label %115, label %110

110:
  %111 = load i64, ptr %14, align 32
  %112 = icmp eq i64 %111, 0
  br i1 %112, label %113, label %122

113:
  %114 = sext i32 %108 to i64
  store i64 %114, ptr %14, align 32
  br label %122

115:
  %116 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 2
  %117 = load i64, ptr %116, align 8
  %118 = add i64 %117, 1
  store i64 %118, ptr %116, align 8
  %119 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 8
  %120 = load i64, ptr %119, align 16
  %121 = add i64 %120, 1
  store i64 %121, ptr %119, align 16
  br label %122

122:
  br label %123

123:
  ret void
}

define i64 @jitmdh_device_status(ptr %0) nounwind {
  %2 = alloca i32, align 4
  %3 = load ptr, ptr %0, align 8
  store i32 0, ptr %2, align 4
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 6
  %5 = load i64, ptr %4, align 32
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %9, label %7

7:
  %8 = sub i64 1099511627776, %5
  br label %50

9:
  %10 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 4
  %11 = load ptr, ptr %10, align 16
  %12 = icmp eq ptr %11, null
  %13 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 2
  %14 = load ptr, ptr %13, align 64
  br i1 %12, label %32, label %15

15:
  %16 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 6
  %17 = load ptr, ptr %16, align 8
  %18 = tail call i32 %17(ptr %14)
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %28, label %20

20:
  %21 = load i64, ptr %4, align 32
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %23, label %25

23:
  %24 = sext i32 %18 to i64
  store i64 %24, ptr %4, align 32
  br label %25

25:
  %26 = phi i64 [ %21, %20 ], [ %24, %23 ]
  %27 = sub i64 1099511627776, %26
  br label %50

28:
  %29 = load ptr, ptr %10, align 16
  %30 = load volatile i32, ptr %29, align 4
  %31 = sext i32 %30 to i64
  br label %50

32:
  %33 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 4
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 3
  %36 = load ptr, ptr %35, align 8
  %37 = call i32 %34(ptr %14, ptr %36, i32 1, i64 0, i64 4, ptr %2, i32 0, ptr null, ptr null)
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %47, label %39

39:
  %40 = load i64, ptr %4, align 32
  %41 = icmp eq i64 %40, 0
  br i1 %41, label %42, label %44

42:
  %43 = sext i32 %37 to i64
  store i64 %43, ptr %4, align 32
  br label %44

44:
  %45 = phi i64 [ %40, %39 ], [ %43, %42 ]
  %46 = sub i64 1099511627776, %45
  br label %50

47:
  %48 = load i32, ptr %2, align 4
  %49 = sext i32 %48 to i64
  br label %50

50:
  %51 = phi i64 [ %8, %7 ], [ %31, %28 ], [ %27, %25 ], [ %49, %47 ], [ %46, %44 ]
  ret i64 %51
}

define i64 @jitmdh_device_call(ptr %0, ptr %1, ptr %2) nounwind {
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = load ptr, ptr %0, align 8
  %7 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 5
  %8 = load i64, ptr %7, align 8
  %9 = icmp eq i64 %8, 0
  br i1 %9, label %10, label %221

10:
  %11 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 11
  %12 = tail call i32 @pthread_mutex_lock(ptr %11)
  %13 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 6
  store i64 0, ptr %13, align 32
  %14 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  store ptr %2, ptr %14, align 8
  %15 = load ptr, ptr %0, align 8
  %16 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 4
  %17 = load i64, ptr %16, align 8
  %18 = icmp sgt i64 %17, 0
  br i1 %18, label %19, label %129

19:
  %20 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %21 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %22 = getelementptr inbounds %struct.Queue, ptr %15, i64 0, i32 1
  br label %23

23:
  %24 = phi i64 [ 0, %19 ], [ %121, %120 ]
  %25 = load ptr, ptr %20, align 8
  %26 = getelementptr %struct.Array, ptr %25, i64 %24
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr i64, ptr %2, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = inttoptr i64 %29 to ptr
  %31 = getelementptr %struct.Array, ptr %25, i64 %24, i32 3
  store ptr %30, ptr %31, align 8
  %32 = load i64, ptr %21, align 8
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %34, label %120

34:
  %35 = getelementptr i64, ptr %28, i64 1
  %36 = getelementptr %struct.Array, ptr %25, i64 %24, i32 1
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr i64, ptr %35, i64 %37
  %39 = getelementptr %struct.Array, ptr %25, i64 %24, i32 2
  %40 = load i64, ptr %39, align 8
  %41 = icmp sgt i64 %37, 0
  br i1 %41, label %42, label %64

42:
  %43 = phi i64 [ %62, %59 ], [ 0, %34 ]
  %44 = phi i64 [ %61, %59 ], [ %40, %34 ]
  %45 = getelementptr i64, ptr %35, i64 %43
  %46 = load i64, ptr %45, align 8
  %47 = icmp slt i64 %46, 1
  br i1 %47, label %48, label %49

48:
  store i32 0, ptr %5, align 4
  br label %67

49:
  %50 = icmp eq i64 %46, 1
  br i1 %50, label %59, label %51

51:
  %52 = getelementptr i64, ptr %38, i64 %43
  %53 = load i64, ptr %52, align 8
  %54 = icmp slt i64 %53, 0
  br i1 %54, label %55, label %56

55:
  store i32 0, ptr %5, align 4
  br label %103

56:
  %57 = add nsw i64 %46, -1
  %58 = mul i64 %53, %57
  br label %59

59:
  %60 = phi i64 [ %58, %56 ], [ 0, %49 ]
  %61 = add i64 %60, %44
  %62 = add nuw nsw i64 %43, 1
  %63 = icmp eq i64 %62, %37
  br i1 %63, label %64, label %42

64:
  %65 = phi i64 [ %40, %34 ], [ %61, %59 ]
  store i32 0, ptr %5, align 4
  %66 = icmp sgt i64 %65, -1
  br i1 %66, label %67, label %103

67:
  %68 = phi i64 [ 0, %48 ], [ %65, %64 ]
  %69 = load ptr, ptr %15, align 64
  %70 = load ptr, ptr %22, align 8
  %71 = call i64 @llvm.smax.i64(i64 %68, i64 1)
  %72 = call ptr %69(ptr %70, i64 9, i64 %71, ptr %30, ptr %5)
  store ptr %72, ptr %31, align 8
  %73 = load i32, ptr %5, align 4
  %74 = icmp eq i32 %73, 0
  br i1 %74, label %119, label %75

75:
  %76 = getelementptr inbounds %struct.Queue, ptr %15, i64 0, i32 6
  %77 = load i64, ptr %76, align 32
  %78 = icmp eq i64 %77, 0
  br i1 %78, label %79, label %81

79:
  %80 = sext i32 %73 to i64
  store i64 %80, ptr %76, align 32
  br label %81

81:
  %82 = phi i64 [ %77, %75 ], [ %80, %79 ]
  %83 = load i64, ptr %21, align 8
  %84 = icmp eq i64 %83, 0
  %85 = icmp ne i64 %24, 0
  %86 = and i1 %85, %84
  br i1 %86, label %87, label %125

87:
  %88 = phi i64 [ %96, %87 ], [ 0, %81 ]
  %89 = load ptr, ptr %0, align 8
  %90 = getelementptr inbounds %struct.Driver, ptr %89, i64 0, i32 1
  %91 = load ptr, ptr %90, align 8
  %92 = load ptr, ptr %20, align 8
  %93 = getelementptr %struct.Array, ptr %92, i64 %88, i32 3
  %94 = load ptr, ptr %93, align 8
  %95 = call i32 %91(ptr %94)
  %96 = add nuw nsw i64 %88, 1
  %97 = load i64, ptr %21, align 8
  %98 = icmp eq i64 %97, 0
  %99 = icmp ult i64 %96, %24
  %100 = select i1 %98, i1 %99, i1 false
  br i1 %100, label %87, label %101

101:
  %102 = load i64, ptr %76, align 32
  br label %125

103:
  %104 = icmp eq i64 %24, 0
  br i1 %104, label %124, label %105

105:
  %106 = phi i64 [ %114, %105 ], [ 0, %103 ]
  %107 = load ptr, ptr %0, align 8
  %108 = getelementptr inbounds %struct.Driver, ptr %107, i64 0, i32 1
  %109 = load ptr, ptr %108, align 8
  %110 = load ptr, ptr %20, align 8
  %111 = getelementptr %struct.Array, ptr %110, i64 %106, i32 3
  %112 = load ptr, ptr %111, align 8
  %113 = call i32 %109(ptr %112)
  %114 = add nuw nsw i64 %106, 1
  %115 = load i64, ptr %21, align 8
  %116 = icmp eq i64 %115, 0
  %117 = icmp ult i64 %114, %24
  %118 = select i1 %116, i1 %117, i1 false
  br i1 %118, label %105, label %124

119:
  br label %120

120:
  %121 = add nuw nsw i64 %24, 1
  %122 = load i64, ptr %16, align 8
  %123 = icmp slt i64 %121, %122
  br i1 %123, label %23, label %129

124:
  br label %218

125:
  %126 = phi i64 [ %102, %101 ], [ %82, %81 ]
  %127 = sub i64 1099511627776, %126
  %128 = icmp eq i64 %126, 1099511627776
  br i1 %128, label %129, label %218

129:
  %130 = call i64 %1(ptr %2)
  %131 = load ptr, ptr %0, align 8
  store i32 0, ptr %4, align 4
  %132 = getelementptr inbounds %struct.Queue, ptr %131, i64 0, i32 6
  %133 = load i64, ptr %132, align 32
  %134 = icmp eq i64 %133, 0
  br i1 %134, label %137, label %135

135:
  %136 = sub i64 1099511627776, %133
  br label %178

137:
  %138 = getelementptr inbounds %struct.Queue, ptr %131, i64 0, i32 4
  %139 = load ptr, ptr %138, align 16
  %140 = icmp eq ptr %139, null
  %141 = getelementptr inbounds %struct.Queue, ptr %131, i64 0, i32 2
  %142 = load ptr, ptr %141, align 64
  br i1 %140, label %160, label %143

143:
  %144 = getelementptr inbounds %struct.Driver, ptr %131, i64 0, i32 6
  %145 = load ptr, ptr %144, align 8
  %146 = call i32 %145(ptr %142)
  %147 = icmp eq i32 %146, 0
  br i1 %147, label %156, label %148

148:
  %149 = load i64, ptr %132, align 32
  %150 = icmp eq i64 %149, 0
  br i1 %150, label %151, label %153

151:
  %152 = sext i32 %146 to i64
  store i64 %152, ptr %132, align 32
  br label %153

153:
  %154 = phi i64 [ %149, %148 ], [ %152, %151 ]
  %155 = sub i64 1099511627776, %154
  br label %178

156:
  %157 = load ptr, ptr %138, align 16
  %158 = load volatile i32, ptr %157, align 4
  %159 = sext i32 %158 to i64
  br label %178

160:
  %161 = getelementptr inbounds %struct.Driver, ptr %131, i64 0, i32 4
  %162 = load ptr, ptr %161, align 8
  %163 = getelementptr inbounds %struct.Queue, ptr %131, i64 0, i32 3
  %164 = load ptr, ptr %163, align 8
  %165 = call i32 %162(ptr %142, ptr %164, i32 1, i64 0, i64 4, ptr %4, i32 0, ptr null, ptr null)
  %166 = icmp eq i32 %165, 0
  br i1 %166, label %175, label %167

167:
  %168 = load i64, ptr %132, align 32
  %169 = icmp eq i64 %168, 0
  br i1 %169, label %170, label %172

170:
  %171 = sext i32 %165 to i64
  store i64 %171, ptr %132, align 32
  br label %172

172:
  %173 = phi i64 [ %168, %167 ], [ %171, %170 ]
  %174 = sub i64 1099511627776, %173
  br label %178

175:
  %176 = load i32, ptr %4, align 4
  %177 = sext i32 %176 to i64
  br label %178

178:
  %179 = phi i64 [ %136, %135 ], [ %159, %156 ], [ %155, %153 ], [ %177, %175 ], [ %174, %172 ]
  %180 = load i64, ptr %13, align 32
  %181 = icmp eq i64 %180, 0
  br i1 %181, label %188, label %182

182:
  %183 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 6
  %184 = load ptr, ptr %183, align 16
  %185 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 2
  %186 = load ptr, ptr %185, align 64
  %187 = call i32 %184(ptr %186)
  br label %188

188:
  %189 = icmp eq i64 %179, 0
  br i1 %189, label %191, label %190

190:
  call fastcc void @forget_status(ptr %6)
  br label %191

191:
  %192 = icmp eq i64 %130, 0
  br i1 %192, label %194, label %193

193:
  call fastcc void @release_all(ptr %0)
  br label %194

194:
  %195 = select i1 %189, i64 %130, i64 %179
  %196 = load i64, ptr %16, align 8
  %197 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %198 = load i64, ptr %197, align 8
  %199 = icmp eq i64 %198, 0
  %200 = icmp sgt i64 %196, 0
  %201 = and i1 %200, %199
  br i1 %201, label %202, label %218

202:
  %203 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  br label %204

204:
  %205 = phi i64 [ 0, %202 ], [ %213, %204 ]
  %206 = load ptr, ptr %0, align 8
  %207 = getelementptr inbounds %struct.Driver, ptr %206, i64 0, i32 1
  %208 = load ptr, ptr %207, align 8
  %209 = load ptr, ptr %203, align 8
  %210 = getelementptr %struct.Array, ptr %209, i64 %205, i32 3
  %211 = load ptr, ptr %210, align 8
  %212 = call i32 %208(ptr %211)
  %213 = add nuw nsw i64 %205, 1
  %214 = load i64, ptr %197, align 8
  %215 = icmp eq i64 %214, 0
  %216 = icmp slt i64 %213, %196
  %217 = select i1 %215, i1 %216, i1 false
  br i1 %217, label %204, label %218

218:
  %219 = phi i64 [ %127, %125 ], [ 1048575, %124 ], [ %195, %194 ], [ %195, %204 ]
  %220 = call i32 @pthread_mutex_unlock(ptr %11)
  br label %221

221:
  %222 = phi i64 [ %219, %218 ], [ 5, %3 ]
  ret i64 %222
}

declare i32 @pthread_mutex_lock(ptr)

define internal fastcc void @forget_status(ptr %0) noinline nounwind {
  %2 = alloca i32, align 4
  store i32 0, ptr %2, align 4
  %3 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 4
  %4 = load ptr, ptr %3, align 16
  %5 = icmp eq ptr %4, null
  br i1 %5, label %7, label %6

6:
  store i32 0, ptr %4, align 4
  br label %22

7:
  %8 = getelementptr inbounds %struct.Driver, ptr %0, i64 0, i32 5
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 2
  %11 = load ptr, ptr %10, align 64
  %12 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 3
  %13 = load ptr, ptr %12, align 8
  %14 = call i32 %9(ptr %11, ptr %13, i32 1, i64 0, i64 4, ptr %2, i32 0, ptr null, ptr null)
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %22, label %16

16:
  %17 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 6
  %18 = load i64, ptr %17, align 32
  %19 = icmp eq i64 %18, 0
  br i1 %19, label %20, label %22

20:
  %21 = sext i32 %14 to i64
  store i64 %21, ptr %17, align 32
  br label %22

22:
  ret void
}

define internal fastcc void @release_all(ptr %0) noinline nounwind {
  br label %3

2:
  ret void

3:
  %4 = phi i64 [ 0, %1 ], [ %35, %34 ]
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr %struct.Queue, ptr %5, i64 0, i32 10, i64 %4, i32 2
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %34, label %9

9:
  %10 = getelementptr %struct.Queue, ptr %5, i64 0, i32 10, i64 %4
  %11 = load ptr, ptr %10, align 8
  br label %12

12:
  %13 = phi i64 [ 0, %9 ], [ %32, %31 ]
  %14 = getelementptr %struct.Queue, ptr %5, i64 0, i32 10, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, %11
  br i1 %16, label %17, label %31

17:
  %18 = and i64 %13, 4294967295
  %19 = getelementptr %struct.Queue, ptr %5, i64 0, i32 10, i64 %18, i32 2
  store i64 0, ptr %19, align 8
  %20 = getelementptr %struct.Queue, ptr %5, i64 0, i32 10, i64 %18, i32 1
  %21 = load i64, ptr %20, align 8
  %22 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 7
  %23 = load i64, ptr %22, align 8
  %24 = add i64 %23, %21
  store i64 %24, ptr %22, align 8
  %25 = icmp sgt i64 %24, 1073741824
  br i1 %25, label %26, label %34

26:
  store i64 %23, ptr %22, align 8
  %27 = getelementptr inbounds %struct.Driver, ptr %5, i64 0, i32 1
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %14, align 8
  %30 = tail call i32 %28(ptr %29)
  store ptr null, ptr %14, align 8
  br label %34

31:
  %32 = add nuw nsw i64 %13, 1
  %33 = icmp eq i64 %32, 32
  br i1 %33, label %34, label %12

34:
  %35 = add nuw nsw i64 %4, 1
  %36 = icmp eq i64 %35, 32
  br i1 %36, label %2, label %3
}

declare i32 @pthread_mutex_unlock(ptr)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare i64 @llvm.smax.i64(i64, i64)
