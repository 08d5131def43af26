; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 1b3c0cf395ae9a8e6ed10e097c96e902

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
%struct.Formula = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, i64, i64, [0 x %struct.Formal] }
%struct.Formal = type { ptr, i64, ptr, ptr, ptr, i64, i64, i64, i64, ptr, i64, ptr, i64 }
%struct.Memo = type { i64, [6 x i64], [128 x %struct.Remembered] }
%struct.Remembered = type { [6 x i64], ptr }
%struct.TimeSpec = type { i64, i64 }
%struct.Calls = type { i64, i64, i64, [0 x i64] }
%struct.View = type { ptr, ptr, i64, i64, i64, i64, i64 }
%struct.Given = type { ptr, ptr, ptr, i64, i8, i8, i8 }
%struct.Trusted = type { i64, [64 x i64] }
%struct.Pool = type { ptr, ptr }
%struct.Look = type { ptr, ptr, i64, i64 }

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
  %6 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 9
  %7 = load i64, ptr %6, align 8
  %8 = icmp slt i64 %7, %2
  br i1 %8, label %92, label %9

9:
  %10 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 10
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
  %19 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 11
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
  %54 = getelementptr %struct.Formula, ptr %0, i64 0, i32 11, i64 %53
  %55 = load ptr, ptr %54, align 8
  %56 = icmp eq ptr %55, %49
  br i1 %56, label %72, label %57

57:
  %58 = add nuw nsw i64 %53, 1
  %59 = icmp eq i64 %58, %50
  br i1 %59, label %60, label %52

60:
  %61 = phi i64 [ %69, %68 ], [ 0, %57 ]
  %62 = getelementptr %struct.Formula, ptr %0, i64 0, i32 11, i64 %61
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
  %7 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 9
  %8 = load i64, ptr %7, align 8
  %9 = shl i64 %8, 3
  %10 = alloca i8, i64 %9, align 16
  %11 = icmp sgt i64 %8, 0
  br i1 %11, label %376, label %12

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
  %35 = icmp eq i64 %34, %23
  br i1 %35, label %36, label %28

36:
  %37 = phi i8 [ 0, %12 ], [ 0, %22 ], [ 0, %28 ], [ 1, %31 ]
  store i8 %37, ptr %17, align 1
  %38 = getelementptr inbounds %struct.Given, ptr %6, i64 0, i32 6
  store i8 0, ptr %38, align 2
  %39 = load i64, ptr %7, align 8
  %40 = icmp sgt i64 %39, 0
  br i1 %40, label %41, label %367

41:
  %42 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 4
  %43 = add nsw i64 %39, -1
  br label %54

44:
  %45 = add nuw nsw i64 %55, 1
  br i1 %70, label %46, label %54

46:
  %47 = zext i1 %70 to i8
  store i8 %47, ptr %16, align 8
  %48 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 2
  %49 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 4
  %50 = getelementptr inbounds %struct.View, ptr %4, i64 0, i32 6
  %51 = getelementptr inbounds i8, ptr %4, i64 8
  %52 = getelementptr inbounds i8, ptr %4, i64 24
  %53 = getelementptr inbounds i8, ptr %4, i64 40
  br label %74

54:
  %55 = phi i64 [ 0, %41 ], [ %45, %44 ]
  %56 = getelementptr %struct.Formula, ptr %0, i64 0, i32 11, i64 %55, i32 5
  %57 = load i64, ptr %56, align 8
  %58 = and i64 %57, 1
  %59 = icmp eq i64 %58, 0
  br i1 %59, label %69, label %60

60:
  %61 = getelementptr ptr, ptr %1, i64 %55
  %62 = load ptr, ptr %61, align 8
  %63 = icmp eq ptr %62, null
  br i1 %63, label %69, label %64

64:
  %65 = getelementptr inbounds %struct.Object, ptr %62, i64 0, i32 1
  %66 = load ptr, ptr %65, align 8
  %67 = load ptr, ptr %42, align 8
  %68 = icmp eq ptr %66, %67
  br label %69

69:
  %70 = phi i1 [ false, %60 ], [ false, %54 ], [ %68, %64 ]
  %71 = icmp eq i64 %55, %43
  br i1 %71, label %46, label %44

72:
  %73 = icmp slt i64 %351, 1
  br i1 %73, label %367, label %353

74:
  %75 = phi i64 [ 0, %46 ], [ %349, %348 ]
  %76 = phi i64 [ 0, %46 ], [ %350, %348 ]
  %77 = load ptr, ptr %13, align 8
  %78 = getelementptr ptr, ptr %77, i64 %76
  %79 = load ptr, ptr %78, align 8
  %80 = icmp eq ptr %79, null
  br i1 %80, label %81, label %89

81:
  %82 = getelementptr %struct.Formula, ptr %0, i64 0, i32 11, i64 %76, i32 5
  %83 = load i64, ptr %82, align 8
  %84 = and i64 %83, 2
  %85 = icmp eq i64 %84, 0
  br i1 %85, label %549, label %86

86:
  %87 = shl nuw i64 1, %76
  %88 = or i64 %87, %75
  br label %348

89:
  %90 = getelementptr %struct.Formula, ptr %0, i64 0, i32 11, i64 %76, i32 1
  %91 = load i64, ptr %90, align 8
  %92 = icmp slt i64 %91, 0
  %93 = load ptr, ptr %6, align 8
  %94 = getelementptr inbounds %struct.Formula, ptr %93, i64 0, i32 11
  br i1 %92, label %95, label %117

95:
  %96 = getelementptr inbounds %struct.Object, ptr %79, i64 0, i32 1
  %97 = load ptr, ptr %96, align 8
  %98 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 4
  %99 = load ptr, ptr %98, align 8
  %100 = icmp eq ptr %97, %99
  br i1 %100, label %348, label %101

101:
  %102 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 5
  %103 = load i64, ptr %102, align 8
  %104 = and i64 %103, 4
  %105 = icmp ne i64 %104, 0
  %106 = icmp eq ptr %97, @PyFloat_Type
  %107 = select i1 %105, i1 %106, i1 false
  br i1 %107, label %108, label %549

108:
  %109 = getelementptr inbounds %struct.ScalarObject, ptr %79, i64 0, i32 1
  %110 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 3
  %111 = load ptr, ptr %110, align 8
  %112 = call ptr @jitmdh_array_scalar(ptr %109, ptr %111, ptr null)
  %113 = load ptr, ptr %14, align 8
  %114 = getelementptr ptr, ptr %113, i64 %76
  store ptr %112, ptr %114, align 8
  store ptr %112, ptr %78, align 8
  %115 = load ptr, ptr %114, align 8
  %116 = icmp eq ptr %115, null
  br i1 %116, label %549, label %348

117:
  %118 = getelementptr %struct.Formal, ptr %94, i64 %76
  call void @llvm.memset.p0.i64(ptr align 8 %4, i8 0, i64 48, i1 false)
  store i64 1, ptr %48, align 8
  store i64 1, ptr %49, align 8
  store i64 1, ptr %50, align 8
  %119 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 5
  %120 = load i64, ptr %119, align 8
  %121 = and i64 %120, 1
  %122 = icmp eq i64 %121, 0
  br i1 %122, label %123, label %171

123:
  %124 = getelementptr inbounds %struct.Object, ptr %79, i64 0, i32 1
  %125 = load ptr, ptr %124, align 8
  %126 = icmp eq ptr %125, @jitmdh_ndarray_type
  br i1 %126, label %127, label %344

127:
  %128 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 6
  %129 = load ptr, ptr %128, align 8
  %130 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 3
  %131 = load ptr, ptr %130, align 8
  %132 = icmp eq ptr %129, %131
  br i1 %132, label %137, label %133

133:
  %134 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 4
  %135 = load ptr, ptr %134, align 8
  %136 = icmp eq ptr %129, %135
  br i1 %136, label %137, label %344

137:
  %138 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 2
  %139 = load i32, ptr %138, align 8
  %140 = sext i32 %139 to i64
  %141 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 1
  %142 = load i64, ptr %141, align 8
  %143 = icmp eq i64 %142, %140
  br i1 %143, label %144, label %344

144:
  %145 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 3
  %146 = load ptr, ptr %145, align 8
  %147 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 2
  %148 = load ptr, ptr %147, align 8
  %149 = icmp slt i32 %139, 1
  br i1 %149, label %166, label %150

150:
  %151 = load i64, ptr %146, align 8
  %152 = load i64, ptr %148, align 8
  %153 = icmp eq i64 %151, %152
  br i1 %153, label %154, label %344

154:
  %155 = phi i64 [ %156, %158 ], [ 0, %150 ]
  %156 = add nuw nsw i64 %155, 1
  %157 = icmp eq i64 %156, %140
  br i1 %157, label %166, label %158

158:
  %159 = getelementptr i64, ptr %146, i64 %156
  %160 = load i64, ptr %159, align 8
  %161 = getelementptr i64, ptr %148, i64 %156
  %162 = load i64, ptr %161, align 8
  %163 = icmp eq i64 %160, %162
  br i1 %163, label %154, label %164

164:
  %165 = icmp slt i64 %156, %140
  br i1 %165, label %344, label %166

166:
  %167 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 1
  %168 = load ptr, ptr %167, align 8
  store ptr %168, ptr %4, align 8
  %169 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 4
  %170 = load ptr, ptr %169, align 8
  store ptr %170, ptr %51, align 8
  br label %337

171:
  %172 = load i8, ptr %16, align 8
  %173 = icmp eq i8 %172, 0
  br i1 %173, label %278, label %174

174:
  %175 = getelementptr inbounds %struct.Formula, ptr %93, i64 0, i32 7
  %176 = load i64, ptr %175, align 8
  store i32 1, ptr %5, align 4
  %177 = getelementptr inbounds %struct.Object, ptr %79, i64 0, i32 1
  %178 = load ptr, ptr %177, align 8
  %179 = getelementptr inbounds %struct.Formula, ptr %93, i64 0, i32 4
  %180 = load ptr, ptr %179, align 8
  %181 = icmp eq ptr %178, %180
  br i1 %181, label %182, label %277

182:
  %183 = getelementptr inbounds %struct.Formula, ptr %93, i64 0, i32 5
  %184 = load ptr, ptr %183, align 8
  %185 = call ptr @PyObject_GetAttr(ptr %79, ptr %184)
  %186 = load ptr, ptr %14, align 8
  %187 = getelementptr ptr, ptr %186, i64 %76
  store ptr %185, ptr %187, align 8
  %188 = icmp eq ptr %185, null
  br i1 %188, label %277, label %189

189:
  %190 = getelementptr inbounds %struct.Formula, ptr %93, i64 0, i32 6
  %191 = load ptr, ptr %190, align 8
  %192 = call ptr @PyObject_GetAttr(ptr %79, ptr %191)
  %193 = icmp eq ptr %192, null
  br i1 %193, label %277, label %194

194:
  %195 = getelementptr inbounds %struct.Object, ptr %192, i64 0, i32 1
  %196 = load ptr, ptr %195, align 8
  %197 = icmp eq ptr %196, @PyLong_Type
  br i1 %197, label %198, label %200

198:
  %199 = call i64 @PyLong_AsLongLongAndOverflow(ptr %192, ptr %5)
  br label %200

200:
  %201 = phi i64 [ %199, %198 ], [ 0, %194 ]
  call void @Py_DecRef(ptr %192)
  %202 = load ptr, ptr %187, align 8
  store ptr %202, ptr %78, align 8
  %203 = load ptr, ptr %187, align 8
  %204 = load i32, ptr %5, align 4
  %205 = icmp eq i32 %204, 0
  br i1 %205, label %206, label %277

206:
  %207 = getelementptr inbounds %struct.Object, ptr %203, i64 0, i32 1
  %208 = load ptr, ptr %207, align 8
  %209 = icmp eq ptr %208, @jitmdh_ndarray_type
  br i1 %209, label %210, label %277

210:
  %211 = getelementptr inbounds %struct.ArrayObject, ptr %203, i64 0, i32 6
  %212 = load ptr, ptr %211, align 8
  %213 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 3
  %214 = load ptr, ptr %213, align 8
  %215 = icmp eq ptr %212, %214
  br i1 %215, label %220, label %216

216:
  %217 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 4
  %218 = load ptr, ptr %217, align 8
  %219 = icmp eq ptr %212, %218
  br i1 %219, label %220, label %277

220:
  %221 = getelementptr inbounds %struct.ArrayObject, ptr %203, i64 0, i32 2
  %222 = load i32, ptr %221, align 8
  %223 = sext i32 %222 to i64
  %224 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 1
  %225 = load i64, ptr %224, align 8
  %226 = add i64 %225, 2
  %227 = icmp eq i64 %226, %223
  br i1 %227, label %228, label %277

228:
  %229 = getelementptr inbounds %struct.ArrayObject, ptr %203, i64 0, i32 3
  %230 = load ptr, ptr %229, align 8
  %231 = getelementptr i64, ptr %230, i64 1
  %232 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 2
  %233 = load ptr, ptr %232, align 8
  %234 = icmp slt i64 %225, 1
  br i1 %234, label %251, label %235

235:
  %236 = load i64, ptr %231, align 8
  %237 = load i64, ptr %233, align 8
  %238 = icmp eq i64 %236, %237
  br i1 %238, label %239, label %277

239:
  %240 = phi i64 [ %241, %243 ], [ 0, %235 ]
  %241 = add nuw nsw i64 %240, 1
  %242 = icmp eq i64 %241, %225
  br i1 %242, label %251, label %243

243:
  %244 = getelementptr i64, ptr %231, i64 %241
  %245 = load i64, ptr %244, align 8
  %246 = getelementptr i64, ptr %233, i64 %241
  %247 = load i64, ptr %246, align 8
  %248 = icmp eq i64 %245, %247
  br i1 %248, label %239, label %249

249:
  %250 = icmp slt i64 %241, %225
  br i1 %250, label %277, label %251

251:
  %252 = add i64 %225, 1
  %253 = getelementptr i64, ptr %230, i64 %252
  %254 = load i64, ptr %253, align 8
  %255 = icmp eq i64 %254, %176
  br i1 %255, label %256, label %277

256:
  %257 = load i64, ptr %230, align 8
  %258 = add i64 %176, -1
  %259 = add i64 %258, %201
  %260 = sdiv i64 %259, %176
  %261 = icmp eq i64 %257, %260
  br i1 %261, label %262, label %277

262:
  %263 = load i64, ptr %15, align 8
  %264 = icmp slt i64 %263, 0
  br i1 %264, label %265, label %266

265:
  store i64 %201, ptr %15, align 8
  br label %268

266:
  %267 = icmp eq i64 %263, %201
  br i1 %267, label %268, label %277

268:
  %269 = getelementptr inbounds %struct.ArrayObject, ptr %203, i64 0, i32 1
  %270 = load ptr, ptr %269, align 8
  %271 = getelementptr inbounds %struct.ArrayObject, ptr %203, i64 0, i32 4
  %272 = load ptr, ptr %271, align 8
  %273 = getelementptr i64, ptr %272, i64 1
  %274 = load i64, ptr %272, align 8
  %275 = getelementptr i64, ptr %272, i64 %252
  %276 = load i64, ptr %275, align 8
  store ptr %270, ptr %4, align 8
  store ptr %273, ptr %51, align 8
  store i64 %257, ptr %48, align 8
  store i64 %274, ptr %52, align 8
  store i64 %176, ptr %49, align 8
  store i64 %276, ptr %53, align 8
  store i64 %201, ptr %50, align 8
  br label %337

277:
  br label %344

278:
  %279 = getelementptr inbounds %struct.Object, ptr %79, i64 0, i32 1
  %280 = load ptr, ptr %279, align 8
  %281 = icmp eq ptr %280, @jitmdh_ndarray_type
  br i1 %281, label %282, label %344

282:
  %283 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 6
  %284 = load ptr, ptr %283, align 8
  %285 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 3
  %286 = load ptr, ptr %285, align 8
  %287 = icmp eq ptr %284, %286
  br i1 %287, label %292, label %288

288:
  %289 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 4
  %290 = load ptr, ptr %289, align 8
  %291 = icmp eq ptr %284, %290
  br i1 %291, label %292, label %344

292:
  %293 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 2
  %294 = load i32, ptr %293, align 8
  %295 = sext i32 %294 to i64
  %296 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 1
  %297 = load i64, ptr %296, align 8
  %298 = add i64 %297, 1
  %299 = icmp eq i64 %298, %295
  br i1 %299, label %300, label %344

300:
  %301 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 3
  %302 = load ptr, ptr %301, align 8
  %303 = getelementptr i64, ptr %302, i64 1
  %304 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 2
  %305 = load ptr, ptr %304, align 8
  %306 = icmp slt i64 %297, 1
  br i1 %306, label %323, label %307

307:
  %308 = load i64, ptr %303, align 8
  %309 = load i64, ptr %305, align 8
  %310 = icmp eq i64 %308, %309
  br i1 %310, label %311, label %344

311:
  %312 = phi i64 [ %313, %315 ], [ 0, %307 ]
  %313 = add nuw nsw i64 %312, 1
  %314 = icmp eq i64 %313, %297
  br i1 %314, label %323, label %315

315:
  %316 = getelementptr i64, ptr %303, i64 %313
  %317 = load i64, ptr %316, align 8
  %318 = getelementptr i64, ptr %305, i64 %313
  %319 = load i64, ptr %318, align 8
  %320 = icmp eq i64 %317, %319
  br i1 %320, label %311, label %321

321:
  %322 = icmp slt i64 %313, %297
  br i1 %322, label %344, label %323

323:
  %324 = load i64, ptr %302, align 8
  %325 = load i64, ptr %15, align 8
  %326 = icmp slt i64 %325, 0
  br i1 %326, label %327, label %328

327:
  store i64 %324, ptr %15, align 8
  br label %330

328:
  %329 = icmp eq i64 %325, %324
  br i1 %329, label %330, label %344

330:
  %331 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 1
  %332 = load ptr, ptr %331, align 8
  %333 = getelementptr inbounds %struct.ArrayObject, ptr %79, i64 0, i32 4
  %334 = load ptr, ptr %333, align 8
  %335 = getelementptr i64, ptr %334, i64 1
  %336 = load i64, ptr %334, align 8
  store ptr %332, ptr %4, align 8
  store ptr %335, ptr %51, align 8
  store i64 %324, ptr %48, align 8
  store i64 %336, ptr %52, align 8
  store i64 1, ptr %49, align 8
  store i64 0, ptr %53, align 8
  store i64 %324, ptr %50, align 8
  br label %337

337:
  %338 = getelementptr %struct.Formal, ptr %94, i64 %76, i32 8
  %339 = load i64, ptr %338, align 8
  %340 = icmp ne i64 %339, 0
  %341 = load i8, ptr %17, align 1
  %342 = icmp eq i8 %341, 0
  %343 = select i1 %340, i1 %342, i1 false
  br i1 %343, label %346, label %345

344:
  br label %549

345:
  br label %348

346:
  %347 = call fastcc zeroext i1 @zeros_hold(ptr %6, ptr %118, ptr %4)
  br i1 %347, label %348, label %549

348:
  %349 = phi i64 [ %88, %86 ], [ %75, %95 ], [ %75, %108 ], [ %75, %345 ], [ %75, %346 ]
  %350 = add nuw nsw i64 %76, 1
  %351 = load i64, ptr %7, align 8
  %352 = icmp slt i64 %350, %351
  br i1 %352, label %74, label %72

353:
  %354 = phi i64 [ %364, %363 ], [ %351, %72 ]
  %355 = phi i64 [ %365, %363 ], [ 0, %72 ]
  %356 = shl nuw i64 1, %355
  %357 = and i64 %356, %349
  %358 = icmp eq i64 %357, 0
  br i1 %358, label %363, label %359

359:
  %360 = call fastcc zeroext i1 @make_tensor(ptr %6, i64 %355)
  br i1 %360, label %361, label %549

361:
  %362 = load i64, ptr %7, align 8
  br label %363

363:
  %364 = phi i64 [ %362, %361 ], [ %354, %353 ]
  %365 = add nuw nsw i64 %355, 1
  %366 = icmp slt i64 %365, %364
  br i1 %366, label %353, label %367

367:
  %368 = phi i64 [ %351, %72 ], [ %39, %36 ], [ %364, %363 ]
  %369 = phi i64 [ %349, %72 ], [ 0, %36 ], [ %349, %363 ]
  %370 = load i8, ptr %16, align 8
  %371 = icmp eq i8 %370, 0
  %372 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 1
  %373 = select i1 %371, ptr %0, ptr %372
  %374 = load ptr, ptr %373, align 8
  %375 = icmp eq ptr %374, null
  br i1 %375, label %549, label %381

376:
  %377 = phi i64 [ %379, %376 ], [ 0, %3 ]
  %378 = getelementptr ptr, ptr %10, i64 %377
  store ptr null, ptr %378, align 8
  %379 = add nuw nsw i64 %377, 1
  %380 = icmp eq i64 %379, %8
  br i1 %380, label %12, label %376

381:
  %382 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 10
  %383 = load i64, ptr %382, align 8
  %384 = add i64 %383, %368
  %385 = getelementptr inbounds %struct.Table, ptr %374, i64 0, i32 5
  %386 = load ptr, ptr %385, align 8
  %387 = icmp eq ptr %386, null
  br i1 %387, label %468, label %388

388:
  %389 = getelementptr inbounds %struct.Watches, ptr %386, i64 0, i32 1
  %390 = load i64, ptr %386, align 8
  %391 = getelementptr %struct.Watch, ptr %389, i64 %390
  %392 = icmp ult ptr %389, %391
  br i1 %392, label %393, label %468

393:
  %394 = phi ptr [ %422, %421 ], [ %389, %388 ]
  %395 = load i64, ptr %394, align 8
  %396 = getelementptr %struct.Watch, ptr %394, i64 1
  switch i64 %395, label %407 [
    i64 0, label %424
    i64 1, label %397
    i64 2, label %403
  ]

397:
  %398 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 1
  %399 = load ptr, ptr %398, align 8
  %400 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 2
  %401 = load ptr, ptr %400, align 8
  %402 = call ptr @PyDict_GetItem(ptr %399, ptr %401)
  br label %416

403:
  %404 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 1
  %405 = load ptr, ptr %404, align 8
  %406 = load ptr, ptr %405, align 8
  br label %416

407:
  %408 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 1
  %409 = load ptr, ptr %408, align 8
  %410 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 2
  %411 = load ptr, ptr %410, align 8
  %412 = call ptr @PyObject_GetAttr(ptr %409, ptr %411)
  %413 = icmp eq ptr %412, null
  br i1 %413, label %415, label %414

414:
  call void @Py_DecRef(ptr %412)
  br label %416

415:
  call void @PyErr_Clear()
  br label %416

416:
  %417 = phi ptr [ %406, %403 ], [ %402, %397 ], [ null, %415 ], [ %412, %414 ]
  %418 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 3
  %419 = load ptr, ptr %418, align 8
  %420 = icmp eq ptr %417, %419
  br i1 %420, label %421, label %549

421:
  %422 = phi ptr [ %396, %416 ], [ %427, %424 ], [ %427, %467 ]
  %423 = icmp ult ptr %422, %391
  br i1 %423, label %393, label %468

424:
  %425 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 3
  %426 = load i64, ptr %425, align 8
  %427 = getelementptr %struct.Watch, ptr %396, i64 %426
  %428 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 1
  %429 = load ptr, ptr %428, align 8
  %430 = getelementptr inbounds %struct.DictObject, ptr %429, i64 0, i32 2
  %431 = load i64, ptr %430, align 8
  %432 = getelementptr inbounds %struct.Watch, ptr %394, i64 0, i32 2
  %433 = load i64, ptr %432, align 8
  %434 = icmp eq i64 %431, %433
  br i1 %434, label %421, label %435

435:
  %436 = icmp ult ptr %396, %427
  br i1 %436, label %440, label %467

437:
  %438 = getelementptr %struct.Watch, ptr %441, i64 1
  %439 = icmp ult ptr %438, %427
  br i1 %439, label %440, label %467

440:
  %441 = phi ptr [ %438, %437 ], [ %396, %435 ]
  %442 = load i64, ptr %441, align 8
  switch i64 %442, label %453 [
    i64 1, label %443
    i64 2, label %449
  ]

443:
  %444 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 1
  %445 = load ptr, ptr %444, align 8
  %446 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 2
  %447 = load ptr, ptr %446, align 8
  %448 = call ptr @PyDict_GetItem(ptr %445, ptr %447)
  br label %462

449:
  %450 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 1
  %451 = load ptr, ptr %450, align 8
  %452 = load ptr, ptr %451, align 8
  br label %462

453:
  %454 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 1
  %455 = load ptr, ptr %454, align 8
  %456 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 2
  %457 = load ptr, ptr %456, align 8
  %458 = call ptr @PyObject_GetAttr(ptr %455, ptr %457)
  %459 = icmp eq ptr %458, null
  br i1 %459, label %461, label %460

460:
  call void @Py_DecRef(ptr %458)
  br label %462

461:
  call void @PyErr_Clear()
  br label %462

462:
  %463 = phi ptr [ %452, %449 ], [ %448, %443 ], [ null, %461 ], [ %458, %460 ]
  %464 = getelementptr inbounds %struct.Watch, ptr %441, i64 0, i32 3
  %465 = load ptr, ptr %464, align 8
  %466 = icmp eq ptr %463, %465
  br i1 %466, label %437, label %549

467:
  store i64 %431, ptr %432, align 8
  br label %421

468:
  %469 = getelementptr inbounds %struct.Table, ptr %374, i64 0, i32 1
  %470 = load i64, ptr %469, align 8
  %471 = icmp sgt i64 %470, 0
  br i1 %471, label %472, label %549

472:
  %473 = phi i64 [ %499, %498 ], [ 0, %468 ]
  %474 = getelementptr %struct.Table, ptr %374, i64 0, i32 6, i64 %473
  %475 = load ptr, ptr %474, align 8
  %476 = call i64 @jitmdh_call(ptr %475, ptr %1, i64 %384, ptr %2)
  %477 = trunc i64 %476 to i8
  switch i8 %477, label %498 [
    i8 0, label %478
    i8 2, label %485
    i8 4, label %486
    i8 3, label %549
  ]

478:
  %479 = load i64, ptr %374, align 8
  %480 = add i64 %479, 1
  store i64 %480, ptr %374, align 8
  %481 = icmp ult i64 %476, 256
  %482 = load ptr, ptr %2, align 8
  br i1 %481, label %501, label %483

483:
  %484 = call fastcc ptr @observed(ptr %374, ptr %1, i64 %384, ptr %482)
  store ptr %484, ptr %2, align 8
  br label %501

485:
  store ptr null, ptr %2, align 8
  br label %549

486:
  %487 = ashr i64 %476, 8
  %488 = load ptr, ptr %2, align 8
  %489 = add nsw i64 %487, -1048576
  %490 = icmp ult i64 %489, -1048560
  br i1 %490, label %491, label %493

491:
  %492 = call fastcc ptr @fail(ptr %374, i64 %487, ptr %488)
  br label %493

493:
  %494 = phi ptr [ %492, %491 ], [ null, %486 ]
  store ptr %494, ptr %2, align 8
  call void @Py_DecRef(ptr %488)
  %495 = load ptr, ptr %2, align 8
  %496 = icmp eq ptr %495, null
  br i1 %496, label %549, label %497

497:
  call void @Py_DecRef(ptr %495)
  br label %549

498:
  %499 = add nuw nsw i64 %473, 1
  %500 = icmp eq i64 %499, %470
  br i1 %500, label %549, label %472

501:
  %502 = phi ptr [ %484, %483 ], [ %482, %478 ]
  %503 = icmp eq ptr %502, null
  br i1 %503, label %549, label %504

504:
  %505 = icmp eq i64 %369, 0
  br i1 %505, label %547, label %506

506:
  %507 = call i64 @llvm.ctpop.i64(i64 %369)
  %508 = icmp eq i64 %507, 1
  br i1 %508, label %511, label %509

509:
  %510 = call ptr @PyTuple_New(i64 %507)
  br label %511

511:
  %512 = phi ptr [ %510, %509 ], [ null, %506 ]
  %513 = icmp ult i64 %507, 2
  call void @Py_DecRef(ptr %502)
  %514 = icmp ne ptr %512, null
  %515 = select i1 %513, i1 true, i1 %514
  br i1 %515, label %516, label %547

516:
  %517 = load ptr, ptr %14, align 8
  br label %518

518:
  %519 = phi i64 [ %540, %538 ], [ 0, %516 ]
  %520 = phi i64 [ %541, %538 ], [ 0, %516 ]
  %521 = phi ptr [ %539, %538 ], [ %512, %516 ]
  %522 = phi i64 [ %542, %538 ], [ %369, %516 ]
  %523 = and i64 %522, 1
  %524 = icmp eq i64 %523, 0
  br i1 %524, label %538, label %525

525:
  br i1 %513, label %526, label %529

526:
  %527 = getelementptr ptr, ptr %517, i64 %520
  %528 = load ptr, ptr %527, align 8
  br label %534

529:
  %530 = add i64 %519, 1
  %531 = getelementptr ptr, ptr %517, i64 %520
  %532 = load ptr, ptr %531, align 8
  %533 = call i32 @PyTuple_SetItem(ptr %521, i64 %519, ptr %532)
  br label %534

534:
  %535 = phi ptr [ %528, %526 ], [ %521, %529 ]
  %536 = phi i64 [ %519, %526 ], [ %530, %529 ]
  %537 = getelementptr ptr, ptr %517, i64 %520
  store ptr null, ptr %537, align 8
  br label %538

538:
  %539 = phi ptr [ %535, %534 ], [ %521, %518 ]
  %540 = phi i64 [ %536, %534 ], [ %519, %518 ]
  %541 = add nuw nsw i64 %520, 1
  %542 = lshr i64 %522, 1
  %543 = icmp ugt i64 %522, 1
  %544 = icmp ne ptr %539, null
  %545 = select i1 %513, i1 true, i1 %544
  %546 = select i1 %543, i1 %545, i1 false
  br i1 %546, label %518, label %547

547:
  %548 = phi ptr [ %502, %504 ], [ null, %511 ], [ %539, %538 ]
  store ptr %548, ptr %2, align 8
  br label %549

549:
  %550 = phi i1 [ true, %547 ], [ true, %501 ], [ true, %485 ], [ false, %367 ], [ false, %497 ], [ false, %468 ], [ false, %344 ], [ %490, %493 ], [ false, %498 ], [ false, %472 ], [ false, %462 ], [ false, %416 ], [ false, %359 ], [ false, %108 ], [ false, %346 ], [ false, %81 ], [ false, %101 ]
  %551 = load i64, ptr %7, align 8
  %552 = icmp sgt i64 %551, 0
  br i1 %552, label %556, label %553

553:
  %554 = load i8, ptr %38, align 2
  %555 = icmp eq i8 %554, 0
  br i1 %555, label %576, label %568

556:
  %557 = phi i64 [ %565, %564 ], [ %551, %549 ]
  %558 = phi i64 [ %566, %564 ], [ 0, %549 ]
  %559 = getelementptr ptr, ptr %10, i64 %558
  %560 = load ptr, ptr %559, align 8
  %561 = icmp eq ptr %560, null
  br i1 %561, label %564, label %562

562:
  call void @Py_DecRef(ptr %560)
  %563 = load i64, ptr %7, align 8
  br label %564

564:
  %565 = phi i64 [ %557, %556 ], [ %563, %562 ]
  %566 = add nuw nsw i64 %558, 1
  %567 = icmp slt i64 %566, %565
  br i1 %567, label %556, label %553

568:
  %569 = getelementptr inbounds %struct.Formula, ptr %0, i64 0, i32 8
  %570 = load ptr, ptr %569, align 8
  %571 = getelementptr inbounds %struct.Pool, ptr %570, i64 0, i32 1
  %572 = load ptr, ptr %571, align 8
  %573 = call i64 %572()
  %574 = icmp eq i64 %573, 0
  br i1 %574, label %576, label %575

575:
  store ptr null, ptr %2, align 8
  br label %578

576:
  br i1 %550, label %578, label %577

577:
  call void @PyErr_Clear()
  br label %578

578:
  %579 = phi i1 [ true, %575 ], [ false, %577 ], [ true, %576 ]
  ret i1 %579
}

declare i64 @PyTuple_Size(ptr)

declare ptr @PyTuple_GetItem(ptr, i64)

declare i64 @PyThread_get_thread_ident()

define internal fastcc zeroext i1 @make_tensor(ptr %0, i64 %1) nounwind {
  %3 = load ptr, ptr %0, align 8
  %4 = getelementptr inbounds %struct.Formula, ptr %3, i64 0, i32 11
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

define internal fastcc zeroext i1 @zeros_hold(ptr %0, ptr %1, ptr %2) noinline nounwind {
  %4 = alloca %struct.Look, align 8
  %5 = alloca %struct.View, align 8
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr inbounds i8, ptr %2, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds i8, ptr %2, i64 16
  %10 = load i64, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %2, i64 24
  %12 = load i64, ptr %11, align 8
  %13 = getelementptr inbounds i8, ptr %2, i64 32
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds i8, ptr %2, i64 40
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds i8, ptr %2, i64 48
  %18 = load i64, ptr %17, align 8
  %19 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 6
  %20 = load i64, ptr %19, align 8
  %21 = mul i64 %20, %14
  %22 = icmp slt i64 %14, 2
  %23 = icmp eq i64 %16, %20
  %24 = select i1 %22, i1 true, i1 %23
  br i1 %24, label %25, label %85

25:
  %26 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %27 = load i64, ptr %26, align 8
  %28 = add i64 %27, -1
  %29 = icmp slt i64 %28, 0
  br i1 %29, label %47, label %30

30:
  %31 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 2
  %32 = load ptr, ptr %31, align 8
  br label %33

33:
  %34 = phi i64 [ %28, %30 ], [ %45, %43 ]
  %35 = phi i64 [ %21, %30 ], [ %44, %43 ]
  %36 = getelementptr i64, ptr %32, i64 %34
  %37 = load i64, ptr %36, align 8
  %38 = icmp sgt i64 %37, 1
  br i1 %38, label %39, label %43

39:
  %40 = getelementptr i64, ptr %8, i64 %34
  %41 = load i64, ptr %40, align 8
  %42 = icmp eq i64 %41, %35
  br i1 %42, label %43, label %85

43:
  %44 = mul i64 %37, %35
  %45 = add i64 %34, -1
  %46 = icmp slt i64 %45, 0
  br i1 %46, label %47, label %33

47:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %5, ptr align 8 %2, i64 56, i1 false)
  %48 = srem i64 %18, %14
  %49 = icmp ne i64 %48, 0
  %50 = zext i1 %49 to i64
  %51 = getelementptr inbounds %struct.View, ptr %5, i64 0, i32 2
  %52 = load i64, ptr %51, align 8
  %53 = sub i64 %52, %50
  store i64 %53, ptr %51, align 8
  %54 = mul i64 %53, %12
  %55 = getelementptr i8, ptr %6, i64 %54
  %56 = mul i64 %53, %14
  %57 = sub i64 %18, %56
  %58 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 12
  %59 = load i64, ptr %58, align 8
  %60 = getelementptr inbounds %struct.View, ptr %5, i64 0, i32 4
  %61 = load i64, ptr %60, align 8
  %62 = mul i64 %53, %20
  %63 = mul i64 %62, %59
  %64 = mul i64 %63, %61
  %65 = sdiv i64 %64, 131072
  store ptr %1, ptr %4, align 8
  %66 = getelementptr inbounds %struct.Look, ptr %4, i64 0, i32 1
  store ptr %5, ptr %66, align 8
  %67 = getelementptr inbounds %struct.Look, ptr %4, i64 0, i32 2
  %68 = call i64 @llvm.smin.i64(i64 %65, i64 %53)
  store i64 %68, ptr %67, align 8
  %69 = getelementptr inbounds %struct.Look, ptr %4, i64 0, i32 3
  store i64 0, ptr %69, align 8
  %70 = icmp slt i64 %68, 2
  br i1 %70, label %71, label %73

71:
  %72 = call fastcc i64 @numbers_in_stretches(ptr %1, ptr %5)
  br label %83

73:
  %74 = load ptr, ptr %0, align 8
  %75 = getelementptr inbounds %struct.Formula, ptr %74, i64 0, i32 8
  %76 = load ptr, ptr %75, align 8
  %77 = load ptr, ptr %76, align 8
  %78 = call i64 %77(ptr @look_at, ptr %4, i64 %68, ptr %4)
  %79 = icmp ne i64 %78, 0
  %80 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 6
  %81 = zext i1 %79 to i8
  store i8 %81, ptr %80, align 2
  %82 = load atomic i64, ptr %69 seq_cst, align 8
  br label %83

83:
  %84 = phi i64 [ %72, %71 ], [ %82, %73 ]
  br label %85

85:
  %86 = phi i64 [ %50, %83 ], [ %10, %3 ], [ %10, %39 ]
  %87 = phi i64 [ %57, %83 ], [ %18, %3 ], [ %18, %39 ]
  %88 = phi ptr [ %55, %83 ], [ %6, %3 ], [ %6, %39 ]
  %89 = phi i64 [ %84, %83 ], [ 0, %3 ], [ 0, %39 ]
  %90 = icmp eq i64 %86, 0
  br i1 %90, label %585, label %91

91:
  %92 = load i64, ptr %19, align 8
  switch i64 %92, label %483 [
    i64 0, label %585
    i64 1, label %93
    i64 2, label %191
    i64 4, label %289
    i64 8, label %387
  ]

93:
  %94 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %95 = load i64, ptr %94, align 8
  %96 = add i64 %95, -1
  %97 = icmp sgt i64 %86, 0
  br i1 %97, label %98, label %188

98:
  %99 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 9
  %100 = load ptr, ptr %99, align 8
  %101 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 8
  %102 = load i64, ptr %101, align 8
  %103 = icmp sgt i64 %102, 0
  %104 = icmp sgt i64 %96, 0
  %105 = add i64 %95, 1
  %106 = getelementptr i64, ptr %8, i64 %96
  br label %107

107:
  %108 = phi i64 [ 0, %98 ], [ %120, %119 ]
  %109 = phi i64 [ 0, %98 ], [ %121, %119 ]
  %110 = mul i64 %109, %12
  %111 = getelementptr i8, ptr %88, i64 %110
  %112 = mul i64 %109, %14
  %113 = sub i64 %87, %112
  %114 = call i64 @llvm.smin.i64(i64 %113, i64 %14)
  br i1 %103, label %115, label %119

115:
  %116 = load i64, ptr %106, align 8
  %117 = icmp eq i64 %114, 1
  %118 = icmp sgt i64 %114, 0
  br label %123

119:
  %120 = phi i64 [ %108, %107 ], [ %184, %183 ]
  %121 = add nuw nsw i64 %109, 1
  %122 = icmp eq i64 %121, %86
  br i1 %122, label %188, label %107

123:
  %124 = phi i64 [ %108, %115 ], [ %184, %183 ]
  %125 = phi i64 [ 0, %115 ], [ %185, %183 ]
  %126 = phi ptr [ %100, %115 ], [ %186, %183 ]
  %127 = getelementptr i64, ptr %126, i64 %96
  %128 = load i64, ptr %127, align 8
  %129 = mul i64 %128, %116
  %130 = getelementptr i8, ptr %111, i64 %129
  br i1 %104, label %138, label %131

131:
  %132 = phi ptr [ %130, %123 ], [ %146, %138 ]
  %133 = getelementptr i64, ptr %126, i64 %95
  %134 = load i64, ptr %133, align 8
  %135 = sub i64 %134, %128
  %136 = icmp sgt i64 %135, 0
  br i1 %117, label %149, label %137

137:
  br i1 %136, label %163, label %183

138:
  %139 = phi i64 [ %147, %138 ], [ 0, %123 ]
  %140 = phi ptr [ %146, %138 ], [ %130, %123 ]
  %141 = getelementptr i64, ptr %126, i64 %139
  %142 = load i64, ptr %141, align 8
  %143 = getelementptr i64, ptr %8, i64 %139
  %144 = load i64, ptr %143, align 8
  %145 = mul i64 %144, %142
  %146 = getelementptr i8, ptr %140, i64 %145
  %147 = add nuw nsw i64 %139, 1
  %148 = icmp eq i64 %147, %96
  br i1 %148, label %131, label %138

149:
  br i1 %136, label %150, label %160

150:
  %151 = phi i64 [ %157, %150 ], [ 0, %149 ]
  %152 = phi i64 [ %156, %150 ], [ 0, %149 ]
  %153 = phi ptr [ %158, %150 ], [ %132, %149 ]
  %154 = load i8, ptr %153, align 1
  %155 = zext i8 %154 to i64
  %156 = or i64 %152, %155
  %157 = add nuw nsw i64 %151, 1
  %158 = getelementptr i8, ptr %153, i64 %116
  %159 = icmp eq i64 %157, %135
  br i1 %159, label %160, label %150

160:
  %161 = phi i64 [ 0, %149 ], [ %156, %150 ]
  %162 = or i64 %161, %124
  br label %183

163:
  %164 = phi i64 [ %180, %177 ], [ 0, %137 ]
  %165 = phi i64 [ %179, %177 ], [ %124, %137 ]
  %166 = phi ptr [ %181, %177 ], [ %132, %137 ]
  br i1 %118, label %167, label %177

167:
  %168 = phi i64 [ %174, %167 ], [ 0, %163 ]
  %169 = phi i64 [ %173, %167 ], [ 0, %163 ]
  %170 = phi ptr [ %175, %167 ], [ %166, %163 ]
  %171 = load i8, ptr %170, align 1
  %172 = zext i8 %171 to i64
  %173 = or i64 %169, %172
  %174 = add nuw nsw i64 %168, 1
  %175 = getelementptr i8, ptr %170, i64 %16
  %176 = icmp eq i64 %174, %114
  br i1 %176, label %177, label %167

177:
  %178 = phi i64 [ 0, %163 ], [ %173, %167 ]
  %179 = or i64 %178, %165
  %180 = add nuw nsw i64 %164, 1
  %181 = getelementptr i8, ptr %166, i64 %116
  %182 = icmp eq i64 %180, %135
  br i1 %182, label %183, label %163

183:
  %184 = phi i64 [ %162, %160 ], [ %124, %137 ], [ %179, %177 ]
  %185 = add nuw nsw i64 %125, 1
  %186 = getelementptr i64, ptr %126, i64 %105
  %187 = icmp eq i64 %185, %102
  br i1 %187, label %119, label %123

188:
  %189 = phi i64 [ 0, %93 ], [ %120, %119 ]
  %190 = or i64 %189, %89
  br label %585

191:
  %192 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %193 = load i64, ptr %192, align 8
  %194 = add i64 %193, -1
  %195 = icmp sgt i64 %86, 0
  br i1 %195, label %196, label %286

196:
  %197 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 9
  %198 = load ptr, ptr %197, align 8
  %199 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 8
  %200 = load i64, ptr %199, align 8
  %201 = icmp sgt i64 %200, 0
  %202 = icmp sgt i64 %194, 0
  %203 = add i64 %193, 1
  %204 = getelementptr i64, ptr %8, i64 %194
  br label %205

205:
  %206 = phi i64 [ 0, %196 ], [ %218, %217 ]
  %207 = phi i64 [ 0, %196 ], [ %219, %217 ]
  %208 = mul i64 %207, %12
  %209 = getelementptr i8, ptr %88, i64 %208
  %210 = mul i64 %207, %14
  %211 = sub i64 %87, %210
  %212 = call i64 @llvm.smin.i64(i64 %211, i64 %14)
  br i1 %201, label %213, label %217

213:
  %214 = load i64, ptr %204, align 8
  %215 = icmp eq i64 %212, 1
  %216 = icmp sgt i64 %212, 0
  br label %221

217:
  %218 = phi i64 [ %206, %205 ], [ %282, %281 ]
  %219 = add nuw nsw i64 %207, 1
  %220 = icmp eq i64 %219, %86
  br i1 %220, label %286, label %205

221:
  %222 = phi i64 [ %206, %213 ], [ %282, %281 ]
  %223 = phi i64 [ 0, %213 ], [ %283, %281 ]
  %224 = phi ptr [ %198, %213 ], [ %284, %281 ]
  %225 = getelementptr i64, ptr %224, i64 %194
  %226 = load i64, ptr %225, align 8
  %227 = mul i64 %226, %214
  %228 = getelementptr i8, ptr %209, i64 %227
  br i1 %202, label %236, label %229

229:
  %230 = phi ptr [ %228, %221 ], [ %244, %236 ]
  %231 = getelementptr i64, ptr %224, i64 %193
  %232 = load i64, ptr %231, align 8
  %233 = sub i64 %232, %226
  %234 = icmp sgt i64 %233, 0
  br i1 %215, label %247, label %235

235:
  br i1 %234, label %261, label %281

236:
  %237 = phi i64 [ %245, %236 ], [ 0, %221 ]
  %238 = phi ptr [ %244, %236 ], [ %228, %221 ]
  %239 = getelementptr i64, ptr %224, i64 %237
  %240 = load i64, ptr %239, align 8
  %241 = getelementptr i64, ptr %8, i64 %237
  %242 = load i64, ptr %241, align 8
  %243 = mul i64 %242, %240
  %244 = getelementptr i8, ptr %238, i64 %243
  %245 = add nuw nsw i64 %237, 1
  %246 = icmp eq i64 %245, %194
  br i1 %246, label %229, label %236

247:
  br i1 %234, label %248, label %258

248:
  %249 = phi i64 [ %255, %248 ], [ 0, %247 ]
  %250 = phi i64 [ %254, %248 ], [ 0, %247 ]
  %251 = phi ptr [ %256, %248 ], [ %230, %247 ]
  %252 = load i16, ptr %251, align 2
  %253 = zext i16 %252 to i64
  %254 = or i64 %250, %253
  %255 = add nuw nsw i64 %249, 1
  %256 = getelementptr i8, ptr %251, i64 %214
  %257 = icmp eq i64 %255, %233
  br i1 %257, label %258, label %248

258:
  %259 = phi i64 [ 0, %247 ], [ %254, %248 ]
  %260 = or i64 %259, %222
  br label %281

261:
  %262 = phi i64 [ %278, %275 ], [ 0, %235 ]
  %263 = phi i64 [ %277, %275 ], [ %222, %235 ]
  %264 = phi ptr [ %279, %275 ], [ %230, %235 ]
  br i1 %216, label %265, label %275

265:
  %266 = phi i64 [ %272, %265 ], [ 0, %261 ]
  %267 = phi i64 [ %271, %265 ], [ 0, %261 ]
  %268 = phi ptr [ %273, %265 ], [ %264, %261 ]
  %269 = load i16, ptr %268, align 2
  %270 = zext i16 %269 to i64
  %271 = or i64 %267, %270
  %272 = add nuw nsw i64 %266, 1
  %273 = getelementptr i8, ptr %268, i64 %16
  %274 = icmp eq i64 %272, %212
  br i1 %274, label %275, label %265

275:
  %276 = phi i64 [ 0, %261 ], [ %271, %265 ]
  %277 = or i64 %276, %263
  %278 = add nuw nsw i64 %262, 1
  %279 = getelementptr i8, ptr %264, i64 %214
  %280 = icmp eq i64 %278, %233
  br i1 %280, label %281, label %261

281:
  %282 = phi i64 [ %260, %258 ], [ %222, %235 ], [ %277, %275 ]
  %283 = add nuw nsw i64 %223, 1
  %284 = getelementptr i64, ptr %224, i64 %203
  %285 = icmp eq i64 %283, %200
  br i1 %285, label %217, label %221

286:
  %287 = phi i64 [ 0, %191 ], [ %218, %217 ]
  %288 = or i64 %287, %89
  br label %585

289:
  %290 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %291 = load i64, ptr %290, align 8
  %292 = add i64 %291, -1
  %293 = icmp sgt i64 %86, 0
  br i1 %293, label %294, label %384

294:
  %295 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 9
  %296 = load ptr, ptr %295, align 8
  %297 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 8
  %298 = load i64, ptr %297, align 8
  %299 = icmp sgt i64 %298, 0
  %300 = icmp sgt i64 %292, 0
  %301 = add i64 %291, 1
  %302 = getelementptr i64, ptr %8, i64 %292
  br label %303

303:
  %304 = phi i64 [ 0, %294 ], [ %316, %315 ]
  %305 = phi i64 [ 0, %294 ], [ %317, %315 ]
  %306 = mul i64 %305, %12
  %307 = getelementptr i8, ptr %88, i64 %306
  %308 = mul i64 %305, %14
  %309 = sub i64 %87, %308
  %310 = call i64 @llvm.smin.i64(i64 %309, i64 %14)
  br i1 %299, label %311, label %315

311:
  %312 = load i64, ptr %302, align 8
  %313 = icmp eq i64 %310, 1
  %314 = icmp sgt i64 %310, 0
  br label %319

315:
  %316 = phi i64 [ %304, %303 ], [ %380, %379 ]
  %317 = add nuw nsw i64 %305, 1
  %318 = icmp eq i64 %317, %86
  br i1 %318, label %384, label %303

319:
  %320 = phi i64 [ %304, %311 ], [ %380, %379 ]
  %321 = phi i64 [ 0, %311 ], [ %381, %379 ]
  %322 = phi ptr [ %296, %311 ], [ %382, %379 ]
  %323 = getelementptr i64, ptr %322, i64 %292
  %324 = load i64, ptr %323, align 8
  %325 = mul i64 %324, %312
  %326 = getelementptr i8, ptr %307, i64 %325
  br i1 %300, label %334, label %327

327:
  %328 = phi ptr [ %326, %319 ], [ %342, %334 ]
  %329 = getelementptr i64, ptr %322, i64 %291
  %330 = load i64, ptr %329, align 8
  %331 = sub i64 %330, %324
  %332 = icmp sgt i64 %331, 0
  br i1 %313, label %345, label %333

333:
  br i1 %332, label %359, label %379

334:
  %335 = phi i64 [ %343, %334 ], [ 0, %319 ]
  %336 = phi ptr [ %342, %334 ], [ %326, %319 ]
  %337 = getelementptr i64, ptr %322, i64 %335
  %338 = load i64, ptr %337, align 8
  %339 = getelementptr i64, ptr %8, i64 %335
  %340 = load i64, ptr %339, align 8
  %341 = mul i64 %340, %338
  %342 = getelementptr i8, ptr %336, i64 %341
  %343 = add nuw nsw i64 %335, 1
  %344 = icmp eq i64 %343, %292
  br i1 %344, label %327, label %334

345:
  br i1 %332, label %346, label %356

346:
  %347 = phi i64 [ %353, %346 ], [ 0, %345 ]
  %348 = phi i64 [ %352, %346 ], [ 0, %345 ]
  %349 = phi ptr [ %354, %346 ], [ %328, %345 ]
  %350 = load i32, ptr %349, align 4
  %351 = zext i32 %350 to i64
  %352 = or i64 %348, %351
  %353 = add nuw nsw i64 %347, 1
  %354 = getelementptr i8, ptr %349, i64 %312
  %355 = icmp eq i64 %353, %331
  br i1 %355, label %356, label %346

356:
  %357 = phi i64 [ 0, %345 ], [ %352, %346 ]
  %358 = or i64 %357, %320
  br label %379

359:
  %360 = phi i64 [ %376, %373 ], [ 0, %333 ]
  %361 = phi i64 [ %375, %373 ], [ %320, %333 ]
  %362 = phi ptr [ %377, %373 ], [ %328, %333 ]
  br i1 %314, label %363, label %373

363:
  %364 = phi i64 [ %370, %363 ], [ 0, %359 ]
  %365 = phi i64 [ %369, %363 ], [ 0, %359 ]
  %366 = phi ptr [ %371, %363 ], [ %362, %359 ]
  %367 = load i32, ptr %366, align 4
  %368 = zext i32 %367 to i64
  %369 = or i64 %365, %368
  %370 = add nuw nsw i64 %364, 1
  %371 = getelementptr i8, ptr %366, i64 %16
  %372 = icmp eq i64 %370, %310
  br i1 %372, label %373, label %363

373:
  %374 = phi i64 [ 0, %359 ], [ %369, %363 ]
  %375 = or i64 %374, %361
  %376 = add nuw nsw i64 %360, 1
  %377 = getelementptr i8, ptr %362, i64 %312
  %378 = icmp eq i64 %376, %331
  br i1 %378, label %379, label %359

379:
  %380 = phi i64 [ %358, %356 ], [ %320, %333 ], [ %375, %373 ]
  %381 = add nuw nsw i64 %321, 1
  %382 = getelementptr i64, ptr %322, i64 %301
  %383 = icmp eq i64 %381, %298
  br i1 %383, label %315, label %319

384:
  %385 = phi i64 [ 0, %289 ], [ %316, %315 ]
  %386 = or i64 %385, %89
  br label %585

387:
  %388 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %389 = load i64, ptr %388, align 8
  %390 = add i64 %389, -1
  %391 = icmp sgt i64 %86, 0
  br i1 %391, label %392, label %480

392:
  %393 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 9
  %394 = load ptr, ptr %393, align 8
  %395 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 8
  %396 = load i64, ptr %395, align 8
  %397 = icmp sgt i64 %396, 0
  %398 = icmp sgt i64 %390, 0
  %399 = add i64 %389, 1
  %400 = getelementptr i64, ptr %8, i64 %390
  br label %401

401:
  %402 = phi i64 [ 0, %392 ], [ %414, %413 ]
  %403 = phi i64 [ 0, %392 ], [ %415, %413 ]
  %404 = mul i64 %403, %12
  %405 = getelementptr i8, ptr %88, i64 %404
  %406 = mul i64 %403, %14
  %407 = sub i64 %87, %406
  %408 = call i64 @llvm.smin.i64(i64 %407, i64 %14)
  br i1 %397, label %409, label %413

409:
  %410 = load i64, ptr %400, align 8
  %411 = icmp eq i64 %408, 1
  %412 = icmp sgt i64 %408, 0
  br label %417

413:
  %414 = phi i64 [ %402, %401 ], [ %476, %475 ]
  %415 = add nuw nsw i64 %403, 1
  %416 = icmp eq i64 %415, %86
  br i1 %416, label %480, label %401

417:
  %418 = phi i64 [ %402, %409 ], [ %476, %475 ]
  %419 = phi i64 [ 0, %409 ], [ %477, %475 ]
  %420 = phi ptr [ %394, %409 ], [ %478, %475 ]
  %421 = getelementptr i64, ptr %420, i64 %390
  %422 = load i64, ptr %421, align 8
  %423 = mul i64 %422, %410
  %424 = getelementptr i8, ptr %405, i64 %423
  br i1 %398, label %432, label %425

425:
  %426 = phi ptr [ %424, %417 ], [ %440, %432 ]
  %427 = getelementptr i64, ptr %420, i64 %389
  %428 = load i64, ptr %427, align 8
  %429 = sub i64 %428, %422
  %430 = icmp sgt i64 %429, 0
  br i1 %411, label %443, label %431

431:
  br i1 %430, label %456, label %475

432:
  %433 = phi i64 [ %441, %432 ], [ 0, %417 ]
  %434 = phi ptr [ %440, %432 ], [ %424, %417 ]
  %435 = getelementptr i64, ptr %420, i64 %433
  %436 = load i64, ptr %435, align 8
  %437 = getelementptr i64, ptr %8, i64 %433
  %438 = load i64, ptr %437, align 8
  %439 = mul i64 %438, %436
  %440 = getelementptr i8, ptr %434, i64 %439
  %441 = add nuw nsw i64 %433, 1
  %442 = icmp eq i64 %441, %390
  br i1 %442, label %425, label %432

443:
  br i1 %430, label %444, label %453

444:
  %445 = phi i64 [ %450, %444 ], [ 0, %443 ]
  %446 = phi i64 [ %449, %444 ], [ 0, %443 ]
  %447 = phi ptr [ %451, %444 ], [ %426, %443 ]
  %448 = load i64, ptr %447, align 8
  %449 = or i64 %448, %446
  %450 = add nuw nsw i64 %445, 1
  %451 = getelementptr i8, ptr %447, i64 %410
  %452 = icmp eq i64 %450, %429
  br i1 %452, label %453, label %444

453:
  %454 = phi i64 [ 0, %443 ], [ %449, %444 ]
  %455 = or i64 %454, %418
  br label %475

456:
  %457 = phi i64 [ %472, %469 ], [ 0, %431 ]
  %458 = phi i64 [ %471, %469 ], [ %418, %431 ]
  %459 = phi ptr [ %473, %469 ], [ %426, %431 ]
  br i1 %412, label %460, label %469

460:
  %461 = phi i64 [ %466, %460 ], [ 0, %456 ]
  %462 = phi i64 [ %465, %460 ], [ 0, %456 ]
  %463 = phi ptr [ %467, %460 ], [ %459, %456 ]
  %464 = load i64, ptr %463, align 8
  %465 = or i64 %464, %462
  %466 = add nuw nsw i64 %461, 1
  %467 = getelementptr i8, ptr %463, i64 %16
  %468 = icmp eq i64 %466, %408
  br i1 %468, label %469, label %460

469:
  %470 = phi i64 [ 0, %456 ], [ %465, %460 ]
  %471 = or i64 %470, %458
  %472 = add nuw nsw i64 %457, 1
  %473 = getelementptr i8, ptr %459, i64 %410
  %474 = icmp eq i64 %472, %429
  br i1 %474, label %475, label %456

475:
  %476 = phi i64 [ %455, %453 ], [ %418, %431 ], [ %471, %469 ]
  %477 = add nuw nsw i64 %419, 1
  %478 = getelementptr i64, ptr %420, i64 %399
  %479 = icmp eq i64 %477, %396
  br i1 %479, label %413, label %417

480:
  %481 = phi i64 [ 0, %387 ], [ %414, %413 ]
  %482 = or i64 %481, %89
  br label %585

483:
  %484 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 1
  %485 = load i64, ptr %484, align 8
  %486 = add i64 %485, -1
  %487 = icmp sgt i64 %86, 0
  br i1 %487, label %488, label %582

488:
  %489 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 9
  %490 = load ptr, ptr %489, align 8
  %491 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 8
  %492 = load i64, ptr %491, align 8
  %493 = icmp sgt i64 %492, 0
  %494 = icmp sgt i64 %486, 0
  %495 = add i64 %485, 1
  %496 = getelementptr i64, ptr %8, i64 %486
  br label %497

497:
  %498 = phi i64 [ 0, %488 ], [ %510, %509 ]
  %499 = phi i64 [ 0, %488 ], [ %511, %509 ]
  %500 = mul i64 %499, %12
  %501 = getelementptr i8, ptr %88, i64 %500
  %502 = mul i64 %499, %14
  %503 = sub i64 %87, %502
  %504 = call i64 @llvm.smin.i64(i64 %503, i64 %14)
  br i1 %493, label %505, label %509

505:
  %506 = load i64, ptr %496, align 8
  %507 = icmp eq i64 %504, 1
  %508 = icmp sgt i64 %504, 0
  br label %513

509:
  %510 = phi i64 [ %498, %497 ], [ %578, %577 ]
  %511 = add nuw nsw i64 %499, 1
  %512 = icmp eq i64 %511, %86
  br i1 %512, label %582, label %497

513:
  %514 = phi i64 [ %498, %505 ], [ %578, %577 ]
  %515 = phi i64 [ 0, %505 ], [ %579, %577 ]
  %516 = phi ptr [ %490, %505 ], [ %580, %577 ]
  %517 = getelementptr i64, ptr %516, i64 %486
  %518 = load i64, ptr %517, align 8
  %519 = mul i64 %518, %506
  %520 = getelementptr i8, ptr %501, i64 %519
  br i1 %494, label %528, label %521

521:
  %522 = phi ptr [ %520, %513 ], [ %536, %528 ]
  %523 = getelementptr i64, ptr %516, i64 %485
  %524 = load i64, ptr %523, align 8
  %525 = sub i64 %524, %518
  %526 = icmp sgt i64 %525, 0
  br i1 %507, label %539, label %527

527:
  br i1 %526, label %555, label %577

528:
  %529 = phi i64 [ %537, %528 ], [ 0, %513 ]
  %530 = phi ptr [ %536, %528 ], [ %520, %513 ]
  %531 = getelementptr i64, ptr %516, i64 %529
  %532 = load i64, ptr %531, align 8
  %533 = getelementptr i64, ptr %8, i64 %529
  %534 = load i64, ptr %533, align 8
  %535 = mul i64 %534, %532
  %536 = getelementptr i8, ptr %530, i64 %535
  %537 = add nuw nsw i64 %529, 1
  %538 = icmp eq i64 %537, %486
  br i1 %538, label %521, label %528

539:
  br i1 %526, label %540, label %552

540:
  %541 = phi i64 [ %549, %540 ], [ 0, %539 ]
  %542 = phi i64 [ %548, %540 ], [ 0, %539 ]
  %543 = phi ptr [ %550, %540 ], [ %522, %539 ]
  %544 = load i64, ptr %543, align 8
  %545 = getelementptr i64, ptr %543, i64 1
  %546 = load i64, ptr %545, align 8
  %547 = or i64 %544, %542
  %548 = or i64 %547, %546
  %549 = add nuw nsw i64 %541, 1
  %550 = getelementptr i8, ptr %543, i64 %506
  %551 = icmp eq i64 %549, %525
  br i1 %551, label %552, label %540

552:
  %553 = phi i64 [ 0, %539 ], [ %548, %540 ]
  %554 = or i64 %553, %514
  br label %577

555:
  %556 = phi i64 [ %574, %571 ], [ 0, %527 ]
  %557 = phi i64 [ %573, %571 ], [ %514, %527 ]
  %558 = phi ptr [ %575, %571 ], [ %522, %527 ]
  br i1 %508, label %559, label %571

559:
  %560 = phi i64 [ %568, %559 ], [ 0, %555 ]
  %561 = phi i64 [ %567, %559 ], [ 0, %555 ]
  %562 = phi ptr [ %569, %559 ], [ %558, %555 ]
  %563 = load i64, ptr %562, align 8
  %564 = getelementptr i64, ptr %562, i64 1
  %565 = load i64, ptr %564, align 8
  %566 = or i64 %563, %561
  %567 = or i64 %566, %565
  %568 = add nuw nsw i64 %560, 1
  %569 = getelementptr i8, ptr %562, i64 %16
  %570 = icmp eq i64 %568, %504
  br i1 %570, label %571, label %559

571:
  %572 = phi i64 [ 0, %555 ], [ %567, %559 ]
  %573 = or i64 %572, %557
  %574 = add nuw nsw i64 %556, 1
  %575 = getelementptr i8, ptr %558, i64 %506
  %576 = icmp eq i64 %574, %525
  br i1 %576, label %577, label %555

577:
  %578 = phi i64 [ %554, %552 ], [ %514, %527 ], [ %573, %571 ]
  %579 = add nuw nsw i64 %515, 1
  %580 = getelementptr i64, ptr %516, i64 %495
  %581 = icmp eq i64 %579, %492
  br i1 %581, label %509, label %513

582:
  %583 = phi i64 [ 0, %483 ], [ %510, %509 ]
  %584 = or i64 %583, %89
  br label %585

585:
  %586 = phi i64 [ %584, %582 ], [ %482, %480 ], [ %386, %384 ], [ %288, %286 ], [ %190, %188 ], [ %89, %91 ], [ %89, %85 ]
  %587 = getelementptr inbounds %struct.Formal, ptr %1, i64 0, i32 7
  %588 = load i64, ptr %587, align 8
  %589 = and i64 %588, %586
  %590 = icmp eq i64 %589, 0
  br i1 %590, label %591, label %595

591:
  %592 = getelementptr inbounds %struct.Given, ptr %0, i64 0, i32 6
  %593 = load i8, ptr %592, align 2
  %594 = icmp eq i8 %593, 0
  br label %595

595:
  %596 = phi i1 [ false, %585 ], [ %594, %591 ]
  ret i1 %596
}

define internal fastcc i64 @numbers_in_stretches(ptr %0, ptr %1) nounwind {
  %3 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 6
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 4
  %6 = load i64, ptr %5, align 8
  %7 = mul i64 %6, %4
  %8 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 2
  %9 = load i64, ptr %8, align 8
  %10 = icmp sgt i64 %9, 0
  br i1 %10, label %11, label %19

11:
  %12 = load ptr, ptr %1, align 8
  %13 = getelementptr inbounds %struct.View, ptr %1, i64 0, i32 3
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 10
  %16 = load i64, ptr %15, align 8
  %17 = icmp sgt i64 %16, 0
  %18 = getelementptr inbounds %struct.Formal, ptr %0, i64 0, i32 11
  br label %22

19:
  %20 = phi i64 [ 0, %2 ], [ %30, %29 ]
  %21 = icmp sgt i64 %4, 4
  br i1 %21, label %109, label %111

22:
  %23 = phi i64 [ 0, %11 ], [ %30, %29 ]
  %24 = phi i64 [ 0, %11 ], [ %31, %29 ]
  %25 = mul i64 %14, %24
  %26 = getelementptr i8, ptr %12, i64 %25
  br i1 %17, label %27, label %29

27:
  %28 = load ptr, ptr %18, align 8
  br label %33

29:
  %30 = phi i64 [ %23, %22 ], [ %106, %101 ]
  %31 = add nuw nsw i64 %24, 1
  %32 = icmp eq i64 %31, %9
  br i1 %32, label %19, label %22

33:
  %34 = phi i64 [ 0, %27 ], [ %107, %101 ]
  %35 = phi i64 [ %23, %27 ], [ %106, %101 ]
  %36 = shl nuw i64 %34, 1
  %37 = getelementptr i64, ptr %28, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = mul i64 %38, %7
  %40 = getelementptr i8, ptr %26, i64 %39
  %41 = or i64 %36, 1
  %42 = getelementptr i64, ptr %28, i64 %41
  %43 = load i64, ptr %42, align 8
  %44 = mul i64 %43, %7
  %45 = icmp sgt i64 %44, 31
  br i1 %45, label %54, label %46

46:
  %47 = phi ptr [ %40, %33 ], [ %74, %54 ]
  %48 = phi i64 [ %44, %33 ], [ %73, %54 ]
  %49 = phi i64 [ 0, %33 ], [ %63, %54 ]
  %50 = phi i64 [ 0, %33 ], [ %66, %54 ]
  %51 = phi i64 [ 0, %33 ], [ %69, %54 ]
  %52 = phi i64 [ 0, %33 ], [ %72, %54 ]
  %53 = icmp sgt i64 %48, 7
  br i1 %53, label %81, label %76

54:
  %55 = phi i64 [ %72, %54 ], [ 0, %33 ]
  %56 = phi i64 [ %69, %54 ], [ 0, %33 ]
  %57 = phi i64 [ %66, %54 ], [ 0, %33 ]
  %58 = phi i64 [ %63, %54 ], [ 0, %33 ]
  %59 = phi i64 [ %73, %54 ], [ %44, %33 ]
  %60 = phi ptr [ %74, %54 ], [ %40, %33 ]
  %61 = getelementptr i8, ptr %60, i64 1024
  tail call void @llvm.prefetch.p0(ptr %61, i32 0, i32 3, i32 1)
  %62 = load i64, ptr %60, align 1
  %63 = or i64 %62, %58
  %64 = getelementptr i8, ptr %60, i64 8
  %65 = load i64, ptr %64, align 1
  %66 = or i64 %65, %57
  %67 = getelementptr i8, ptr %60, i64 16
  %68 = load i64, ptr %67, align 1
  %69 = or i64 %68, %56
  %70 = getelementptr i8, ptr %60, i64 24
  %71 = load i64, ptr %70, align 1
  %72 = or i64 %71, %55
  %73 = add nsw i64 %59, -32
  %74 = getelementptr i8, ptr %60, i64 32
  %75 = icmp ugt i64 %59, 63
  br i1 %75, label %54, label %46

76:
  %77 = phi ptr [ %47, %46 ], [ %88, %81 ]
  %78 = phi i64 [ %48, %46 ], [ %87, %81 ]
  %79 = phi i64 [ %49, %46 ], [ %86, %81 ]
  %80 = icmp sgt i64 %78, 0
  br i1 %80, label %90, label %101

81:
  %82 = phi i64 [ %86, %81 ], [ %49, %46 ]
  %83 = phi i64 [ %87, %81 ], [ %48, %46 ]
  %84 = phi ptr [ %88, %81 ], [ %47, %46 ]
  %85 = load i64, ptr %84, align 1
  %86 = or i64 %85, %82
  %87 = add nsw i64 %83, -8
  %88 = getelementptr i8, ptr %84, i64 8
  %89 = icmp ugt i64 %83, 15
  br i1 %89, label %81, label %76

90:
  %91 = phi i64 [ %99, %90 ], [ 0, %76 ]
  %92 = phi i64 [ %98, %90 ], [ %50, %76 ]
  %93 = getelementptr i8, ptr %77, i64 %91
  %94 = load i8, ptr %93, align 1
  %95 = zext i8 %94 to i64
  %96 = shl i64 %91, 3
  %97 = shl i64 %95, %96
  %98 = or i64 %97, %92
  %99 = add nuw nsw i64 %91, 1
  %100 = icmp eq i64 %99, %78
  br i1 %100, label %101, label %90

101:
  %102 = phi i64 [ %50, %76 ], [ %98, %90 ]
  %103 = or i64 %51, %35
  %104 = or i64 %103, %52
  %105 = or i64 %104, %79
  %106 = or i64 %105, %102
  %107 = add nuw nsw i64 %34, 1
  %108 = icmp eq i64 %107, %16
  br i1 %108, label %29, label %33

109:
  %110 = phi i64 [ %20, %19 ], [ %116, %111 ]
  ret i64 %110

111:
  %112 = phi i64 [ %117, %111 ], [ 4, %19 ]
  %113 = phi i64 [ %116, %111 ], [ %20, %19 ]
  %114 = shl nsw i64 %112, 3
  %115 = lshr i64 %113, %114
  %116 = or i64 %115, %113
  %117 = sdiv i64 %112, 2
  %118 = icmp slt i64 %117, %4
  br i1 %118, label %109, label %111
}

define internal void @look_at(ptr %0, i64 %1) nounwind {
  %3 = alloca %struct.View, align 8
  %4 = getelementptr inbounds %struct.Look, ptr %0, i64 0, i32 1
  %5 = load ptr, ptr %4, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %3, ptr align 8 %5, i64 56, i1 false)
  %6 = getelementptr inbounds %struct.View, ptr %3, i64 0, i32 2
  %7 = load i64, ptr %6, align 8
  %8 = mul i64 %7, %1
  %9 = getelementptr inbounds %struct.Look, ptr %0, i64 0, i32 2
  %10 = load i64, ptr %9, align 8
  %11 = sdiv i64 %8, %10
  %12 = add i64 %1, 1
  %13 = mul i64 %7, %12
  %14 = sdiv i64 %13, %10
  %15 = getelementptr inbounds %struct.View, ptr %3, i64 0, i32 3
  %16 = load i64, ptr %15, align 8
  %17 = mul i64 %16, %11
  %18 = load ptr, ptr %3, align 8
  %19 = getelementptr i8, ptr %18, i64 %17
  store ptr %19, ptr %3, align 8
  %20 = sub i64 %14, %11
  store i64 %20, ptr %6, align 8
  %21 = getelementptr inbounds %struct.Look, ptr %0, i64 0, i32 3
  %22 = load ptr, ptr %0, align 8
  %23 = call fastcc i64 @numbers_in_stretches(ptr %22, ptr %3)
  %24 = atomicrmw or ptr %21, i64 %23 monotonic, align 8
  ret void
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

declare ptr @jitmdh_array_zeros(i32, ptr, ptr, i32)

declare i64 @llvm.ctpop.i64(i64)

declare i64 @llvm.abs.i64(i64, i1)

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.umin.i64(i64, i64)

declare i64 @llvm.smin.i64(i64, i64)
