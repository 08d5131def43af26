; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 62e4dde4291eaaf766bcfd6dae62ba51

%struct.Shape = type { ptr, i32 }
%struct.Plan = type { i64, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr }
%struct.Extent = type { i64, i64 }
%struct.Parameter = type { i64, i64, ptr, ptr, i64, i64, i64, i64, i64, i64 }
%struct.Object = type { i64, ptr }
%struct.ArrayObject = type { %struct.Object, ptr, i32, ptr, ptr, ptr, ptr, i32 }
%struct.ScalarObject = type { %struct.Object, [16 x i8] }
%struct.Conditions = type { i64, ptr, ptr, [0 x %struct.SizeCondition] }
%struct.SizeCondition = type { i64, i64, i64, i64, i64 }
%struct.Allocation = type { i64, i64, ptr, i64, i64, i64 }
%struct.Cell = type { [16 x i8] }
%struct.Trial = type { i64, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, i64, [0 x %struct.Sample] }
%struct.Sample = type { i64, i64 }
%struct.Result = type { i64, i64 }
%struct.Table = type { i64, i64, ptr, ptr, ptr, ptr, [0 x ptr] }
%struct.Watches = type { i64, [0 x %struct.Watch] }
%struct.Watch = type { i64, ptr, %union.anon, %union.anon.0 }
%union.anon = type { ptr }
%union.anon.0 = type { ptr }
%struct.DictObject = type { %struct.Object, i64, i64 }
%struct.CallableObject = type { %struct.Object, ptr, ptr }
%struct.Formula = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, [0 x %struct.Formal] }
%struct.Formal = type { ptr, i64, ptr, ptr, ptr, i64, i64, i64, i64, ptr }
%struct.Memo = type { i64, [6 x i64], [128 x %struct.Remembered] }
%struct.Remembered = type { [6 x i64], ptr }
%struct.TimeSpec = type { i64, i64 }
%struct.Calls = type { i64, i64, i64, [0 x i64] }
%struct.View = type { ptr, ptr, i64, i64, i64, i64, i64 }
%struct.Given = type { ptr, ptr, ptr, i64, i8, i8 }
%struct.Trusted = type { i64, [64 x i64] }

@jitmdh_ndarray_type = external global i8, align 1
@PyLong_Type = external global i8, align 1
@_Py_TrueStruct = external global i8, align 1
@_Py_FalseStruct = external global i8, align 1
@_Py_NoneStruct = external global i8, align 1
@PyFloat_Type = external global i8, align 1

define i64 @jitmdh_call(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = alloca [64 x i64], align 16
  %6 = alloca %struct.Shape, align 8
  %7 = alloca i32, align 4
  %8 = load i64, ptr %0, align 8
  %9 = icmp eq i64 %8, %2
  br i1 %9, label %10, label %605

10:
  %11 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 3
  %12 = load i64, ptr %11, align 8
  %13 = shl i64 %12, 3
  %14 = alloca i8, i64 %13, align 16
  %15 = shl i64 %2, 4
  %16 = alloca i8, i64 %15, align 16
  %17 = getelementptr %struct.Plan, ptr %0, i64 1
  %18 = icmp sgt i64 %2, 0
  br i1 %18, label %19, label %295

19:
  %20 = phi i64 [ %208, %207 ], [ 0, %10 ]
  %21 = phi ptr [ %209, %207 ], [ %17, %10 ]
  %22 = load i64, ptr %21, align 8
  %23 = icmp eq i64 %22, 0
  %24 = getelementptr ptr, ptr %1, i64 %20
  %25 = load ptr, ptr %24, align 8
  br i1 %23, label %26, label %158

26:
  %27 = getelementptr %struct.Extent, ptr %16, i64 %20
  %28 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 1
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 5
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds %struct.Object, ptr %25, i64 0, i32 1
  %33 = load ptr, ptr %32, align 8
  %34 = icmp eq ptr %33, @jitmdh_ndarray_type
  br i1 %34, label %35, label %605

35:
  %36 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 6
  %37 = load ptr, ptr %36, align 8
  %38 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 2
  %39 = load ptr, ptr %38, align 8
  %40 = icmp eq ptr %37, %39
  br i1 %40, label %45, label %41

41:
  %42 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 3
  %43 = load ptr, ptr %42, align 8
  %44 = icmp eq ptr %37, %43
  br i1 %44, label %45, label %605

45:
  %46 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 2
  %47 = load i32, ptr %46, align 8
  %48 = sext i32 %47 to i64
  %49 = icmp eq i64 %29, %48
  br i1 %49, label %50, label %605

50:
  %51 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 7
  %52 = load i32, ptr %51, align 8
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 6
  %55 = load i64, ptr %54, align 8
  %56 = and i64 %55, %53
  %57 = icmp eq i64 %56, %55
  br i1 %57, label %58, label %605

58:
  %59 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 8
  %60 = load i64, ptr %59, align 8
  %61 = getelementptr i64, ptr %14, i64 %60
  %62 = getelementptr i64, ptr %61, i64 1
  %63 = getelementptr i64, ptr %62, i64 %29
  %64 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 1
  %65 = load ptr, ptr %64, align 8
  %66 = ptrtoint ptr %65 to i64
  %67 = add i64 %31, -1
  %68 = call i64 @llvm.ctpop.i64(i64 %31)
  %69 = icmp ult i64 %68, 2
  store i64 %66, ptr %61, align 8
  %70 = icmp sgt i64 %29, 0
  br i1 %70, label %71, label %128

71:
  %72 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 3
  %73 = getelementptr inbounds %struct.ArrayObject, ptr %25, i64 0, i32 4
  br label %79

74:
  %75 = icmp ne i64 %105, 0
  %76 = icmp ugt i64 %116, 72057594037927935
  %77 = select i1 %75, i1 true, i1 %76
  %78 = select i1 %77, i1 true, i1 %112
  br i1 %78, label %605, label %125

79:
  %80 = phi i64 [ %66, %71 ], [ %120, %103 ]
  %81 = phi i64 [ %66, %71 ], [ %119, %103 ]
  %82 = phi i64 [ 0, %71 ], [ %116, %103 ]
  %83 = phi i1 [ false, %71 ], [ %112, %103 ]
  %84 = phi i64 [ 0, %71 ], [ %105, %103 ]
  %85 = phi i1 [ false, %71 ], [ %122, %103 ]
  %86 = phi i64 [ 0, %71 ], [ %123, %103 ]
  %87 = phi i1 [ false, %71 ], [ %98, %103 ]
  %88 = load ptr, ptr %72, align 8
  %89 = getelementptr i64, ptr %88, i64 %86
  %90 = load i64, ptr %89, align 8
  %91 = load ptr, ptr %73, align 8
  %92 = getelementptr i64, ptr %91, i64 %86
  %93 = load i64, ptr %92, align 8
  %94 = icmp sgt i64 %90, 1
  %95 = select i1 %94, i64 %93, i64 %31
  %96 = icmp eq i64 %93, %31
  %97 = select i1 %96, i1 %94, i1 false
  %98 = or i1 %87, %97
  br i1 %69, label %99, label %101

99:
  %100 = and i64 %95, %67
  br label %103

101:
  %102 = srem i64 %95, %31
  br label %103

103:
  %104 = phi i64 [ %100, %99 ], [ %102, %101 ]
  %105 = or i64 %104, %84
  %106 = getelementptr i64, ptr %62, i64 %86
  store i64 %90, ptr %106, align 8
  %107 = getelementptr i64, ptr %63, i64 %86
  store i64 %95, ptr %107, align 8
  %108 = add i64 %90, -1
  %109 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %108, i64 %95)
  %110 = extractvalue { i64, i1 } %109, 1
  %111 = extractvalue { i64, i1 } %109, 0
  %112 = or i1 %83, %110
  %113 = icmp slt i64 %111, 0
  %114 = call i64 @llvm.abs.i64(i64 %111, i1 false)
  %115 = or i64 %82, %114
  %116 = or i64 %115, %90
  %117 = select i1 %113, i64 %80, i64 %81
  %118 = add i64 %117, %111
  %119 = select i1 %113, i64 %81, i64 %118
  %120 = select i1 %113, i64 %118, i64 %80
  %121 = icmp eq i64 %90, 0
  %122 = or i1 %85, %121
  %123 = add nuw nsw i64 %86, 1
  %124 = icmp eq i64 %123, %29
  br i1 %124, label %74, label %79

125:
  %126 = xor i1 %98, true
  %127 = select i1 %126, i1 true, i1 %122
  br i1 %122, label %133, label %128

128:
  %129 = phi i1 [ %127, %125 ], [ true, %58 ]
  %130 = phi i64 [ %119, %125 ], [ %66, %58 ]
  %131 = phi i64 [ %120, %125 ], [ %66, %58 ]
  %132 = add i64 %130, %31
  br label %133

133:
  %134 = phi i1 [ %129, %128 ], [ %127, %125 ]
  %135 = phi i1 [ false, %128 ], [ true, %125 ]
  %136 = phi i64 [ %131, %128 ], [ 0, %125 ]
  %137 = phi i64 [ %132, %128 ], [ 0, %125 ]
  store i64 %136, ptr %27, align 16
  %138 = getelementptr inbounds i8, ptr %27, i64 8
  store i64 %137, ptr %138, align 8
  %139 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 4
  %140 = load i64, ptr %139, align 8
  %141 = icmp sgt i64 %140, -1
  br i1 %141, label %142, label %147

142:
  %143 = getelementptr i64, ptr %63, i64 %140
  %144 = load i64, ptr %143, align 8
  %145 = icmp eq i64 %144, %31
  %146 = or i1 %135, %145
  br i1 %146, label %148, label %605

147:
  br i1 %134, label %148, label %605

148:
  %149 = and i64 %55, 1024
  %150 = icmp eq i64 %149, 0
  br i1 %150, label %207, label %151

151:
  %152 = load i32, ptr %51, align 8
  %153 = and i32 %152, 3
  %154 = icmp ne i32 %153, 0
  %155 = or i1 %135, %154
  br i1 %155, label %207, label %156

156:
  %157 = call fastcc zeroext i1 @elements_are_separate(ptr %25, i64 %29, i64 %31)
  br i1 %157, label %207, label %605

158:
  %159 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 8
  %160 = load i64, ptr %159, align 8
  %161 = getelementptr i64, ptr %14, i64 %160
  switch i64 %22, label %199 [
    i64 1, label %162
    i64 2, label %176
    i64 4, label %185
  ]

162:
  %163 = getelementptr inbounds %struct.ScalarObject, ptr %25, i64 0, i32 1
  %164 = getelementptr inbounds %struct.Object, ptr %25, i64 0, i32 1
  %165 = load ptr, ptr %164, align 8
  %166 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 2
  %167 = load ptr, ptr %166, align 8
  %168 = icmp eq ptr %165, %167
  br i1 %168, label %169, label %605

169:
  %170 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 1
  %171 = load i64, ptr %170, align 8
  %172 = icmp eq i64 %171, 8
  br i1 %172, label %173, label %175

173:
  %174 = load i64, ptr %163, align 8
  store i64 %174, ptr %161, align 8
  br label %207

175:
  store i64 0, ptr %161, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %161, ptr align 1 %163, i64 %171, i1 false)
  br label %207

176:
  %177 = getelementptr inbounds %struct.Object, ptr %25, i64 0, i32 1
  %178 = load ptr, ptr %177, align 8
  %179 = icmp eq ptr %178, @PyLong_Type
  br i1 %179, label %181, label %180

180:
  br label %605

181:
  %182 = call i64 @PyLong_AsLongLongAndOverflow(ptr %25, ptr %7)
  store i64 %182, ptr %161, align 8
  %183 = load i32, ptr %7, align 4
  %184 = icmp eq i32 %183, 0
  br i1 %184, label %207, label %605

185:
  %186 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 2
  %187 = load ptr, ptr %186, align 8
  store i64 0, ptr %161, align 8
  %188 = icmp eq ptr %187, %25
  br i1 %188, label %207, label %189

189:
  %190 = getelementptr inbounds %struct.Parameter, ptr %21, i64 0, i32 1
  %191 = load i64, ptr %190, align 8
  %192 = icmp eq i64 %191, 0
  br i1 %192, label %605, label %193

193:
  %194 = getelementptr inbounds %struct.Object, ptr %25, i64 0, i32 1
  %195 = load ptr, ptr %194, align 8
  %196 = getelementptr inbounds %struct.Object, ptr %187, i64 0, i32 1
  %197 = load ptr, ptr %196, align 8
  %198 = icmp eq ptr %195, %197
  br i1 %198, label %204, label %605

199:
  %200 = icmp eq ptr %25, @_Py_TrueStruct
  %201 = zext i1 %200 to i64
  store i64 %201, ptr %161, align 8
  %202 = icmp eq ptr %25, @_Py_FalseStruct
  %203 = or i1 %200, %202
  br i1 %203, label %207, label %605

204:
  %205 = call i32 @PyObject_RichCompareBool(ptr %25, ptr %187, i32 2)
  %206 = icmp eq i32 %205, 1
  br i1 %206, label %207, label %605

207:
  %208 = add nuw nsw i64 %20, 1
  %209 = getelementptr %struct.Parameter, ptr %21, i64 1
  %210 = load i64, ptr %0, align 8
  %211 = icmp slt i64 %208, %210
  br i1 %211, label %19, label %212

212:
  %213 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 7
  %214 = load i64, ptr %213, align 8
  %215 = icmp eq i64 %214, 0
  %216 = icmp slt i64 %210, 1
  %217 = select i1 %215, i1 true, i1 %216
  br i1 %217, label %295, label %218

218:
  %219 = phi i1 [ %291, %290 ], [ false, %212 ]
  %220 = phi i64 [ %224, %290 ], [ 0, %212 ]
  %221 = getelementptr %struct.Parameter, ptr %17, i64 %220
  %222 = load i64, ptr %221, align 8
  %223 = icmp eq i64 %222, 0
  %224 = add nuw nsw i64 %220, 1
  %225 = icmp slt i64 %224, %210
  %226 = select i1 %223, i1 %225, i1 false
  br i1 %226, label %227, label %290

227:
  %228 = getelementptr %struct.Parameter, ptr %17, i64 %220, i32 7
  %229 = getelementptr %struct.Parameter, ptr %17, i64 %220, i32 6
  %230 = getelementptr %struct.Extent, ptr %16, i64 %220
  %231 = getelementptr %struct.Extent, ptr %16, i64 %220, i32 1
  %232 = getelementptr %struct.Parameter, ptr %17, i64 %220, i32 8
  %233 = getelementptr %struct.Parameter, ptr %17, i64 %220, i32 1
  br label %234

234:
  %235 = phi i64 [ %224, %227 ], [ %288, %287 ]
  %236 = getelementptr %struct.Parameter, ptr %17, i64 %235
  %237 = load i64, ptr %236, align 8
  %238 = icmp eq i64 %237, 0
  br i1 %238, label %239, label %287

239:
  %240 = load i64, ptr %228, align 8
  %241 = getelementptr %struct.Parameter, ptr %17, i64 %235, i32 7
  %242 = load i64, ptr %241, align 8
  %243 = icmp eq i64 %240, %242
  br i1 %243, label %244, label %270

244:
  %245 = load i64, ptr %232, align 8
  %246 = getelementptr i64, ptr %14, i64 %245
  %247 = getelementptr %struct.Parameter, ptr %17, i64 %235, i32 8
  %248 = load i64, ptr %247, align 8
  %249 = getelementptr i64, ptr %14, i64 %248
  %250 = load i64, ptr %233, align 8
  %251 = shl i64 %250, 1
  %252 = or i64 %251, 1
  %253 = icmp slt i64 %252, 1
  br i1 %253, label %287, label %254

254:
  %255 = load i64, ptr %246, align 8
  %256 = load i64, ptr %249, align 8
  %257 = icmp eq i64 %255, %256
  br i1 %257, label %258, label %293

258:
  %259 = phi i64 [ %260, %262 ], [ 0, %254 ]
  %260 = add nuw nsw i64 %259, 1
  %261 = icmp eq i64 %260, %252
  br i1 %261, label %287, label %262

262:
  %263 = getelementptr i64, ptr %246, i64 %260
  %264 = load i64, ptr %263, align 8
  %265 = getelementptr i64, ptr %249, i64 %260
  %266 = load i64, ptr %265, align 8
  %267 = icmp eq i64 %264, %266
  br i1 %267, label %258, label %268

268:
  %269 = icmp slt i64 %260, %252
  br i1 %269, label %293, label %287

270:
  %271 = load i64, ptr %229, align 8
  %272 = getelementptr %struct.Parameter, ptr %17, i64 %235, i32 6
  %273 = load i64, ptr %272, align 8
  %274 = or i64 %273, %271
  %275 = and i64 %274, 1024
  %276 = icmp eq i64 %275, 0
  br i1 %276, label %287, label %277

277:
  %278 = load i64, ptr %230, align 16
  %279 = getelementptr %struct.Extent, ptr %16, i64 %235, i32 1
  %280 = load i64, ptr %279, align 8
  %281 = icmp slt i64 %278, %280
  br i1 %281, label %282, label %287

282:
  %283 = getelementptr %struct.Extent, ptr %16, i64 %235
  %284 = load i64, ptr %283, align 16
  %285 = load i64, ptr %231, align 8
  %286 = icmp slt i64 %284, %285
  br i1 %286, label %293, label %287

287:
  %288 = add nuw nsw i64 %235, 1
  %289 = icmp slt i64 %288, %210
  br i1 %289, label %234, label %290

290:
  %291 = icmp sge i64 %224, %210
  %292 = icmp eq i64 %224, %210
  br i1 %292, label %293, label %218

293:
  %294 = phi i1 [ %219, %282 ], [ %219, %268 ], [ %219, %254 ], [ %291, %290 ]
  br i1 %294, label %295, label %605

295:
  %296 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 9
  %297 = load i64, ptr %296, align 8
  %298 = icmp eq i64 %297, 0
  %299 = getelementptr i64, ptr %0, i64 %297
  %300 = icmp eq ptr %299, null
  %301 = or i1 %298, %300
  br i1 %301, label %302, label %303

302:
  br label %309

303:
  %304 = getelementptr inbounds %struct.Conditions, ptr %299, i64 0, i32 2
  %305 = load ptr, ptr %304, align 8
  %306 = icmp eq ptr %305, null
  br i1 %306, label %302, label %307

307:
  %308 = call fastcc ptr @remembered(ptr %305, ptr %0, ptr %14)
  br label %368

309:
  %310 = phi ptr [ %366, %364 ], [ %0, %302 ]
  %311 = getelementptr inbounds %struct.Plan, ptr %310, i64 0, i32 9
  %312 = load i64, ptr %311, align 8
  %313 = icmp eq i64 %312, 0
  %314 = getelementptr i64, ptr %310, i64 %312
  %315 = icmp eq ptr %314, null
  %316 = select i1 %313, i1 true, i1 %315
  br i1 %316, label %371, label %317

317:
  %318 = getelementptr inbounds %struct.Conditions, ptr %314, i64 0, i32 3
  %319 = load i64, ptr %314, align 8
  %320 = getelementptr %struct.SizeCondition, ptr %318, i64 %319
  %321 = icmp ult ptr %318, %320
  br i1 %321, label %322, label %371

322:
  %323 = phi ptr [ %362, %361 ], [ %318, %317 ]
  %324 = load i64, ptr %323, align 8
  %325 = getelementptr i64, ptr %14, i64 %324
  %326 = load i64, ptr %325, align 8
  %327 = getelementptr inbounds %struct.SizeCondition, ptr %323, i64 0, i32 4
  %328 = load i64, ptr %327, align 8
  %329 = icmp eq i64 %328, 0
  br i1 %329, label %344, label %330

330:
  %331 = phi i64 [ %340, %330 ], [ %326, %322 ]
  %332 = phi ptr [ %333, %330 ], [ %323, %322 ]
  %333 = getelementptr %struct.SizeCondition, ptr %332, i64 1
  %334 = load i64, ptr %333, align 8
  %335 = getelementptr i64, ptr %14, i64 %334
  %336 = load i64, ptr %335, align 8
  %337 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %331, i64 %336)
  %338 = extractvalue { i64, i1 } %337, 1
  %339 = extractvalue { i64, i1 } %337, 0
  %340 = select i1 %338, i64 9223372036854775807, i64 %339
  %341 = getelementptr %struct.SizeCondition, ptr %332, i64 1, i32 4
  %342 = load i64, ptr %341, align 8
  %343 = icmp eq i64 %342, 0
  br i1 %343, label %344, label %330

344:
  %345 = phi ptr [ %323, %322 ], [ %333, %330 ]
  %346 = phi i64 [ %326, %322 ], [ %340, %330 ]
  %347 = getelementptr inbounds %struct.SizeCondition, ptr %345, i64 0, i32 1
  %348 = load i64, ptr %347, align 8
  %349 = icmp slt i64 %346, %348
  br i1 %349, label %364, label %350

350:
  %351 = getelementptr inbounds %struct.SizeCondition, ptr %345, i64 0, i32 2
  %352 = load i64, ptr %351, align 8
  %353 = icmp sgt i64 %346, %352
  br i1 %353, label %364, label %354

354:
  %355 = getelementptr inbounds %struct.SizeCondition, ptr %345, i64 0, i32 3
  %356 = load i64, ptr %355, align 8
  %357 = icmp eq i64 %356, 1
  br i1 %357, label %361, label %358

358:
  %359 = srem i64 %346, %356
  %360 = icmp eq i64 %359, 0
  br i1 %360, label %361, label %364

361:
  %362 = getelementptr %struct.SizeCondition, ptr %345, i64 1
  %363 = icmp ult ptr %362, %320
  br i1 %363, label %322, label %368

364:
  %365 = getelementptr inbounds %struct.Conditions, ptr %314, i64 0, i32 1
  %366 = load ptr, ptr %365, align 8
  %367 = icmp eq ptr %366, null
  br i1 %367, label %605, label %309

368:
  %369 = phi ptr [ %308, %307 ], [ %310, %361 ]
  %370 = icmp eq ptr %369, null
  br i1 %370, label %605, label %371

371:
  %372 = phi ptr [ %369, %368 ], [ %310, %317 ], [ %310, %309 ]
  %373 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 2
  %374 = load ptr, ptr %373, align 8
  %375 = icmp eq ptr %374, null
  br i1 %375, label %381, label %376

376:
  %377 = call i64 %374(ptr %14)
  %378 = icmp eq i64 %377, 0
  %379 = shl i64 %377, 8
  %380 = or i64 %379, 3
  br i1 %378, label %381, label %605

381:
  %382 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 4
  %383 = load i64, ptr %382, align 8
  %384 = shl i64 %383, 3
  %385 = alloca i8, i64 %384, align 16
  %386 = shl i64 %383, 4
  %387 = alloca i8, i64 %386, align 16
  %388 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 10
  %389 = load i64, ptr %388, align 8
  %390 = add i64 %389, 1
  store i64 %390, ptr %388, align 8
  %391 = icmp slt i64 %383, 1
  br i1 %391, label %441, label %392

392:
  %393 = getelementptr %struct.Plan, ptr %372, i64 1
  %394 = load i64, ptr %372, align 8
  %395 = getelementptr %struct.Parameter, ptr %393, i64 %394
  br label %396

396:
  %397 = phi i64 [ %437, %434 ], [ 0, %392 ]
  %398 = phi ptr [ %438, %434 ], [ %395, %392 ]
  %399 = getelementptr inbounds %struct.Allocation, ptr %398, i64 0, i32 3
  %400 = load i64, ptr %399, align 8
  %401 = getelementptr i64, ptr %14, i64 %400
  %402 = getelementptr ptr, ptr %385, i64 %397
  store ptr null, ptr %402, align 8
  %403 = load i64, ptr %398, align 8
  %404 = icmp eq i64 %403, 0
  br i1 %404, label %407, label %405

405:
  %406 = getelementptr %struct.Cell, ptr %387, i64 %397
  br label %434

407:
  %408 = getelementptr inbounds %struct.Allocation, ptr %398, i64 0, i32 2
  %409 = load ptr, ptr %408, align 8
  call void @Py_IncRef(ptr %409)
  %410 = getelementptr inbounds %struct.Allocation, ptr %398, i64 0, i32 1
  %411 = load i64, ptr %410, align 8
  %412 = trunc i64 %411 to i32
  %413 = getelementptr i64, ptr %401, i64 1
  %414 = load ptr, ptr %408, align 8
  %415 = getelementptr inbounds %struct.Allocation, ptr %398, i64 0, i32 5
  %416 = load i64, ptr %415, align 8
  %417 = trunc i64 %416 to i32
  %418 = call ptr @jitmdh_array_empty(i32 %412, ptr %413, ptr %414, i32 %417)
  store ptr %418, ptr %402, align 8
  %419 = icmp eq ptr %418, null
  br i1 %419, label %420, label %431

420:
  %421 = icmp eq i64 %397, 0
  br i1 %421, label %601, label %422

422:
  %423 = phi i64 [ %429, %428 ], [ 0, %420 ]
  %424 = getelementptr ptr, ptr %385, i64 %423
  %425 = load ptr, ptr %424, align 8
  %426 = icmp eq ptr %425, null
  br i1 %426, label %428, label %427

427:
  call void @Py_DecRef(ptr %425)
  br label %428

428:
  %429 = add nuw nsw i64 %423, 1
  %430 = icmp eq i64 %429, %397
  br i1 %430, label %601, label %422

431:
  %432 = getelementptr inbounds %struct.ArrayObject, ptr %418, i64 0, i32 1
  %433 = load ptr, ptr %432, align 8
  br label %434

434:
  %435 = phi ptr [ %406, %405 ], [ %433, %431 ]
  %436 = ptrtoint ptr %435 to i64
  store i64 %436, ptr %401, align 8
  %437 = add nuw nsw i64 %397, 1
  %438 = getelementptr %struct.Allocation, ptr %398, i64 1
  %439 = load i64, ptr %382, align 8
  %440 = icmp slt i64 %437, %439
  br i1 %440, label %396, label %441

441:
  %442 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 11
  %443 = load ptr, ptr %442, align 8
  %444 = icmp eq ptr %443, null
  br i1 %444, label %452, label %445

445:
  %446 = getelementptr inbounds %struct.Trial, ptr %443, i64 0, i32 9
  %447 = load i64, ptr %446, align 8
  %448 = add i64 %447, -1
  store i64 %448, ptr %446, align 8
  %449 = icmp slt i64 %448, 0
  br i1 %449, label %450, label %452

450:
  %451 = call fastcc i64 @run_timed(ptr %372, ptr %443, ptr %14)
  br label %465

452:
  %453 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 8
  %454 = load i64, ptr %453, align 8
  %455 = icmp eq i64 %454, 0
  br i1 %455, label %456, label %460

456:
  %457 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 1
  %458 = load ptr, ptr %457, align 8
  %459 = call i64 %458(ptr %14)
  br label %465

460:
  %461 = call ptr @PyEval_SaveThread()
  %462 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 1
  %463 = load ptr, ptr %462, align 8
  %464 = call i64 %463(ptr %14)
  call void @PyEval_RestoreThread(ptr %461)
  br label %465

465:
  %466 = phi i64 [ %451, %450 ], [ %464, %460 ], [ %459, %456 ]
  %467 = icmp eq i64 %466, 0
  switch i64 %466, label %468 [
    i64 4611686018427387904, label %473
    i64 0, label %473
  ]

468:
  %469 = shl i64 %466, 8
  %470 = or i64 %469, 4
  %471 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 12
  %472 = load ptr, ptr %471, align 8
  store ptr %472, ptr %3, align 8
  call void @Py_IncRef(ptr %472)
  br label %588

473:
  %474 = load i64, ptr %382, align 8
  %475 = icmp slt i64 %474, 1
  br i1 %475, label %541, label %476

476:
  %477 = getelementptr %struct.Plan, ptr %372, i64 1
  %478 = load i64, ptr %372, align 8
  %479 = getelementptr %struct.Parameter, ptr %477, i64 %478
  %480 = getelementptr inbounds %struct.Shape, ptr %6, i64 0, i32 1
  br label %481

481:
  %482 = phi i64 [ 0, %476 ], [ %537, %536 ]
  %483 = phi ptr [ %479, %476 ], [ %538, %536 ]
  %484 = load i64, ptr %483, align 8
  %485 = icmp eq i64 %484, 0
  br i1 %485, label %512, label %486

486:
  %487 = getelementptr %struct.Cell, ptr %387, i64 %482
  switch i64 %484, label %504 [
    i64 2, label %488
    i64 3, label %491
    i64 4, label %494
    i64 5, label %499
  ]

488:
  %489 = load double, ptr %487, align 16
  %490 = call ptr @PyFloat_FromDouble(double %489)
  br label %508

491:
  %492 = load i64, ptr %487, align 16
  %493 = call ptr @PyLong_FromLongLong(i64 %492)
  br label %508

494:
  %495 = load i8, ptr %487, align 16
  %496 = icmp eq i8 %495, 0
  %497 = select i1 %496, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @Py_IncRef(ptr %497)
  %498 = getelementptr ptr, ptr %385, i64 %482
  store ptr %497, ptr %498, align 8
  br label %536

499:
  %500 = load double, ptr %487, align 16
  %501 = getelementptr double, ptr %487, i64 1
  %502 = load double, ptr %501, align 8
  %503 = call ptr @PyComplex_FromDoubles(double %500, double %502)
  br label %508

504:
  %505 = getelementptr inbounds %struct.Allocation, ptr %483, i64 0, i32 2
  %506 = load ptr, ptr %505, align 8
  %507 = call ptr @jitmdh_array_scalar(ptr %487, ptr %506, ptr null)
  br label %508

508:
  %509 = phi ptr [ %507, %504 ], [ %503, %499 ], [ %493, %491 ], [ %490, %488 ]
  %510 = getelementptr ptr, ptr %385, i64 %482
  store ptr %509, ptr %510, align 8
  %511 = icmp eq ptr %509, null
  br i1 %511, label %583, label %536

512:
  %513 = getelementptr inbounds %struct.Allocation, ptr %483, i64 0, i32 4
  %514 = load i64, ptr %513, align 8
  %515 = icmp eq i64 %514, 0
  br i1 %515, label %536, label %516

516:
  %517 = getelementptr ptr, ptr %385, i64 %482
  %518 = load ptr, ptr %517, align 8
  %519 = add i64 %514, -1
  %520 = getelementptr %struct.Cell, ptr %387, i64 %519
  %521 = load i64, ptr %520, align 16
  %522 = getelementptr inbounds %struct.ArrayObject, ptr %518, i64 0, i32 3
  %523 = load ptr, ptr %522, align 8
  %524 = load i64, ptr %523, align 8
  %525 = icmp eq i64 %524, %521
  br i1 %525, label %526, label %527

526:
  br label %536

527:
  %528 = getelementptr inbounds %struct.ArrayObject, ptr %518, i64 0, i32 2
  %529 = load i32, ptr %528, align 8
  %530 = sext i32 %529 to i64
  %531 = shl nsw i64 %530, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %5, ptr align 8 %523, i64 %531, i1 false)
  store i64 %521, ptr %5, align 16
  store ptr %5, ptr %6, align 8
  store i32 %529, ptr %480, align 8
  %532 = call ptr @jitmdh_array_resize(ptr %518, ptr %6, i32 0, i32 0)
  %533 = icmp eq ptr %532, null
  br i1 %533, label %535, label %534

534:
  call void @Py_DecRef(ptr %532)
  br label %536

535:
  br label %583

536:
  %537 = add nuw nsw i64 %482, 1
  %538 = getelementptr %struct.Allocation, ptr %483, i64 1
  %539 = load i64, ptr %382, align 8
  %540 = icmp slt i64 %537, %539
  br i1 %540, label %481, label %541

541:
  %542 = phi i64 [ %474, %473 ], [ %539, %536 ]
  %543 = getelementptr %struct.Plan, ptr %372, i64 1
  %544 = load i64, ptr %372, align 8
  %545 = getelementptr %struct.Parameter, ptr %543, i64 %544
  %546 = getelementptr %struct.Allocation, ptr %545, i64 %542
  %547 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 5
  %548 = load i64, ptr %547, align 8
  %549 = icmp slt i64 %548, 0
  br i1 %549, label %550, label %551

550:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  br label %583

551:
  %552 = getelementptr inbounds %struct.Plan, ptr %372, i64 0, i32 6
  %553 = load i64, ptr %552, align 8
  %554 = icmp eq i64 %553, 0
  br i1 %554, label %555, label %563

555:
  %556 = load i64, ptr %546, align 8
  %557 = icmp eq i64 %556, 0
  %558 = select i1 %557, ptr %1, ptr %385
  %559 = getelementptr inbounds %struct.Result, ptr %546, i64 0, i32 1
  %560 = load i64, ptr %559, align 8
  %561 = getelementptr ptr, ptr %558, i64 %560
  %562 = load ptr, ptr %561, align 8
  call void @Py_IncRef(ptr %562)
  br label %583

563:
  %564 = call ptr @PyTuple_New(i64 %548)
  %565 = icmp eq ptr %564, null
  br i1 %565, label %583, label %566

566:
  %567 = load i64, ptr %547, align 8
  %568 = icmp sgt i64 %567, 0
  br i1 %568, label %569, label %583

569:
  %570 = phi i64 [ %580, %569 ], [ 0, %566 ]
  %571 = getelementptr %struct.Result, ptr %546, i64 %570
  %572 = load i64, ptr %571, align 8
  %573 = icmp eq i64 %572, 0
  %574 = select i1 %573, ptr %1, ptr %385
  %575 = getelementptr inbounds %struct.Result, ptr %571, i64 0, i32 1
  %576 = load i64, ptr %575, align 8
  %577 = getelementptr ptr, ptr %574, i64 %576
  %578 = load ptr, ptr %577, align 8
  call void @Py_IncRef(ptr %578)
  %579 = call i32 @PyTuple_SetItem(ptr %564, i64 %570, ptr %578)
  %580 = add nuw nsw i64 %570, 1
  %581 = load i64, ptr %547, align 8
  %582 = icmp slt i64 %580, %581
  br i1 %582, label %569, label %583

583:
  %584 = phi ptr [ null, %535 ], [ @_Py_NoneStruct, %550 ], [ %562, %555 ], [ null, %563 ], [ %564, %566 ], [ %564, %569 ], [ null, %508 ]
  store ptr %584, ptr %3, align 8
  %585 = icmp eq ptr %584, null
  %586 = select i1 %467, i64 0, i64 256
  %587 = select i1 %585, i64 2, i64 %586
  br label %588

588:
  %589 = phi i64 [ %470, %468 ], [ %587, %583 ]
  %590 = load i64, ptr %382, align 8
  %591 = icmp sgt i64 %590, 0
  br i1 %591, label %592, label %601

592:
  %593 = phi i64 [ %599, %598 ], [ 0, %588 ]
  %594 = getelementptr ptr, ptr %385, i64 %593
  %595 = load ptr, ptr %594, align 8
  %596 = icmp eq ptr %595, null
  br i1 %596, label %598, label %597

597:
  call void @Py_DecRef(ptr %595)
  br label %598

598:
  %599 = add nuw nsw i64 %593, 1
  %600 = icmp eq i64 %599, %590
  br i1 %600, label %601, label %592

601:
  %602 = phi i64 [ 2, %420 ], [ %589, %588 ], [ %589, %598 ], [ 2, %428 ]
  %603 = load i64, ptr %388, align 8
  %604 = add i64 %603, -1
  store i64 %604, ptr %388, align 8
  br label %605

605:
  %606 = phi i64 [ 1, %4 ], [ %602, %601 ], [ %380, %376 ], [ 1, %293 ], [ 1, %368 ], [ 1, %180 ], [ 1, %364 ], [ 1, %181 ], [ 1, %199 ], [ 1, %156 ], [ 1, %204 ], [ 1, %50 ], [ 1, %45 ], [ 1, %41 ], [ 1, %26 ], [ 1, %74 ], [ 1, %142 ], [ 1, %147 ], [ 1, %162 ], [ 1, %193 ], [ 1, %189 ]
  ret i64 %606
}

define ptr @jitmdh_dispatch(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = tail call ptr @PyCapsule_GetPointer(ptr %0, ptr null)
  %6 = tail call fastcc ptr @dispatched(ptr %5, ptr %1, i64 %2, ptr %3)
  ret ptr %6
}

define internal fastcc ptr @dispatched(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = alloca ptr, align 8
  %6 = icmp eq ptr %3, null
  br i1 %6, label %7, label %121

7:
  %8 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 5
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq ptr %9, null
  br i1 %10, label %91, label %11

11:
  %12 = getelementptr inbounds %struct.Watches, ptr %9, i64 0, i32 1
  %13 = load i64, ptr %9, align 8
  %14 = getelementptr %struct.Watch, ptr %12, i64 %13
  %15 = icmp ult ptr %12, %14
  br i1 %15, label %16, label %91

16:
  %17 = phi ptr [ %45, %44 ], [ %12, %11 ]
  %18 = load i64, ptr %17, align 8
  %19 = getelementptr %struct.Watch, ptr %17, i64 1
  switch i64 %18, label %30 [
    i64 0, label %47
    i64 1, label %20
    i64 2, label %26
  ]

20:
  %21 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 1
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 2
  %24 = load ptr, ptr %23, align 8
  %25 = tail call ptr @PyDict_GetItem(ptr %22, ptr %24)
  br label %39

26:
  %27 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 1
  %28 = load ptr, ptr %27, align 8
  %29 = load ptr, ptr %28, align 8
  br label %39

30:
  %31 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 1
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 2
  %34 = load ptr, ptr %33, align 8
  %35 = tail call ptr @PyObject_GetAttr(ptr %32, ptr %34)
  %36 = icmp eq ptr %35, null
  br i1 %36, label %38, label %37

37:
  tail call void @Py_DecRef(ptr %35)
  br label %39

38:
  tail call void @PyErr_Clear()
  br label %39

39:
  %40 = phi ptr [ %29, %26 ], [ %25, %20 ], [ null, %38 ], [ %35, %37 ]
  %41 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 3
  %42 = load ptr, ptr %41, align 8
  %43 = icmp eq ptr %40, %42
  br i1 %43, label %44, label %121

44:
  %45 = phi ptr [ %19, %39 ], [ %50, %47 ], [ %50, %90 ]
  %46 = icmp ult ptr %45, %14
  br i1 %46, label %16, label %91

47:
  %48 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 3
  %49 = load i64, ptr %48, align 8
  %50 = getelementptr %struct.Watch, ptr %19, i64 %49
  %51 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 1
  %52 = load ptr, ptr %51, align 8
  %53 = getelementptr inbounds %struct.DictObject, ptr %52, i64 0, i32 2
  %54 = load i64, ptr %53, align 8
  %55 = getelementptr inbounds %struct.Watch, ptr %17, i64 0, i32 2
  %56 = load i64, ptr %55, align 8
  %57 = icmp eq i64 %54, %56
  br i1 %57, label %44, label %58

58:
  %59 = icmp ult ptr %19, %50
  br i1 %59, label %63, label %90

60:
  %61 = getelementptr %struct.Watch, ptr %64, i64 1
  %62 = icmp ult ptr %61, %50
  br i1 %62, label %63, label %90

63:
  %64 = phi ptr [ %61, %60 ], [ %19, %58 ]
  %65 = load i64, ptr %64, align 8
  switch i64 %65, label %76 [
    i64 1, label %66
    i64 2, label %72
  ]

66:
  %67 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 1
  %68 = load ptr, ptr %67, align 8
  %69 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 2
  %70 = load ptr, ptr %69, align 8
  %71 = tail call ptr @PyDict_GetItem(ptr %68, ptr %70)
  br label %85

72:
  %73 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 1
  %74 = load ptr, ptr %73, align 8
  %75 = load ptr, ptr %74, align 8
  br label %85

76:
  %77 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 1
  %78 = load ptr, ptr %77, align 8
  %79 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 2
  %80 = load ptr, ptr %79, align 8
  %81 = tail call ptr @PyObject_GetAttr(ptr %78, ptr %80)
  %82 = icmp eq ptr %81, null
  br i1 %82, label %84, label %83

83:
  tail call void @Py_DecRef(ptr %81)
  br label %85

84:
  tail call void @PyErr_Clear()
  br label %85

85:
  %86 = phi ptr [ %75, %72 ], [ %71, %66 ], [ null, %84 ], [ %81, %83 ]
  %87 = getelementptr inbounds %struct.Watch, ptr %64, i64 0, i32 3
  %88 = load ptr, ptr %87, align 8
  %89 = icmp eq ptr %86, %88
  br i1 %89, label %60, label %121

90:
  store i64 %54, ptr %55, align 8
  br label %44

91:
  %92 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 1
  %93 = load i64, ptr %92, align 8
  %94 = icmp sgt i64 %93, 0
  br i1 %94, label %95, label %121

95:
  %96 = phi i64 [ %119, %118 ], [ 0, %91 ]
  %97 = getelementptr %struct.Table, ptr %0, i64 0, i32 6, i64 %96
  %98 = load ptr, ptr %97, align 8
  %99 = call i64 @jitmdh_call(ptr %98, ptr %1, i64 %2, ptr %5)
  %100 = trunc i64 %99 to i8
  switch i8 %100, label %118 [
    i8 0, label %101
    i8 2, label %125
    i8 4, label %108
    i8 3, label %121
  ]

101:
  %102 = load i64, ptr %0, align 8
  %103 = add i64 %102, 1
  store i64 %103, ptr %0, align 8
  %104 = icmp ult i64 %99, 256
  %105 = load ptr, ptr %5, align 8
  br i1 %104, label %125, label %106

106:
  %107 = tail call fastcc ptr @observed(ptr %0, ptr %1, i64 %2, ptr %105)
  br label %125

108:
  %109 = ashr i64 %99, 8
  %110 = load ptr, ptr %5, align 8
  %111 = add nsw i64 %109, -1048576
  %112 = icmp ult i64 %111, -1048560
  br i1 %112, label %114, label %113

113:
  tail call void @Py_DecRef(ptr %110)
  br label %121

114:
  %115 = tail call fastcc ptr @fail(ptr %0, i64 %109, ptr %110)
  tail call void @Py_DecRef(ptr %110)
  %116 = icmp eq ptr %115, null
  br i1 %116, label %125, label %117

117:
  tail call void @Py_DecRef(ptr %115)
  br label %121

118:
  %119 = add nuw nsw i64 %96, 1
  %120 = icmp eq i64 %119, %93
  br i1 %120, label %121, label %95

121:
  %122 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 2
  %123 = load ptr, ptr %122, align 8
  %124 = tail call ptr @PyObject_Vectorcall(ptr %123, ptr %1, i64 %2, ptr %3)
  br label %125

125:
  %126 = phi ptr [ %124, %121 ], [ null, %114 ], [ %107, %106 ], [ %105, %101 ], [ null, %95 ]
  ret ptr %126
}

declare ptr @PyCapsule_GetPointer(ptr, ptr)

define ptr @jitmdh_dispatch_object(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = getelementptr inbounds %struct.CallableObject, ptr %0, i64 0, i32 2
  %6 = load ptr, ptr %5, align 8
  %7 = and i64 %2, 9223372036854775807
  %8 = tail call fastcc ptr @dispatched(ptr %6, ptr %1, i64 %7, ptr %3)
  ret ptr %8
}

define ptr @jitmdh_formula(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = tail call ptr @PyCapsule_GetPointer(ptr %0, ptr null)
  %6 = tail call fastcc ptr @formula_called(ptr %5, ptr %1, i64 %2, ptr %3)
  ret ptr %6
}

define internal fastcc ptr @formula_called(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = alloca ptr, align 8
  %6 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 8
  %7 = load i64, ptr %6, align 8
  %8 = icmp slt i64 %7, %2
  br i1 %8, label %92, label %9

9:
  %10 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 9
  %11 = load i64, ptr %10, align 8
  %12 = add i64 %11, %7
  %13 = shl i64 %12, 3
  %14 = alloca i8, i64 %13, align 16
  %15 = icmp sgt i64 %7, 0
  br i1 %15, label %21, label %16

16:
  %17 = icmp sgt i64 %11, 0
  br i1 %17, label %18, label %32

18:
  %19 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 10
  %20 = getelementptr %struct.Formal, ptr %19, i64 %7
  br label %34

21:
  %22 = phi i64 [ %30, %27 ], [ 0, %9 ]
  %23 = icmp slt i64 %22, %2
  br i1 %23, label %24, label %27

24:
  %25 = getelementptr ptr, ptr %1, i64 %22
  %26 = load ptr, ptr %25, align 8
  br label %27

27:
  %28 = phi ptr [ %26, %24 ], [ null, %21 ]
  %29 = getelementptr ptr, ptr %14, i64 %22
  store ptr %28, ptr %29, align 8
  %30 = add nuw nsw i64 %22, 1
  %31 = icmp eq i64 %30, %7
  br i1 %31, label %16, label %21

32:
  %33 = icmp eq ptr %3, null
  br i1 %33, label %89, label %42

34:
  %35 = phi i64 [ 0, %18 ], [ %40, %34 ]
  %36 = getelementptr ptr, ptr %20, i64 %35
  %37 = load ptr, ptr %36, align 8
  %38 = add i64 %35, %7
  %39 = getelementptr ptr, ptr %14, i64 %38
  store ptr %37, ptr %39, align 8
  %40 = add nuw nsw i64 %35, 1
  %41 = icmp eq i64 %40, %11
  br i1 %41, label %32, label %34

42:
  %43 = getelementptr ptr, ptr %1, i64 %2
  %44 = tail call i64 @PyTuple_Size(ptr %3)
  %45 = icmp slt i64 %44, 1
  br i1 %45, label %89, label %46

46:
  %47 = phi i1 [ %84, %80 ], [ false, %42 ]
  %48 = phi i64 [ %83, %80 ], [ 0, %42 ]
  %49 = tail call ptr @PyTuple_GetItem(ptr %3, i64 %48)
  %50 = load i64, ptr %6, align 8
  %51 = icmp sgt i64 %50, 0
  br i1 %51, label %52, label %86

52:
  %53 = phi i64 [ %58, %57 ], [ 0, %46 ]
  %54 = getelementptr %struct.Formula, ptr %0, i64 0, i32 10, i64 %53
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, %49
  br i1 %56, label %72, label %57

57:
  %58 = add nuw nsw i64 %53, 1
  %59 = icmp eq i64 %58, %50
  br i1 %59, label %60, label %52

60:
  %61 = phi i64 [ %69, %68 ], [ 0, %57 ]
  %62 = getelementptr %struct.Formula, ptr %0, i64 0, i32 10, i64 %61
  %63 = load ptr, ptr %62, align 8
  %64 = tail call i32 @PyObject_RichCompareBool(ptr %63, ptr %49, i32 2)
  %65 = icmp eq i32 %64, 1
  br i1 %65, label %66, label %68

66:
  %67 = load i64, ptr %6, align 8
  br label %72

68:
  %69 = add nuw nsw i64 %61, 1
  %70 = load i64, ptr %6, align 8
  %71 = icmp slt i64 %69, %70
  br i1 %71, label %60, label %86

72:
  %73 = phi i64 [ %67, %66 ], [ %50, %52 ]
  %74 = phi i64 [ %61, %66 ], [ %53, %52 ]
  %75 = icmp eq i64 %74, %73
  br i1 %75, label %86, label %76

76:
  %77 = getelementptr ptr, ptr %14, i64 %74
  %78 = load ptr, ptr %77, align 8
  %79 = icmp eq ptr %78, null
  br i1 %79, label %80, label %86

80:
  %81 = getelementptr ptr, ptr %43, i64 %48
  %82 = load ptr, ptr %81, align 8
  store ptr %82, ptr %77, align 8
  %83 = add nuw nsw i64 %48, 1
  %84 = icmp sge i64 %83, %44
  %85 = icmp eq i64 %83, %44
  br i1 %85, label %86, label %46

86:
  %87 = phi i1 [ %47, %68 ], [ %84, %80 ], [ %47, %72 ], [ %47, %76 ], [ %47, %46 ]
  br i1 %87, label %89, label %88

88:
  br label %92

89:
  %90 = call fastcc zeroext i1 @run_formula(ptr %0, ptr %14, ptr %5)
  %91 = load ptr, ptr %5, align 8
  br i1 %90, label %96, label %92

92:
  %93 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 2
  %94 = load ptr, ptr %93, align 8
  %95 = call ptr @PyObject_Vectorcall(ptr %94, ptr %1, i64 %2, ptr %3)
  br label %96

96:
  %97 = phi ptr [ %91, %89 ], [ %95, %92 ]
  ret ptr %97
}

define ptr @jitmdh_formula_object(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = getelementptr inbounds %struct.CallableObject, ptr %0, i64 0, i32 2
  %6 = load ptr, ptr %5, align 8
  %7 = and i64 %2, 9223372036854775807
  %8 = tail call fastcc ptr @formula_called(ptr %6, ptr %1, i64 %7, ptr %3)
  ret ptr %8
}

declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal fastcc zeroext i1 @elements_are_separate(ptr %0, i64 %1, i64 %2) noinline nounwind {
  %4 = icmp sgt i64 %1, 0
  %5 = getelementptr inbounds %struct.ArrayObject, ptr %0, i64 0, i32 4
  %6 = getelementptr inbounds %struct.ArrayObject, ptr %0, i64 0, i32 3
  br i1 %4, label %7, label %48

7:
  %8 = phi i64 [ %47, %39 ], [ 0, %3 ]
  %9 = phi i64 [ %45, %39 ], [ %2, %3 ]
  br label %14

10:
  %11 = icmp slt i64 %35, 0
  %12 = icmp slt i64 %36, %9
  %13 = select i1 %11, i1 true, i1 %12
  br i1 %13, label %48, label %39

14:
  %15 = phi i64 [ %37, %34 ], [ 0, %7 ]
  %16 = phi i64 [ %36, %34 ], [ 9223372036854775807, %7 ]
  %17 = phi i64 [ %35, %34 ], [ -1, %7 ]
  %18 = shl nuw i64 1, %15
  %19 = and i64 %18, %8
  %20 = icmp eq i64 %19, 0
  br i1 %20, label %21, label %34

21:
  %22 = load ptr, ptr %5, align 8
  %23 = getelementptr i64, ptr %22, i64 %15
  %24 = load i64, ptr %23, align 8
  %25 = tail call i64 @llvm.abs.i64(i64 %24, i1 false)
  %26 = load ptr, ptr %6, align 8
  %27 = getelementptr i64, ptr %26, i64 %15
  %28 = load i64, ptr %27, align 8
  %29 = icmp sgt i64 %28, 1
  %30 = icmp slt i64 %25, %16
  %31 = select i1 %29, i1 %30, i1 false
  %32 = select i1 %31, i64 %15, i64 %17
  %33 = select i1 %31, i64 %25, i64 %16
  br label %34

34:
  %35 = phi i64 [ %17, %14 ], [ %32, %21 ]
  %36 = phi i64 [ %16, %14 ], [ %33, %21 ]
  %37 = add nuw nsw i64 %15, 1
  %38 = icmp eq i64 %37, %1
  br i1 %38, label %10, label %14

39:
  %40 = load ptr, ptr %6, align 8
  %41 = getelementptr i64, ptr %40, i64 %35
  %42 = load i64, ptr %41, align 8
  %43 = add i64 %42, -1
  %44 = mul i64 %43, %36
  %45 = add i64 %44, %9
  %46 = shl nuw i64 1, %35
  %47 = or i64 %46, %8
  br i1 %4, label %7, label %48

48:
  %49 = phi i1 [ true, %3 ], [ %11, %10 ], [ true, %39 ]
  ret i1 %49
}

declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)

declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)

define internal fastcc ptr @remembered(ptr %0, ptr %1, ptr %2) noinline nounwind {
  %4 = load i64, ptr %0, align 8
  %5 = icmp sgt i64 %4, 0
  br i1 %5, label %16, label %8

6:
  %7 = lshr i64 %24, 57
  br label %8

8:
  %9 = phi i64 [ 0, %3 ], [ %7, %6 ]
  %10 = getelementptr %struct.Memo, ptr %0, i64 0, i32 2, i64 %9
  %11 = getelementptr %struct.Memo, ptr %0, i64 0, i32 2, i64 %9, i32 1
  %12 = load ptr, ptr %11, align 8
  %13 = icmp eq ptr %12, null
  br i1 %13, label %39, label %14

14:
  %15 = tail call i64 @llvm.smax.i64(i64 %4, i64 0)
  br label %27

16:
  %17 = phi i64 [ %24, %16 ], [ 0, %3 ]
  %18 = phi i64 [ %25, %16 ], [ 0, %3 ]
  %19 = getelementptr %struct.Memo, ptr %0, i64 0, i32 1, i64 %18
  %20 = load i64, ptr %19, align 8
  %21 = getelementptr i64, ptr %2, i64 %20
  %22 = load i64, ptr %21, align 8
  %23 = xor i64 %22, %17
  %24 = mul i64 %23, -7046029254386353131
  %25 = add nuw nsw i64 %18, 1
  %26 = icmp eq i64 %25, %4
  br i1 %26, label %6, label %16

27:
  %28 = phi i64 [ %38, %30 ], [ 0, %14 ]
  %29 = icmp eq i64 %28, %15
  br i1 %29, label %113, label %30

30:
  %31 = getelementptr [6 x i64], ptr %10, i64 0, i64 %28
  %32 = load i64, ptr %31, align 8
  %33 = getelementptr %struct.Memo, ptr %0, i64 0, i32 1, i64 %28
  %34 = load i64, ptr %33, align 8
  %35 = getelementptr i64, ptr %2, i64 %34
  %36 = load i64, ptr %35, align 8
  %37 = icmp eq i64 %32, %36
  %38 = add nuw i64 %28, 1
  br i1 %37, label %27, label %39

39:
  br label %40

40:
  %41 = phi ptr [ %97, %95 ], [ %1, %39 ]
  %42 = getelementptr inbounds %struct.Plan, ptr %41, i64 0, i32 9
  %43 = load i64, ptr %42, align 8
  %44 = icmp eq i64 %43, 0
  %45 = getelementptr i64, ptr %41, i64 %43
  %46 = icmp eq ptr %45, null
  %47 = select i1 %44, i1 true, i1 %46
  br i1 %47, label %101, label %48

48:
  %49 = getelementptr inbounds %struct.Conditions, ptr %45, i64 0, i32 3
  %50 = load i64, ptr %45, align 8
  %51 = getelementptr %struct.SizeCondition, ptr %49, i64 %50
  %52 = icmp ult ptr %49, %51
  br i1 %52, label %53, label %101

53:
  %54 = phi ptr [ %93, %92 ], [ %49, %48 ]
  %55 = load i64, ptr %54, align 8
  %56 = getelementptr i64, ptr %2, i64 %55
  %57 = load i64, ptr %56, align 8
  %58 = getelementptr inbounds %struct.SizeCondition, ptr %54, i64 0, i32 4
  %59 = load i64, ptr %58, align 8
  %60 = icmp eq i64 %59, 0
  br i1 %60, label %75, label %61

61:
  %62 = phi i64 [ %71, %61 ], [ %57, %53 ]
  %63 = phi ptr [ %64, %61 ], [ %54, %53 ]
  %64 = getelementptr %struct.SizeCondition, ptr %63, i64 1
  %65 = load i64, ptr %64, align 8
  %66 = getelementptr i64, ptr %2, i64 %65
  %67 = load i64, ptr %66, align 8
  %68 = tail call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %62, i64 %67)
  %69 = extractvalue { i64, i1 } %68, 1
  %70 = extractvalue { i64, i1 } %68, 0
  %71 = select i1 %69, i64 9223372036854775807, i64 %70
  %72 = getelementptr %struct.SizeCondition, ptr %63, i64 1, i32 4
  %73 = load i64, ptr %72, align 8
  %74 = icmp eq i64 %73, 0
  br i1 %74, label %75, label %61

75:
  %76 = phi ptr [ %54, %53 ], [ %64, %61 ]
  %77 = phi i64 [ %57, %53 ], [ %71, %61 ]
  %78 = getelementptr inbounds %struct.SizeCondition, ptr %76, i64 0, i32 1
  %79 = load i64, ptr %78, align 8
  %80 = icmp slt i64 %77, %79
  br i1 %80, label %95, label %81

81:
  %82 = getelementptr inbounds %struct.SizeCondition, ptr %76, i64 0, i32 2
  %83 = load i64, ptr %82, align 8
  %84 = icmp sgt i64 %77, %83
  br i1 %84, label %95, label %85

85:
  %86 = getelementptr inbounds %struct.SizeCondition, ptr %76, i64 0, i32 3
  %87 = load i64, ptr %86, align 8
  %88 = icmp eq i64 %87, 1
  br i1 %88, label %92, label %89

89:
  %90 = srem i64 %77, %87
  %91 = icmp eq i64 %90, 0
  br i1 %91, label %92, label %95

92:
  %93 = getelementptr %struct.SizeCondition, ptr %76, i64 1
  %94 = icmp ult ptr %93, %51
  br i1 %94, label %53, label %99

95:
  %96 = getelementptr inbounds %struct.Conditions, ptr %45, i64 0, i32 1
  %97 = load ptr, ptr %96, align 8
  %98 = icmp eq ptr %97, null
  br i1 %98, label %113, label %40

99:
  %100 = icmp eq ptr %41, null
  br i1 %100, label %113, label %101

101:
  br i1 %5, label %103, label %102

102:
  store ptr %41, ptr %11, align 8
  br label %113

103:
  %104 = phi i64 [ %110, %103 ], [ 0, %101 ]
  %105 = getelementptr %struct.Memo, ptr %0, i64 0, i32 1, i64 %104
  %106 = load i64, ptr %105, align 8
  %107 = getelementptr i64, ptr %2, i64 %106
  %108 = load i64, ptr %107, align 8
  %109 = getelementptr [6 x i64], ptr %10, i64 0, i64 %104
  store i64 %108, ptr %109, align 8
  %110 = add nuw nsw i64 %104, 1
  %111 = load i64, ptr %0, align 8
  %112 = icmp slt i64 %110, %111
  br i1 %112, label %103, label %102

113:
  %114 = phi ptr [ %41, %102 ], [ null, %99 ], [ null, %95 ], [ %12, %27 ]
  ret ptr %114
}

declare void @Py_IncRef(ptr)

declare ptr @jitmdh_array_empty(i32, ptr, ptr, i32)

define internal fastcc i64 @run_timed(ptr %0, ptr %1, ptr %2) noinline nounwind {
  %4 = alloca %struct.TimeSpec, align 8
  %5 = alloca %struct.TimeSpec, align 8
  %6 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 6
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 10
  %9 = load i64, ptr %8, align 8
  %10 = add i64 %9, 1
  %11 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 5
  %12 = load i64, ptr %11, align 8
  %13 = icmp sgt i64 %12, 0
  br i1 %13, label %14, label %18

14:
  %15 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 1
  %16 = load ptr, ptr %15, align 8
  %17 = icmp eq ptr %16, null
  br i1 %17, label %18, label %21

18:
  %19 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 1
  %20 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 1
  br label %34

21:
  %22 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 2
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 3
  %25 = load i64, ptr %24, align 8
  %26 = srem i64 %7, %25
  %27 = shl nuw i64 1, %26
  %28 = and i64 %27, %23
  %29 = freeze i64 %28
  %30 = icmp ne i64 %29, 0
  %31 = zext i1 %30 to i64
  %32 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 1
  %33 = select i1 %30, ptr %15, ptr %32
  br label %34

34:
  %35 = phi ptr [ %19, %18 ], [ %15, %21 ]
  %36 = phi i64 [ 0, %18 ], [ %31, %21 ]
  %37 = phi ptr [ %20, %18 ], [ %33, %21 ]
  %38 = load ptr, ptr %37, align 8
  %39 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 17
  %40 = load ptr, ptr %39, align 8
  %41 = icmp eq ptr %40, null
  br i1 %41, label %44, label %42

42:
  %43 = load atomic i64, ptr %40 seq_cst, align 8
  br label %44

44:
  %45 = phi i64 [ %43, %42 ], [ 0, %34 ]
  %46 = load i64, ptr %1, align 8
  %47 = add i64 %46, 1
  store i64 %47, ptr %1, align 8
  %48 = icmp eq i64 %46, 0
  %49 = or i64 %36, 2
  %50 = select i1 %48, i64 %36, i64 %49
  %51 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 8
  %52 = load i64, ptr %51, align 8
  %53 = icmp eq i64 %52, 0
  br i1 %53, label %56, label %54

54:
  %55 = tail call ptr @PyEval_SaveThread()
  br label %56

56:
  %57 = phi ptr [ %55, %54 ], [ null, %44 ]
  %58 = tail call i32 @platform_clock_monotonic()
  %59 = call i32 @clock_gettime(i32 %58, ptr %5)
  %60 = load i64, ptr %5, align 8
  %61 = getelementptr inbounds %struct.TimeSpec, ptr %5, i64 0, i32 1
  %62 = load i64, ptr %61, align 8
  %63 = call i64 %38(ptr %2)
  %64 = call i32 @platform_clock_monotonic()
  %65 = call i32 @clock_gettime(i32 %64, ptr %4)
  %66 = load i64, ptr %4, align 8
  %67 = getelementptr inbounds %struct.TimeSpec, ptr %4, i64 0, i32 1
  %68 = load i64, ptr %67, align 8
  %69 = sub i64 %66, %60
  %70 = mul i64 %69, 1000000000
  %71 = sub i64 %68, %62
  %72 = add i64 %71, %70
  %73 = icmp eq ptr %57, null
  br i1 %73, label %75, label %74

74:
  call void @PyEval_RestoreThread(ptr %57)
  br label %75

75:
  %76 = load i64, ptr %1, align 8
  %77 = add i64 %76, -1
  store i64 %77, ptr %1, align 8
  %78 = icmp eq i64 %77, 0
  br i1 %78, label %79, label %85

79:
  %80 = load ptr, ptr %39, align 8
  %81 = icmp eq ptr %80, null
  br i1 %81, label %86, label %82

82:
  %83 = load atomic i64, ptr %80 seq_cst, align 8
  %84 = icmp eq i64 %83, %45
  br i1 %84, label %86, label %85

85:
  br label %86

86:
  %87 = phi i64 [ %49, %85 ], [ %50, %82 ], [ %50, %79 ]
  %88 = mul i64 %72, %10
  %89 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 14
  %90 = load i64, ptr %89, align 8
  %91 = add i64 %90, %88
  store i64 %91, ptr %89, align 8
  %92 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 18
  %93 = load ptr, ptr %92, align 8
  %94 = icmp eq ptr %93, null
  br i1 %94, label %122, label %95

95:
  %96 = getelementptr inbounds %struct.Calls, ptr %93, i64 0, i32 3
  %97 = load i64, ptr %93, align 8
  %98 = getelementptr i64, ptr %96, i64 %97
  %99 = getelementptr inbounds %struct.Calls, ptr %93, i64 0, i32 2
  %100 = load i64, ptr %99, align 8
  %101 = add i64 %100, 1
  store i64 %101, ptr %99, align 8
  %102 = getelementptr inbounds %struct.Calls, ptr %93, i64 0, i32 1
  %103 = load i64, ptr %102, align 8
  %104 = add i64 %103, -1
  %105 = and i64 %104, %100
  %106 = add i64 %97, 1
  %107 = mul i64 %105, %106
  %108 = getelementptr i64, ptr %98, i64 %107
  store i64 %88, ptr %108, align 8
  %109 = load i64, ptr %93, align 8
  %110 = icmp sgt i64 %109, 0
  br i1 %110, label %111, label %122

111:
  %112 = phi i64 [ %119, %111 ], [ 0, %95 ]
  %113 = phi ptr [ %114, %111 ], [ %108, %95 ]
  %114 = getelementptr i64, ptr %113, i64 1
  %115 = getelementptr %struct.Calls, ptr %93, i64 0, i32 3, i64 %112
  %116 = load i64, ptr %115, align 8
  %117 = getelementptr i64, ptr %2, i64 %116
  %118 = load i64, ptr %117, align 8
  store i64 %118, ptr %114, align 8
  %119 = add nuw nsw i64 %112, 1
  %120 = load i64, ptr %93, align 8
  %121 = icmp slt i64 %119, %120
  br i1 %121, label %111, label %122

122:
  %123 = and i64 %87, 1
  %124 = icmp eq i64 %123, 0
  br i1 %124, label %129, label %125

125:
  %126 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 16
  %127 = load i64, ptr %126, align 8
  %128 = add i64 %127, %72
  store i64 %128, ptr %126, align 8
  br label %129

129:
  %130 = icmp eq i64 %63, 0
  %131 = load i64, ptr %11, align 8
  %132 = icmp sgt i64 %131, 0
  br i1 %130, label %133, label %179

133:
  br i1 %132, label %134, label %165

134:
  %135 = load i64, ptr %6, align 8
  %136 = icmp eq i64 %135, %7
  br i1 %136, label %137, label %162

137:
  %138 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 11
  %139 = load i64, ptr %138, align 8
  %140 = add i64 %139, %72
  store i64 %140, ptr %138, align 8
  %141 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 13
  %142 = load i64, ptr %141, align 8
  %143 = or i64 %142, %87
  store i64 %143, ptr %141, align 8
  %144 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 12
  %145 = load i64, ptr %144, align 8
  %146 = add i64 %145, 1
  store i64 %146, ptr %144, align 8
  %147 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 4
  %148 = load i64, ptr %147, align 8
  %149 = icmp slt i64 %146, %148
  br i1 %149, label %162, label %150

150:
  %151 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 19
  %152 = load i64, ptr %151, align 8
  %153 = add i64 %152, -1
  %154 = and i64 %153, %7
  %155 = getelementptr %struct.Trial, ptr %1, i64 0, i32 20, i64 %154
  store i64 %140, ptr %155, align 8
  %156 = getelementptr %struct.Trial, ptr %1, i64 0, i32 20, i64 %154, i32 1
  store i64 %143, ptr %156, align 8
  store i64 0, ptr %141, align 8
  store i64 0, ptr %144, align 8
  store i64 0, ptr %138, align 8
  %157 = load i64, ptr %6, align 8
  %158 = add i64 %157, 1
  store i64 %158, ptr %6, align 8
  %159 = load i64, ptr %11, align 8
  %160 = add i64 %159, -1
  store i64 %160, ptr %11, align 8
  %161 = icmp sgt i64 %160, 0
  br i1 %161, label %162, label %165

162:
  %163 = load ptr, ptr %35, align 8
  %164 = icmp eq ptr %163, null
  br i1 %164, label %165, label %172

165:
  %166 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 7
  %167 = load i64, ptr %166, align 8
  %168 = icmp sgt i64 %167, %72
  br i1 %168, label %169, label %172

169:
  %170 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 8
  %171 = load i64, ptr %170, align 8
  br label %172

172:
  %173 = phi i64 [ %171, %169 ], [ 0, %165 ], [ 0, %162 ]
  store i64 %173, ptr %8, align 8
  %174 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 9
  store i64 %173, ptr %174, align 8
  %175 = load i64, ptr %89, align 8
  %176 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 15
  %177 = load i64, ptr %176, align 8
  %178 = icmp slt i64 %175, %177
  br i1 %178, label %195, label %193

179:
  br i1 %132, label %180, label %183

180:
  %181 = load ptr, ptr %35, align 8
  %182 = icmp eq ptr %181, null
  br i1 %182, label %183, label %190

183:
  %184 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 7
  %185 = load i64, ptr %184, align 8
  %186 = icmp sgt i64 %185, %72
  br i1 %186, label %187, label %190

187:
  %188 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 8
  %189 = load i64, ptr %188, align 8
  br label %190

190:
  %191 = phi i64 [ %189, %187 ], [ 0, %183 ], [ 0, %180 ]
  store i64 %191, ptr %8, align 8
  %192 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 9
  store i64 %191, ptr %192, align 8
  br label %195

193:
  %194 = add i64 %175, 1000000000
  store i64 %194, ptr %176, align 8
  br label %195

195:
  %196 = phi i64 [ 4611686018427387904, %193 ], [ %63, %190 ], [ 0, %172 ]
  ret i64 %196
}

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare i32 @clock_gettime(i32, ptr)

declare i32 @platform_clock_monotonic()

declare ptr @PyFloat_FromDouble(double)

declare ptr @PyLong_FromLongLong(i64)

declare ptr @PyComplex_FromDoubles(double, double)

declare ptr @jitmdh_array_scalar(ptr, ptr, ptr)

declare ptr @jitmdh_array_resize(ptr, ptr, i32, i32)

declare void @Py_DecRef(ptr)

declare ptr @PyTuple_New(i64)

declare i32 @PyTuple_SetItem(ptr, i64, ptr)

declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)

define internal fastcc ptr @observed(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 4
  %6 = load ptr, ptr %5, align 8
  %7 = tail call ptr @PyObject_Vectorcall(ptr %6, ptr %1, i64 %2, ptr null)
  %8 = icmp eq ptr %7, null
  %9 = select i1 %8, ptr %3, ptr %7
  tail call void @Py_DecRef(ptr %9)
  %10 = select i1 %8, ptr null, ptr %3
  ret ptr %10
}

define internal fastcc ptr @fail(ptr %0, i64 %1, ptr %2) noinline nounwind {
  %4 = alloca [2 x ptr], align 16
  %5 = tail call ptr @PyLong_FromLongLong(i64 %1)
  store ptr %5, ptr %4, align 16
  %6 = getelementptr inbounds ptr, ptr %4, i64 1
  store ptr %2, ptr %6, align 8
  %7 = icmp eq ptr %5, null
  br i1 %7, label %13, label %8

8:
  %9 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 3
  %10 = load ptr, ptr %9, align 8
  %11 = call ptr @PyObject_Vectorcall(ptr %10, ptr %4, i64 2, ptr null)
  %12 = load ptr, ptr %4, align 16
  call void @Py_DecRef(ptr %12)
  br label %13

13:
  %14 = phi ptr [ %11, %8 ], [ null, %3 ]
  ret ptr %14
}

declare ptr @PyDict_GetItem(ptr, ptr)

declare ptr @PyObject_GetAttr(ptr, ptr)

declare void @PyErr_Clear()

define internal fastcc zeroext i1 @run_formula(ptr %0, ptr %1, ptr %2) nounwind {
  %4 = alloca %struct.View, align 8
  %5 = alloca i32, align 4
  %6 = alloca %struct.Given, align 8
  %7 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 8
  %8 = load i64, ptr %7, align 8
  %9 = shl i64 %8, 3
  %10 = alloca i8, i64 %9, align 16
  %11 = icmp sgt i64 %8, 0
  br i1 %11, label %367, label %12

12:
  store ptr %0, ptr %6, align 8
  %13 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 1
  store ptr %1, ptr %13, align 8
  %14 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 2
  store ptr %10, ptr %14, align 8
  %15 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 3
  store i64 -1, ptr %15, align 8
  %16 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 4
  store i8 0, ptr %16, align 8
  %17 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 5
  %18 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 3
  %19 = load ptr, ptr %18, align 8
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, 0
  br i1 %21, label %36, label %22

22:
  %23 = call i64 @PyThread_get_thread_ident()
  %24 = icmp sgt i64 %20, 0
  br i1 %24, label %25, label %36

25:
  %26 = add nsw i64 %20, -1
  %27 = call i64 @llvm.umin.i64(i64 %26, i64 63)
  br label %31

28:
  %29 = add nuw nsw i64 %32, 1
  %30 = icmp eq i64 %32, %27
  br i1 %30, label %36, label %31

31:
  %32 = phi i64 [ %29, %28 ], [ 0, %25 ]
  %33 = getelementptr %struct.Trusted, ptr %19, i64 0, i32 1, i64 %32
  %34 = load i64, ptr %33, align 8
  %35 = icmp ne i64 %34, %23
  br i1 %35, label %28, label %36

36:
  %37 = phi i1 [ true, %12 ], [ true, %22 ], [ %35, %31 ], [ %35, %28 ]
  %38 = phi i8 [ 0, %12 ], [ 0, %22 ], [ 0, %28 ], [ 1, %31 ]
  store i8 %38, ptr %17, align 1
  %39 = load i64, ptr %7, align 8
  %40 = icmp sgt i64 %39, 0
  br i1 %40, label %41, label %358

41:
  %42 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 4
  %43 = add nsw i64 %39, -1
  br label %59

44:
  %45 = add nuw nsw i64 %60, 1
  br i1 %76, label %46, label %59

46:
  %47 = freeze i1 %75
  %48 = zext i1 %47 to i8
  store i8 %48, ptr %16, align 8
  %49 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 2
  %50 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 4
  %51 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 6
  %52 = getelementptr inbounds i8, ptr %4, i64 8
  %53 = getelementptr inbounds i8, ptr %4, i64 24
  %54 = getelementptr inbounds i8, ptr %4, i64 40
  %55 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 10
  %56 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 7
  %57 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 5
  %58 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 6
  br label %80

59:
  %60 = phi i64 [ 0, %41 ], [ %45, %44 ]
  %61 = getelementptr %struct.Formula, ptr %0, i64 0, i32 10, i64 %60, i32 5
  %62 = load i64, ptr %61, align 8
  %63 = and i64 %62, 1
  %64 = icmp eq i64 %63, 0
  br i1 %64, label %74, label %65

65:
  %66 = getelementptr ptr, ptr %1, i64 %60
  %67 = load ptr, ptr %66, align 8
  %68 = icmp eq ptr %67, null
  br i1 %68, label %74, label %69

69:
  %70 = getelementptr inbounds %struct.Object, ptr %67, i64 0, i32 1
  %71 = load ptr, ptr %70, align 8
  %72 = load ptr, ptr %42, align 8
  %73 = icmp eq ptr %71, %72
  br label %74

74:
  %75 = phi i1 [ false, %65 ], [ false, %59 ], [ %73, %69 ]
  %76 = freeze i1 %75
  %77 = icmp eq i64 %60, %43
  br i1 %77, label %46, label %44

78:
  store i64 %336, ptr %15, align 8
  %79 = icmp slt i64 %339, 1
  br i1 %79, label %355, label %341

80:
  %81 = phi i64 [ -1, %46 ], [ %336, %335 ]
  %82 = phi i64 [ 0, %46 ], [ %337, %335 ]
  %83 = phi i64 [ 0, %46 ], [ %338, %335 ]
  %84 = getelementptr ptr, ptr %1, i64 %83
  %85 = load ptr, ptr %84, align 8
  %86 = icmp eq ptr %85, null
  br i1 %86, label %87, label %95

87:
  %88 = getelementptr %struct.Formula, ptr %0, i64 0, i32 10, i64 %83, i32 5
  %89 = load i64, ptr %88, align 8
  %90 = and i64 %89, 2
  %91 = icmp eq i64 %90, 0
  br i1 %91, label %540, label %92

92:
  %93 = shl nuw i64 1, %83
  %94 = or i64 %93, %82
  br label %335

95:
  %96 = getelementptr %struct.Formula, ptr %0, i64 0, i32 10, i64 %83, i32 1
  %97 = load i64, ptr %96, align 8
  %98 = icmp slt i64 %97, 0
  br i1 %98, label %99, label %119

99:
  %100 = getelementptr inbounds %struct.Object, ptr %85, i64 0, i32 1
  %101 = load ptr, ptr %100, align 8
  %102 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 4
  %103 = load ptr, ptr %102, align 8
  %104 = icmp eq ptr %101, %103
  br i1 %104, label %335, label %105

105:
  %106 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 5
  %107 = load i64, ptr %106, align 8
  %108 = and i64 %107, 4
  %109 = icmp ne i64 %108, 0
  %110 = icmp eq ptr %101, @PyFloat_Type
  %111 = select i1 %109, i1 %110, i1 false
  br i1 %111, label %112, label %540

112:
  %113 = getelementptr inbounds %struct.ScalarObject, ptr %85, i64 0, i32 1
  %114 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 3
  %115 = load ptr, ptr %114, align 8
  %116 = call ptr @jitmdh_array_scalar(ptr %113, ptr %115, ptr null)
  %117 = getelementptr ptr, ptr %10, i64 %83
  store ptr %116, ptr %117, align 8
  store ptr %116, ptr %84, align 8
  %118 = icmp eq ptr %116, null
  br i1 %118, label %540, label %335

119:
  %120 = getelementptr %struct.Formal, ptr %55, i64 %83
  call void @llvm.memset.p0.i64(ptr align 8 %4, i8 0, i64 48, i1 false)
  store i64 1, ptr %49, align 8
  store i64 1, ptr %50, align 8
  store i64 1, ptr %51, align 8
  %121 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 5
  %122 = load i64, ptr %121, align 8
  %123 = and i64 %122, 1
  %124 = icmp eq i64 %123, 0
  br i1 %124, label %125, label %171

125:
  %126 = getelementptr inbounds %struct.Object, ptr %85, i64 0, i32 1
  %127 = load ptr, ptr %126, align 8
  %128 = icmp eq ptr %127, @jitmdh_ndarray_type
  br i1 %128, label %129, label %331

129:
  %130 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 6
  %131 = load ptr, ptr %130, align 8
  %132 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 3
  %133 = load ptr, ptr %132, align 8
  %134 = icmp eq ptr %131, %133
  br i1 %134, label %139, label %135

135:
  %136 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 4
  %137 = load ptr, ptr %136, align 8
  %138 = icmp eq ptr %131, %137
  br i1 %138, label %139, label %331

139:
  %140 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 2
  %141 = load i32, ptr %140, align 8
  %142 = sext i32 %141 to i64
  %143 = icmp eq i64 %97, %142
  br i1 %143, label %144, label %331

144:
  %145 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 3
  %146 = load ptr, ptr %145, align 8
  %147 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 2
  %148 = load ptr, ptr %147, align 8
  %149 = icmp slt i32 %141, 1
  br i1 %149, label %166, label %150

150:
  %151 = load i64, ptr %146, align 8
  %152 = load i64, ptr %148, align 8
  %153 = icmp eq i64 %151, %152
  br i1 %153, label %154, label %331

154:
  %155 = phi i64 [ %156, %158 ], [ 0, %150 ]
  %156 = add nuw nsw i64 %155, 1
  %157 = icmp eq i64 %156, %97
  br i1 %157, label %166, label %158

158:
  %159 = getelementptr i64, ptr %146, i64 %156
  %160 = load i64, ptr %159, align 8
  %161 = getelementptr i64, ptr %148, i64 %156
  %162 = load i64, ptr %161, align 8
  %163 = icmp eq i64 %160, %162
  br i1 %163, label %154, label %164

164:
  %165 = icmp slt i64 %156, %97
  br i1 %165, label %331, label %166

166:
  %167 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 1
  %168 = load ptr, ptr %167, align 8
  store ptr %168, ptr %4, align 8
  %169 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 4
  %170 = load ptr, ptr %169, align 8
  store ptr %170, ptr %52, align 8
  br label %325

171:
  br i1 %47, label %172, label %269

172:
  %173 = load i64, ptr %56, align 8
  store i32 1, ptr %5, align 4
  %174 = getelementptr inbounds %struct.Object, ptr %85, i64 0, i32 1
  %175 = load ptr, ptr %174, align 8
  %176 = load ptr, ptr %42, align 8
  %177 = icmp eq ptr %175, %176
  br i1 %177, label %178, label %268

178:
  %179 = load ptr, ptr %57, align 8
  %180 = call ptr @PyObject_GetAttr(ptr %85, ptr %179)
  %181 = getelementptr ptr, ptr %10, i64 %83
  store ptr %180, ptr %181, align 8
  %182 = icmp eq ptr %180, null
  br i1 %182, label %268, label %183

183:
  %184 = load ptr, ptr %58, align 8
  %185 = call ptr @PyObject_GetAttr(ptr %85, ptr %184)
  %186 = icmp eq ptr %185, null
  br i1 %186, label %268, label %187

187:
  %188 = getelementptr inbounds %struct.Object, ptr %185, i64 0, i32 1
  %189 = load ptr, ptr %188, align 8
  %190 = icmp eq ptr %189, @PyLong_Type
  br i1 %190, label %191, label %193

191:
  %192 = call i64 @PyLong_AsLongLongAndOverflow(ptr %185, ptr %5)
  br label %193

193:
  %194 = phi i64 [ %192, %191 ], [ 0, %187 ]
  call void @Py_DecRef(ptr %185)
  %195 = load ptr, ptr %181, align 8
  store ptr %195, ptr %84, align 8
  %196 = load i32, ptr %5, align 4
  %197 = icmp eq i32 %196, 0
  br i1 %197, label %198, label %268

198:
  %199 = getelementptr inbounds %struct.Object, ptr %195, i64 0, i32 1
  %200 = load ptr, ptr %199, align 8
  %201 = icmp eq ptr %200, @jitmdh_ndarray_type
  br i1 %201, label %202, label %268

202:
  %203 = getelementptr inbounds %struct.ArrayObject, ptr %195, i64 0, i32 6
  %204 = load ptr, ptr %203, align 8
  %205 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 3
  %206 = load ptr, ptr %205, align 8
  %207 = icmp eq ptr %204, %206
  br i1 %207, label %212, label %208

208:
  %209 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 4
  %210 = load ptr, ptr %209, align 8
  %211 = icmp eq ptr %204, %210
  br i1 %211, label %212, label %268

212:
  %213 = getelementptr inbounds %struct.ArrayObject, ptr %195, i64 0, i32 2
  %214 = load i32, ptr %213, align 8
  %215 = sext i32 %214 to i64
  %216 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 1
  %217 = load i64, ptr %216, align 8
  %218 = add i64 %217, 2
  %219 = icmp eq i64 %218, %215
  br i1 %219, label %220, label %268

220:
  %221 = getelementptr inbounds %struct.ArrayObject, ptr %195, i64 0, i32 3
  %222 = load ptr, ptr %221, align 8
  %223 = getelementptr i64, ptr %222, i64 1
  %224 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 2
  %225 = load ptr, ptr %224, align 8
  %226 = icmp slt i64 %217, 1
  br i1 %226, label %243, label %227

227:
  %228 = load i64, ptr %223, align 8
  %229 = load i64, ptr %225, align 8
  %230 = icmp eq i64 %228, %229
  br i1 %230, label %231, label %268

231:
  %232 = phi i64 [ %233, %235 ], [ 0, %227 ]
  %233 = add nuw nsw i64 %232, 1
  %234 = icmp eq i64 %233, %217
  br i1 %234, label %243, label %235

235:
  %236 = getelementptr i64, ptr %223, i64 %233
  %237 = load i64, ptr %236, align 8
  %238 = getelementptr i64, ptr %225, i64 %233
  %239 = load i64, ptr %238, align 8
  %240 = icmp eq i64 %237, %239
  br i1 %240, label %231, label %241

241:
  %242 = icmp slt i64 %233, %217
  br i1 %242, label %268, label %243

243:
  %244 = add i64 %217, 1
  %245 = getelementptr i64, ptr %222, i64 %244
  %246 = load i64, ptr %245, align 8
  %247 = icmp eq i64 %246, %173
  br i1 %247, label %248, label %268

248:
  %249 = load i64, ptr %222, align 8
  %250 = add i64 %173, -1
  %251 = add i64 %250, %194
  %252 = sdiv i64 %251, %173
  %253 = icmp eq i64 %249, %252
  br i1 %253, label %254, label %268

254:
  %255 = icmp slt i64 %81, 0
  br i1 %255, label %258, label %256

256:
  %257 = icmp eq i64 %81, %194
  br i1 %257, label %258, label %268

258:
  %259 = phi i64 [ %81, %256 ], [ %194, %254 ]
  %260 = getelementptr inbounds %struct.ArrayObject, ptr %195, i64 0, i32 1
  %261 = load ptr, ptr %260, align 8
  %262 = getelementptr inbounds %struct.ArrayObject, ptr %195, i64 0, i32 4
  %263 = load ptr, ptr %262, align 8
  %264 = getelementptr i64, ptr %263, i64 1
  %265 = load i64, ptr %263, align 8
  %266 = getelementptr i64, ptr %263, i64 %244
  %267 = load i64, ptr %266, align 8
  store ptr %261, ptr %4, align 8
  store ptr %264, ptr %52, align 8
  store i64 %249, ptr %49, align 8
  store i64 %265, ptr %53, align 8
  store i64 %173, ptr %50, align 8
  store i64 %267, ptr %54, align 8
  store i64 %194, ptr %51, align 8
  br label %325

268:
  br label %331

269:
  %270 = getelementptr inbounds %struct.Object, ptr %85, i64 0, i32 1
  %271 = load ptr, ptr %270, align 8
  %272 = icmp eq ptr %271, @jitmdh_ndarray_type
  br i1 %272, label %273, label %331

273:
  %274 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 6
  %275 = load ptr, ptr %274, align 8
  %276 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 3
  %277 = load ptr, ptr %276, align 8
  %278 = icmp eq ptr %275, %277
  br i1 %278, label %283, label %279

279:
  %280 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 4
  %281 = load ptr, ptr %280, align 8
  %282 = icmp eq ptr %275, %281
  br i1 %282, label %283, label %331

283:
  %284 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 2
  %285 = load i32, ptr %284, align 8
  %286 = sext i32 %285 to i64
  %287 = add nuw i64 %97, 1
  %288 = icmp eq i64 %287, %286
  br i1 %288, label %289, label %331

289:
  %290 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 3
  %291 = load ptr, ptr %290, align 8
  %292 = getelementptr i64, ptr %291, i64 1
  %293 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 2
  %294 = load ptr, ptr %293, align 8
  %295 = icmp eq i64 %97, 0
  br i1 %295, label %312, label %296

296:
  %297 = load i64, ptr %292, align 8
  %298 = load i64, ptr %294, align 8
  %299 = icmp eq i64 %297, %298
  br i1 %299, label %300, label %331

300:
  %301 = phi i64 [ %302, %304 ], [ 0, %296 ]
  %302 = add nuw nsw i64 %301, 1
  %303 = icmp eq i64 %302, %97
  br i1 %303, label %312, label %304

304:
  %305 = getelementptr i64, ptr %292, i64 %302
  %306 = load i64, ptr %305, align 8
  %307 = getelementptr i64, ptr %294, i64 %302
  %308 = load i64, ptr %307, align 8
  %309 = icmp eq i64 %306, %308
  br i1 %309, label %300, label %310

310:
  %311 = icmp slt i64 %302, %97
  br i1 %311, label %331, label %312

312:
  %313 = load i64, ptr %291, align 8
  %314 = icmp slt i64 %81, 0
  br i1 %314, label %317, label %315

315:
  %316 = icmp eq i64 %81, %313
  br i1 %316, label %317, label %331

317:
  %318 = phi i64 [ %81, %315 ], [ %313, %312 ]
  %319 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 1
  %320 = load ptr, ptr %319, align 8
  %321 = getelementptr inbounds %struct.ArrayObject, ptr %85, i64 0, i32 4
  %322 = load ptr, ptr %321, align 8
  %323 = getelementptr i64, ptr %322, i64 1
  %324 = load i64, ptr %322, align 8
  store ptr %320, ptr %4, align 8
  store ptr %323, ptr %52, align 8
  store i64 %313, ptr %49, align 8
  store i64 %324, ptr %53, align 8
  store i64 0, ptr %54, align 8
  store i64 %313, ptr %51, align 8
  br label %325

325:
  %326 = phi i64 [ %318, %317 ], [ %259, %258 ], [ %81, %166 ]
  %327 = getelementptr %struct.Formal, ptr %55, i64 %83, i32 8
  %328 = load i64, ptr %327, align 8
  %329 = icmp ne i64 %328, 0
  %330 = and i1 %37, %329
  br i1 %330, label %333, label %332

331:
  br label %540

332:
  br label %335

333:
  %334 = call fastcc zeroext i1 @zeros_hold(ptr %120, ptr %4)
  br i1 %334, label %335, label %540

335:
  %336 = phi i64 [ %81, %92 ], [ %81, %99 ], [ %81, %112 ], [ %326, %332 ], [ %326, %333 ]
  %337 = phi i64 [ %94, %92 ], [ %82, %99 ], [ %82, %112 ], [ %82, %332 ], [ %82, %333 ]
  %338 = add nuw nsw i64 %83, 1
  %339 = load i64, ptr %7, align 8
  %340 = icmp slt i64 %338, %339
  br i1 %340, label %80, label %78

341:
  %342 = phi i64 [ %352, %351 ], [ %339, %78 ]
  %343 = phi i64 [ %353, %351 ], [ 0, %78 ]
  %344 = shl nuw i64 1, %343
  %345 = and i64 %344, %337
  %346 = icmp eq i64 %345, 0
  br i1 %346, label %351, label %347

347:
  %348 = call fastcc zeroext i1 @make_tensor(ptr %6, i64 %343)
  br i1 %348, label %349, label %540

349:
  %350 = load i64, ptr %7, align 8
  br label %351

351:
  %352 = phi i64 [ %350, %349 ], [ %342, %341 ]
  %353 = add nuw nsw i64 %343, 1
  %354 = icmp slt i64 %353, %352
  br i1 %354, label %341, label %355

355:
  %356 = phi i64 [ %339, %78 ], [ %352, %351 ]
  %357 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 1
  br i1 %47, label %361, label %358

358:
  %359 = phi i64 [ %337, %355 ], [ 0, %36 ]
  %360 = phi i64 [ %356, %355 ], [ %39, %36 ]
  br label %361

361:
  %362 = phi i64 [ %359, %358 ], [ %337, %355 ]
  %363 = phi i64 [ %360, %358 ], [ %356, %355 ]
  %364 = phi ptr [ %0, %358 ], [ %357, %355 ]
  %365 = load ptr, ptr %364, align 8
  %366 = icmp eq ptr %365, null
  br i1 %366, label %540, label %372

367:
  %368 = phi i64 [ %370, %367 ], [ 0, %3 ]
  %369 = getelementptr ptr, ptr %10, i64 %368
  store ptr null, ptr %369, align 8
  %370 = add nuw nsw i64 %368, 1
  %371 = icmp eq i64 %370, %8
  br i1 %371, label %12, label %367

372:
  %373 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 9
  %374 = load i64, ptr %373, align 8
  %375 = add i64 %374, %363
  %376 = getelementptr inbounds %struct.Table, ptr %365, i64 0, i32 5
  %377 = load ptr, ptr %376, align 8
  %378 = icmp eq ptr %377, null
  br i1 %378, label %459, label %379

379:
  %380 = getelementptr inbounds %struct.Watches, ptr %377, i64 0, i32 1
  %381 = load i64, ptr %377, align 8
  %382 = getelementptr %struct.Watch, ptr %380, i64 %381
  %383 = icmp ult ptr %380, %382
  br i1 %383, label %384, label %459

384:
  %385 = phi ptr [ %413, %412 ], [ %380, %379 ]
  %386 = load i64, ptr %385, align 8
  %387 = getelementptr %struct.Watch, ptr %385, i64 1
  switch i64 %386, label %398 [
    i64 0, label %415
    i64 1, label %388
    i64 2, label %394
  ]

388:
  %389 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 1
  %390 = load ptr, ptr %389, align 8
  %391 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 2
  %392 = load ptr, ptr %391, align 8
  %393 = call ptr @PyDict_GetItem(ptr %390, ptr %392)
  br label %407

394:
  %395 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 1
  %396 = load ptr, ptr %395, align 8
  %397 = load ptr, ptr %396, align 8
  br label %407

398:
  %399 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 1
  %400 = load ptr, ptr %399, align 8
  %401 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 2
  %402 = load ptr, ptr %401, align 8
  %403 = call ptr @PyObject_GetAttr(ptr %400, ptr %402)
  %404 = icmp eq ptr %403, null
  br i1 %404, label %406, label %405

405:
  call void @Py_DecRef(ptr %403)
  br label %407

406:
  call void @PyErr_Clear()
  br label %407

407:
  %408 = phi ptr [ %397, %394 ], [ %393, %388 ], [ null, %406 ], [ %403, %405 ]
  %409 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 3
  %410 = load ptr, ptr %409, align 8
  %411 = icmp eq ptr %408, %410
  br i1 %411, label %412, label %540

412:
  %413 = phi ptr [ %387, %407 ], [ %418, %415 ], [ %418, %458 ]
  %414 = icmp ult ptr %413, %382
  br i1 %414, label %384, label %459

415:
  %416 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 3
  %417 = load i64, ptr %416, align 8
  %418 = getelementptr %struct.Watch, ptr %387, i64 %417
  %419 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 1
  %420 = load ptr, ptr %419, align 8
  %421 = getelementptr inbounds %struct.DictObject, ptr %420, i64 0, i32 2
  %422 = load i64, ptr %421, align 8
  %423 = getelementptr inbounds %struct.Watch, ptr %385, i64 0, i32 2
  %424 = load i64, ptr %423, align 8
  %425 = icmp eq i64 %422, %424
  br i1 %425, label %412, label %426

426:
  %427 = icmp ult ptr %387, %418
  br i1 %427, label %431, label %458

428:
  %429 = getelementptr %struct.Watch, ptr %432, i64 1
  %430 = icmp ult ptr %429, %418
  br i1 %430, label %431, label %458

431:
  %432 = phi ptr [ %429, %428 ], [ %387, %426 ]
  %433 = load i64, ptr %432, align 8
  switch i64 %433, label %444 [
    i64 1, label %434
    i64 2, label %440
  ]

434:
  %435 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 1
  %436 = load ptr, ptr %435, align 8
  %437 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 2
  %438 = load ptr, ptr %437, align 8
  %439 = call ptr @PyDict_GetItem(ptr %436, ptr %438)
  br label %453

440:
  %441 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 1
  %442 = load ptr, ptr %441, align 8
  %443 = load ptr, ptr %442, align 8
  br label %453

444:
  %445 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 1
  %446 = load ptr, ptr %445, align 8
  %447 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 2
  %448 = load ptr, ptr %447, align 8
  %449 = call ptr @PyObject_GetAttr(ptr %446, ptr %448)
  %450 = icmp eq ptr %449, null
  br i1 %450, label %452, label %451

451:
  call void @Py_DecRef(ptr %449)
  br label %453

452:
  call void @PyErr_Clear()
  br label %453

453:
  %454 = phi ptr [ %443, %440 ], [ %439, %434 ], [ null, %452 ], [ %449, %451 ]
  %455 = getelementptr inbounds %struct.Watch, ptr %432, i64 0, i32 3
  %456 = load ptr, ptr %455, align 8
  %457 = icmp eq ptr %454, %456
  br i1 %457, label %428, label %540

458:
  store i64 %422, ptr %423, align 8
  br label %412

459:
  %460 = getelementptr inbounds %struct.Table, ptr %365, i64 0, i32 1
  %461 = load i64, ptr %460, align 8
  %462 = icmp sgt i64 %461, 0
  br i1 %462, label %463, label %540

463:
  %464 = phi i64 [ %490, %489 ], [ 0, %459 ]
  %465 = getelementptr %struct.Table, ptr %365, i64 0, i32 6, i64 %464
  %466 = load ptr, ptr %465, align 8
  %467 = call i64 @jitmdh_call(ptr %466, ptr %1, i64 %375, ptr %2)
  %468 = trunc i64 %467 to i8
  switch i8 %468, label %489 [
    i8 0, label %469
    i8 2, label %476
    i8 4, label %477
    i8 3, label %540
  ]

469:
  %470 = load i64, ptr %365, align 8
  %471 = add i64 %470, 1
  store i64 %471, ptr %365, align 8
  %472 = icmp ult i64 %467, 256
  %473 = load ptr, ptr %2, align 8
  br i1 %472, label %492, label %474

474:
  %475 = call fastcc ptr @observed(ptr %365, ptr %1, i64 %375, ptr %473)
  store ptr %475, ptr %2, align 8
  br label %492

476:
  store ptr null, ptr %2, align 8
  br label %540

477:
  %478 = ashr i64 %467, 8
  %479 = load ptr, ptr %2, align 8
  %480 = add nsw i64 %478, -1048576
  %481 = icmp ult i64 %480, -1048560
  br i1 %481, label %482, label %484

482:
  %483 = call fastcc ptr @fail(ptr %365, i64 %478, ptr %479)
  br label %484

484:
  %485 = phi ptr [ %483, %482 ], [ null, %477 ]
  store ptr %485, ptr %2, align 8
  call void @Py_DecRef(ptr %479)
  %486 = load ptr, ptr %2, align 8
  %487 = icmp eq ptr %486, null
  br i1 %487, label %540, label %488

488:
  call void @Py_DecRef(ptr %486)
  br label %540

489:
  %490 = add nuw nsw i64 %464, 1
  %491 = icmp eq i64 %490, %461
  br i1 %491, label %540, label %463

492:
  %493 = phi ptr [ %475, %474 ], [ %473, %469 ]
  %494 = icmp eq ptr %493, null
  br i1 %494, label %540, label %495

495:
  %496 = icmp eq i64 %362, 0
  br i1 %496, label %538, label %497

497:
  %498 = call i64 @llvm.ctpop.i64(i64 %362)
  %499 = icmp eq i64 %498, 1
  br i1 %499, label %502, label %500

500:
  %501 = call ptr @PyTuple_New(i64 %498)
  br label %502

502:
  %503 = phi ptr [ %501, %500 ], [ null, %497 ]
  %504 = icmp ult i64 %498, 2
  call void @Py_DecRef(ptr %493)
  %505 = icmp ne ptr %503, null
  %506 = select i1 %504, i1 true, i1 %505
  br i1 %506, label %507, label %538

507:
  %508 = load ptr, ptr %14, align 8
  br label %509

509:
  %510 = phi i64 [ %531, %529 ], [ 0, %507 ]
  %511 = phi i64 [ %532, %529 ], [ 0, %507 ]
  %512 = phi ptr [ %530, %529 ], [ %503, %507 ]
  %513 = phi i64 [ %533, %529 ], [ %362, %507 ]
  %514 = and i64 %513, 1
  %515 = icmp eq i64 %514, 0
  br i1 %515, label %529, label %516

516:
  br i1 %504, label %517, label %520

517:
  %518 = getelementptr ptr, ptr %508, i64 %511
  %519 = load ptr, ptr %518, align 8
  br label %525

520:
  %521 = add i64 %510, 1
  %522 = getelementptr ptr, ptr %508, i64 %511
  %523 = load ptr, ptr %522, align 8
  %524 = call i32 @PyTuple_SetItem(ptr %512, i64 %510, ptr %523)
  br label %525

525:
  %526 = phi ptr [ %519, %517 ], [ %512, %520 ]
  %527 = phi i64 [ %510, %517 ], [ %521, %520 ]
  %528 = getelementptr ptr, ptr %508, i64 %511
  store ptr null, ptr %528, align 8
  br label %529

529:
  %530 = phi ptr [ %526, %525 ], [ %512, %509 ]
  %531 = phi i64 [ %527, %525 ], [ %510, %509 ]
  %532 = add nuw nsw i64 %511, 1
  %533 = lshr i64 %513, 1
  %534 = icmp ugt i64 %513, 1
  %535 = icmp ne ptr %530, null
  %536 = select i1 %504, i1 true, i1 %535
  %537 = select i1 %534, i1 %536, i1 false
  br i1 %537, label %509, label %538

538:
  %539 = phi ptr [ %493, %495 ], [ null, %502 ], [ %530, %529 ]
  store ptr %539, ptr %2, align 8
  br label %540

540:
  %541 = phi i1 [ true, %538 ], [ true, %492 ], [ true, %476 ], [ false, %361 ], [ false, %488 ], [ false, %459 ], [ false, %331 ], [ %481, %484 ], [ false, %489 ], [ false, %463 ], [ false, %453 ], [ false, %407 ], [ false, %347 ], [ false, %112 ], [ false, %333 ], [ false, %87 ], [ false, %105 ]
  %542 = load i64, ptr %7, align 8
  %543 = icmp sgt i64 %542, 0
  br i1 %543, label %545, label %544

544:
  br i1 %541, label %558, label %557

545:
  %546 = phi i64 [ %554, %553 ], [ %542, %540 ]
  %547 = phi i64 [ %555, %553 ], [ 0, %540 ]
  %548 = getelementptr ptr, ptr %10, i64 %547
  %549 = load ptr, ptr %548, align 8
  %550 = icmp eq ptr %549, null
  br i1 %550, label %553, label %551

551:
  call void @Py_DecRef(ptr %549)
  %552 = load i64, ptr %7, align 8
  br label %553

553:
  %554 = phi i64 [ %546, %545 ], [ %552, %551 ]
  %555 = add nuw nsw i64 %547, 1
  %556 = icmp slt i64 %555, %554
  br i1 %556, label %545, label %544

557:
  call void @PyErr_Clear()
  br label %558

558:
  ret i1 %541
}

declare i64 @PyTuple_Size(ptr)

declare ptr @PyTuple_GetItem(ptr, i64)

declare i64 @PyThread_get_thread_ident()

define internal fastcc zeroext i1 @make_tensor(ptr %0, i64 %1) nounwind {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Formula, ptr %3, i64 0, i32 10
  %5 = getelementptr %struct.Formal, ptr %4, i64 %1, i32 1
  %6 = load i64, ptr %5, align 8
  %7 = shl i64 %6, 3
  %8 = add i64 %7, 8
  %9 = alloca i8, i64 %8, align 16
  %10 = getelementptr %struct.Formal, ptr %4, i64 %1, i32 5
  %11 = load i64, ptr %10, align 8
  %12 = and i64 %11, 1
  %13 = icmp eq i64 %12, 0
  br i1 %13, label %14, label %17

14:
  %15 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 3
  %16 = load i64, ptr %15, align 8
  br label %25

17:
  %18 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 4
  %19 = load i8, ptr %18, align 8
  %20 = icmp eq i8 %19, 0
  br i1 %20, label %21, label %67

21:
  %22 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 3
  %23 = load i64, ptr %22, align 8
  %24 = icmp slt i64 %23, 0
  br i1 %24, label %67, label %25

25:
  %26 = phi i64 [ %16, %14 ], [ %23, %21 ]
  store i64 %26, ptr %9, align 16
  %27 = load i64, ptr %5, align 8
  %28 = icmp sgt i64 %27, 0
  br i1 %28, label %29, label %31

29:
  %30 = getelementptr %struct.Formal, ptr %4, i64 %1, i32 2
  br label %41

31:
  %32 = getelementptr %struct.Formal, ptr %4, i64 %1, i32 3
  %33 = load ptr, ptr %32, align 8
  tail call void @Py_IncRef(ptr %33)
  %34 = load i64, ptr %10, align 8
  %35 = and i64 %34, 8
  %36 = icmp eq i64 %35, 0
  %37 = load i64, ptr %5, align 8
  %38 = add i64 %37, %12
  %39 = trunc i64 %38 to i32
  %40 = load ptr, ptr %32, align 8
  br i1 %36, label %53, label %51

41:
  %42 = phi i64 [ 0, %29 ], [ %48, %41 ]
  %43 = load ptr, ptr %30, align 8
  %44 = getelementptr i64, ptr %43, i64 %42
  %45 = load i64, ptr %44, align 8
  %46 = add nuw nsw i64 %42, %12
  %47 = getelementptr i64, ptr %9, i64 %46
  store i64 %45, ptr %47, align 8
  %48 = add nuw nsw i64 %42, 1
  %49 = load i64, ptr %5, align 8
  %50 = icmp slt i64 %48, %49
  br i1 %50, label %41, label %31

51:
  %52 = call ptr @jitmdh_array_zeros(i32 %39, ptr %9, ptr %40, i32 0)
  br label %55

53:
  %54 = call ptr @jitmdh_array_empty(i32 %39, ptr %9, ptr %40, i32 0)
  br label %55

55:
  %56 = phi ptr [ %52, %51 ], [ %54, %53 ]
  %57 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 2
  %58 = load ptr, ptr %57, align 8
  %59 = getelementptr ptr, ptr %58, i64 %1
  store ptr %56, ptr %59, align 8
  %60 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 1
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr ptr, ptr %61, i64 %1
  store ptr %56, ptr %62, align 8
  %63 = load ptr, ptr %57, align 8
  %64 = getelementptr ptr, ptr %63, i64 %1
  %65 = load ptr, ptr %64, align 8
  %66 = icmp ne ptr %65, null
  br label %67

67:
  %68 = phi i1 [ %66, %55 ], [ false, %21 ], [ false, %17 ]
  ret i1 %68
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal fastcc zeroext i1 @zeros_hold(ptr %0, ptr %1) noinline nounwind {
  %3 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 6
  %4 = load i64, ptr %3, align 8
  switch i64 %4, label %439 [
    i64 1, label %5
    i64 2, label %114
    i64 4, label %223
    i64 8, label %332
  ]

5:
  %6 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 1
  %7 = load i64, ptr %6, align 8
  %8 = add i64 %7, -1
  %9 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %10 = load i64, ptr %9, align 8
  %11 = icmp sgt i64 %10, 0
  br i1 %11, label %12, label %552

12:
  %13 = load ptr, ptr %1, align 8
  %14 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %15 = load i64, ptr %14, align 8
  %16 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 6
  %17 = load i64, ptr %16, align 8
  %18 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 9
  %21 = load ptr, ptr %20, align 8
  %22 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 8
  %23 = load i64, ptr %22, align 8
  %24 = icmp sgt i64 %23, 0
  %25 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 1
  %26 = icmp sgt i64 %8, 0
  %27 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 5
  %28 = add i64 %7, 1
  br label %29

29:
  %30 = phi i64 [ 0, %12 ], [ %44, %43 ]
  %31 = phi i64 [ 0, %12 ], [ %45, %43 ]
  %32 = mul i64 %31, %15
  %33 = getelementptr i8, ptr %13, i64 %32
  %34 = mul i64 %31, %19
  %35 = sub i64 %17, %34
  %36 = tail call i64 @llvm.smin.i64(i64 %35, i64 %19)
  br i1 %24, label %37, label %43

37:
  %38 = load ptr, ptr %25, align 8
  %39 = getelementptr i64, ptr %38, i64 %8
  %40 = load i64, ptr %39, align 8
  %41 = icmp eq i64 %36, 1
  %42 = icmp sgt i64 %36, 0
  br label %47

43:
  %44 = phi i64 [ %30, %29 ], [ %110, %109 ]
  %45 = add nuw nsw i64 %31, 1
  %46 = icmp eq i64 %45, %10
  br i1 %46, label %552, label %29

47:
  %48 = phi i64 [ %30, %37 ], [ %110, %109 ]
  %49 = phi i64 [ 0, %37 ], [ %111, %109 ]
  %50 = phi ptr [ %21, %37 ], [ %112, %109 ]
  %51 = getelementptr i64, ptr %50, i64 %8
  %52 = load i64, ptr %51, align 8
  %53 = mul i64 %52, %40
  %54 = getelementptr i8, ptr %33, i64 %53
  br i1 %26, label %64, label %55

55:
  %56 = phi ptr [ %54, %47 ], [ %72, %64 ]
  %57 = getelementptr i64, ptr %50, i64 %7
  %58 = load i64, ptr %57, align 8
  %59 = sub i64 %58, %52
  %60 = icmp sgt i64 %59, 0
  br i1 %41, label %75, label %61

61:
  br i1 %60, label %62, label %109

62:
  %63 = load i64, ptr %27, align 8
  br label %89

64:
  %65 = phi i64 [ %73, %64 ], [ 0, %47 ]
  %66 = phi ptr [ %72, %64 ], [ %54, %47 ]
  %67 = getelementptr i64, ptr %50, i64 %65
  %68 = load i64, ptr %67, align 8
  %69 = getelementptr i64, ptr %38, i64 %65
  %70 = load i64, ptr %69, align 8
  %71 = mul i64 %70, %68
  %72 = getelementptr i8, ptr %66, i64 %71
  %73 = add nuw nsw i64 %65, 1
  %74 = icmp eq i64 %73, %8
  br i1 %74, label %55, label %64

75:
  br i1 %60, label %76, label %86

76:
  %77 = phi i64 [ %83, %76 ], [ 0, %75 ]
  %78 = phi i64 [ %82, %76 ], [ 0, %75 ]
  %79 = phi ptr [ %84, %76 ], [ %56, %75 ]
  %80 = load i8, ptr %79, align 1
  %81 = zext i8 %80 to i64
  %82 = or i64 %78, %81
  %83 = add nuw nsw i64 %77, 1
  %84 = getelementptr i8, ptr %79, i64 %40
  %85 = icmp eq i64 %83, %59
  br i1 %85, label %86, label %76

86:
  %87 = phi i64 [ 0, %75 ], [ %82, %76 ]
  %88 = or i64 %87, %48
  br label %109

89:
  %90 = phi i64 [ 0, %62 ], [ %106, %103 ]
  %91 = phi i64 [ %48, %62 ], [ %105, %103 ]
  %92 = phi ptr [ %56, %62 ], [ %107, %103 ]
  br i1 %42, label %93, label %103

93:
  %94 = phi i64 [ %100, %93 ], [ 0, %89 ]
  %95 = phi i64 [ %99, %93 ], [ 0, %89 ]
  %96 = phi ptr [ %101, %93 ], [ %92, %89 ]
  %97 = load i8, ptr %96, align 1
  %98 = zext i8 %97 to i64
  %99 = or i64 %95, %98
  %100 = add nuw nsw i64 %94, 1
  %101 = getelementptr i8, ptr %96, i64 %63
  %102 = icmp eq i64 %100, %36
  br i1 %102, label %103, label %93

103:
  %104 = phi i64 [ 0, %89 ], [ %99, %93 ]
  %105 = or i64 %104, %91
  %106 = add nuw nsw i64 %90, 1
  %107 = getelementptr i8, ptr %92, i64 %40
  %108 = icmp eq i64 %106, %59
  br i1 %108, label %109, label %89

109:
  %110 = phi i64 [ %88, %86 ], [ %48, %61 ], [ %105, %103 ]
  %111 = add nuw nsw i64 %49, 1
  %112 = getelementptr i64, ptr %50, i64 %28
  %113 = icmp eq i64 %111, %23
  br i1 %113, label %43, label %47

114:
  %115 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 1
  %116 = load i64, ptr %115, align 8
  %117 = add i64 %116, -1
  %118 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %119 = load i64, ptr %118, align 8
  %120 = icmp sgt i64 %119, 0
  br i1 %120, label %121, label %552

121:
  %122 = load ptr, ptr %1, align 8
  %123 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %124 = load i64, ptr %123, align 8
  %125 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 6
  %126 = load i64, ptr %125, align 8
  %127 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %128 = load i64, ptr %127, align 8
  %129 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 9
  %130 = load ptr, ptr %129, align 8
  %131 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 8
  %132 = load i64, ptr %131, align 8
  %133 = icmp sgt i64 %132, 0
  %134 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 1
  %135 = icmp sgt i64 %117, 0
  %136 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 5
  %137 = add i64 %116, 1
  br label %138

138:
  %139 = phi i64 [ 0, %121 ], [ %153, %152 ]
  %140 = phi i64 [ 0, %121 ], [ %154, %152 ]
  %141 = mul i64 %140, %124
  %142 = getelementptr i8, ptr %122, i64 %141
  %143 = mul i64 %140, %128
  %144 = sub i64 %126, %143
  %145 = tail call i64 @llvm.smin.i64(i64 %144, i64 %128)
  br i1 %133, label %146, label %152

146:
  %147 = load ptr, ptr %134, align 8
  %148 = getelementptr i64, ptr %147, i64 %117
  %149 = load i64, ptr %148, align 8
  %150 = icmp eq i64 %145, 1
  %151 = icmp sgt i64 %145, 0
  br label %156

152:
  %153 = phi i64 [ %139, %138 ], [ %219, %218 ]
  %154 = add nuw nsw i64 %140, 1
  %155 = icmp eq i64 %154, %119
  br i1 %155, label %552, label %138

156:
  %157 = phi i64 [ %139, %146 ], [ %219, %218 ]
  %158 = phi i64 [ 0, %146 ], [ %220, %218 ]
  %159 = phi ptr [ %130, %146 ], [ %221, %218 ]
  %160 = getelementptr i64, ptr %159, i64 %117
  %161 = load i64, ptr %160, align 8
  %162 = mul i64 %161, %149
  %163 = getelementptr i8, ptr %142, i64 %162
  br i1 %135, label %173, label %164

164:
  %165 = phi ptr [ %163, %156 ], [ %181, %173 ]
  %166 = getelementptr i64, ptr %159, i64 %116
  %167 = load i64, ptr %166, align 8
  %168 = sub i64 %167, %161
  %169 = icmp sgt i64 %168, 0
  br i1 %150, label %184, label %170

170:
  br i1 %169, label %171, label %218

171:
  %172 = load i64, ptr %136, align 8
  br label %198

173:
  %174 = phi i64 [ %182, %173 ], [ 0, %156 ]
  %175 = phi ptr [ %181, %173 ], [ %163, %156 ]
  %176 = getelementptr i64, ptr %159, i64 %174
  %177 = load i64, ptr %176, align 8
  %178 = getelementptr i64, ptr %147, i64 %174
  %179 = load i64, ptr %178, align 8
  %180 = mul i64 %179, %177
  %181 = getelementptr i8, ptr %175, i64 %180
  %182 = add nuw nsw i64 %174, 1
  %183 = icmp eq i64 %182, %117
  br i1 %183, label %164, label %173

184:
  br i1 %169, label %185, label %195

185:
  %186 = phi i64 [ %192, %185 ], [ 0, %184 ]
  %187 = phi i64 [ %191, %185 ], [ 0, %184 ]
  %188 = phi ptr [ %193, %185 ], [ %165, %184 ]
  %189 = load i16, ptr %188, align 2
  %190 = zext i16 %189 to i64
  %191 = or i64 %187, %190
  %192 = add nuw nsw i64 %186, 1
  %193 = getelementptr i8, ptr %188, i64 %149
  %194 = icmp eq i64 %192, %168
  br i1 %194, label %195, label %185

195:
  %196 = phi i64 [ 0, %184 ], [ %191, %185 ]
  %197 = or i64 %196, %157
  br label %218

198:
  %199 = phi i64 [ 0, %171 ], [ %215, %212 ]
  %200 = phi i64 [ %157, %171 ], [ %214, %212 ]
  %201 = phi ptr [ %165, %171 ], [ %216, %212 ]
  br i1 %151, label %202, label %212

202:
  %203 = phi i64 [ %209, %202 ], [ 0, %198 ]
  %204 = phi i64 [ %208, %202 ], [ 0, %198 ]
  %205 = phi ptr [ %210, %202 ], [ %201, %198 ]
  %206 = load i16, ptr %205, align 2
  %207 = zext i16 %206 to i64
  %208 = or i64 %204, %207
  %209 = add nuw nsw i64 %203, 1
  %210 = getelementptr i8, ptr %205, i64 %172
  %211 = icmp eq i64 %209, %145
  br i1 %211, label %212, label %202

212:
  %213 = phi i64 [ 0, %198 ], [ %208, %202 ]
  %214 = or i64 %213, %200
  %215 = add nuw nsw i64 %199, 1
  %216 = getelementptr i8, ptr %201, i64 %149
  %217 = icmp eq i64 %215, %168
  br i1 %217, label %218, label %198

218:
  %219 = phi i64 [ %197, %195 ], [ %157, %170 ], [ %214, %212 ]
  %220 = add nuw nsw i64 %158, 1
  %221 = getelementptr i64, ptr %159, i64 %137
  %222 = icmp eq i64 %220, %132
  br i1 %222, label %152, label %156

223:
  %224 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 1
  %225 = load i64, ptr %224, align 8
  %226 = add i64 %225, -1
  %227 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %228 = load i64, ptr %227, align 8
  %229 = icmp sgt i64 %228, 0
  br i1 %229, label %230, label %552

230:
  %231 = load ptr, ptr %1, align 8
  %232 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %233 = load i64, ptr %232, align 8
  %234 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 6
  %235 = load i64, ptr %234, align 8
  %236 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %237 = load i64, ptr %236, align 8
  %238 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 9
  %239 = load ptr, ptr %238, align 8
  %240 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 8
  %241 = load i64, ptr %240, align 8
  %242 = icmp sgt i64 %241, 0
  %243 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 1
  %244 = icmp sgt i64 %226, 0
  %245 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 5
  %246 = add i64 %225, 1
  br label %247

247:
  %248 = phi i64 [ 0, %230 ], [ %262, %261 ]
  %249 = phi i64 [ 0, %230 ], [ %263, %261 ]
  %250 = mul i64 %249, %233
  %251 = getelementptr i8, ptr %231, i64 %250
  %252 = mul i64 %249, %237
  %253 = sub i64 %235, %252
  %254 = tail call i64 @llvm.smin.i64(i64 %253, i64 %237)
  br i1 %242, label %255, label %261

255:
  %256 = load ptr, ptr %243, align 8
  %257 = getelementptr i64, ptr %256, i64 %226
  %258 = load i64, ptr %257, align 8
  %259 = icmp eq i64 %254, 1
  %260 = icmp sgt i64 %254, 0
  br label %265

261:
  %262 = phi i64 [ %248, %247 ], [ %328, %327 ]
  %263 = add nuw nsw i64 %249, 1
  %264 = icmp eq i64 %263, %228
  br i1 %264, label %552, label %247

265:
  %266 = phi i64 [ %248, %255 ], [ %328, %327 ]
  %267 = phi i64 [ 0, %255 ], [ %329, %327 ]
  %268 = phi ptr [ %239, %255 ], [ %330, %327 ]
  %269 = getelementptr i64, ptr %268, i64 %226
  %270 = load i64, ptr %269, align 8
  %271 = mul i64 %270, %258
  %272 = getelementptr i8, ptr %251, i64 %271
  br i1 %244, label %282, label %273

273:
  %274 = phi ptr [ %272, %265 ], [ %290, %282 ]
  %275 = getelementptr i64, ptr %268, i64 %225
  %276 = load i64, ptr %275, align 8
  %277 = sub i64 %276, %270
  %278 = icmp sgt i64 %277, 0
  br i1 %259, label %293, label %279

279:
  br i1 %278, label %280, label %327

280:
  %281 = load i64, ptr %245, align 8
  br label %307

282:
  %283 = phi i64 [ %291, %282 ], [ 0, %265 ]
  %284 = phi ptr [ %290, %282 ], [ %272, %265 ]
  %285 = getelementptr i64, ptr %268, i64 %283
  %286 = load i64, ptr %285, align 8
  %287 = getelementptr i64, ptr %256, i64 %283
  %288 = load i64, ptr %287, align 8
  %289 = mul i64 %288, %286
  %290 = getelementptr i8, ptr %284, i64 %289
  %291 = add nuw nsw i64 %283, 1
  %292 = icmp eq i64 %291, %226
  br i1 %292, label %273, label %282

293:
  br i1 %278, label %294, label %304

294:
  %295 = phi i64 [ %301, %294 ], [ 0, %293 ]
  %296 = phi i64 [ %300, %294 ], [ 0, %293 ]
  %297 = phi ptr [ %302, %294 ], [ %274, %293 ]
  %298 = load i32, ptr %297, align 4
  %299 = zext i32 %298 to i64
  %300 = or i64 %296, %299
  %301 = add nuw nsw i64 %295, 1
  %302 = getelementptr i8, ptr %297, i64 %258
  %303 = icmp eq i64 %301, %277
  br i1 %303, label %304, label %294

304:
  %305 = phi i64 [ 0, %293 ], [ %300, %294 ]
  %306 = or i64 %305, %266
  br label %327

307:
  %308 = phi i64 [ 0, %280 ], [ %324, %321 ]
  %309 = phi i64 [ %266, %280 ], [ %323, %321 ]
  %310 = phi ptr [ %274, %280 ], [ %325, %321 ]
  br i1 %260, label %311, label %321

311:
  %312 = phi i64 [ %318, %311 ], [ 0, %307 ]
  %313 = phi i64 [ %317, %311 ], [ 0, %307 ]
  %314 = phi ptr [ %319, %311 ], [ %310, %307 ]
  %315 = load i32, ptr %314, align 4
  %316 = zext i32 %315 to i64
  %317 = or i64 %313, %316
  %318 = add nuw nsw i64 %312, 1
  %319 = getelementptr i8, ptr %314, i64 %281
  %320 = icmp eq i64 %318, %254
  br i1 %320, label %321, label %311

321:
  %322 = phi i64 [ 0, %307 ], [ %317, %311 ]
  %323 = or i64 %322, %309
  %324 = add nuw nsw i64 %308, 1
  %325 = getelementptr i8, ptr %310, i64 %258
  %326 = icmp eq i64 %324, %277
  br i1 %326, label %327, label %307

327:
  %328 = phi i64 [ %306, %304 ], [ %266, %279 ], [ %323, %321 ]
  %329 = add nuw nsw i64 %267, 1
  %330 = getelementptr i64, ptr %268, i64 %246
  %331 = icmp eq i64 %329, %241
  br i1 %331, label %261, label %265

332:
  %333 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 1
  %334 = load i64, ptr %333, align 8
  %335 = add i64 %334, -1
  %336 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %337 = load i64, ptr %336, align 8
  %338 = icmp sgt i64 %337, 0
  br i1 %338, label %339, label %552

339:
  %340 = load ptr, ptr %1, align 8
  %341 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %342 = load i64, ptr %341, align 8
  %343 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 6
  %344 = load i64, ptr %343, align 8
  %345 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %346 = load i64, ptr %345, align 8
  %347 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 9
  %348 = load ptr, ptr %347, align 8
  %349 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 8
  %350 = load i64, ptr %349, align 8
  %351 = icmp sgt i64 %350, 0
  %352 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 1
  %353 = icmp sgt i64 %335, 0
  %354 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 5
  %355 = add i64 %334, 1
  br label %356

356:
  %357 = phi i64 [ 0, %339 ], [ %371, %370 ]
  %358 = phi i64 [ 0, %339 ], [ %372, %370 ]
  %359 = mul i64 %358, %342
  %360 = getelementptr i8, ptr %340, i64 %359
  %361 = mul i64 %358, %346
  %362 = sub i64 %344, %361
  %363 = tail call i64 @llvm.smin.i64(i64 %362, i64 %346)
  br i1 %351, label %364, label %370

364:
  %365 = load ptr, ptr %352, align 8
  %366 = getelementptr i64, ptr %365, i64 %335
  %367 = load i64, ptr %366, align 8
  %368 = icmp eq i64 %363, 1
  %369 = icmp sgt i64 %363, 0
  br label %374

370:
  %371 = phi i64 [ %357, %356 ], [ %435, %434 ]
  %372 = add nuw nsw i64 %358, 1
  %373 = icmp eq i64 %372, %337
  br i1 %373, label %552, label %356

374:
  %375 = phi i64 [ %357, %364 ], [ %435, %434 ]
  %376 = phi i64 [ 0, %364 ], [ %436, %434 ]
  %377 = phi ptr [ %348, %364 ], [ %437, %434 ]
  %378 = getelementptr i64, ptr %377, i64 %335
  %379 = load i64, ptr %378, align 8
  %380 = mul i64 %379, %367
  %381 = getelementptr i8, ptr %360, i64 %380
  br i1 %353, label %391, label %382

382:
  %383 = phi ptr [ %381, %374 ], [ %399, %391 ]
  %384 = getelementptr i64, ptr %377, i64 %334
  %385 = load i64, ptr %384, align 8
  %386 = sub i64 %385, %379
  %387 = icmp sgt i64 %386, 0
  br i1 %368, label %402, label %388

388:
  br i1 %387, label %389, label %434

389:
  %390 = load i64, ptr %354, align 8
  br label %415

391:
  %392 = phi i64 [ %400, %391 ], [ 0, %374 ]
  %393 = phi ptr [ %399, %391 ], [ %381, %374 ]
  %394 = getelementptr i64, ptr %377, i64 %392
  %395 = load i64, ptr %394, align 8
  %396 = getelementptr i64, ptr %365, i64 %392
  %397 = load i64, ptr %396, align 8
  %398 = mul i64 %397, %395
  %399 = getelementptr i8, ptr %393, i64 %398
  %400 = add nuw nsw i64 %392, 1
  %401 = icmp eq i64 %400, %335
  br i1 %401, label %382, label %391

402:
  br i1 %387, label %403, label %412

403:
  %404 = phi i64 [ %409, %403 ], [ 0, %402 ]
  %405 = phi i64 [ %408, %403 ], [ 0, %402 ]
  %406 = phi ptr [ %410, %403 ], [ %383, %402 ]
  %407 = load i64, ptr %406, align 8
  %408 = or i64 %407, %405
  %409 = add nuw nsw i64 %404, 1
  %410 = getelementptr i8, ptr %406, i64 %367
  %411 = icmp eq i64 %409, %386
  br i1 %411, label %412, label %403

412:
  %413 = phi i64 [ 0, %402 ], [ %408, %403 ]
  %414 = or i64 %413, %375
  br label %434

415:
  %416 = phi i64 [ 0, %389 ], [ %431, %428 ]
  %417 = phi i64 [ %375, %389 ], [ %430, %428 ]
  %418 = phi ptr [ %383, %389 ], [ %432, %428 ]
  br i1 %369, label %419, label %428

419:
  %420 = phi i64 [ %425, %419 ], [ 0, %415 ]
  %421 = phi i64 [ %424, %419 ], [ 0, %415 ]
  %422 = phi ptr [ %426, %419 ], [ %418, %415 ]
  %423 = load i64, ptr %422, align 8
  %424 = or i64 %423, %421
  %425 = add nuw nsw i64 %420, 1
  %426 = getelementptr i8, ptr %422, i64 %390
  %427 = icmp eq i64 %425, %363
  br i1 %427, label %428, label %419

428:
  %429 = phi i64 [ 0, %415 ], [ %424, %419 ]
  %430 = or i64 %429, %417
  %431 = add nuw nsw i64 %416, 1
  %432 = getelementptr i8, ptr %418, i64 %367
  %433 = icmp eq i64 %431, %386
  br i1 %433, label %434, label %415

434:
  %435 = phi i64 [ %414, %412 ], [ %375, %388 ], [ %430, %428 ]
  %436 = add nuw nsw i64 %376, 1
  %437 = getelementptr i64, ptr %377, i64 %355
  %438 = icmp eq i64 %436, %350
  br i1 %438, label %370, label %374

439:
  %440 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 1
  %441 = load i64, ptr %440, align 8
  %442 = add i64 %441, -1
  %443 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %444 = load i64, ptr %443, align 8
  %445 = icmp sgt i64 %444, 0
  br i1 %445, label %446, label %552

446:
  %447 = load ptr, ptr %1, align 8
  %448 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %449 = load i64, ptr %448, align 8
  %450 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 6
  %451 = load i64, ptr %450, align 8
  %452 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %453 = load i64, ptr %452, align 8
  %454 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 9
  %455 = load ptr, ptr %454, align 8
  %456 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 8
  %457 = load i64, ptr %456, align 8
  %458 = icmp sgt i64 %457, 0
  %459 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 1
  %460 = icmp sgt i64 %442, 0
  %461 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 5
  %462 = add i64 %441, 1
  br label %463

463:
  %464 = phi i64 [ 0, %446 ], [ %478, %477 ]
  %465 = phi i64 [ 0, %446 ], [ %479, %477 ]
  %466 = mul i64 %465, %449
  %467 = getelementptr i8, ptr %447, i64 %466
  %468 = mul i64 %465, %453
  %469 = sub i64 %451, %468
  %470 = tail call i64 @llvm.smin.i64(i64 %469, i64 %453)
  br i1 %458, label %471, label %477

471:
  %472 = load ptr, ptr %459, align 8
  %473 = getelementptr i64, ptr %472, i64 %442
  %474 = load i64, ptr %473, align 8
  %475 = icmp eq i64 %470, 1
  %476 = icmp sgt i64 %470, 0
  br label %481

477:
  %478 = phi i64 [ %464, %463 ], [ %548, %547 ]
  %479 = add nuw nsw i64 %465, 1
  %480 = icmp eq i64 %479, %444
  br i1 %480, label %552, label %463

481:
  %482 = phi i64 [ %464, %471 ], [ %548, %547 ]
  %483 = phi i64 [ 0, %471 ], [ %549, %547 ]
  %484 = phi ptr [ %455, %471 ], [ %550, %547 ]
  %485 = getelementptr i64, ptr %484, i64 %442
  %486 = load i64, ptr %485, align 8
  %487 = mul i64 %486, %474
  %488 = getelementptr i8, ptr %467, i64 %487
  br i1 %460, label %498, label %489

489:
  %490 = phi ptr [ %488, %481 ], [ %506, %498 ]
  %491 = getelementptr i64, ptr %484, i64 %441
  %492 = load i64, ptr %491, align 8
  %493 = sub i64 %492, %486
  %494 = icmp sgt i64 %493, 0
  br i1 %475, label %509, label %495

495:
  br i1 %494, label %496, label %547

496:
  %497 = load i64, ptr %461, align 8
  br label %525

498:
  %499 = phi i64 [ %507, %498 ], [ 0, %481 ]
  %500 = phi ptr [ %506, %498 ], [ %488, %481 ]
  %501 = getelementptr i64, ptr %484, i64 %499
  %502 = load i64, ptr %501, align 8
  %503 = getelementptr i64, ptr %472, i64 %499
  %504 = load i64, ptr %503, align 8
  %505 = mul i64 %504, %502
  %506 = getelementptr i8, ptr %500, i64 %505
  %507 = add nuw nsw i64 %499, 1
  %508 = icmp eq i64 %507, %442
  br i1 %508, label %489, label %498

509:
  br i1 %494, label %510, label %522

510:
  %511 = phi i64 [ %519, %510 ], [ 0, %509 ]
  %512 = phi i64 [ %518, %510 ], [ 0, %509 ]
  %513 = phi ptr [ %520, %510 ], [ %490, %509 ]
  %514 = load i64, ptr %513, align 8
  %515 = getelementptr i64, ptr %513, i64 1
  %516 = load i64, ptr %515, align 8
  %517 = or i64 %514, %512
  %518 = or i64 %517, %516
  %519 = add nuw nsw i64 %511, 1
  %520 = getelementptr i8, ptr %513, i64 %474
  %521 = icmp eq i64 %519, %493
  br i1 %521, label %522, label %510

522:
  %523 = phi i64 [ 0, %509 ], [ %518, %510 ]
  %524 = or i64 %523, %482
  br label %547

525:
  %526 = phi i64 [ 0, %496 ], [ %544, %541 ]
  %527 = phi i64 [ %482, %496 ], [ %543, %541 ]
  %528 = phi ptr [ %490, %496 ], [ %545, %541 ]
  br i1 %476, label %529, label %541

529:
  %530 = phi i64 [ %538, %529 ], [ 0, %525 ]
  %531 = phi i64 [ %537, %529 ], [ 0, %525 ]
  %532 = phi ptr [ %539, %529 ], [ %528, %525 ]
  %533 = load i64, ptr %532, align 8
  %534 = getelementptr i64, ptr %532, i64 1
  %535 = load i64, ptr %534, align 8
  %536 = or i64 %533, %531
  %537 = or i64 %536, %535
  %538 = add nuw nsw i64 %530, 1
  %539 = getelementptr i8, ptr %532, i64 %497
  %540 = icmp eq i64 %538, %470
  br i1 %540, label %541, label %529

541:
  %542 = phi i64 [ 0, %525 ], [ %537, %529 ]
  %543 = or i64 %542, %527
  %544 = add nuw nsw i64 %526, 1
  %545 = getelementptr i8, ptr %528, i64 %474
  %546 = icmp eq i64 %544, %493
  br i1 %546, label %547, label %525

547:
  %548 = phi i64 [ %524, %522 ], [ %482, %495 ], [ %543, %541 ]
  %549 = add nuw nsw i64 %483, 1
  %550 = getelementptr i64, ptr %484, i64 %462
  %551 = icmp eq i64 %549, %457
  br i1 %551, label %477, label %481

552:
  %553 = phi i64 [ 0, %5 ], [ 0, %114 ], [ 0, %223 ], [ 0, %332 ], [ 0, %439 ], [ %478, %477 ], [ %44, %43 ], [ %153, %152 ], [ %262, %261 ], [ %371, %370 ]
  %554 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 7
  %555 = load i64, ptr %554, align 8
  %556 = and i64 %555, %553
  %557 = icmp eq i64 %556, 0
  ret i1 %557
}

declare ptr @jitmdh_array_zeros(i32, ptr, ptr, i32)

declare i64 @llvm.ctpop.i64(i64)

declare i64 @llvm.abs.i64(i64, i1)

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.umin.i64(i64, i64)

declare i64 @llvm.smin.i64(i64, i64)
