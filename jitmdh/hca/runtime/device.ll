; Generated from device.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: d0e231d120755a5dc87ef232dee8e098

%struct.Queue = type { %struct.Driver, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, ptr, [40 x i8], %struct.Mutex }
%struct.Driver = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.Mutex = type { [128 x i8] }
%struct.Block = type { ptr, ptr, i64, i64 }
%struct.Program = type { ptr, i64, i64, i64, i64, ptr, ptr, ptr, i64 }
%struct.Code = type { ptr, i64, ptr, i64 }
%struct.Place = type { i64, i64, i64, i64, [2 x i64] }
%struct.Array = type { i64, i64, i64, ptr }

define void @jitmdh_device_reset(ptr %0) nounwind {
  %2 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 12
  %3 = tail call i32 @pthread_mutex_init(ptr %2, ptr null)
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr)

define ptr @jitmdh_device_acquire(ptr %0, i64 %1) nounwind {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = load ptr, ptr %0, align 8
  %6 = tail call i64 @llvm.smax.i64(i64 %1, i64 64)
  %7 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 10
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
  %42 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 7
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
  %61 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 7
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
  %102 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 6
  %103 = load i64, ptr %102, align 16
  %104 = icmp eq i64 %103, 0
  br i1 %104, label %105, label %107

105:
  %106 = sext i32 %99 to i64
  store i64 %106, ptr %102, align 16
  br label %107

107:
  %108 = load ptr, ptr %3, align 8
  call void @free(ptr %108)
  br label %123

109:
  %110 = phi ptr [ %55, %51 ], [ %96, %98 ]
  %111 = load ptr, ptr %3, align 8
  %112 = load ptr, ptr %7, align 16
  store ptr %112, ptr %111, align 8
  %113 = getelementptr inbounds i8, ptr %111, i64 8
  store ptr %110, ptr %113, align 8
  %114 = getelementptr inbounds i8, ptr %111, i64 16
  store i64 %6, ptr %114, align 8
  %115 = getelementptr inbounds i8, ptr %111, i64 24
  store i64 1, ptr %115, align 8
  store ptr %111, ptr %7, align 16
  %116 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 3
  %117 = load i64, ptr %116, align 8
  %118 = add i64 %117, 1
  store i64 %118, ptr %116, align 8
  %119 = getelementptr inbounds %struct.Queue, ptr %5, i64 0, i32 9
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
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 10
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
  %18 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 7
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
  %14 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 6
  %15 = load i64, ptr %14, align 16
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
  %88 = load i64, ptr %14, align 16
  %89 = icmp eq i64 %88, 0
  br i1 %89, label %90, label %96

90:
  %91 = sext i32 %83 to i64
  store i64 %91, ptr %14, align 16
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
  %113 = load i64, ptr %14, align 16
  %114 = icmp eq i64 %113, 0
  br i1 %114, label %115, label %124

115:
  %116 = sext i32 %110 to i64
  store i64 %116, ptr %14, align 16
  br label %124

117:
  %118 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 2
  %119 = load i64, ptr %118, align 8
  %120 = add i64 %119, 1
  store i64 %120, ptr %118, align 8
  %121 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 8
  %122 = load i64, ptr %121, align 64
  %123 = add i64 %122, 1
  store i64 %123, ptr %121, align 64
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
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 6
  %5 = load i64, ptr %4, align 16
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %9, label %7

7:
  %8 = sub i64 1099511627776, %5
  br label %50

9:
  %10 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 4
  %11 = load ptr, ptr %10, align 32
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
  %21 = load i64, ptr %4, align 16
  %22 = icmp eq i64 %21, 0
  br i1 %22, label %23, label %25

23:
  %24 = sext i32 %18 to i64
  store i64 %24, ptr %4, align 16
  br label %25

25:
  %26 = phi i64 [ %21, %20 ], [ %24, %23 ]
  %27 = sub i64 1099511627776, %26
  br label %50

28:
  %29 = load ptr, ptr %10, align 32
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
  %40 = load i64, ptr %4, align 16
  %41 = icmp eq i64 %40, 0
  br i1 %41, label %42, label %44

42:
  %43 = sext i32 %37 to i64
  store i64 %43, ptr %4, align 16
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
  br i1 %9, label %10, label %262

10:
  %11 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 12
  %12 = tail call i32 @pthread_mutex_lock(ptr %11)
  %13 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 6
  store i64 0, ptr %13, align 16
  %14 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  store ptr %2, ptr %14, align 8
  %15 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 7
  %16 = load ptr, ptr %15, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %28, label %18

18:
  %19 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 2
  %20 = load ptr, ptr %19, align 16
  %21 = tail call i32 %16(ptr %20)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %28, label %23

23:
  %24 = load i64, ptr %13, align 16
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %26, label %143

26:
  %27 = sext i32 %21 to i64
  store i64 %27, ptr %13, align 16
  br label %143

28:
  %29 = load ptr, ptr %0, align 8
  %30 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 4
  %31 = load i64, ptr %30, align 8
  %32 = icmp sgt i64 %31, 0
  br i1 %32, label %33, label %150

33:
  %34 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %35 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %36 = getelementptr inbounds %struct.Queue, ptr %29, i64 0, i32 1
  br label %37

37:
  %38 = phi i64 [ 0, %33 ], [ %140, %139 ]
  %39 = load ptr, ptr %34, align 8
  %40 = getelementptr %struct.Array, ptr %39, i64 %38
  %41 = load i64, ptr %40, align 8
  %42 = getelementptr i64, ptr %2, i64 %41
  %43 = load i64, ptr %42, align 8
  %44 = inttoptr i64 %43 to ptr
  %45 = getelementptr %struct.Array, ptr %39, i64 %38, i32 3
  store ptr %44, ptr %45, align 8
  %46 = load i64, ptr %35, align 8
  %47 = icmp eq i64 %46, 0
  br i1 %47, label %48, label %139

48:
  %49 = getelementptr i64, ptr %42, i64 1
  %50 = getelementptr %struct.Array, ptr %39, i64 %38, i32 1
  %51 = load i64, ptr %50, align 8
  %52 = getelementptr i64, ptr %49, i64 %51
  %53 = getelementptr %struct.Array, ptr %39, i64 %38, i32 2
  %54 = load i64, ptr %53, align 8
  %55 = icmp sgt i64 %51, 0
  br i1 %55, label %56, label %78

56:
  %57 = phi i64 [ %76, %73 ], [ 0, %48 ]
  %58 = phi i64 [ %75, %73 ], [ %54, %48 ]
  %59 = getelementptr i64, ptr %49, i64 %57
  %60 = load i64, ptr %59, align 8
  %61 = icmp slt i64 %60, 1
  br i1 %61, label %62, label %63

62:
  store i32 0, ptr %5, align 4
  br label %81

63:
  %64 = icmp eq i64 %60, 1
  br i1 %64, label %73, label %65

65:
  %66 = getelementptr i64, ptr %52, i64 %57
  %67 = load i64, ptr %66, align 8
  %68 = icmp slt i64 %67, 0
  br i1 %68, label %69, label %70

69:
  store i32 0, ptr %5, align 4
  br label %120

70:
  %71 = add nsw i64 %60, -1
  %72 = mul i64 %67, %71
  br label %73

73:
  %74 = phi i64 [ %72, %70 ], [ 0, %63 ]
  %75 = add i64 %74, %58
  %76 = add nuw nsw i64 %57, 1
  %77 = icmp eq i64 %76, %51
  br i1 %77, label %78, label %56

78:
  %79 = phi i64 [ %54, %48 ], [ %75, %73 ]
  store i32 0, ptr %5, align 4
  %80 = icmp sgt i64 %79, -1
  br i1 %80, label %81, label %120

81:
  %82 = phi i64 [ 0, %62 ], [ %79, %78 ]
  %83 = load ptr, ptr %29, align 64
  %84 = load ptr, ptr %36, align 8
  %85 = call i64 @llvm.smax.i64(i64 %82, i64 1)
  %86 = call ptr %83(ptr %84, i64 9, i64 %85, ptr %44, ptr %5)
  store ptr %86, ptr %45, align 8
  %87 = load i32, ptr %5, align 4
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %138, label %89

89:
  %90 = getelementptr inbounds %struct.Queue, ptr %29, i64 0, i32 6
  %91 = load i64, ptr %90, align 16
  %92 = icmp eq i64 %91, 0
  br i1 %92, label %93, label %95

93:
  %94 = sext i32 %87 to i64
  store i64 %94, ptr %90, align 16
  br label %95

95:
  %96 = phi i64 [ %91, %89 ], [ %94, %93 ]
  %97 = load i64, ptr %35, align 8
  %98 = icmp eq i64 %97, 0
  %99 = icmp ne i64 %38, 0
  %100 = and i1 %99, %98
  br i1 %100, label %101, label %117

101:
  %102 = phi i64 [ %110, %101 ], [ 0, %95 ]
  %103 = load ptr, ptr %0, align 8
  %104 = getelementptr inbounds %struct.Driver, ptr %103, i64 0, i32 1
  %105 = load ptr, ptr %104, align 8
  %106 = load ptr, ptr %34, align 8
  %107 = getelementptr %struct.Array, ptr %106, i64 %102, i32 3
  %108 = load ptr, ptr %107, align 8
  %109 = call i32 %105(ptr %108)
  %110 = add nuw nsw i64 %102, 1
  %111 = load i64, ptr %35, align 8
  %112 = icmp eq i64 %111, 0
  %113 = icmp ult i64 %110, %38
  %114 = select i1 %112, i1 %113, i1 false
  br i1 %114, label %101, label %115

115:
  %116 = load i64, ptr %90, align 16
  br label %117

117:
  %118 = phi i64 [ %116, %115 ], [ %96, %95 ]
  %119 = sub i64 1099511627776, %118
  br label %136

120:
  %121 = icmp eq i64 %38, 0
  br i1 %121, label %136, label %122

122:
  %123 = phi i64 [ %131, %122 ], [ 0, %120 ]
  %124 = load ptr, ptr %0, align 8
  %125 = getelementptr inbounds %struct.Driver, ptr %124, i64 0, i32 1
  %126 = load ptr, ptr %125, align 8
  %127 = load ptr, ptr %34, align 8
  %128 = getelementptr %struct.Array, ptr %127, i64 %123, i32 3
  %129 = load ptr, ptr %128, align 8
  %130 = call i32 %126(ptr %129)
  %131 = add nuw nsw i64 %123, 1
  %132 = load i64, ptr %35, align 8
  %133 = icmp eq i64 %132, 0
  %134 = icmp ult i64 %131, %38
  %135 = select i1 %133, i1 %134, i1 false
  br i1 %135, label %122, label %136

136:
  %137 = phi i64 [ 1048575, %120 ], [ %119, %117 ], [ 1048575, %122 ]
  br label %146

138:
  br label %139

139:
  %140 = add nuw nsw i64 %38, 1
  %141 = load i64, ptr %30, align 8
  %142 = icmp slt i64 %140, %141
  br i1 %142, label %37, label %150

143:
  %144 = phi i64 [ %24, %23 ], [ %27, %26 ]
  %145 = sub i64 1099511627776, %144
  br label %146

146:
  %147 = phi i1 [ false, %143 ], [ true, %136 ]
  %148 = phi i64 [ %145, %143 ], [ %137, %136 ]
  %149 = icmp eq i64 %148, 0
  br i1 %149, label %150, label %250

150:
  %151 = phi i1 [ %147, %146 ], [ true, %28 ], [ true, %139 ]
  %152 = call i64 %1(ptr %2)
  %153 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %154 = load i64, ptr %153, align 8
  %155 = icmp eq i64 %154, 0
  br i1 %155, label %156, label %159

156:
  %157 = load i64, ptr %13, align 16
  %158 = icmp eq i64 %157, 0
  br i1 %158, label %220, label %159

159:
  %160 = load ptr, ptr %0, align 8
  store i32 0, ptr %4, align 4
  %161 = getelementptr inbounds %struct.Queue, ptr %160, i64 0, i32 6
  %162 = load i64, ptr %161, align 16
  %163 = icmp eq i64 %162, 0
  br i1 %163, label %166, label %164

164:
  %165 = sub i64 1099511627776, %162
  br label %207

166:
  %167 = getelementptr inbounds %struct.Queue, ptr %160, i64 0, i32 4
  %168 = load ptr, ptr %167, align 32
  %169 = icmp eq ptr %168, null
  %170 = getelementptr inbounds %struct.Queue, ptr %160, i64 0, i32 2
  %171 = load ptr, ptr %170, align 16
  br i1 %169, label %189, label %172

172:
  %173 = getelementptr inbounds %struct.Driver, ptr %160, i64 0, i32 6
  %174 = load ptr, ptr %173, align 8
  %175 = call i32 %174(ptr %171)
  %176 = icmp eq i32 %175, 0
  br i1 %176, label %185, label %177

177:
  %178 = load i64, ptr %161, align 16
  %179 = icmp eq i64 %178, 0
  br i1 %179, label %180, label %182

180:
  %181 = sext i32 %175 to i64
  store i64 %181, ptr %161, align 16
  br label %182

182:
  %183 = phi i64 [ %178, %177 ], [ %181, %180 ]
  %184 = sub i64 1099511627776, %183
  br label %207

185:
  %186 = load ptr, ptr %167, align 32
  %187 = load volatile i32, ptr %186, align 4
  %188 = sext i32 %187 to i64
  br label %207

189:
  %190 = getelementptr inbounds %struct.Driver, ptr %160, i64 0, i32 4
  %191 = load ptr, ptr %190, align 8
  %192 = getelementptr inbounds %struct.Queue, ptr %160, i64 0, i32 3
  %193 = load ptr, ptr %192, align 8
  %194 = call i32 %191(ptr %171, ptr %193, i32 1, i64 0, i64 4, ptr %4, i32 0, ptr null, ptr null)
  %195 = icmp eq i32 %194, 0
  br i1 %195, label %204, label %196

196:
  %197 = load i64, ptr %161, align 16
  %198 = icmp eq i64 %197, 0
  br i1 %198, label %199, label %201

199:
  %200 = sext i32 %194 to i64
  store i64 %200, ptr %161, align 16
  br label %201

201:
  %202 = phi i64 [ %197, %196 ], [ %200, %199 ]
  %203 = sub i64 1099511627776, %202
  br label %207

204:
  %205 = load i32, ptr %4, align 4
  %206 = sext i32 %205 to i64
  br label %207

207:
  %208 = phi i64 [ %165, %164 ], [ %188, %185 ], [ %184, %182 ], [ %206, %204 ], [ %203, %201 ]
  %209 = load i64, ptr %13, align 16
  %210 = icmp eq i64 %209, 0
  br i1 %210, label %217, label %211

211:
  %212 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 6
  %213 = load ptr, ptr %212, align 16
  %214 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 2
  %215 = load ptr, ptr %214, align 16
  %216 = call i32 %213(ptr %215)
  br label %217

217:
  %218 = icmp eq i64 %208, 0
  br i1 %218, label %220, label %219

219:
  call fastcc void @forget_status(ptr %6)
  br label %220

220:
  %221 = phi i1 [ false, %219 ], [ true, %217 ], [ true, %156 ]
  %222 = phi i64 [ %208, %219 ], [ 0, %217 ], [ 0, %156 ]
  %223 = icmp eq i64 %152, 0
  br i1 %223, label %225, label %224

224:
  call fastcc void @release_all(ptr %0)
  br label %225

225:
  %226 = select i1 %221, i64 %152, i64 %222
  %227 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 4
  %228 = load i64, ptr %227, align 8
  %229 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %230 = load i64, ptr %229, align 8
  %231 = icmp eq i64 %230, 0
  %232 = icmp sgt i64 %228, 0
  %233 = and i1 %232, %231
  br i1 %233, label %234, label %250

234:
  %235 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  br label %236

236:
  %237 = phi i64 [ 0, %234 ], [ %245, %236 ]
  %238 = load ptr, ptr %0, align 8
  %239 = getelementptr inbounds %struct.Driver, ptr %238, i64 0, i32 1
  %240 = load ptr, ptr %239, align 8
  %241 = load ptr, ptr %235, align 8
  %242 = getelementptr %struct.Array, ptr %241, i64 %237, i32 3
  %243 = load ptr, ptr %242, align 8
  %244 = call i32 %240(ptr %243)
  %245 = add nuw nsw i64 %237, 1
  %246 = load i64, ptr %229, align 8
  %247 = icmp eq i64 %246, 0
  %248 = icmp slt i64 %245, %228
  %249 = select i1 %247, i1 %248, i1 false
  br i1 %249, label %236, label %250

250:
  %251 = phi i1 [ %147, %146 ], [ %151, %225 ], [ %151, %236 ]
  %252 = phi i64 [ %148, %146 ], [ %226, %225 ], [ %226, %236 ]
  br i1 %251, label %253, label %260

253:
  %254 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 8
  %255 = load ptr, ptr %254, align 64
  %256 = icmp eq ptr %255, null
  br i1 %256, label %260, label %257

257:
  %258 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 2
  %259 = load ptr, ptr %258, align 16
  call void %255(ptr %259)
  br label %260

260:
  %261 = call i32 @pthread_mutex_unlock(ptr %11)
  br label %262

262:
  %263 = phi i64 [ %252, %260 ], [ 5, %3 ]
  ret i64 %263
}

declare i32 @pthread_mutex_lock(ptr)

define internal fastcc void @forget_status(ptr %0) noinline nounwind {
  %2 = alloca i32, align 4
  store i32 0, ptr %2, align 4
  %3 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 4
  %4 = load ptr, ptr %3, align 32
  %5 = icmp eq ptr %4, null
  br i1 %5, label %7, label %6

6:
  store i32 0, ptr %4, align 4
  br label %22

7:
  %8 = getelementptr inbounds %struct.Driver, ptr %0, i64 0, i32 5
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 2
  %11 = load ptr, ptr %10, align 16
  %12 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 3
  %13 = load ptr, ptr %12, align 8
  %14 = call i32 %9(ptr %11, ptr %13, i32 1, i64 0, i64 4, ptr %2, i32 0, ptr null, ptr null)
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %22, label %16

16:
  %17 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 6
  %18 = load i64, ptr %17, align 16
  %19 = icmp eq i64 %18, 0
  br i1 %19, label %20, label %22

20:
  %21 = sext i32 %14 to i64
  store i64 %21, ptr %17, align 16
  br label %22

22:
  ret void
}

define internal fastcc void @release_all(ptr %0) noinline nounwind {
  %2 = load ptr, ptr %0, align 8
  %3 = getelementptr inbounds %struct.Queue, ptr %2, i64 0, i32 10
  %4 = load ptr, ptr %3, align 16
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
  %17 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 7
  %18 = load i64, ptr %17, align 8
  %19 = add i64 %18, %16
  store i64 %19, ptr %17, align 8
  %20 = icmp sgt i64 %19, 1073741824
  br i1 %20, label %21, label %51

21:
  %22 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 10
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

declare i32 @pthread_mutex_unlock(ptr)

declare i32 @posix_memalign(ptr, i64, i64)

declare void @free(ptr)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare i64 @llvm.smax.i64(i64, i64)
