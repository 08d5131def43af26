; The call path from CPython into a compiled function: what a C extension would do, in LLVM IR.
;
; A *plan* describes one specialisation as an array of i64 words (built by cpu_entry.py):
;
;   0 parameters  1 kernel  2 guard (or 0)  3 frame slots  4 allocations to return  5 results (-1: None)
;   6 1 = results as a tuple  7 1 = some array is written  8 1 = release the GIL  9 word of the conditions (0: none)
;   then 10 words per parameter:
;      0 kind: 0 array, 1 value copied from the object, 2 Python int, 3 Python bool
;      1 rank | bytes of the value     2 dtype | exact type     3 another dtype that is the same type
;      4 axis of unit stride or -1     5 item size              6 array flags that must be set (0x400: written)
;      7 alias class                   8 slot in the frame      9 reserved
;   then 6 words per allocation: 0 kind: 0 array, 1 NumPy scalar, 2 Python float, 3 int, 4 bool, 5 complex
;      1 rank  2 dtype  3 slot  4, 5 reserved
;   then 2 words per result: 0 kind: 0 argument, 1 allocation   1 its number
;   then, if there are conditions, their number, a plan that differs in code and conditions only and comes next if
;      these do not hold (or 0), and 4 words per condition: slot, least and greatest value, what it is a multiple of
;
; Offsets in objects are those of CPython (with a GIL) and NumPy 2 on 64-bit machines; cpu_entry.py tries them all
; before it uses any of this.

@PyLong_Type = external global i8
@_Py_TrueStruct = external global i8
@_Py_FalseStruct = external global i8
@_Py_NoneStruct = external global i8
@jitmdh_ndarray_type = external global i8

declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyComplex_FromDoubles(double, double)
declare ptr @PyDict_GetItem(ptr, ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @jitmdh_array_empty(i32, ptr, ptr, i32)    ; PyArray_Empty
declare ptr @jitmdh_array_scalar(ptr, ptr, ptr)        ; PyArray_Scalar
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.abs.i64(i64, i1)

; ------------------------------------------------------------------------------------------------ arrays

; Whether no two elements share memory, decided by a sufficient test: taken by ascending stride, each stride is at
; least the extent of those before. Extents 1 do not count.
define internal i1 @separate(i64 %rank, ptr %dims, ptr %strides, i64 %itemsize) {
entry:
  br label %next
next:
  %need = phi i64 [ %itemsize, %entry ], [ %need1, %accept ]
  %done = phi i64 [ 0, %entry ], [ %done1, %accept ]
  br label %scan
scan:
  %j = phi i64 [ 0, %next ], [ %j1, %scan_step ]
  %best = phi i64 [ -1, %next ], [ %best1, %scan_step ]
  %best_stride = phi i64 [ 9223372036854775807, %next ], [ %best_stride1, %scan_step ]
  %over = icmp sge i64 %j, %rank
  br i1 %over, label %chosen, label %scan_step
scan_step:
  %np = getelementptr i64, ptr %dims, i64 %j
  %n = load i64, ptr %np
  %sp = getelementptr i64, ptr %strides, i64 %j
  %s = load i64, ptr %sp
  %size = call i64 @llvm.abs.i64(i64 %s, i1 false)
  %bits = lshr i64 %done, %j
  %bit = and i64 %bits, 1
  %left = icmp eq i64 %bit, 0
  %counts = icmp sgt i64 %n, 1
  %less = icmp slt i64 %size, %best_stride
  %c1 = and i1 %left, %counts
  %take = and i1 %c1, %less
  %best1 = select i1 %take, i64 %j, i64 %best
  %best_stride1 = select i1 %take, i64 %size, i64 %best_stride
  %j1 = add i64 %j, 1
  br label %scan
chosen:
  %none = icmp slt i64 %best, 0
  br i1 %none, label %yes, label %test
test:
  %short = icmp slt i64 %best_stride, %need
  br i1 %short, label %no, label %accept
accept:
  %bnp = getelementptr i64, ptr %dims, i64 %best
  %bn = load i64, ptr %bnp
  %bn1 = sub i64 %bn, 1
  %span = mul i64 %bn1, %best_stride
  %need1 = add i64 %need, %span
  %one = shl i64 1, %best
  %done1 = or i64 %done, %one
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}

; One array argument: checks it against its words of the plan, fills its slots, notes the bytes it spans in
; extent[0], extent[1]. Returns whether it fits.
define internal i1 @take_array(ptr %p, ptr %object, ptr %frame, ptr %extent) alwaysinline {
entry:
  %type_at = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, @jitmdh_ndarray_type
  br i1 %is_array, label %descr_check, label %no
descr_check:
  %descr_at = getelementptr i8, ptr %object, i64 56
  %descr = load ptr, ptr %descr_at
  %want_at = getelementptr i64, ptr %p, i64 2
  %want = load ptr, ptr %want_at
  %want2_at = getelementptr i64, ptr %p, i64 3
  %want2 = load ptr, ptr %want2_at
  %d1 = icmp eq ptr %descr, %want
  %d2 = icmp eq ptr %descr, %want2
  %d = or i1 %d1, %d2
  br i1 %d, label %rank_check, label %no
rank_check:
  %nd_at = getelementptr i8, ptr %object, i64 24
  %nd32 = load i32, ptr %nd_at
  %nd = sext i32 %nd32 to i64
  %rank_at = getelementptr i64, ptr %p, i64 1
  %rank = load i64, ptr %rank_at
  %same_rank = icmp eq i64 %nd, %rank
  br i1 %same_rank, label %flags_check, label %no
flags_check:
  %flags_at = getelementptr i8, ptr %object, i64 64
  %flags32 = load i32, ptr %flags_at
  %flags = zext i32 %flags32 to i64
  %need_at = getelementptr i64, ptr %p, i64 6
  %need = load i64, ptr %need_at
  %have = and i64 %flags, %need
  %all = icmp eq i64 %have, %need
  br i1 %all, label %fill, label %no
fill:
  %data_at = getelementptr i8, ptr %object, i64 16
  %data = load i64, ptr %data_at
  %dims_at = getelementptr i8, ptr %object, i64 32
  %dims = load ptr, ptr %dims_at
  %strides_at = getelementptr i8, ptr %object, i64 40
  %strides = load ptr, ptr %strides_at
  %slot_at = getelementptr i64, ptr %p, i64 8
  %slot = load i64, ptr %slot_at
  %own = getelementptr i64, ptr %frame, i64 %slot
  store i64 %data, ptr %own
  %shape_out = getelementptr i64, ptr %own, i64 1
  %strides_out = getelementptr i64, ptr %shape_out, i64 %rank
  %itemsize_at = getelementptr i64, ptr %p, i64 5
  %itemsize = load i64, ptr %itemsize_at
  %size_mask = sub i64 %itemsize, 1
  %size_rest = and i64 %itemsize, %size_mask
  %is_power = icmp eq i64 %size_rest, 0                  ; of two: all scalar types, and some records
  br label %axis
axis:
  %k = phi i64 [ 0, %fill ], [ %k1, %axis_next ]
  %lo = phi i64 [ %data, %fill ], [ %lo1, %axis_next ]
  %hi = phi i64 [ %data, %fill ], [ %hi1, %axis_next ]
  %empty = phi i1 [ false, %fill ], [ %empty1, %axis_next ]
  %even = phi i64 [ 0, %fill ], [ %even1, %axis_next ]   ; not 0: a stride is no multiple of the item size
  %dense = phi i1 [ false, %fill ], [ %dense1, %axis_next ] ; neighbours along some axis are neighbours in memory
  %axes_done = icmp sge i64 %k, %rank
  br i1 %axes_done, label %strides_check, label %axis_step
axis_step:
  %np = getelementptr i64, ptr %dims, i64 %k
  %n = load i64, ptr %np
  %sp = getelementptr i64, ptr %strides, i64 %k
  %given = load i64, ptr %sp
  %counts = icmp sgt i64 %n, 1
  %s = select i1 %counts, i64 %given, i64 %itemsize      ; the stride of a single element means nothing
  %beside = icmp eq i64 %given, %itemsize
  %along = and i1 %beside, %counts
  %dense1 = or i1 %dense, %along
  %low = and i64 %s, %size_mask
  br i1 %is_power, label %axis_next, label %axis_divide
axis_divide:
  %rest = srem i64 %s, %itemsize
  br label %axis_next
axis_next:
  %off = phi i64 [ %low, %axis_step ], [ %rest, %axis_divide ]
  %even1 = or i64 %even, %off
  %no_at = getelementptr i64, ptr %shape_out, i64 %k
  store i64 %n, ptr %no_at
  %so_at = getelementptr i64, ptr %strides_out, i64 %k
  store i64 %s, ptr %so_at
  %n1 = sub i64 %n, 1
  %e = mul i64 %n1, %s
  %back = icmp slt i64 %e, 0
  %down = select i1 %back, i64 %e, i64 0
  %up = select i1 %back, i64 0, i64 %e
  %lo1 = add i64 %lo, %down
  %hi1 = add i64 %hi, %up
  %zero = icmp eq i64 %n, 0
  %empty1 = or i1 %empty, %zero
  %k1 = add i64 %k, 1
  br label %axis
strides_check:
  %multiples = icmp eq i64 %even, 0
  br i1 %multiples, label %unit, label %no
unit:
  %end = add i64 %hi, %itemsize
  %begin = select i1 %empty, i64 0, i64 %lo                ; no element, nowhere: what overlaps nothing
  %end1 = select i1 %empty, i64 0, i64 %end
  store i64 %begin, ptr %extent
  %end_at = getelementptr i64, ptr %extent, i64 1
  store i64 %end1, ptr %end_at
  %unit_at = getelementptr i64, ptr %p, i64 4
  %u = load i64, ptr %unit_at
  %has_unit = icmp sge i64 %u, 0
  br i1 %has_unit, label %unit_check, label %no_unit_check
no_unit_check:
  %other_code = xor i1 %empty, true                      ; what has such an axis has code that knows it
  %refuse = and i1 %dense, %other_code
  br i1 %refuse, label %no, label %written
unit_check:
  %us_at = getelementptr i64, ptr %strides_out, i64 %u
  %us = load i64, ptr %us_at
  %is_unit = icmp eq i64 %us, %itemsize
  %passes = or i1 %is_unit, %empty                       ; strides of no elements mean nothing either
  br i1 %passes, label %written, label %no
written:
  %w = and i64 %need, 1024
  %is_written = icmp ne i64 %w, 0
  %contiguous = and i64 %flags, 3
  %irregular = icmp eq i64 %contiguous, 0
  %not_empty = xor i1 %empty, true
  %x1 = and i1 %is_written, %irregular
  %x2 = and i1 %x1, %not_empty
  br i1 %x2, label %overlap_check, label %yes
overlap_check:
  %apart = call i1 @separate(i64 %rank, ptr %dims, ptr %strides, i64 %itemsize)
  br i1 %apart, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; One scalar argument into its slot. Returns whether it fits; no exception is left set.
define internal i1 @take_scalar(ptr %p, i64 %kind, ptr %object, ptr %frame) alwaysinline {
entry:
  %slot_at = getelementptr i64, ptr %p, i64 8
  %slot = load i64, ptr %slot_at
  %own = getelementptr i64, ptr %frame, i64 %slot
  %type_at = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %type_at
  %copied = icmp eq i64 %kind, 1
  br i1 %copied, label %copy, label %other
copy:
  %want_at = getelementptr i64, ptr %p, i64 2
  %want = load ptr, ptr %want_at
  %same = icmp eq ptr %type, %want
  br i1 %same, label %move, label %no
move:
  %from = getelementptr i8, ptr %object, i64 16
  %bytes_at = getelementptr i64, ptr %p, i64 1
  %bytes = load i64, ptr %bytes_at
  %is_word = icmp eq i64 %bytes, 8
  br i1 %is_word, label %word, label %block
word:
  %v = load i64, ptr %from
  store i64 %v, ptr %own
  br label %yes
block:
  store i64 0, ptr %own
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %from, i64 %bytes, i1 false)
  br label %yes
other:
  %is_int = icmp eq i64 %kind, 2
  br i1 %is_int, label %int, label %bool
int:
  %exact = icmp eq ptr %type, @PyLong_Type
  br i1 %exact, label %convert, label %no
convert:
  %overflow = alloca i32
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %overflow)
  store i64 %number, ptr %own
  %o = load i32, ptr %overflow
  %fits = icmp eq i32 %o, 0
  ret i1 %fits
bool:
  %is_true = icmp eq ptr %object, @_Py_TrueStruct
  %is_false = icmp eq ptr %object, @_Py_FalseStruct
  %truth = zext i1 %is_true to i64
  store i64 %truth, ptr %own
  %is_bool = or i1 %is_true, %is_false
  ret i1 %is_bool
yes:
  ret i1 true
no:
  ret i1 false
}

; Whether arrays share memory exactly as the specialisation expects: those of one alias class are the same array,
; and no written array overlaps one of another class.
define internal i1 @aliases_hold(i64 %n, ptr %params, ptr %frame, ptr %extents) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %outer_step ]
  %i_done = icmp sge i64 %i, %n
  br i1 %i_done, label %yes, label %outer_body
outer_body:
  %i_words = mul i64 %i, 10
  %pi = getelementptr i64, ptr %params, i64 %i_words
  %kind_i = load i64, ptr %pi
  %flags_i_at = getelementptr i64, ptr %pi, i64 6
  %flags_i = load i64, ptr %flags_i_at
  %alias_i_at = getelementptr i64, ptr %pi, i64 7
  %alias_i = load i64, ptr %alias_i_at
  %i2 = shl i64 %i, 1
  %lo_i_at = getelementptr i64, ptr %extents, i64 %i2
  %lo_i = load i64, ptr %lo_i_at
  %hi_i_at = getelementptr i64, ptr %lo_i_at, i64 1
  %hi_i = load i64, ptr %hi_i_at
  %array_i = icmp eq i64 %kind_i, 0
  %i1 = add i64 %i, 1
  br i1 %array_i, label %inner, label %outer_step
inner:
  %j = phi i64 [ %i1, %outer_body ], [ %j1, %inner_step ]
  %j_done = icmp sge i64 %j, %n
  br i1 %j_done, label %outer_step, label %inner_body
inner_body:
  %j_words = mul i64 %j, 10
  %pj = getelementptr i64, ptr %params, i64 %j_words
  %kind_j = load i64, ptr %pj
  %array_j = icmp eq i64 %kind_j, 0
  br i1 %array_j, label %pair, label %inner_step
pair:
  %alias_j_at = getelementptr i64, ptr %pj, i64 7
  %alias_j = load i64, ptr %alias_j_at
  %one_class = icmp eq i64 %alias_i, %alias_j
  br i1 %one_class, label %identical, label %apart
apart:
  %flags_j_at = getelementptr i64, ptr %pj, i64 6
  %flags_j = load i64, ptr %flags_j_at
  %flags = or i64 %flags_i, %flags_j
  %w = and i64 %flags, 1024
  %written = icmp ne i64 %w, 0
  %j2 = shl i64 %j, 1
  %lo_j_at = getelementptr i64, ptr %extents, i64 %j2
  %lo_j = load i64, ptr %lo_j_at
  %hi_j_at = getelementptr i64, ptr %lo_j_at, i64 1
  %hi_j = load i64, ptr %hi_j_at
  %b1 = icmp ult i64 %lo_i, %hi_j
  %b2 = icmp ult i64 %lo_j, %hi_i
  %b = and i1 %b1, %b2
  %clash = and i1 %b, %written
  br i1 %clash, label %no, label %inner_step
identical:
  %rank_i_at = getelementptr i64, ptr %pi, i64 1
  %rank = load i64, ptr %rank_i_at
  %twice = shl i64 %rank, 1
  %slots = add i64 %twice, 1
  %slot_i_at = getelementptr i64, ptr %pi, i64 8
  %slot_i = load i64, ptr %slot_i_at
  %slot_j_at = getelementptr i64, ptr %pj, i64 8
  %slot_j = load i64, ptr %slot_j_at
  %frame_i = getelementptr i64, ptr %frame, i64 %slot_i
  %frame_j = getelementptr i64, ptr %frame, i64 %slot_j
  br label %compare
compare:
  %k = phi i64 [ 0, %identical ], [ %k1, %compare ]
  %a_at = getelementptr i64, ptr %frame_i, i64 %k
  %a = load i64, ptr %a_at
  %c_at = getelementptr i64, ptr %frame_j, i64 %k
  %c = load i64, ptr %c_at
  %equal = icmp eq i64 %a, %c
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %slots
  %go = and i1 %equal, %more
  br i1 %go, label %compare, label %compared
compared:
  br i1 %equal, label %inner_step, label %no
inner_step:
  %j1 = add i64 %j, 1
  br label %inner
outer_step:
  br label %outer
yes:
  ret i1 true
no:
  ret i1 false
}

; ------------------------------------------------------------------------------------------------ results

; The object for an allocation after the kernel has run, for kinds other than 0; a new reference or null.
define internal ptr @scalar_result(i64 %kind, ptr %value, ptr %descr) {
entry:
  switch i64 %kind, label %numpy [
    i64 2, label %float
    i64 3, label %int
    i64 4, label %bool
    i64 5, label %complex
  ]
numpy:
  %s = call ptr @jitmdh_array_scalar(ptr %value, ptr %descr, ptr null)
  ret ptr %s
float:
  %d = load double, ptr %value
  %f = call ptr @PyFloat_FromDouble(double %d)
  ret ptr %f
int:
  %n = load i64, ptr %value
  %i = call ptr @PyLong_FromLongLong(i64 %n)
  ret ptr %i
bool:
  %t = load i8, ptr %value
  %true = icmp ne i8 %t, 0
  %b = select i1 %true, ptr @_Py_TrueStruct, ptr @_Py_FalseStruct
  call void @Py_IncRef(ptr %b)
  ret ptr %b
complex:
  %re = load double, ptr %value
  %im_at = getelementptr double, ptr %value, i64 1
  %im = load double, ptr %im_at
  %c = call ptr @PyComplex_FromDoubles(double %re, double %im)
  ret ptr %c
}

; Drops the references held in objects[0..n), some of them null.
define internal void @drop(ptr %objects, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %continue ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %out, label %body
body:
  %at = getelementptr ptr, ptr %objects, i64 %k
  %object = load ptr, ptr %at
  %none = icmp eq ptr %object, null
  br i1 %none, label %continue, label %release
release:
  call void @Py_DecRef(ptr %object)
  br label %continue
continue:
  %k1 = add i64 %k, 1
  br label %loop
out:
  ret void
}

; Makes the arrays and scalar cells that are to be returned, and puts their addresses into the frame. False: an
; exception is set.
define internal i1 @allocate(i64 %n, ptr %allocations, ptr %frame, ptr %objects, ptr %cells) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %continue ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %yes, label %body
body:
  %words = mul i64 %k, 6
  %a = getelementptr i64, ptr %allocations, i64 %words
  %kind = load i64, ptr %a
  %rank_at = getelementptr i64, ptr %a, i64 1
  %rank = load i64, ptr %rank_at
  %descr_at = getelementptr i64, ptr %a, i64 2
  %descr = load ptr, ptr %descr_at
  %slot_at = getelementptr i64, ptr %a, i64 3
  %slot = load i64, ptr %slot_at
  %own = getelementptr i64, ptr %frame, i64 %slot
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  store ptr null, ptr %object_at
  %is_array = icmp eq i64 %kind, 0
  br i1 %is_array, label %array, label %cell
cell:
  %offset = shl i64 %k, 4
  %cell_at = getelementptr i8, ptr %cells, i64 %offset
  store ptr %cell_at, ptr %own
  br label %continue
array:
  call void @Py_IncRef(ptr %descr)
  %shape = getelementptr i64, ptr %own, i64 1
  %rank32 = trunc i64 %rank to i32
  %object = call ptr @jitmdh_array_empty(i32 %rank32, ptr %shape, ptr %descr, i32 0)
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %no, label %made
made:
  store ptr %object, ptr %object_at
  %data_at = getelementptr i8, ptr %object, i64 16
  %data = load ptr, ptr %data_at
  store ptr %data, ptr %own
  br label %continue
continue:
  %k1 = add i64 %k, 1
  br label %loop
yes:
  ret i1 true
no:
  call void @drop(ptr %objects, i64 %k)
  ret i1 false
}

; After the kernel: scalar cells become objects. False: an exception is set.
define internal i1 @collect(i64 %n, ptr %allocations, ptr %objects, ptr %cells) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %continue ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %yes, label %body
body:
  %words = mul i64 %k, 6
  %a = getelementptr i64, ptr %allocations, i64 %words
  %kind = load i64, ptr %a
  %is_array = icmp eq i64 %kind, 0
  br i1 %is_array, label %continue, label %cell
cell:
  %descr_at = getelementptr i64, ptr %a, i64 2
  %descr = load ptr, ptr %descr_at
  %offset = shl i64 %k, 4
  %cell_at = getelementptr i8, ptr %cells, i64 %offset
  %object = call ptr @scalar_result(i64 %kind, ptr %cell_at, ptr %descr)
  %object_at = getelementptr ptr, ptr %objects, i64 %k
  store ptr %object, ptr %object_at
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %no, label %continue
continue:
  %k1 = add i64 %k, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}

; Result number k of the plan as a new reference.
define internal ptr @result(ptr %results, i64 %k, ptr %args, ptr %objects) {
  %twice = shl i64 %k, 1
  %r = getelementptr i64, ptr %results, i64 %twice
  %kind = load i64, ptr %r
  %number_at = getelementptr i64, ptr %r, i64 1
  %number = load i64, ptr %number_at
  %is_argument = icmp eq i64 %kind, 0
  %from = select i1 %is_argument, ptr %args, ptr %objects
  %at = getelementptr ptr, ptr %from, i64 %number
  %object = load ptr, ptr %at
  call void @Py_IncRef(ptr %object)
  ret ptr %object
}

; What the function returns, a new reference or null.
define internal ptr @returned(ptr %plan, ptr %results, ptr %args, ptr %objects) {
entry:
  %n_at = getelementptr i64, ptr %plan, i64 5
  %n = load i64, ptr %n_at
  %nothing = icmp slt i64 %n, 0
  br i1 %nothing, label %none, label %some
none:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
some:
  %tuple_at = getelementptr i64, ptr %plan, i64 6
  %tuple_flag = load i64, ptr %tuple_at
  %bare = icmp eq i64 %tuple_flag, 0
  br i1 %bare, label %one, label %many
one:
  %object = call ptr @result(ptr %results, i64 0, ptr %args, ptr %objects)
  ret ptr %object
many:
  %tuple = call ptr @PyTuple_New(i64 %n)
  %failed = icmp eq ptr %tuple, null
  br i1 %failed, label %out, label %loop
loop:
  %k = phi i64 [ 0, %many ], [ %k1, %body ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %out, label %body
body:
  %item = call ptr @result(ptr %results, i64 %k, ptr %args, ptr %objects)
  %rc = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %item)
  %k1 = add i64 %k, 1
  br label %loop
out:
  ret ptr %tuple
}

; ------------------------------------------------------------------------------------------------ entry

; Fills frame and extents from the arguments. Returns whether they fit the plan, and share memory as it expects.
define internal i1 @take_arguments(ptr %plan, ptr %args, i64 %n, ptr %frame, ptr %extents) alwaysinline {
entry:
  %params = getelementptr i64, ptr %plan, i64 10
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %array ], [ %i1, %scalar ]
  %done = icmp sge i64 %i, %n
  br i1 %done, label %sharing, label %body
body:
  %words = mul i64 %i, 10
  %p = getelementptr i64, ptr %params, i64 %words
  %object_at = getelementptr ptr, ptr %args, i64 %i
  %object = load ptr, ptr %object_at
  %i1 = add i64 %i, 1
  %kind = load i64, ptr %p
  %is_array = icmp eq i64 %kind, 0
  br i1 %is_array, label %array, label %scalar
array:
  %i2 = shl i64 %i, 1
  %extent = getelementptr i64, ptr %extents, i64 %i2
  %ok = call i1 @take_array(ptr %p, ptr %object, ptr %frame, ptr %extent)
  br i1 %ok, label %loop, label %no
scalar:
  %ok2 = call i1 @take_scalar(ptr %p, i64 %kind, ptr %object, ptr %frame)
  br i1 %ok2, label %loop, label %no
sharing:
  %written_at = getelementptr i64, ptr %plan, i64 7
  %written = load i64, ptr %written_at
  %free = icmp eq i64 %written, 0
  br i1 %free, label %yes, label %check
check:
  %hold = call i1 @aliases_hold(i64 %n, ptr %params, ptr %frame, ptr %extents)
  ret i1 %hold
yes:
  ret i1 true
no:
  ret i1 false
}

; The plan that comes next if the sizes are not those of this one's code; null: none does.
define internal ptr @next_plan(ptr %plan) alwaysinline {
entry:
  %word_at = getelementptr i64, ptr %plan, i64 9
  %word = load i64, ptr %word_at
  %block = getelementptr i64, ptr %plan, i64 %word
  %next_at = getelementptr ptr, ptr %block, i64 1
  %next = load ptr, ptr %next_at
  ret ptr %next
}

; Whether the sizes are those that the code was compiled for.
define internal i1 @conditions_hold(ptr %plan, ptr %frame) alwaysinline {
entry:
  %word_at = getelementptr i64, ptr %plan, i64 9
  %word = load i64, ptr %word_at
  %free = icmp eq i64 %word, 0
  br i1 %free, label %yes, label %some
some:
  %block = getelementptr i64, ptr %plan, i64 %word
  %count = load i64, ptr %block
  br label %loop
loop:
  %k = phi i64 [ 0, %some ], [ %k1, %body ], [ %k1, %divided ]
  %done = icmp sge i64 %k, %count
  br i1 %done, label %yes, label %body
body:
  %words = mul i64 %k, 4
  %first = add i64 %words, 2
  %c = getelementptr i64, ptr %block, i64 %first
  %slot = load i64, ptr %c
  %least_at = getelementptr i64, ptr %c, i64 1
  %least = load i64, ptr %least_at
  %most_at = getelementptr i64, ptr %c, i64 2
  %most = load i64, ptr %most_at
  %value_at = getelementptr i64, ptr %frame, i64 %slot
  %value = load i64, ptr %value_at
  %a = icmp sge i64 %value, %least
  %b = icmp sle i64 %value, %most
  %within = and i1 %a, %b
  %k1 = add i64 %k, 1
  %multiple_at = getelementptr i64, ptr %c, i64 3
  %multiple = load i64, ptr %multiple_at
  %any = icmp eq i64 %multiple, 1
  %known = and i1 %within, %any
  br i1 %known, label %loop, label %more
more:
  br i1 %within, label %divided, label %no
divided:
  %rest = srem i64 %value, %multiple
  %whole = icmp eq i64 %rest, 0
  br i1 %whole, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Runs the kernel, without the GIL if the plan says so.
define internal i64 @run_kernel(ptr %plan, ptr %frame) alwaysinline {
entry:
  %kernel_at = getelementptr i64, ptr %plan, i64 1
  %kernel = load ptr, ptr %kernel_at
  %release_at = getelementptr i64, ptr %plan, i64 8
  %release = load i64, ptr %release_at
  %keep = icmp eq i64 %release, 0
  br i1 %keep, label %held, label %free
held:
  %a = call i64 %kernel(ptr %frame)
  ret i64 %a
free:
  %thread = call ptr @PyEval_SaveThread()
  %b = call i64 %kernel(ptr %frame)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i64 %b
}

; One call by a plan, or by the first of those that come next whose conditions hold. Returns 0: done, *result is a
; new reference; 1: the arguments do not fit; 2: a Python exception is set; 3 | check << 8: the guard refused;
; 4 | status << 8: the kernel failed.
define i64 @jitmdh_call(ptr %plan, ptr %args, i64 %n, ptr %result) {
entry:
  %wanted = load i64, ptr %plan
  %as_many = icmp eq i64 %n, %wanted
  br i1 %as_many, label %take, label %mismatch
take:
  %slots_at = getelementptr i64, ptr %plan, i64 3
  %slots = load i64, ptr %slots_at
  %frame = alloca i64, i64 %slots, align 16
  %n2 = shl i64 %n, 1
  %extents = alloca i64, i64 %n2, align 16
  %fit = call i1 @take_arguments(ptr %plan, ptr %args, i64 %n, ptr %frame, ptr %extents)
  br i1 %fit, label %conditions, label %mismatch
conditions:
  %fitting = phi ptr [ %plan, %take ], [ %next, %others ]
  %hold = call i1 @conditions_hold(ptr %fitting, ptr %frame)
  br i1 %hold, label %guard_check, label %others
others:
  %next = call ptr @next_plan(ptr %fitting)
  %last = icmp eq ptr %next, null
  br i1 %last, label %mismatch, label %conditions
guard_check:
  %guard_at = getelementptr i64, ptr %fitting, i64 2
  %guard = load ptr, ptr %guard_at
  %no_guard = icmp eq ptr %guard, null
  br i1 %no_guard, label %allocation, label %guarded
guarded:
  %g = call i64 %guard(ptr %frame)
  %passed = icmp eq i64 %g, 0
  br i1 %passed, label %allocation, label %refused
allocation:
  %count_at = getelementptr i64, ptr %fitting, i64 4
  %count = load i64, ptr %count_at
  %objects = alloca ptr, i64 %count, align 16
  %cell_words = shl i64 %count, 1
  %cells = alloca i64, i64 %cell_words, align 16
  %parameter_words = mul i64 %n, 10
  %allocations_word = add i64 %parameter_words, 10
  %allocations = getelementptr i64, ptr %fitting, i64 %allocations_word
  %allocation_words = mul i64 %count, 6
  %results = getelementptr i64, ptr %allocations, i64 %allocation_words
  %made = call i1 @allocate(i64 %count, ptr %allocations, ptr %frame, ptr %objects, ptr %cells)
  br i1 %made, label %run, label %raised
run:
  %status = call i64 @run_kernel(ptr %fitting, ptr %frame)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %collecting, label %failed
collecting:
  %collected = call i1 @collect(i64 %count, ptr %allocations, ptr %objects, ptr %cells)
  br i1 %collected, label %returning, label %dropped
returning:
  %object = call ptr @returned(ptr %fitting, ptr %results, ptr %args, ptr %objects)
  store ptr %object, ptr %result
  call void @drop(ptr %objects, i64 %count)
  %void = icmp eq ptr %object, null
  br i1 %void, label %raised, label %finished
finished:
  ret i64 0
mismatch:
  ret i64 1
refused:
  %g8 = shl i64 %g, 8
  %r = or i64 %g8, 3
  ret i64 %r
failed:
  call void @drop(ptr %objects, i64 %count)
  %s8 = shl i64 %status, 8
  %s = or i64 %s8, 4
  ret i64 %s
dropped:
  call void @drop(ptr %objects, i64 %count)
  br label %raised
raised:
  ret i64 2
}

; ------------------------------------------------------------------------------------------------ dispatcher

; A METH_FASTCALL | METH_KEYWORDS function. `self` is a capsule of its table:
;   0 calls done here  1 plans  2 slow path (a Python callable)  3 callable that raises for a kernel's status
;   4 watches  5 their address  6 .. the plans, tried in order (and after each those that come next)
; A watch is three words: dictionary and name, or closure cell and 0; then the object that must be there (0: none).
define internal i1 @watches_hold(i64 %n, ptr %watches) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %compare ]
  %done = icmp sge i64 %k, %n
  br i1 %done, label %yes, label %body
body:
  %words = mul i64 %k, 3
  %w = getelementptr ptr, ptr %watches, i64 %words
  %place = load ptr, ptr %w
  %name_at = getelementptr ptr, ptr %w, i64 1
  %name = load ptr, ptr %name_at
  %want_at = getelementptr ptr, ptr %w, i64 2
  %want = load ptr, ptr %want_at
  %is_cell = icmp eq ptr %name, null
  br i1 %is_cell, label %cell, label %dictionary
cell:
  %content_at = getelementptr i8, ptr %place, i64 16
  %content = load ptr, ptr %content_at
  br label %compare
dictionary:
  %item = call ptr @PyDict_GetItem(ptr %place, ptr %name)
  br label %compare
compare:
  %found = phi ptr [ %content, %cell ], [ %item, %dictionary ]
  %same = icmp eq ptr %found, %want
  %k1 = add i64 %k, 1
  br i1 %same, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

define ptr @jitmdh_dispatch(ptr %self, ptr %args, i64 %n, ptr %names) {
entry:
  %result = alloca ptr
  %table = call ptr @PyCapsule_GetPointer(ptr %self, ptr null)
  %plain = icmp eq ptr %names, null
  br i1 %plain, label %watch, label %slow
watch:
  %watch_count_at = getelementptr i64, ptr %table, i64 4
  %watch_count = load i64, ptr %watch_count_at
  %unwatched = icmp eq i64 %watch_count, 0
  br i1 %unwatched, label %start, label %look
look:
  %watches_at = getelementptr ptr, ptr %table, i64 5
  %watches = load ptr, ptr %watches_at
  %unchanged = call i1 @watches_hold(i64 %watch_count, ptr %watches)
  br i1 %unchanged, label %start, label %slow
start:
  %count_at = getelementptr i64, ptr %table, i64 1
  %count = load i64, ptr %count_at
  br label %try
try:
  %k = phi i64 [ 0, %start ], [ %k1, %next ]
  %over = icmp sge i64 %k, %count
  br i1 %over, label %slow, label %one
one:
  %word = add i64 %k, 6
  %plan_at = getelementptr ptr, ptr %table, i64 %word
  %plan = load ptr, ptr %plan_at
  %status = call i64 @jitmdh_call(ptr %plan, ptr %args, i64 %n, ptr %result)
  %done = icmp eq i64 %status, 0
  br i1 %done, label %finish, label %not_done
finish:
  %calls = load i64, ptr %table
  %calls1 = add i64 %calls, 1
  store i64 %calls1, ptr %table
  %object = load ptr, ptr %result
  ret ptr %object
not_done:
  %k1 = add i64 %k, 1
  %code = and i64 %status, 255
  switch i64 %code, label %next [
    i64 2, label %null
    i64 3, label %slow
    i64 4, label %fail
  ]
next:
  br label %try
null:
  ret ptr null
fail:
  %number = ashr i64 %status, 8
  %from_data = icmp sge i64 %number, 16                  ; data that do not fulfil a condition, found before anything
  %early = icmp slt i64 %number, 1048576                 ; was written: the slow path says so
  %again = and i1 %from_data, %early
  br i1 %again, label %slow, label %raise_it
raise_it:
  %number_object = call ptr @PyLong_FromLongLong(i64 %number)
  %cell = alloca ptr
  store ptr %number_object, ptr %cell
  %raise_at = getelementptr ptr, ptr %table, i64 3
  %raise = load ptr, ptr %raise_at
  %raised = call ptr @PyObject_Vectorcall(ptr %raise, ptr %cell, i64 1, ptr null)
  call void @Py_DecRef(ptr %number_object)
  ret ptr %raised
slow:
  %slow_at = getelementptr ptr, ptr %table, i64 2
  %path = load ptr, ptr %slow_at
  %answer = call ptr @PyObject_Vectorcall(ptr %path, ptr %args, i64 %n, ptr %names)
  ret ptr %answer
}
