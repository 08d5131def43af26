; Generated from cuda.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 1b3c0cf395ae9a8e6ed10e097c96e902

%struct.Stream = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr }
%struct.Kernel = type { ptr, ptr, ptr }

define ptr @jitmdh_cuda_create(ptr %0, i64 %1, i64 %2, ptr %3, ptr %4) nounwind {
  %6 = alloca ptr, align 8
  store ptr null, ptr %6, align 8
  %7 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 2
  %8 = load ptr, ptr %7, align 8
  %9 = call i32 %8(ptr %6, i64 %2)
  %10 = sub i32 0, %9
  store i32 %10, ptr %4, align 4
  %11 = icmp eq i32 %9, 0
  %12 = load ptr, ptr %6, align 8
  %13 = select i1 %11, ptr %12, ptr null
  ret ptr %13
}

define i32 @jitmdh_cuda_bind(ptr %0, i32 %1, i64 %2, ptr %3) nounwind {
  %5 = getelementptr inbounds %struct.Kernel, ptr %0, i64 0, i32 1
  %6 = load ptr, ptr %5, align 8
  %7 = zext i32 %1 to i64
  %8 = getelementptr [2 x i64], ptr %6, i64 %7
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %8, ptr align 1 %3, i64 %2, i1 false)
  ret i32 0
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @jitmdh_cuda_range(ptr %0, ptr %1, i32 %2, ptr %3, ptr %4, ptr %5, i32 %6, ptr %7, ptr %8) nounwind {
  %10 = icmp eq ptr %5, null
  br i1 %10, label %29, label %11

11:
  %12 = load i64, ptr %4, align 8
  %13 = load i64, ptr %5, align 8
  %14 = udiv i64 %12, %13
  %15 = add i64 %14, -2147483648
  %16 = icmp ult i64 %15, -2147483647
  br i1 %16, label %29, label %17

17:
  %18 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 6
  %19 = load ptr, ptr %18, align 8
  %20 = load ptr, ptr %1, align 8
  %21 = trunc i64 %14 to i32
  %22 = trunc i64 %13 to i32
  %23 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 8
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds %struct.Kernel, ptr %1, i64 0, i32 2
  %26 = load ptr, ptr %25, align 8
  %27 = tail call i32 %19(ptr %20, i32 %21, i32 1, i32 1, i32 %22, i32 1, i32 1, i32 0, ptr %24, ptr %26, ptr null)
  %28 = sub i32 0, %27
  br label %29

29:
  %30 = phi i32 [ %28, %17 ], [ -1, %11 ], [ -1, %9 ]
  ret i32 %30
}

define i32 @jitmdh_cuda_read(ptr %0, ptr %1, i32 %2, i64 %3, i64 %4, ptr %5, i32 %6, ptr %7, ptr %8) nounwind {
  %10 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 3
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr i8, ptr %1, i64 %3
  %13 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 8
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 %11(ptr %5, ptr %12, i64 %4, ptr %14)
  %16 = icmp eq i32 %15, 0
  %17 = icmp ne i32 %2, 0
  %18 = and i1 %17, %16
  br i1 %18, label %19, label %24

19:
  %20 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 5
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr %13, align 8
  %23 = tail call i32 %21(ptr %22)
  br label %24

24:
  %25 = phi i32 [ %23, %19 ], [ %15, %9 ]
  %26 = sub i32 0, %25
  ret i32 %26
}

define i32 @jitmdh_cuda_write(ptr %0, ptr %1, i32 %2, i64 %3, i64 %4, ptr %5, i32 %6, ptr %7, ptr %8) nounwind {
  %10 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 4
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr i8, ptr %1, i64 %3
  %13 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 8
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 %11(ptr %12, ptr %5, i64 %4, ptr %14)
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %22

17:
  %18 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 5
  %19 = load ptr, ptr %18, align 8
  %20 = load ptr, ptr %13, align 8
  %21 = tail call i32 %19(ptr %20)
  br label %22

22:
  %23 = phi i32 [ %21, %17 ], [ %15, %9 ]
  %24 = sub i32 0, %23
  ret i32 %24
}

define i32 @jitmdh_cuda_finish(ptr %0) nounwind {
  %2 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 5
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 8
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i32 %3(ptr %5)
  %7 = sub i32 0, %6
  ret i32 %7
}

define i32 @jitmdh_cuda_enter(ptr %0) nounwind {
  %2 = alloca ptr, align 8
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 7
  %5 = load ptr, ptr %4, align 8
  %6 = tail call i32 %3(ptr %5)
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %10, label %8

8:
  %9 = sub i32 0, %6
  br label %30

10:
  %11 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 8
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 9
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %12, %14
  br i1 %15, label %28, label %16

16:
  %17 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 5
  %18 = load ptr, ptr %17, align 8
  %19 = tail call i32 %18(ptr %14)
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %23

21:
  %22 = load ptr, ptr %11, align 8
  br label %28

23:
  %24 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 1
  %25 = load ptr, ptr %24, align 8
  %26 = call i32 %25(ptr %2)
  %27 = sub i32 0, %19
  br label %30

28:
  %29 = phi ptr [ %22, %21 ], [ %12, %10 ]
  store ptr %29, ptr %13, align 8
  br label %30

30:
  %31 = phi i32 [ %9, %8 ], [ %27, %23 ], [ 0, %28 ]
  ret i32 %31
}

define void @jitmdh_cuda_leave(ptr %0) nounwind {
  %2 = alloca ptr, align 8
  %3 = getelementptr inbounds %struct.Stream, ptr %0, i64 0, i32 1
  %4 = load ptr, ptr %3, align 8
  %5 = call i32 %4(ptr %2)
  ret void
}
