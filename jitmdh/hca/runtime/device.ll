; Generated from device.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 7c3f6261c274486dde069d0ac65a2b55

%struct.Queue = type { %struct.Driver, ptr, ptr, i64, i64, i64, i64, i64, ptr, [56 x i8], %struct.Mutex }
%struct.Driver = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.Mutex = type { [128 x i8] }
%struct.Block = type { ptr, ptr, i64, i64 }
%struct.Program = type { ptr, i64, i64, i64, i64, ptr, ptr, ptr, i64, ptr, ptr, ptr, i64 }
%struct.Code = type { ptr, i64, ptr, i64 }
%struct.Place = type { i64, i64, i64, i64, [2 x i64] }
%struct.Array = type { i64, i64, i64, ptr }

define void @jitmdh_device_reset(ptr %0) nounwind {
  %2 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 10
  %3 = tail call i32 @pthread_mutex_init(ptr %2, ptr null)
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr)

define ptr @jitmdh_device_acquire(ptr %0, i64 %1) nounwind {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = load ptr, ptr %0, align 8
  %6 = tail call i64 @llvm.smax.i64(i64 %1, i64 64)
  %7 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 8
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %47, label %10

10:
  %11 = add nuw i64 %6, 16384
  br label %12

12:
  %13 = phi ptr [ %8, %10 ], [ %34, %32 ]
  %14 = phi ptr [ null, %10 ], [ %33, %32 ]
  %15 = getelementptr inbounds %struct.Block, ptr %13, i64 0, i32 3
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %18, label %32

18:
  %19 = getelementptr inbounds %struct.Block, ptr %13, i64 0, i32 2
  %20 = load i64, ptr %19, align 8
  %21 = icmp slt i64 %20, %6
  %22 = sdiv i64 %20, 4
  %23 = icmp sgt i64 %22, %11
  %24 = or i1 %21, %23
  br i1 %24, label %32, label %25

25:
  %26 = icmp eq ptr %14, null
  br i1 %26, label %31, label %27

27:
  %28 = getelementptr inbounds %struct.Block, ptr %14, i64 0, i32 2
  %29 = load i64, ptr %28, align 8
  %30 = icmp slt i64 %20, %29
  br i1 %30, label %31, label %32

31:
  br label %32

32:
  %33 = phi ptr [ %14, %12 ], [ %13, %31 ], [ %14, %27 ], [ %14, %18 ]
  %34 = load ptr, ptr %13, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %36, label %12

36:
  %37 = icmp eq ptr %33, null
  br i1 %37, label %47, label %38

38:
  %39 = getelementptr inbounds %struct.Block, ptr %33, i64 0, i32 3
  store i64 1, ptr %39, align 8
  %40 = getelementptr inbounds %struct.Block, ptr %33, i64 0, i32 2
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 5
  %43 = load i64, ptr %42, align 8
  %44 = sub i64 %43, %41
  store i64 %44, ptr %42, align 8
  %45 = getelementptr inbounds %struct.Block, ptr %33, i64 0, i32 1
  %46 = load ptr, ptr %45, align 8
  br label %123

47:
  %48 = call i32 @posix_memalign(ptr %3, i64 8, i64 32)
  %49 = icmp eq i32 %48, 0
  br i1 %49, label %51, label %50

50:
  br label %123

51:
  store i32 0, ptr %4, align 4
  %52 = load ptr, ptr %5, align 64
  %53 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 1
  %54 = load ptr, ptr %53, align 8
  %55 = call ptr %52(ptr %54, i64 1, i64 %6, ptr null, ptr %4)
  %56 = icmp eq ptr %55, null
  %57 = load i32, ptr %4, align 4
  %58 = icmp ne i32 %57, 0
  %59 = select i1 %56, i1 true, i1 %58
  br i1 %59, label %60, label %109

60:
  %61 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 5
  %62 = load i64, ptr %61, align 8
  %63 = icmp eq i64 %62, 0
  br i1 %63, label %95, label %64

64:
  %65 = load ptr, ptr %7, align 8
  %66 = icmp eq ptr %65, null
  br i1 %66, label %91, label %67

67:
  %68 = getelementptr inbounds %struct.Driver, ptr %5, i64 0, i32 1
  br label %69

69:
  %70 = phi ptr [ %65, %67 ], [ %77, %78 ]
  %71 = phi ptr [ %7, %67 ], [ %73, %78 ]
  br label %72

72:
  %73 = phi ptr [ %70, %69 ], [ %89, %80 ]
  %74 = getelementptr inbounds %struct.Block, ptr %73, i64 0, i32 3
  %75 = load i64, ptr %74, align 8
  %76 = icmp eq i64 %75, 0
  %77 = load ptr, ptr %73, align 8
  br i1 %76, label %80, label %78

78:
  %79 = icmp eq ptr %77, null
  br i1 %79, label %91, label %69

80:
  store ptr %77, ptr %71, align 8
  %81 = getelementptr inbounds %struct.Block, ptr %73, i64 0, i32 2
  %82 = load i64, ptr %81, align 8
  %83 = load i64, ptr %61, align 8
  %84 = sub i64 %83, %82
  store i64 %84, ptr %61, align 8
  %85 = load ptr, ptr %68, align 8
  %86 = getelementptr inbounds %struct.Block, ptr %73, i64 0, i32 1
  %87 = load ptr, ptr %86, align 8
  %88 = call i32 %85(ptr %87)
  call void @free(ptr %73)
  %89 = load ptr, ptr %71, align 8
  %90 = icmp eq ptr %89, null
  br i1 %90, label %91, label %72

91:
  store i32 0, ptr %4, align 4
  %92 = load ptr, ptr %5, align 64
  %93 = load ptr, ptr %53, align 8
  %94 = call ptr %92(ptr %93, i64 1, i64 %6, ptr null, ptr %4)
  br label %95

95:
  %96 = phi ptr [ %94, %91 ], [ %55, %60 ]
  %97 = icmp eq ptr %96, null
  br i1 %97, label %107, label %98

98:
  %99 = load i32, ptr %4, align 4
  %100 = icmp eq i32 %99, 0
  br i1 %100, label %109, label %101

101:
  %102 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 4
  %103 = load i64, ptr %102, align 32
  %104 = icmp eq i64 %103, 0
  br i1 %104, label %105, label %107

105:
  %106 = sext i32 %99 to i64
  store i64 %106, ptr %102, align 32
  br label %107

107:
  %108 = load ptr, ptr %3, align 8
  call void @free(ptr %108)
  br label %123

109:
  %110 = phi ptr [ %55, %51 ], [ %96, %98 ]
  %111 = load ptr, ptr %3, align 8
  %112 = load ptr, ptr %7, align 64
  store ptr %112, ptr %111, align 8
  %113 = getelementptr inbounds i8, ptr %111, i64 8
  store ptr %110, ptr %113, align 8
  %114 = getelementptr inbounds i8, ptr %111, i64 16
  store i64 %6, ptr %114, align 8
  %115 = getelementptr inbounds i8, ptr %111, i64 24
  store i64 1, ptr %115, align 8
  store ptr %111, ptr %7, align 64
  %116 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 3
  %117 = load i64, ptr %116, align 8
  %118 = add i64 %117, 1
  store i64 %118, ptr %116, align 8
  %119 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 7
  %120 = load i64, ptr %119, align 8
  %121 = add i64 %120, 1
  store i64 %121, ptr %119, align 8
  %122 = load ptr, ptr %113, align 8
  br label %123

123:
  %124 = phi ptr [ %46, %38 ], [ %122, %109 ], [ null, %50 ], [ null, %107 ]
  ret ptr %124
}

define void @jitmdh_device_release(ptr %0, ptr %1) nounwind {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 8
  br label %5

5:
  %6 = phi ptr [ %4, %2 ], [ %7, %9 ]
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %50, label %9

9:
  %10 = getelementptr inbounds %struct.Block, ptr %7, i64 0, i32 1
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, %1
  br i1 %12, label %13, label %5

13:
  %14 = getelementptr inbounds %struct.Block, ptr %7, i64 0, i32 1
  %15 = getelementptr inbounds %struct.Block, ptr %7, i64 0, i32 3
  store i64 0, ptr %15, align 8
  %16 = getelementptr inbounds %struct.Block, ptr %7, i64 0, i32 2
  %17 = load i64, ptr %16, align 8
  %18 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 5
  %19 = load i64, ptr %18, align 8
  %20 = add i64 %19, %17
  store i64 %20, ptr %18, align 8
  %21 = icmp sgt i64 %20, 1073741824
  br i1 %21, label %22, label %50

22:
  %23 = load ptr, ptr %4, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %50, label %25

25:
  %26 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 1
  br label %27

27:
  %28 = phi ptr [ %23, %25 ], [ %38, %37 ]
  %29 = phi ptr [ %4, %25 ], [ %31, %37 ]
  br label %30

30:
  %31 = phi ptr [ %28, %27 ], [ %48, %40 ]
  %32 = getelementptr inbounds %struct.Block, ptr %31, i64 0, i32 3
  %33 = load i64, ptr %32, align 8
  %34 = icmp eq i64 %33, 0
  %35 = icmp eq ptr %31, %7
  %36 = select i1 %34, i1 %35, i1 false
  br i1 %36, label %40, label %37

37:
  %38 = load ptr, ptr %31, align 8
  %39 = icmp eq ptr %38, null
  br i1 %39, label %50, label %27

40:
  %41 = load ptr, ptr %7, align 8
  store ptr %41, ptr %29, align 8
  %42 = load i64, ptr %16, align 8
  %43 = load i64, ptr %18, align 8
  %44 = sub i64 %43, %42
  store i64 %44, ptr %18, align 8
  %45 = load ptr, ptr %26, align 8
  %46 = load ptr, ptr %14, align 8
  %47 = tail call i32 %45(ptr %46)
  tail call void @free(ptr %7)
  %48 = load ptr, ptr %29, align 8
  %49 = icmp eq ptr %48, null
  br i1 %49, label %50, label %30

50:
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
  br i1 %12, label %125, label %13

13:
  %14 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 4
  %15 = load i64, ptr %14, align 32
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %17, label %125

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
  br label %125

98:
  %99 = getelementptr %struct.Code, ptr %10, i64 %1, i32 3
  %100 = load i64, ptr %99, align 8
  store i64 %100, ptr %6, align 8
  %101 = icmp eq i64 %100, 0
  %102 = select i1 %101, i64 1, i64 %100
  %103 = mul i64 %102, %3
  store i64 %103, ptr %7, align 8
  %104 = getelementptr inbounds %struct.Driver, ptr %8, i64 0, i32 3
  %105 = load ptr, ptr %104, align 8
  %106 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 2
  %107 = load ptr, ptr %106, align 16
  %108 = load ptr, ptr %11, align 8
  %109 = select i1 %101, ptr null, ptr %6
  %110 = call i32 %105(ptr %107, ptr %108, i32 1, ptr null, ptr %7, ptr %109, i32 0, ptr null, ptr null)
  %111 = icmp eq i32 %110, 0
  br i1 %111, label %117, label %112

112:
  %113 = load i64, ptr %14, align 32
  %114 = icmp eq i64 %113, 0
  br i1 %114, label %115, label %124

115:
  %116 = sext i32 %110 to i64
  store i64 %116, ptr %14, align 32
  br label %124

117:
  %118 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 2
  %119 = load i64, ptr %118, align 8
  %120 = add i64 %119, 1
  store i64 %120, ptr %118, align 8
  %121 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 6
  %122 = load i64, ptr %121, align 16
  %123 = add i64 %122, 1
  store i64 %123, ptr %121, align 16
  br label %124

124:
  br label %125

125:
  ret void
}

define i64 @jitmdh_device_status(ptr %0) nounwind {
  %2 = alloca i32, align 4
  %3 = load ptr, ptr %0, align 8
  store i32 0, ptr %2, align 4
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 4
  %5 = load i64, ptr %4, align 32
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %9, label %7

7:
  %8 = sub i64 1099511627776, %5
  br label %50

9:
  %10 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %11 = load ptr, ptr %10, align 8
  %12 = icmp eq ptr %11, null
  %13 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 2
  %14 = load ptr, ptr %13, align 16
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
  %29 = load ptr, ptr %10, align 8
  %30 = load volatile i32, ptr %29, align 4
  %31 = sext i32 %30 to i64
  br label %50

32:
  %33 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 4
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
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

define i64 @jitmdh_device_settle(ptr %0) nounwind {
  %2 = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 3
  %4 = load i64, ptr %3, align 8
  %5 = icmp eq i64 %4, 0
  br i1 %5, label %6, label %41

6:
  %7 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 10
  %8 = tail call i32 @pthread_mutex_lock(ptr %7)
  %9 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 4
  store i64 0, ptr %9, align 32
  %10 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %38, label %13

13:
  %14 = getelementptr inbounds %struct.Driver, ptr %2, i64 0, i32 7
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %30, label %17

17:
  %18 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 2
  %19 = load ptr, ptr %18, align 16
  %20 = tail call i32 %15(ptr %19)
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %30, label %22

22:
  %23 = load i64, ptr %9, align 32
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %25, label %27

25:
  %26 = sext i32 %20 to i64
  store i64 %26, ptr %9, align 32
  br label %27

27:
  %28 = phi i64 [ %23, %22 ], [ %26, %25 ]
  %29 = sub i64 1099511627776, %28
  br label %38

30:
  %31 = tail call fastcc i64 @settled(ptr %0)
  %32 = getelementptr inbounds %struct.Driver, ptr %2, i64 0, i32 8
  %33 = load ptr, ptr %32, align 64
  %34 = icmp eq ptr %33, null
  br i1 %34, label %38, label %35

35:
  %36 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 2
  %37 = load ptr, ptr %36, align 16
  tail call void %33(ptr %37)
  br label %38

38:
  %39 = phi i64 [ 0, %6 ], [ %29, %27 ], [ %31, %30 ], [ %31, %35 ]
  %40 = tail call i32 @pthread_mutex_unlock(ptr %7)
  br label %41

41:
  %42 = phi i64 [ %39, %38 ], [ 0, %1 ]
  ret i64 %42
}

declare i32 @pthread_mutex_lock(ptr)

define internal fastcc i64 @settled(ptr %0) nounwind {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = load ptr, ptr %0, align 8
  store i32 0, ptr %2, align 4
  %5 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 4
  %6 = load i64, ptr %5, align 32
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %10, label %8

8:
  %9 = sub i64 1099511627776, %6
  store i32 0, ptr %3, align 4
  br label %55

10:
  %11 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %12 = load ptr, ptr %11, align 8
  %13 = icmp eq ptr %12, null
  %14 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 2
  %15 = load ptr, ptr %14, align 16
  br i1 %13, label %33, label %16

16:
  %17 = getelementptr inbounds %struct.Driver, ptr %4, i64 0, i32 6
  %18 = load ptr, ptr %17, align 8
  %19 = tail call i32 %18(ptr %15)
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %29, label %21

21:
  %22 = load i64, ptr %5, align 32
  %23 = icmp eq i64 %22, 0
  br i1 %23, label %24, label %26

24:
  %25 = sext i32 %19 to i64
  store i64 %25, ptr %5, align 32
  br label %26

26:
  %27 = phi i64 [ %22, %21 ], [ %25, %24 ]
  %28 = sub i64 1099511627776, %27
  br label %51

29:
  %30 = load ptr, ptr %11, align 8
  %31 = load volatile i32, ptr %30, align 4
  %32 = sext i32 %31 to i64
  br label %51

33:
  %34 = getelementptr inbounds %struct.Driver, ptr %4, i64 0, i32 4
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %37 = load ptr, ptr %36, align 8
  %38 = call i32 %35(ptr %15, ptr %37, i32 1, i64 0, i64 4, ptr %2, i32 0, ptr null, ptr null)
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %48, label %40

40:
  %41 = load i64, ptr %5, align 32
  %42 = icmp eq i64 %41, 0
  br i1 %42, label %43, label %45

43:
  %44 = sext i32 %38 to i64
  store i64 %44, ptr %5, align 32
  br label %45

45:
  %46 = phi i64 [ %41, %40 ], [ %44, %43 ]
  %47 = sub i64 1099511627776, %46
  br label %51

48:
  %49 = load i32, ptr %2, align 4
  %50 = sext i32 %49 to i64
  br label %51

51:
  %52 = phi i64 [ %47, %45 ], [ %50, %48 ], [ %28, %26 ], [ %32, %29 ]
  %53 = load i64, ptr %5, align 32
  store i32 0, ptr %3, align 4
  %54 = icmp eq i64 %53, 0
  br i1 %54, label %62, label %55

55:
  %56 = phi i64 [ %9, %8 ], [ %52, %51 ]
  %57 = getelementptr inbounds %struct.Driver, ptr %4, i64 0, i32 6
  %58 = load ptr, ptr %57, align 16
  %59 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 2
  %60 = load ptr, ptr %59, align 16
  %61 = call i32 %58(ptr %60)
  br label %62

62:
  %63 = phi i64 [ %56, %55 ], [ %52, %51 ]
  %64 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  store i64 0, ptr %64, align 8
  %65 = icmp eq i64 %63, 0
  br i1 %65, label %90, label %66

66:
  %67 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %68 = load ptr, ptr %67, align 8
  %69 = icmp eq ptr %68, null
  br i1 %69, label %71, label %70

70:
  store i32 0, ptr %68, align 4
  br label %85

71:
  %72 = getelementptr inbounds %struct.Driver, ptr %4, i64 0, i32 5
  %73 = load ptr, ptr %72, align 8
  %74 = getelementptr inbounds %struct.Queue, ptr %4, i64 0, i32 2
  %75 = load ptr, ptr %74, align 16
  %76 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %77 = load ptr, ptr %76, align 8
  %78 = call i32 %73(ptr %75, ptr %77, i32 1, i64 0, i64 4, ptr %3, i32 0, ptr null, ptr null)
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %85, label %80

80:
  %81 = load i64, ptr %5, align 32
  %82 = icmp eq i64 %81, 0
  br i1 %82, label %83, label %85

83:
  %84 = sext i32 %78 to i64
  store i64 %84, ptr %5, align 32
  br label %85

85:
  %86 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %87 = load ptr, ptr %86, align 8
  %88 = icmp eq ptr %87, null
  br i1 %88, label %90, label %89

89:
  store i32 0, ptr %87, align 4
  br label %90

90:
  ret i64 %63
}

declare i32 @pthread_mutex_unlock(ptr)

define i64 @jitmdh_device_call(ptr %0, ptr %1, ptr %2) nounwind {
  %4 = alloca i32, align 4
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 3
  %7 = load i64, ptr %6, align 8
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %9, label %244

9:
  %10 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 10
  %11 = tail call i32 @pthread_mutex_lock(ptr %10)
  %12 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 4
  store i64 0, ptr %12, align 32
  %13 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  store ptr %2, ptr %13, align 8
  %14 = getelementptr inbounds %struct.Driver, ptr %5, i64 0, i32 7
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %28, label %17

17:
  %18 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 2
  %19 = load ptr, ptr %18, align 16
  %20 = tail call i32 %15(ptr %19)
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %28, label %22

22:
  %23 = load i64, ptr %12, align 32
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %25, label %48

25:
  %26 = sext i32 %20 to i64
  store i64 %26, ptr %12, align 32
  %27 = sub nsw i64 1099511627776, %26
  br label %241

28:
  %29 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %30 = load ptr, ptr %29, align 8
  %31 = icmp eq ptr %30, null
  br i1 %31, label %32, label %35

32:
  %33 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %34 = load ptr, ptr %33, align 8
  br label %35

35:
  %36 = phi ptr [ %34, %32 ], [ %30, %28 ]
  %37 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %38 = load i64, ptr %37, align 8
  %39 = icmp eq i64 %38, 2
  %40 = icmp ne ptr %36, null
  %41 = select i1 %39, i1 %40, i1 false
  br i1 %41, label %42, label %51

42:
  %43 = load volatile i32, ptr %36, align 4
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %51, label %45

45:
  %46 = tail call fastcc i64 @settled(ptr %0)
  %47 = icmp eq i64 %46, 0
  br i1 %47, label %51, label %233

48:
  %49 = sub i64 1099511627776, %23
  %50 = icmp eq i64 %23, 1099511627776
  br i1 %50, label %51, label %241

51:
  %52 = phi i1 [ true, %45 ], [ true, %42 ], [ true, %35 ], [ false, %48 ]
  %53 = load ptr, ptr %0, align 8
  %54 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 4
  %55 = load i64, ptr %54, align 8
  %56 = icmp sgt i64 %55, 0
  br i1 %56, label %57, label %167

57:
  %58 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %59 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %60 = getelementptr inbounds %struct.Queue, ptr %53, i64 0, i32 1
  br label %61

61:
  %62 = phi i64 [ 0, %57 ], [ %159, %158 ]
  %63 = load ptr, ptr %58, align 8
  %64 = getelementptr %struct.Array, ptr %63, i64 %62
  %65 = load i64, ptr %64, align 8
  %66 = getelementptr i64, ptr %2, i64 %65
  %67 = load i64, ptr %66, align 8
  %68 = inttoptr i64 %67 to ptr
  %69 = getelementptr %struct.Array, ptr %63, i64 %62, i32 3
  store ptr %68, ptr %69, align 8
  %70 = load i64, ptr %59, align 8
  %71 = icmp eq i64 %70, 0
  br i1 %71, label %72, label %158

72:
  %73 = getelementptr i64, ptr %66, i64 1
  %74 = getelementptr %struct.Array, ptr %63, i64 %62, i32 1
  %75 = load i64, ptr %74, align 8
  %76 = getelementptr i64, ptr %73, i64 %75
  %77 = getelementptr %struct.Array, ptr %63, i64 %62, i32 2
  %78 = load i64, ptr %77, align 8
  %79 = icmp sgt i64 %75, 0
  br i1 %79, label %80, label %102

80:
  %81 = phi i64 [ %100, %97 ], [ 0, %72 ]
  %82 = phi i64 [ %99, %97 ], [ %78, %72 ]
  %83 = getelementptr i64, ptr %73, i64 %81
  %84 = load i64, ptr %83, align 8
  %85 = icmp slt i64 %84, 1
  br i1 %85, label %86, label %87

86:
  store i32 0, ptr %4, align 4
  br label %105

87:
  %88 = icmp eq i64 %84, 1
  br i1 %88, label %97, label %89

89:
  %90 = getelementptr i64, ptr %76, i64 %81
  %91 = load i64, ptr %90, align 8
  %92 = icmp slt i64 %91, 0
  br i1 %92, label %93, label %94

93:
  store i32 0, ptr %4, align 4
  br label %141

94:
  %95 = add nsw i64 %84, -1
  %96 = mul i64 %91, %95
  br label %97

97:
  %98 = phi i64 [ %96, %94 ], [ 0, %87 ]
  %99 = add i64 %98, %82
  %100 = add nuw nsw i64 %81, 1
  %101 = icmp eq i64 %100, %75
  br i1 %101, label %102, label %80

102:
  %103 = phi i64 [ %78, %72 ], [ %99, %97 ]
  store i32 0, ptr %4, align 4
  %104 = icmp sgt i64 %103, -1
  br i1 %104, label %105, label %141

105:
  %106 = phi i64 [ 0, %86 ], [ %103, %102 ]
  %107 = load ptr, ptr %53, align 64
  %108 = load ptr, ptr %60, align 8
  %109 = call i64 @llvm.smax.i64(i64 %106, i64 1)
  %110 = call ptr %107(ptr %108, i64 9, i64 %109, ptr %68, ptr %4)
  store ptr %110, ptr %69, align 8
  %111 = load i32, ptr %4, align 4
  %112 = icmp eq i32 %111, 0
  br i1 %112, label %157, label %113

113:
  %114 = getelementptr inbounds %struct.Queue, ptr %53, i64 0, i32 4
  %115 = load i64, ptr %114, align 32
  %116 = icmp eq i64 %115, 0
  br i1 %116, label %117, label %119

117:
  %118 = sext i32 %111 to i64
  store i64 %118, ptr %114, align 32
  br label %119

119:
  %120 = phi i64 [ %115, %113 ], [ %118, %117 ]
  %121 = load i64, ptr %59, align 8
  %122 = icmp eq i64 %121, 0
  %123 = icmp ne i64 %62, 0
  %124 = and i1 %123, %122
  br i1 %124, label %125, label %163

125:
  %126 = phi i64 [ %134, %125 ], [ 0, %119 ]
  %127 = load ptr, ptr %0, align 8
  %128 = getelementptr inbounds %struct.Driver, ptr %127, i64 0, i32 1
  %129 = load ptr, ptr %128, align 8
  %130 = load ptr, ptr %58, align 8
  %131 = getelementptr %struct.Array, ptr %130, i64 %126, i32 3
  %132 = load ptr, ptr %131, align 8
  %133 = call i32 %129(ptr %132)
  %134 = add nuw nsw i64 %126, 1
  %135 = load i64, ptr %59, align 8
  %136 = icmp eq i64 %135, 0
  %137 = icmp ult i64 %134, %62
  %138 = select i1 %136, i1 %137, i1 false
  br i1 %138, label %125, label %139

139:
  %140 = load i64, ptr %114, align 32
  br label %163

141:
  %142 = icmp eq i64 %62, 0
  br i1 %142, label %162, label %143

143:
  %144 = phi i64 [ %152, %143 ], [ 0, %141 ]
  %145 = load ptr, ptr %0, align 8
  %146 = getelementptr inbounds %struct.Driver, ptr %145, i64 0, i32 1
  %147 = load ptr, ptr %146, align 8
  %148 = load ptr, ptr %58, align 8
  %149 = getelementptr %struct.Array, ptr %148, i64 %144, i32 3
  %150 = load ptr, ptr %149, align 8
  %151 = call i32 %147(ptr %150)
  %152 = add nuw nsw i64 %144, 1
  %153 = load i64, ptr %59, align 8
  %154 = icmp eq i64 %153, 0
  %155 = icmp ult i64 %152, %62
  %156 = select i1 %154, i1 %155, i1 false
  br i1 %156, label %143, label %162

157:
  br label %158

158:
  %159 = add nuw nsw i64 %62, 1
  %160 = load i64, ptr %54, align 8
  %161 = icmp slt i64 %159, %160
  br i1 %161, label %61, label %167

162:
  br i1 %52, label %233, label %241

163:
  %164 = phi i64 [ %140, %139 ], [ %120, %119 ]
  %165 = sub i64 1099511627776, %164
  %166 = icmp eq i64 %164, 1099511627776
  br i1 %166, label %167, label %231

167:
  %168 = call i64 %1(ptr %2)
  %169 = load ptr, ptr %0, align 8
  %170 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %171 = load i64, ptr %170, align 8
  %172 = icmp eq i64 %171, 1
  br i1 %172, label %200, label %173

173:
  %174 = getelementptr inbounds %struct.Queue, ptr %169, i64 0, i32 4
  %175 = load i64, ptr %174, align 32
  %176 = icmp eq i64 %175, 0
  br i1 %176, label %177, label %200

177:
  %178 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  store i64 1, ptr %178, align 8
  %179 = icmp eq i64 %171, 2
  br i1 %179, label %180, label %202

180:
  %181 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %182 = load ptr, ptr %181, align 8
  %183 = icmp eq ptr %182, null
  br i1 %183, label %184, label %202

184:
  %185 = getelementptr inbounds %struct.Driver, ptr %169, i64 0, i32 4
  %186 = load ptr, ptr %185, align 32
  %187 = getelementptr inbounds %struct.Queue, ptr %169, i64 0, i32 2
  %188 = load ptr, ptr %187, align 16
  %189 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %190 = load ptr, ptr %189, align 8
  %191 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %192 = load ptr, ptr %191, align 8
  %193 = call i32 %186(ptr %188, ptr %190, i32 0, i64 0, i64 4, ptr %192, i32 0, ptr null, ptr null)
  %194 = icmp eq i32 %193, 0
  br i1 %194, label %202, label %195

195:
  %196 = load i64, ptr %174, align 32
  %197 = icmp eq i64 %196, 0
  br i1 %197, label %198, label %200

198:
  %199 = sext i32 %193 to i64
  store i64 %199, ptr %174, align 32
  br label %200

200:
  %201 = call fastcc i64 @settled(ptr %0)
  br label %202

202:
  %203 = phi i64 [ 0, %180 ], [ 0, %177 ], [ 0, %184 ], [ %201, %200 ]
  %204 = icmp eq i64 %168, 0
  br i1 %204, label %206, label %205

205:
  call fastcc void @release_all(ptr %0)
  br label %206

206:
  %207 = icmp eq i64 %203, 0
  %208 = select i1 %207, i64 %168, i64 %203
  %209 = load i64, ptr %54, align 8
  %210 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %211 = load i64, ptr %210, align 8
  %212 = icmp eq i64 %211, 0
  %213 = icmp sgt i64 %209, 0
  %214 = and i1 %213, %212
  br i1 %214, label %215, label %231

215:
  %216 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  br label %217

217:
  %218 = phi i64 [ 0, %215 ], [ %226, %217 ]
  %219 = load ptr, ptr %0, align 8
  %220 = getelementptr inbounds %struct.Driver, ptr %219, i64 0, i32 1
  %221 = load ptr, ptr %220, align 8
  %222 = load ptr, ptr %216, align 8
  %223 = getelementptr %struct.Array, ptr %222, i64 %218, i32 3
  %224 = load ptr, ptr %223, align 8
  %225 = call i32 %221(ptr %224)
  %226 = add nuw nsw i64 %218, 1
  %227 = load i64, ptr %210, align 8
  %228 = icmp eq i64 %227, 0
  %229 = icmp slt i64 %226, %209
  %230 = select i1 %228, i1 %229, i1 false
  br i1 %230, label %217, label %231

231:
  %232 = phi i64 [ %165, %163 ], [ %208, %206 ], [ %208, %217 ]
  br i1 %52, label %233, label %241

233:
  %234 = phi i64 [ %232, %231 ], [ 1048575, %162 ], [ %46, %45 ]
  %235 = getelementptr inbounds %struct.Driver, ptr %5, i64 0, i32 8
  %236 = load ptr, ptr %235, align 64
  %237 = icmp eq ptr %236, null
  br i1 %237, label %241, label %238

238:
  %239 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 2
  %240 = load ptr, ptr %239, align 16
  call void %236(ptr %240)
  br label %241

241:
  %242 = phi i64 [ %232, %231 ], [ 1048575, %162 ], [ %234, %233 ], [ %234, %238 ], [ %49, %48 ], [ %27, %25 ]
  %243 = call i32 @pthread_mutex_unlock(ptr %10)
  br label %244

244:
  %245 = phi i64 [ %242, %241 ], [ 5, %3 ]
  ret i64 %245
}

define internal fastcc void @release_all(ptr %0) noinline nounwind {
  %2 = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 8
  %4 = load ptr, ptr %3, align 64
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %7

6:
  ret void

7:
  %8 = phi ptr [ %9, %51 ], [ %4, %1 ]
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %51, label %13

13:
  %14 = load ptr, ptr %0, align 8
  store i64 0, ptr %10, align 8
  %15 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 2
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 5
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, %16
  store i64 %19, ptr %17, align 8
  %20 = icmp sgt i64 %19, 1073741824
  br i1 %20, label %21, label %51

21:
  %22 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 8
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %51, label %25

25:
  %26 = getelementptr inbounds %struct.Driver, ptr %14, i64 0, i32 1
  %27 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 1
  br label %28

28:
  %29 = phi ptr [ %23, %25 ], [ %39, %38 ]
  %30 = phi ptr [ %22, %25 ], [ %32, %38 ]
  br label %31

31:
  %32 = phi ptr [ %29, %28 ], [ %49, %41 ]
  %33 = getelementptr inbounds %struct.Block, ptr %32, i64 0, i32 3
  %34 = load i64, ptr %33, align 8
  %35 = icmp eq i64 %34, 0
  %36 = icmp eq ptr %32, %8
  %37 = select i1 %35, i1 %36, i1 false
  br i1 %37, label %41, label %38

38:
  %39 = load ptr, ptr %32, align 8
  %40 = icmp eq ptr %39, null
  br i1 %40, label %51, label %28

41:
  %42 = load ptr, ptr %8, align 8
  store ptr %42, ptr %30, align 8
  %43 = load i64, ptr %15, align 8
  %44 = load i64, ptr %17, align 8
  %45 = sub i64 %44, %43
  store i64 %45, ptr %17, align 8
  %46 = load ptr, ptr %26, align 8
  %47 = load ptr, ptr %27, align 8
  %48 = tail call i32 %46(ptr %47)
  tail call void @free(ptr %8)
  %49 = load ptr, ptr %30, align 8
  %50 = icmp eq ptr %49, null
  br i1 %50, label %51, label %31

51:
  %52 = icmp eq ptr %9, null
  br i1 %52, label %6, label %7
}

declare i32 @posix_memalign(ptr, i64, i64)

declare void @free(ptr)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare i64 @llvm.smax.i64(i64, i64)
