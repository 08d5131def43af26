; Generated from device.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 1b3c0cf395ae9a8e6ed10e097c96e902

%struct.Queue = type { %struct.Driver, ptr, ptr, i64, i64, i64, i64, i64, ptr, ptr, ptr, ptr, [32 x i8], %struct.Mutex }
%struct.Driver = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.Mutex = type { [128 x i8] }
%struct.Block = type { ptr, ptr, i64, i64, i64 }
%struct.Program = type { ptr, i64, i64, i64, i64, ptr, ptr, ptr, i64, ptr, ptr, ptr, i64, i64 }
%struct.Code = type { ptr, i64, ptr, i64 }
%struct.Place = type { i64, i64, i64, i64, [2 x i64] }
%struct.Array = type { i64, i64, i64, ptr }
%struct.TimeSpec = type { i64, i64 }

@cleared.none = internal constant [1024 x i8] zeroinitializer, align 16

define void @jitmdh_device_reset(ptr %0) nounwind {
  %2 = getelementptr inbounds %struct.Queue, ptr %0, i64 0, i32 13
  %3 = tail call i32 @pthread_mutex_init(ptr %2, ptr null)
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr)

define ptr @jitmdh_device_acquire(ptr %0, i64 %1, i64 %2) nounwind {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = load ptr, ptr %0, align 8
  %7 = tail call i64 @llvm.smax.i64(i64 %1, i64 64)
  %8 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 8
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq ptr %9, null
  br i1 %10, label %52, label %11

11:
  %12 = add nuw i64 %7, 16384
  br label %13

13:
  %14 = phi ptr [ %9, %11 ], [ %39, %37 ]
  %15 = phi ptr [ null, %11 ], [ %38, %37 ]
  %16 = getelementptr inbounds %struct.Block, ptr %14, i64 0, i32 3
  %17 = load i64, ptr %16, align 8
  %18 = icmp eq i64 %17, 0
  br i1 %18, label %19, label %37

19:
  %20 = getelementptr inbounds %struct.Block, ptr %14, i64 0, i32 4
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, %2
  br i1 %22, label %23, label %37

23:
  %24 = getelementptr inbounds %struct.Block, ptr %14, i64 0, i32 2
  %25 = load i64, ptr %24, align 8
  %26 = icmp slt i64 %25, %7
  %27 = sdiv i64 %25, 4
  %28 = icmp sgt i64 %27, %12
  %29 = or i1 %26, %28
  br i1 %29, label %37, label %30

30:
  %31 = icmp eq ptr %15, null
  br i1 %31, label %36, label %32

32:
  %33 = getelementptr inbounds %struct.Block, ptr %15, i64 0, i32 2
  %34 = load i64, ptr %33, align 8
  %35 = icmp slt i64 %25, %34
  br i1 %35, label %36, label %37

36:
  br label %37

37:
  %38 = phi ptr [ %15, %13 ], [ %14, %36 ], [ %15, %32 ], [ %15, %23 ], [ %15, %19 ]
  %39 = load ptr, ptr %14, align 8
  %40 = icmp eq ptr %39, null
  br i1 %40, label %41, label %13

41:
  %42 = icmp eq ptr %38, null
  br i1 %42, label %52, label %43

43:
  %44 = getelementptr inbounds %struct.Block, ptr %38, i64 0, i32 3
  store i64 1, ptr %44, align 8
  %45 = getelementptr inbounds %struct.Block, ptr %38, i64 0, i32 2
  %46 = load i64, ptr %45, align 8
  %47 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 5
  %48 = load i64, ptr %47, align 8
  %49 = sub i64 %48, %46
  store i64 %49, ptr %47, align 8
  %50 = getelementptr inbounds %struct.Block, ptr %38, i64 0, i32 1
  %51 = load ptr, ptr %50, align 8
  br label %155

52:
  %53 = call i32 @posix_memalign(ptr %4, i64 8, i64 40)
  %54 = icmp eq i32 %53, 0
  br i1 %54, label %56, label %55

55:
  br label %155

56:
  store i32 0, ptr %5, align 4
  %57 = load ptr, ptr %6, align 64
  %58 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 1
  %59 = load ptr, ptr %58, align 8
  %60 = call ptr %57(ptr %59, i64 1, i64 %7, ptr null, ptr %5)
  %61 = icmp eq ptr %60, null
  %62 = load i32, ptr %5, align 4
  %63 = icmp ne i32 %62, 0
  %64 = select i1 %61, i1 true, i1 %63
  br i1 %64, label %65, label %112

65:
  %66 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 5
  %67 = load i64, ptr %66, align 8
  %68 = icmp eq i64 %67, 0
  br i1 %68, label %100, label %69

69:
  %70 = load ptr, ptr %8, align 8
  %71 = icmp eq ptr %70, null
  br i1 %71, label %96, label %72

72:
  %73 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 1
  br label %74

74:
  %75 = phi ptr [ %70, %72 ], [ %82, %83 ]
  %76 = phi ptr [ %8, %72 ], [ %78, %83 ]
  br label %77

77:
  %78 = phi ptr [ %75, %74 ], [ %94, %85 ]
  %79 = getelementptr inbounds %struct.Block, ptr %78, i64 0, i32 3
  %80 = load i64, ptr %79, align 8
  %81 = icmp eq i64 %80, 0
  %82 = load ptr, ptr %78, align 8
  br i1 %81, label %85, label %83

83:
  %84 = icmp eq ptr %82, null
  br i1 %84, label %96, label %74

85:
  store ptr %82, ptr %76, align 8
  %86 = getelementptr inbounds %struct.Block, ptr %78, i64 0, i32 2
  %87 = load i64, ptr %86, align 8
  %88 = load i64, ptr %66, align 8
  %89 = sub i64 %88, %87
  store i64 %89, ptr %66, align 8
  %90 = load ptr, ptr %73, align 8
  %91 = getelementptr inbounds %struct.Block, ptr %78, i64 0, i32 1
  %92 = load ptr, ptr %91, align 8
  %93 = call i32 %90(ptr %92)
  call void @free(ptr %78)
  %94 = load ptr, ptr %76, align 8
  %95 = icmp eq ptr %94, null
  br i1 %95, label %96, label %77

96:
  store i32 0, ptr %5, align 4
  %97 = load ptr, ptr %6, align 64
  %98 = load ptr, ptr %58, align 8
  %99 = call ptr %97(ptr %98, i64 1, i64 %7, ptr null, ptr %5)
  br label %100

100:
  %101 = phi ptr [ %99, %96 ], [ %60, %65 ]
  %102 = icmp eq ptr %101, null
  br i1 %102, label %139, label %103

103:
  %104 = load i32, ptr %5, align 4
  %105 = icmp eq i32 %104, 0
  br i1 %105, label %112, label %106

106:
  %107 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 4
  %108 = load i64, ptr %107, align 32
  %109 = icmp eq i64 %108, 0
  br i1 %109, label %110, label %139

110:
  %111 = sext i32 %104 to i64
  store i64 %111, ptr %107, align 32
  br label %139

112:
  %113 = phi ptr [ %60, %56 ], [ %101, %103 ]
  %114 = icmp eq i64 %2, 0
  br i1 %114, label %141, label %115

115:
  %116 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 5
  %117 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 2
  br label %121

118:
  %119 = add i64 %124, %122
  %120 = icmp slt i64 %119, %7
  br i1 %120, label %121, label %141

121:
  %122 = phi i64 [ 0, %115 ], [ %119, %118 ]
  %123 = sub i64 %7, %122
  %124 = call i64 @llvm.smin.i64(i64 %123, i64 1024)
  %125 = load ptr, ptr %116, align 8
  %126 = load ptr, ptr %117, align 16
  %127 = call i32 %125(ptr %126, ptr %113, i32 1, i64 %122, i64 %124, ptr @cleared.none, i32 0, ptr null, ptr null)
  %128 = icmp eq i32 %127, 0
  br i1 %128, label %118, label %129

129:
  %130 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 4
  %131 = load i64, ptr %130, align 32
  %132 = icmp eq i64 %131, 0
  br i1 %132, label %133, label %135

133:
  %134 = sext i32 %127 to i64
  store i64 %134, ptr %130, align 32
  br label %135

135:
  %136 = getelementptr inbounds %struct.Driver, ptr %6, i64 0, i32 1
  %137 = load ptr, ptr %136, align 8
  %138 = call i32 %137(ptr %113)
  br label %139

139:
  %140 = load ptr, ptr %4, align 8
  call void @free(ptr %140)
  br label %155

141:
  %142 = load ptr, ptr %4, align 8
  %143 = load ptr, ptr %8, align 64
  store ptr %143, ptr %142, align 8
  %144 = getelementptr inbounds i8, ptr %142, i64 8
  store ptr %113, ptr %144, align 8
  %145 = getelementptr inbounds i8, ptr %142, i64 16
  store i64 %7, ptr %145, align 8
  %146 = getelementptr inbounds i8, ptr %142, i64 24
  store i64 1, ptr %146, align 8
  %147 = getelementptr inbounds i8, ptr %142, i64 32
  store i64 %2, ptr %147, align 8
  store ptr %142, ptr %8, align 64
  %148 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 3
  %149 = load i64, ptr %148, align 8
  %150 = add i64 %149, 1
  store i64 %150, ptr %148, align 8
  %151 = getelementptr inbounds %struct.Queue, ptr %6, i64 0, i32 7
  %152 = load i64, ptr %151, align 8
  %153 = add i64 %152, 1
  store i64 %153, ptr %151, align 8
  %154 = load ptr, ptr %144, align 8
  br label %155

155:
  %156 = phi ptr [ %51, %43 ], [ %154, %141 ], [ null, %55 ], [ null, %139 ]
  ret ptr %156
}

define void @jitmdh_device_release(ptr %0, ptr %1) nounwind {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 8
  br label %5

5:
  %6 = phi ptr [ %4, %2 ], [ %7, %9 ]
  %7 = load ptr, ptr %6, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %58, label %9

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
  br i1 %21, label %30, label %22

22:
  %23 = getelementptr inbounds %struct.Block, ptr %7, i64 0, i32 4
  %24 = load i64, ptr %23, align 8
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %58, label %26

26:
  %27 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 4
  %28 = load i64, ptr %27, align 32
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %58, label %30

30:
  %31 = load ptr, ptr %4, align 8
  %32 = icmp eq ptr %31, null
  br i1 %32, label %58, label %33

33:
  %34 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 1
  br label %35

35:
  %36 = phi ptr [ %31, %33 ], [ %46, %45 ]
  %37 = phi ptr [ %4, %33 ], [ %39, %45 ]
  br label %38

38:
  %39 = phi ptr [ %36, %35 ], [ %56, %48 ]
  %40 = getelementptr inbounds %struct.Block, ptr %39, i64 0, i32 3
  %41 = load i64, ptr %40, align 8
  %42 = icmp eq i64 %41, 0
  %43 = icmp eq ptr %39, %7
  %44 = select i1 %42, i1 %43, i1 false
  br i1 %44, label %48, label %45

45:
  %46 = load ptr, ptr %39, align 8
  %47 = icmp eq ptr %46, null
  br i1 %47, label %58, label %35

48:
  %49 = load ptr, ptr %7, align 8
  store ptr %49, ptr %37, align 8
  %50 = load i64, ptr %16, align 8
  %51 = load i64, ptr %18, align 8
  %52 = sub i64 %51, %50
  store i64 %52, ptr %18, align 8
  %53 = load ptr, ptr %34, align 8
  %54 = load ptr, ptr %14, align 8
  %55 = tail call i32 %53(ptr %54)
  tail call void @free(ptr %7)
  %56 = load ptr, ptr %37, align 8
  %57 = icmp eq ptr %56, null
  br i1 %57, label %58, label %38

58:
  ret void
}

define void @jitmdh_device_launch(ptr %0, i64 %1, ptr %2, i64 %3) nounwind {
  %5 = alloca [2 x i64], align 16
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = load ptr, ptr %0, align 8
  %10 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 6
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr %struct.Code, ptr %11, i64 %1
  %13 = icmp slt i64 %3, 1
  br i1 %13, label %149, label %14

14:
  %15 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 4
  %16 = load i64, ptr %15, align 32
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %18, label %149

18:
  %19 = getelementptr %struct.Code, ptr %11, i64 %1, i32 1
  %20 = load i64, ptr %19, align 8
  %21 = icmp slt i64 %20, 1
  br i1 %21, label %99, label %22

22:
  %23 = getelementptr %struct.Code, ptr %11, i64 %1, i32 2
  %24 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  %25 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %26 = getelementptr inbounds %struct.Driver, ptr %9, i64 0, i32 2
  %27 = getelementptr inbounds i8, ptr %5, i64 8
  br label %28

28:
  %29 = phi i64 [ %20, %22 ], [ %94, %93 ]
  %30 = phi i64 [ 0, %22 ], [ %95, %93 ]
  %31 = load ptr, ptr %23, align 8
  %32 = getelementptr %struct.Place, ptr %31, i64 %30
  %33 = load i64, ptr %32, align 8
  switch i64 %33, label %44 [
    i64 0, label %34
    i64 3, label %39
  ]

34:
  %35 = load ptr, ptr %25, align 8
  %36 = getelementptr %struct.Place, ptr %31, i64 %30, i32 1
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr %struct.Array, ptr %35, i64 %37, i32 3
  br label %76

39:
  %40 = load ptr, ptr %24, align 8
  %41 = getelementptr %struct.Place, ptr %31, i64 %30, i32 1
  %42 = load i64, ptr %41, align 8
  %43 = getelementptr i8, ptr %40, i64 %42
  br label %50

44:
  %45 = getelementptr %struct.Place, ptr %31, i64 %30, i32 1
  %46 = load i64, ptr %45, align 8
  %47 = getelementptr i64, ptr %2, i64 %46
  %48 = and i64 %33, -2
  %49 = icmp eq i64 %48, 2
  br i1 %49, label %50, label %76

50:
  %51 = phi ptr [ %43, %39 ], [ %47, %44 ]
  %52 = getelementptr %struct.Place, ptr %31, i64 %30, i32 2
  %53 = load i64, ptr %52, align 8
  %54 = icmp ugt i64 %53, 15
  %55 = sub i64 16, %53
  %56 = select i1 %54, i64 0, i64 %55
  %57 = getelementptr i8, ptr %5, i64 %53
  call void @llvm.memset.p0.i64(ptr align 1 %57, i8 0, i64 %56, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %5, ptr align 1 %51, i64 %53, i1 false)
  %58 = getelementptr %struct.Place, ptr %31, i64 %30, i32 3
  %59 = load i64, ptr %58, align 8
  %60 = icmp eq i64 %59, 0
  %61 = load i64, ptr %5, align 16
  br i1 %60, label %71, label %62

62:
  %63 = getelementptr %struct.Place, ptr %31, i64 %30, i32 4
  %64 = load i64, ptr %63, align 8
  %65 = icmp eq i64 %61, %64
  br i1 %65, label %66, label %71

66:
  %67 = load i64, ptr %27, align 8
  %68 = getelementptr %struct.Place, ptr %31, i64 %30, i32 4, i64 1
  %69 = load i64, ptr %68, align 8
  %70 = icmp eq i64 %67, %69
  br i1 %70, label %75, label %71

71:
  store i64 1, ptr %58, align 8
  %72 = getelementptr %struct.Place, ptr %31, i64 %30, i32 4
  store i64 %61, ptr %72, align 8
  %73 = load i64, ptr %27, align 8
  %74 = getelementptr %struct.Place, ptr %31, i64 %30, i32 4, i64 1
  store i64 %73, ptr %74, align 8
  br label %76

75:
  br label %93

76:
  %77 = phi ptr [ %47, %44 ], [ %38, %34 ], [ %51, %71 ]
  %78 = load ptr, ptr %26, align 16
  %79 = load ptr, ptr %12, align 8
  %80 = trunc i64 %30 to i32
  %81 = add i32 %80, 1
  %82 = getelementptr %struct.Place, ptr %31, i64 %30, i32 2
  %83 = load i64, ptr %82, align 8
  %84 = tail call i32 %78(ptr %79, i32 %81, i64 %83, ptr %77)
  %85 = icmp eq i32 %84, 0
  br i1 %85, label %86, label %88

86:
  %87 = load i64, ptr %19, align 8
  br label %93

88:
  %89 = load i64, ptr %15, align 32
  %90 = icmp eq i64 %89, 0
  br i1 %90, label %91, label %97

91:
  %92 = sext i32 %84 to i64
  store i64 %92, ptr %15, align 32
  br label %97

93:
  %94 = phi i64 [ %87, %86 ], [ %29, %75 ]
  %95 = add nuw nsw i64 %30, 1
  %96 = icmp slt i64 %95, %94
  br i1 %96, label %28, label %99

97:
  %98 = getelementptr %struct.Place, ptr %31, i64 %30, i32 3
  store i64 0, ptr %98, align 8
  br label %149

99:
  %100 = getelementptr %struct.Code, ptr %11, i64 %1, i32 3
  %101 = load i64, ptr %100, align 8
  store i64 %101, ptr %6, align 8
  %102 = icmp eq i64 %101, 0
  %103 = select i1 %102, i64 1, i64 %101
  %104 = mul i64 %103, %3
  store i64 %104, ptr %7, align 8
  %105 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 9
  %106 = load ptr, ptr %105, align 8
  %107 = icmp eq ptr %106, null
  br i1 %107, label %117, label %108

108:
  %109 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %110 = load i64, ptr %109, align 8
  %111 = icmp eq i64 %110, 1
  br i1 %111, label %112, label %117

112:
  %113 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %114 = load ptr, ptr %113, align 8
  %115 = icmp eq ptr %114, null
  %116 = select i1 %115, ptr null, ptr %8
  br label %117

117:
  %118 = phi ptr [ null, %108 ], [ null, %99 ], [ %116, %112 ]
  store ptr null, ptr %8, align 8
  %119 = getelementptr inbounds %struct.Driver, ptr %9, i64 0, i32 3
  %120 = load ptr, ptr %119, align 8
  %121 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 2
  %122 = load ptr, ptr %121, align 16
  %123 = load ptr, ptr %12, align 8
  %124 = select i1 %102, ptr null, ptr %6
  %125 = call i32 %120(ptr %122, ptr %123, i32 1, ptr null, ptr %7, ptr %124, i32 0, ptr null, ptr %118)
  %126 = icmp eq i32 %125, 0
  br i1 %126, label %132, label %127

127:
  %128 = load i64, ptr %15, align 32
  %129 = icmp eq i64 %128, 0
  br i1 %129, label %130, label %148

130:
  %131 = sext i32 %125 to i64
  store i64 %131, ptr %15, align 32
  br label %148

132:
  %133 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 11
  %134 = load ptr, ptr %133, align 8
  %135 = icmp eq ptr %134, null
  br i1 %135, label %140, label %136

136:
  %137 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 10
  %138 = load ptr, ptr %137, align 16
  %139 = call i32 %138(ptr %134)
  br label %140

140:
  %141 = load ptr, ptr %8, align 8
  store ptr %141, ptr %133, align 8
  %142 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 2
  %143 = load i64, ptr %142, align 8
  %144 = add i64 %143, 1
  store i64 %144, ptr %142, align 8
  %145 = getelementptr inbounds %struct.Queue, ptr %9, i64 0, i32 6
  %146 = load i64, ptr %145, align 16
  %147 = add i64 %146, 1
  store i64 %147, ptr %145, align 16
  br label %148

148:
  br label %149

149:
  ret void
}

define i64 @jitmdh_device_status(ptr %0) nounwind {
  %2 = alloca i32, align 4
  %3 = alloca %struct.TimeSpec, align 8
  %4 = alloca i32, align 4
  %5 = alloca %struct.TimeSpec, align 8
  %6 = alloca i32, align 4
  %7 = load ptr, ptr %0, align 8
  store i32 0, ptr %6, align 4
  %8 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 4
  %9 = load i64, ptr %8, align 32
  %10 = icmp eq i64 %9, 0
  br i1 %10, label %13, label %11

11:
  %12 = sub i64 1099511627776, %9
  br label %111

13:
  %14 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %15 = load ptr, ptr %14, align 8
  %16 = icmp eq ptr %15, null
  br i1 %16, label %91, label %17

17:
  %18 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 11
  %19 = load ptr, ptr %18, align 8
  %20 = icmp eq ptr %19, null
  br i1 %20, label %72, label %21

21:
  %22 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 13
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %27, label %25

25:
  %26 = add i64 %23, -1
  br label %63

27:
  %28 = tail call i32 @platform_clock_monotonic()
  %29 = call i32 @clock_gettime(i32 %28, ptr %5)
  %30 = load i64, ptr %5, align 8
  %31 = mul i64 %30, 1000000000
  %32 = getelementptr inbounds %struct.TimeSpec, ptr %5, i64 0, i32 1
  %33 = load i64, ptr %32, align 8
  %34 = add i64 %33, 20000
  %35 = add i64 %34, %31
  store i32 0, ptr %4, align 4
  %36 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 9
  %37 = load ptr, ptr %36, align 8
  %38 = load ptr, ptr %18, align 8
  %39 = call i32 %37(ptr %38, i32 4563, i64 4, ptr %4, ptr null)
  %40 = load i32, ptr %4, align 4
  %41 = icmp slt i32 %40, 1
  br i1 %41, label %63, label %42

42:
  %43 = getelementptr inbounds %struct.TimeSpec, ptr %3, i64 0, i32 1
  br label %45

44:
  br i1 %59, label %63, label %45

45:
  %46 = call i32 @platform_clock_monotonic()
  %47 = call i32 @clock_gettime(i32 %46, ptr %3)
  %48 = load i64, ptr %3, align 8
  %49 = mul i64 %48, 1000000000
  %50 = load i64, ptr %43, align 8
  %51 = add i64 %49, %50
  %52 = icmp slt i64 %51, %35
  br i1 %52, label %53, label %63

53:
  %54 = phi i64 [ %60, %53 ], [ 0, %45 ]
  call void @platform_relax()
  store i32 0, ptr %2, align 4
  %55 = load ptr, ptr %36, align 8
  %56 = load ptr, ptr %18, align 8
  %57 = call i32 %55(ptr %56, i32 4563, i64 4, ptr %2, ptr null)
  %58 = load i32, ptr %2, align 4
  %59 = icmp slt i32 %58, 1
  %60 = add nuw nsw i64 %54, 1
  %61 = icmp ugt i64 %54, 2
  %62 = select i1 %61, i1 true, i1 %59
  br i1 %62, label %44, label %53

63:
  %64 = phi i64 [ %26, %25 ], [ 0, %27 ], [ 32, %45 ], [ 0, %44 ]
  store i64 %64, ptr %22, align 8
  %65 = load ptr, ptr %18, align 8
  %66 = icmp eq ptr %65, null
  br i1 %66, label %71, label %67

67:
  %68 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 10
  %69 = load ptr, ptr %68, align 16
  %70 = call i32 %69(ptr %65)
  br label %71

71:
  store ptr null, ptr %18, align 8
  br label %72

72:
  %73 = getelementptr inbounds %struct.Driver, ptr %7, i64 0, i32 6
  %74 = load ptr, ptr %73, align 8
  %75 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 2
  %76 = load ptr, ptr %75, align 16
  %77 = call i32 %74(ptr %76)
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %87, label %79

79:
  %80 = load i64, ptr %8, align 32
  %81 = icmp eq i64 %80, 0
  br i1 %81, label %82, label %84

82:
  %83 = sext i32 %77 to i64
  store i64 %83, ptr %8, align 32
  br label %84

84:
  %85 = phi i64 [ %80, %79 ], [ %83, %82 ]
  %86 = sub i64 1099511627776, %85
  br label %111

87:
  %88 = load ptr, ptr %14, align 8
  %89 = load volatile i32, ptr %88, align 4
  %90 = sext i32 %89 to i64
  br label %111

91:
  %92 = getelementptr inbounds %struct.Driver, ptr %7, i64 0, i32 4
  %93 = load ptr, ptr %92, align 8
  %94 = getelementptr inbounds %struct.Queue, ptr %7, i64 0, i32 2
  %95 = load ptr, ptr %94, align 16
  %96 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %97 = load ptr, ptr %96, align 8
  %98 = call i32 %93(ptr %95, ptr %97, i32 1, i64 0, i64 4, ptr %6, i32 0, ptr null, ptr null)
  %99 = icmp eq i32 %98, 0
  br i1 %99, label %108, label %100

100:
  %101 = load i64, ptr %8, align 32
  %102 = icmp eq i64 %101, 0
  br i1 %102, label %103, label %105

103:
  %104 = sext i32 %98 to i64
  store i64 %104, ptr %8, align 32
  br label %105

105:
  %106 = phi i64 [ %101, %100 ], [ %104, %103 ]
  %107 = sub i64 1099511627776, %106
  br label %111

108:
  %109 = load i32, ptr %6, align 4
  %110 = sext i32 %109 to i64
  br label %111

111:
  %112 = phi i64 [ %12, %11 ], [ %90, %87 ], [ %86, %84 ], [ %110, %108 ], [ %107, %105 ]
  ret i64 %112
}

define i64 @jitmdh_device_settle(ptr %0) nounwind {
  %2 = alloca i32, align 4
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 3
  %5 = load i64, ptr %4, align 8
  %6 = icmp eq i64 %5, 0
  br i1 %6, label %7, label %79

7:
  %8 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 13
  %9 = tail call i32 @pthread_mutex_lock(ptr %8)
  %10 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 4
  store i64 0, ptr %10, align 32
  %11 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  %12 = load i64, ptr %11, align 8
  %13 = icmp eq i64 %12, 0
  br i1 %13, label %76, label %14

14:
  %15 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 7
  %16 = load ptr, ptr %15, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %28, label %18

18:
  %19 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 2
  %20 = load ptr, ptr %19, align 16
  %21 = tail call i32 %16(ptr %20)
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %28, label %23

23:
  %24 = load i64, ptr %10, align 32
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %26, label %66

26:
  %27 = sext i32 %21 to i64
  store i64 %27, ptr %10, align 32
  br label %66

28:
  %29 = load ptr, ptr %0, align 8
  %30 = tail call i64 @jitmdh_device_status(ptr %0)
  store i32 0, ptr %2, align 4
  %31 = getelementptr inbounds %struct.Queue, ptr %29, i64 0, i32 4
  %32 = load i64, ptr %31, align 32
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %40, label %34

34:
  %35 = getelementptr inbounds %struct.Driver, ptr %29, i64 0, i32 6
  %36 = load ptr, ptr %35, align 16
  %37 = getelementptr inbounds %struct.Queue, ptr %29, i64 0, i32 2
  %38 = load ptr, ptr %37, align 16
  %39 = tail call i32 %36(ptr %38)
  br label %40

40:
  store i64 0, ptr %11, align 8
  %41 = icmp eq i64 %30, 0
  br i1 %41, label %69, label %42

42:
  %43 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %44 = load ptr, ptr %43, align 8
  %45 = icmp eq ptr %44, null
  br i1 %45, label %47, label %46

46:
  store i32 0, ptr %44, align 4
  br label %61

47:
  %48 = getelementptr inbounds %struct.Driver, ptr %29, i64 0, i32 5
  %49 = load ptr, ptr %48, align 8
  %50 = getelementptr inbounds %struct.Queue, ptr %29, i64 0, i32 2
  %51 = load ptr, ptr %50, align 16
  %52 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %53 = load ptr, ptr %52, align 8
  %54 = call i32 %49(ptr %51, ptr %53, i32 1, i64 0, i64 4, ptr %2, i32 0, ptr null, ptr null)
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %61, label %56

56:
  %57 = load i64, ptr %31, align 32
  %58 = icmp eq i64 %57, 0
  br i1 %58, label %59, label %61

59:
  %60 = sext i32 %54 to i64
  store i64 %60, ptr %31, align 32
  br label %61

61:
  %62 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %63 = load ptr, ptr %62, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %69, label %65

65:
  store i32 0, ptr %63, align 4
  br label %69

66:
  %67 = phi i64 [ %24, %23 ], [ %27, %26 ]
  %68 = sub i64 1099511627776, %67
  br label %76

69:
  %70 = getelementptr inbounds %struct.Driver, ptr %3, i64 0, i32 8
  %71 = load ptr, ptr %70, align 64
  %72 = icmp eq ptr %71, null
  br i1 %72, label %76, label %73

73:
  %74 = getelementptr inbounds %struct.Queue, ptr %3, i64 0, i32 2
  %75 = load ptr, ptr %74, align 16
  call void %71(ptr %75)
  br label %76

76:
  %77 = phi i64 [ 0, %7 ], [ %68, %66 ], [ %30, %69 ], [ %30, %73 ]
  %78 = call i32 @pthread_mutex_unlock(ptr %8)
  br label %79

79:
  %80 = phi i64 [ %77, %76 ], [ 0, %1 ]
  ret i64 %80
}

declare i32 @pthread_mutex_lock(ptr)

declare i32 @pthread_mutex_unlock(ptr)

define i64 @jitmdh_device_call(ptr %0, ptr %1, ptr %2) nounwind {
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = load ptr, ptr %0, align 8
  %9 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 3
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %12, label %365

12:
  %13 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 13
  %14 = tail call i32 @pthread_mutex_lock(ptr %13)
  %15 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 4
  store i64 0, ptr %15, align 32
  %16 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 7
  store ptr %2, ptr %16, align 8
  %17 = getelementptr inbounds %struct.Driver, ptr %8, i64 0, i32 7
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %31, label %20

20:
  %21 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 2
  %22 = load ptr, ptr %21, align 16
  %23 = tail call i32 %18(ptr %22)
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %31, label %25

25:
  %26 = load i64, ptr %15, align 32
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %28, label %88

28:
  %29 = sext i32 %23 to i64
  store i64 %29, ptr %15, align 32
  %30 = sub nsw i64 1099511627776, %29
  br label %362

31:
  %32 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, null
  br i1 %34, label %35, label %38

35:
  %36 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %37 = load ptr, ptr %36, align 8
  br label %38

38:
  %39 = phi ptr [ %37, %35 ], [ %33, %31 ]
  %40 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %41 = load i64, ptr %40, align 8
  %42 = icmp eq i64 %41, 2
  %43 = icmp ne ptr %39, null
  %44 = select i1 %42, i1 %43, i1 false
  br i1 %44, label %45, label %91

45:
  %46 = load volatile i32, ptr %39, align 4
  %47 = icmp eq i32 %46, 0
  br i1 %47, label %91, label %48

48:
  %49 = load ptr, ptr %0, align 8
  %50 = tail call i64 @jitmdh_device_status(ptr %0)
  store i32 0, ptr %7, align 4
  %51 = getelementptr inbounds %struct.Queue, ptr %49, i64 0, i32 4
  %52 = load i64, ptr %51, align 32
  %53 = icmp eq i64 %52, 0
  br i1 %53, label %60, label %54

54:
  %55 = getelementptr inbounds %struct.Driver, ptr %49, i64 0, i32 6
  %56 = load ptr, ptr %55, align 16
  %57 = getelementptr inbounds %struct.Queue, ptr %49, i64 0, i32 2
  %58 = load ptr, ptr %57, align 16
  %59 = tail call i32 %56(ptr %58)
  br label %60

60:
  %61 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  store i64 0, ptr %61, align 8
  %62 = icmp eq i64 %50, 0
  br i1 %62, label %87, label %63

63:
  %64 = load ptr, ptr %32, align 8
  %65 = icmp eq ptr %64, null
  br i1 %65, label %67, label %66

66:
  store i32 0, ptr %64, align 4
  br label %81

67:
  %68 = getelementptr inbounds %struct.Driver, ptr %49, i64 0, i32 5
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds %struct.Queue, ptr %49, i64 0, i32 2
  %71 = load ptr, ptr %70, align 16
  %72 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %73 = load ptr, ptr %72, align 8
  %74 = call i32 %69(ptr %71, ptr %73, i32 1, i64 0, i64 4, ptr %7, i32 0, ptr null, ptr null)
  %75 = icmp eq i32 %74, 0
  br i1 %75, label %81, label %76

76:
  %77 = load i64, ptr %51, align 32
  %78 = icmp eq i64 %77, 0
  br i1 %78, label %79, label %81

79:
  %80 = sext i32 %74 to i64
  store i64 %80, ptr %51, align 32
  br label %81

81:
  %82 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %83 = load ptr, ptr %82, align 8
  %84 = icmp eq ptr %83, null
  br i1 %84, label %86, label %85

85:
  store i32 0, ptr %83, align 4
  br label %86

86:
  br label %354

87:
  br label %91

88:
  %89 = sub i64 1099511627776, %26
  %90 = icmp eq i64 %26, 1099511627776
  br i1 %90, label %91, label %362

91:
  %92 = phi i1 [ true, %87 ], [ true, %45 ], [ true, %38 ], [ false, %88 ]
  %93 = load ptr, ptr %0, align 8
  %94 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 4
  %95 = load i64, ptr %94, align 8
  %96 = icmp sgt i64 %95, 0
  br i1 %96, label %97, label %207

97:
  %98 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  %99 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %100 = getelementptr inbounds %struct.Queue, ptr %93, i64 0, i32 1
  br label %101

101:
  %102 = phi i64 [ 0, %97 ], [ %199, %198 ]
  %103 = load ptr, ptr %98, align 8
  %104 = getelementptr %struct.Array, ptr %103, i64 %102
  %105 = load i64, ptr %104, align 8
  %106 = getelementptr i64, ptr %2, i64 %105
  %107 = load i64, ptr %106, align 8
  %108 = inttoptr i64 %107 to ptr
  %109 = getelementptr %struct.Array, ptr %103, i64 %102, i32 3
  store ptr %108, ptr %109, align 8
  %110 = load i64, ptr %99, align 8
  %111 = icmp eq i64 %110, 0
  br i1 %111, label %112, label %198

112:
  %113 = getelementptr i64, ptr %106, i64 1
  %114 = getelementptr %struct.Array, ptr %103, i64 %102, i32 1
  %115 = load i64, ptr %114, align 8
  %116 = getelementptr i64, ptr %113, i64 %115
  %117 = getelementptr %struct.Array, ptr %103, i64 %102, i32 2
  %118 = load i64, ptr %117, align 8
  %119 = icmp sgt i64 %115, 0
  br i1 %119, label %120, label %142

120:
  %121 = phi i64 [ %140, %137 ], [ 0, %112 ]
  %122 = phi i64 [ %139, %137 ], [ %118, %112 ]
  %123 = getelementptr i64, ptr %113, i64 %121
  %124 = load i64, ptr %123, align 8
  %125 = icmp slt i64 %124, 1
  br i1 %125, label %126, label %127

126:
  store i32 0, ptr %6, align 4
  br label %145

127:
  %128 = icmp eq i64 %124, 1
  br i1 %128, label %137, label %129

129:
  %130 = getelementptr i64, ptr %116, i64 %121
  %131 = load i64, ptr %130, align 8
  %132 = icmp slt i64 %131, 0
  br i1 %132, label %133, label %134

133:
  store i32 0, ptr %6, align 4
  br label %181

134:
  %135 = add nsw i64 %124, -1
  %136 = mul i64 %131, %135
  br label %137

137:
  %138 = phi i64 [ %136, %134 ], [ 0, %127 ]
  %139 = add i64 %138, %122
  %140 = add nuw nsw i64 %121, 1
  %141 = icmp eq i64 %140, %115
  br i1 %141, label %142, label %120

142:
  %143 = phi i64 [ %118, %112 ], [ %139, %137 ]
  store i32 0, ptr %6, align 4
  %144 = icmp sgt i64 %143, -1
  br i1 %144, label %145, label %181

145:
  %146 = phi i64 [ 0, %126 ], [ %143, %142 ]
  %147 = load ptr, ptr %93, align 64
  %148 = load ptr, ptr %100, align 8
  %149 = call i64 @llvm.smax.i64(i64 %146, i64 1)
  %150 = call ptr %147(ptr %148, i64 9, i64 %149, ptr %108, ptr %6)
  store ptr %150, ptr %109, align 8
  %151 = load i32, ptr %6, align 4
  %152 = icmp eq i32 %151, 0
  br i1 %152, label %197, label %153

153:
  %154 = getelementptr inbounds %struct.Queue, ptr %93, i64 0, i32 4
  %155 = load i64, ptr %154, align 32
  %156 = icmp eq i64 %155, 0
  br i1 %156, label %157, label %159

157:
  %158 = sext i32 %151 to i64
  store i64 %158, ptr %154, align 32
  br label %159

159:
  %160 = phi i64 [ %155, %153 ], [ %158, %157 ]
  %161 = load i64, ptr %99, align 8
  %162 = icmp eq i64 %161, 0
  %163 = icmp ne i64 %102, 0
  %164 = and i1 %163, %162
  br i1 %164, label %165, label %203

165:
  %166 = phi i64 [ %174, %165 ], [ 0, %159 ]
  %167 = load ptr, ptr %0, align 8
  %168 = getelementptr inbounds %struct.Driver, ptr %167, i64 0, i32 1
  %169 = load ptr, ptr %168, align 8
  %170 = load ptr, ptr %98, align 8
  %171 = getelementptr %struct.Array, ptr %170, i64 %166, i32 3
  %172 = load ptr, ptr %171, align 8
  %173 = call i32 %169(ptr %172)
  %174 = add nuw nsw i64 %166, 1
  %175 = load i64, ptr %99, align 8
  %176 = icmp eq i64 %175, 0
  %177 = icmp ult i64 %174, %102
  %178 = select i1 %176, i1 %177, i1 false
  br i1 %178, label %165, label %179

179:
  %180 = load i64, ptr %154, align 32
  br label %203

181:
  %182 = icmp eq i64 %102, 0
  br i1 %182, label %202, label %183

183:
  %184 = phi i64 [ %192, %183 ], [ 0, %181 ]
  %185 = load ptr, ptr %0, align 8
  %186 = getelementptr inbounds %struct.Driver, ptr %185, i64 0, i32 1
  %187 = load ptr, ptr %186, align 8
  %188 = load ptr, ptr %98, align 8
  %189 = getelementptr %struct.Array, ptr %188, i64 %184, i32 3
  %190 = load ptr, ptr %189, align 8
  %191 = call i32 %187(ptr %190)
  %192 = add nuw nsw i64 %184, 1
  %193 = load i64, ptr %99, align 8
  %194 = icmp eq i64 %193, 0
  %195 = icmp ult i64 %192, %102
  %196 = select i1 %194, i1 %195, i1 false
  br i1 %196, label %183, label %202

197:
  br label %198

198:
  %199 = add nuw nsw i64 %102, 1
  %200 = load i64, ptr %94, align 8
  %201 = icmp slt i64 %199, %200
  br i1 %201, label %101, label %207

202:
  br i1 %92, label %354, label %362

203:
  %204 = phi i64 [ %180, %179 ], [ %160, %159 ]
  %205 = sub i64 1099511627776, %204
  %206 = icmp eq i64 %204, 1099511627776
  br i1 %206, label %207, label %352

207:
  %208 = call i64 %1(ptr %2)
  %209 = load ptr, ptr %0, align 8
  %210 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 8
  %211 = load i64, ptr %210, align 8
  %212 = icmp eq i64 %211, 1
  br i1 %212, label %217, label %213

213:
  %214 = getelementptr inbounds %struct.Queue, ptr %209, i64 0, i32 4
  %215 = load i64, ptr %214, align 32
  %216 = icmp eq i64 %215, 0
  br i1 %216, label %256, label %217

217:
  %218 = call i64 @jitmdh_device_status(ptr %0)
  store i32 0, ptr %5, align 4
  %219 = getelementptr inbounds %struct.Queue, ptr %209, i64 0, i32 4
  %220 = load i64, ptr %219, align 32
  %221 = icmp eq i64 %220, 0
  br i1 %221, label %228, label %222

222:
  %223 = getelementptr inbounds %struct.Driver, ptr %209, i64 0, i32 6
  %224 = load ptr, ptr %223, align 16
  %225 = getelementptr inbounds %struct.Queue, ptr %209, i64 0, i32 2
  %226 = load ptr, ptr %225, align 16
  %227 = call i32 %224(ptr %226)
  br label %228

228:
  %229 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  store i64 0, ptr %229, align 8
  %230 = icmp eq i64 %218, 0
  br i1 %230, label %255, label %231

231:
  %232 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %233 = load ptr, ptr %232, align 8
  %234 = icmp eq ptr %233, null
  br i1 %234, label %236, label %235

235:
  store i32 0, ptr %233, align 4
  br label %250

236:
  %237 = getelementptr inbounds %struct.Driver, ptr %209, i64 0, i32 5
  %238 = load ptr, ptr %237, align 8
  %239 = getelementptr inbounds %struct.Queue, ptr %209, i64 0, i32 2
  %240 = load ptr, ptr %239, align 16
  %241 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %242 = load ptr, ptr %241, align 8
  %243 = call i32 %238(ptr %240, ptr %242, i32 1, i64 0, i64 4, ptr %5, i32 0, ptr null, ptr null)
  %244 = icmp eq i32 %243, 0
  br i1 %244, label %250, label %245

245:
  %246 = load i64, ptr %219, align 32
  %247 = icmp eq i64 %246, 0
  br i1 %247, label %248, label %250

248:
  %249 = sext i32 %243 to i64
  store i64 %249, ptr %219, align 32
  br label %250

250:
  %251 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %252 = load ptr, ptr %251, align 8
  %253 = icmp eq ptr %252, null
  br i1 %253, label %255, label %254

254:
  store i32 0, ptr %252, align 4
  br label %255

255:
  br label %315

256:
  %257 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 12
  store i64 1, ptr %257, align 8
  %258 = icmp eq i64 %211, 2
  br i1 %258, label %259, label %315

259:
  %260 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 10
  %261 = load ptr, ptr %260, align 8
  %262 = icmp eq ptr %261, null
  br i1 %262, label %263, label %315

263:
  %264 = getelementptr inbounds %struct.Driver, ptr %209, i64 0, i32 4
  %265 = load ptr, ptr %264, align 32
  %266 = getelementptr inbounds %struct.Queue, ptr %209, i64 0, i32 2
  %267 = load ptr, ptr %266, align 16
  %268 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 9
  %269 = load ptr, ptr %268, align 8
  %270 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 11
  %271 = load ptr, ptr %270, align 8
  %272 = call i32 %265(ptr %267, ptr %269, i32 0, i64 0, i64 4, ptr %271, i32 0, ptr null, ptr null)
  %273 = icmp eq i32 %272, 0
  br i1 %273, label %315, label %274

274:
  %275 = load i64, ptr %214, align 32
  %276 = icmp eq i64 %275, 0
  br i1 %276, label %277, label %279

277:
  %278 = sext i32 %272 to i64
  store i64 %278, ptr %214, align 32
  br label %279

279:
  %280 = load ptr, ptr %0, align 8
  %281 = call i64 @jitmdh_device_status(ptr %0)
  store i32 0, ptr %4, align 4
  %282 = getelementptr inbounds %struct.Queue, ptr %280, i64 0, i32 4
  %283 = load i64, ptr %282, align 32
  %284 = icmp eq i64 %283, 0
  br i1 %284, label %291, label %285

285:
  %286 = getelementptr inbounds %struct.Driver, ptr %280, i64 0, i32 6
  %287 = load ptr, ptr %286, align 16
  %288 = getelementptr inbounds %struct.Queue, ptr %280, i64 0, i32 2
  %289 = load ptr, ptr %288, align 16
  %290 = call i32 %287(ptr %289)
  br label %291

291:
  store i64 0, ptr %257, align 8
  %292 = icmp eq i64 %281, 0
  br i1 %292, label %314, label %293

293:
  %294 = load ptr, ptr %260, align 8
  %295 = icmp eq ptr %294, null
  br i1 %295, label %297, label %296

296:
  store i32 0, ptr %294, align 4
  br label %310

297:
  %298 = getelementptr inbounds %struct.Driver, ptr %280, i64 0, i32 5
  %299 = load ptr, ptr %298, align 8
  %300 = getelementptr inbounds %struct.Queue, ptr %280, i64 0, i32 2
  %301 = load ptr, ptr %300, align 16
  %302 = load ptr, ptr %268, align 8
  %303 = call i32 %299(ptr %301, ptr %302, i32 1, i64 0, i64 4, ptr %4, i32 0, ptr null, ptr null)
  %304 = icmp eq i32 %303, 0
  br i1 %304, label %310, label %305

305:
  %306 = load i64, ptr %282, align 32
  %307 = icmp eq i64 %306, 0
  br i1 %307, label %308, label %310

308:
  %309 = sext i32 %303 to i64
  store i64 %309, ptr %282, align 32
  br label %310

310:
  %311 = load ptr, ptr %270, align 8
  %312 = icmp eq ptr %311, null
  br i1 %312, label %314, label %313

313:
  store i32 0, ptr %311, align 4
  br label %314

314:
  br label %315

315:
  %316 = phi i64 [ %218, %255 ], [ %281, %314 ], [ 0, %259 ], [ 0, %256 ], [ 0, %263 ]
  %317 = icmp eq i64 %208, 0
  br i1 %317, label %319, label %318

318:
  call fastcc void @release_all(ptr %0)
  br label %319

319:
  %320 = icmp eq i64 %316, 0
  %321 = select i1 %320, i64 %208, i64 %316
  %322 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 11
  %323 = load ptr, ptr %322, align 8
  %324 = icmp eq ptr %323, null
  br i1 %324, label %329, label %325

325:
  %326 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 10
  %327 = load ptr, ptr %326, align 16
  %328 = call i32 %327(ptr %323)
  br label %329

329:
  store ptr null, ptr %322, align 8
  %330 = load i64, ptr %94, align 8
  %331 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 1
  %332 = load i64, ptr %331, align 8
  %333 = icmp eq i64 %332, 0
  %334 = icmp sgt i64 %330, 0
  %335 = and i1 %334, %333
  br i1 %335, label %336, label %352

336:
  %337 = getelementptr inbounds %struct.Program, ptr %0, i64 0, i32 5
  br label %338

338:
  %339 = phi i64 [ 0, %336 ], [ %347, %338 ]
  %340 = load ptr, ptr %0, align 8
  %341 = getelementptr inbounds %struct.Driver, ptr %340, i64 0, i32 1
  %342 = load ptr, ptr %341, align 8
  %343 = load ptr, ptr %337, align 8
  %344 = getelementptr %struct.Array, ptr %343, i64 %339, i32 3
  %345 = load ptr, ptr %344, align 8
  %346 = call i32 %342(ptr %345)
  %347 = add nuw nsw i64 %339, 1
  %348 = load i64, ptr %331, align 8
  %349 = icmp eq i64 %348, 0
  %350 = icmp slt i64 %347, %330
  %351 = select i1 %349, i1 %350, i1 false
  br i1 %351, label %338, label %352

352:
  %353 = phi i64 [ %205, %203 ], [ %321, %329 ], [ %321, %338 ]
  br i1 %92, label %354, label %362

354:
  %355 = phi i64 [ %353, %352 ], [ 1048575, %202 ], [ %50, %86 ]
  %356 = getelementptr inbounds %struct.Driver, ptr %8, i64 0, i32 8
  %357 = load ptr, ptr %356, align 64
  %358 = icmp eq ptr %357, null
  br i1 %358, label %362, label %359

359:
  %360 = getelementptr inbounds %struct.Queue, ptr %8, i64 0, i32 2
  %361 = load ptr, ptr %360, align 16
  call void %357(ptr %361)
  br label %362

362:
  %363 = phi i64 [ %353, %352 ], [ 1048575, %202 ], [ %355, %354 ], [ %355, %359 ], [ %89, %88 ], [ %30, %28 ]
  %364 = call i32 @pthread_mutex_unlock(ptr %13)
  br label %365

365:
  %366 = phi i64 [ %363, %362 ], [ 5, %3 ]
  ret i64 %366
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
  %8 = phi ptr [ %9, %59 ], [ %4, %1 ]
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 3
  %11 = load i64, ptr %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %59, label %13

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
  br i1 %20, label %29, label %21

21:
  %22 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 4
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %59, label %25

25:
  %26 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 4
  %27 = load i64, ptr %26, align 32
  %28 = icmp eq i64 %27, 0
  br i1 %28, label %59, label %29

29:
  %30 = getelementptr inbounds %struct.Queue, ptr %14, i64 0, i32 8
  %31 = load ptr, ptr %30, align 8
  %32 = icmp eq ptr %31, null
  br i1 %32, label %59, label %33

33:
  %34 = getelementptr inbounds %struct.Driver, ptr %14, i64 0, i32 1
  %35 = getelementptr inbounds %struct.Block, ptr %8, i64 0, i32 1
  br label %36

36:
  %37 = phi ptr [ %31, %33 ], [ %47, %46 ]
  %38 = phi ptr [ %30, %33 ], [ %40, %46 ]
  br label %39

39:
  %40 = phi ptr [ %37, %36 ], [ %57, %49 ]
  %41 = getelementptr inbounds %struct.Block, ptr %40, i64 0, i32 3
  %42 = load i64, ptr %41, align 8
  %43 = icmp eq i64 %42, 0
  %44 = icmp eq ptr %40, %8
  %45 = select i1 %43, i1 %44, i1 false
  br i1 %45, label %49, label %46

46:
  %47 = load ptr, ptr %40, align 8
  %48 = icmp eq ptr %47, null
  br i1 %48, label %59, label %36

49:
  %50 = load ptr, ptr %8, align 8
  store ptr %50, ptr %38, align 8
  %51 = load i64, ptr %15, align 8
  %52 = load i64, ptr %17, align 8
  %53 = sub i64 %52, %51
  store i64 %53, ptr %17, align 8
  %54 = load ptr, ptr %34, align 8
  %55 = load ptr, ptr %35, align 8
  %56 = tail call i32 %54(ptr %55)
  tail call void @free(ptr %8)
  %57 = load ptr, ptr %38, align 8
  %58 = icmp eq ptr %57, null
  br i1 %58, label %59, label %39

59:
  %60 = icmp eq ptr %9, null
  br i1 %60, label %6, label %7
}

declare i32 @posix_memalign(ptr, i64, i64)

declare void @free(ptr)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

declare void @platform_relax()

declare i32 @clock_gettime(i32, ptr)

declare i32 @platform_clock_monotonic()

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.smin.i64(i64, i64)
