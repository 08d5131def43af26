; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: d4b7156bb85526b859578d1838c7052e

%struct.Plan = type { i64, ptr, ptr, i64, i64, i64, i64, i64, i64, i64 }
%struct.Extent = type { i64, i64 }
%struct.Parameter = type { i64, i64, ptr, ptr, i64, i64, i64, i64, i64, i64 }
%struct.Object = type { i64, ptr }
%struct.ArrayObject = type { %struct.Object, ptr, i32, ptr, ptr, ptr, ptr, i32 }
%struct.ScalarObject = type { %struct.Object, [16 x i8] }
%struct.Conditions = type { i64, ptr, [0 x %struct.SizeCondition] }
%struct.SizeCondition = type { i64, i64, i64, i64 }
%struct.Allocation = type { i64, i64, ptr, i64, [2 x i64] }
%struct.Cell = type { [16 x i8] }
%struct.Result = type { i64, i64 }
%struct.Table = type { i64, i64, ptr, ptr, ptr, [0 x ptr] }
%struct.Watches = type { i64, [0 x %struct.Watch] }
%struct.Watch = type { i64, ptr, %union.anon, %union.anon.0 }
%union.anon = type { ptr }
%union.anon.0 = type { ptr }
%struct.DictObject = type { %struct.Object, i64, i64 }

@jitmdh_ndarray_type = external global i8, align 1
@PyLong_Type = external global i8, align 1
@_Py_TrueStruct = external global i8, align 1
@_Py_FalseStruct = external global i8, align 1
@_Py_NoneStruct = external global i8, align 1

define i64 @jitmdh_call(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = alloca i32, align 4
  %6 = load i64, ptr %0, align 8
  %7 = icmp eq i64 %6, %2
  br i1 %7, label %8, label %505

8:
  %9 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 3
  %10 = load i64, ptr %9, align 8
  %11 = shl i64 %10, 3
  %12 = alloca i8, i64 %11, align 16
  %13 = shl i64 %2, 4
  %14 = alloca i8, i64 %13, align 16
  %15 = getelementptr %struct.Plan, ptr %0, i64 1
  %16 = icmp sgt i64 %2, 0
  br i1 %16, label %17, label %268

17:
  %18 = phi i64 [ %181, %180 ], [ %2, %8 ]
  %19 = phi i64 [ %182, %180 ], [ 0, %8 ]
  %20 = phi ptr [ %183, %180 ], [ %15, %8 ]
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 0
  %23 = getelementptr ptr, ptr %1, i64 %19
  %24 = load ptr, ptr %23, align 8
  br i1 %22, label %25, label %146

25:
  %26 = getelementptr %struct.Extent, ptr %14, i64 %19
  %27 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 1
  %28 = load i64, ptr %27, align 8
  %29 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %32 = load ptr, ptr %31, align 8
  %33 = icmp eq ptr %32, @jitmdh_ndarray_type
  br i1 %33, label %34, label %505

34:
  %35 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 6
  %36 = load ptr, ptr %35, align 8
  %37 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 2
  %38 = load ptr, ptr %37, align 8
  %39 = icmp eq ptr %36, %38
  br i1 %39, label %44, label %40

40:
  %41 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 3
  %42 = load ptr, ptr %41, align 8
  %43 = icmp eq ptr %36, %42
  br i1 %43, label %44, label %505

44:
  %45 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 2
  %46 = load i32, ptr %45, align 8
  %47 = sext i32 %46 to i64
  %48 = icmp eq i64 %28, %47
  br i1 %48, label %49, label %505

49:
  %50 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 7
  %51 = load i32, ptr %50, align 8
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 6
  %54 = load i64, ptr %53, align 8
  %55 = and i64 %54, %52
  %56 = icmp eq i64 %55, %54
  br i1 %56, label %57, label %505

57:
  %58 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 8
  %59 = load i64, ptr %58, align 8
  %60 = getelementptr i64, ptr %12, i64 %59
  %61 = getelementptr i64, ptr %60, i64 1
  %62 = getelementptr i64, ptr %61, i64 %28
  %63 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 1
  %64 = load ptr, ptr %63, align 8
  %65 = ptrtoint ptr %64 to i64
  %66 = add i64 %30, -1
  %67 = call i64 @llvm.ctpop.i64(i64 %30)
  %68 = icmp ult i64 %67, 2
  store i64 %65, ptr %60, align 8
  %69 = icmp sgt i64 %28, 0
  br i1 %69, label %70, label %116

70:
  %71 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 3
  %72 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 4
  br label %75

73:
  %74 = icmp eq i64 %99, 0
  br i1 %74, label %113, label %505

75:
  %76 = phi i64 [ %65, %70 ], [ %108, %97 ]
  %77 = phi i64 [ %65, %70 ], [ %107, %97 ]
  %78 = phi i64 [ 0, %70 ], [ %99, %97 ]
  %79 = phi i1 [ false, %70 ], [ %110, %97 ]
  %80 = phi i1 [ false, %70 ], [ %92, %97 ]
  %81 = phi i64 [ 0, %70 ], [ %111, %97 ]
  %82 = load ptr, ptr %71, align 8
  %83 = getelementptr i64, ptr %82, i64 %81
  %84 = load i64, ptr %83, align 8
  %85 = load ptr, ptr %72, align 8
  %86 = getelementptr i64, ptr %85, i64 %81
  %87 = load i64, ptr %86, align 8
  %88 = icmp sgt i64 %84, 1
  %89 = select i1 %88, i64 %87, i64 %30
  %90 = icmp eq i64 %87, %30
  %91 = select i1 %90, i1 %88, i1 false
  %92 = or i1 %80, %91
  br i1 %68, label %93, label %95

93:
  %94 = and i64 %89, %66
  br label %97

95:
  %96 = srem i64 %89, %30
  br label %97

97:
  %98 = phi i64 [ %94, %93 ], [ %96, %95 ]
  %99 = or i64 %98, %78
  %100 = getelementptr i64, ptr %61, i64 %81
  store i64 %84, ptr %100, align 8
  %101 = getelementptr i64, ptr %62, i64 %81
  store i64 %89, ptr %101, align 8
  %102 = add i64 %84, -1
  %103 = mul i64 %89, %102
  %104 = icmp slt i64 %103, 0
  %105 = select i1 %104, i64 %76, i64 %77
  %106 = add i64 %105, %103
  %107 = select i1 %104, i64 %77, i64 %106
  %108 = select i1 %104, i64 %106, i64 %76
  %109 = icmp eq i64 %84, 0
  %110 = or i1 %79, %109
  %111 = add nuw nsw i64 %81, 1
  %112 = icmp eq i64 %111, %28
  br i1 %112, label %73, label %75

113:
  %114 = xor i1 %92, true
  %115 = select i1 %114, i1 true, i1 %110
  br i1 %110, label %121, label %116

116:
  %117 = phi i1 [ %115, %113 ], [ true, %57 ]
  %118 = phi i64 [ %107, %113 ], [ %65, %57 ]
  %119 = phi i64 [ %108, %113 ], [ %65, %57 ]
  %120 = add i64 %118, %30
  br label %121

121:
  %122 = phi i1 [ %117, %116 ], [ %115, %113 ]
  %123 = phi i1 [ false, %116 ], [ true, %113 ]
  %124 = phi i64 [ %119, %116 ], [ 0, %113 ]
  %125 = phi i64 [ %120, %116 ], [ 0, %113 ]
  store i64 %124, ptr %26, align 16
  %126 = getelementptr inbounds i8, ptr %26, i64 8
  store i64 %125, ptr %126, align 8
  %127 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 4
  %128 = load i64, ptr %127, align 8
  %129 = icmp sgt i64 %128, -1
  br i1 %129, label %130, label %135

130:
  %131 = getelementptr i64, ptr %62, i64 %128
  %132 = load i64, ptr %131, align 8
  %133 = icmp eq i64 %132, %30
  %134 = or i1 %123, %133
  br i1 %134, label %136, label %505

135:
  br i1 %122, label %136, label %505

136:
  %137 = and i64 %54, 1024
  %138 = icmp eq i64 %137, 0
  br i1 %138, label %180, label %139

139:
  %140 = load i32, ptr %50, align 8
  %141 = and i32 %140, 3
  %142 = icmp ne i32 %141, 0
  %143 = or i1 %123, %142
  br i1 %143, label %180, label %144

144:
  %145 = call fastcc zeroext i1 @elements_are_separate(ptr %24, i64 %28, i64 %30)
  br i1 %145, label %180, label %505

146:
  %147 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 8
  %148 = load i64, ptr %147, align 8
  %149 = getelementptr i64, ptr %12, i64 %148
  switch i64 %21, label %169 [
    i64 1, label %150
    i64 2, label %164
  ]

150:
  %151 = getelementptr inbounds %struct.ScalarObject, ptr %24, i64 0, i32 1
  %152 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %153 = load ptr, ptr %152, align 8
  %154 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 2
  %155 = load ptr, ptr %154, align 8
  %156 = icmp eq ptr %153, %155
  br i1 %156, label %157, label %505

157:
  %158 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 1
  %159 = load i64, ptr %158, align 8
  %160 = icmp eq i64 %159, 8
  br i1 %160, label %161, label %163

161:
  %162 = load i64, ptr %151, align 8
  store i64 %162, ptr %149, align 8
  br label %180

163:
  store i64 0, ptr %149, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %149, ptr align 1 %151, i64 %159, i1 false)
  br label %180

164:
  %165 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %166 = load ptr, ptr %165, align 8
  %167 = icmp eq ptr %166, @PyLong_Type
  br i1 %167, label %174, label %168

168:
  br label %505

169:
  %170 = icmp eq ptr %24, @_Py_TrueStruct
  %171 = zext i1 %170 to i64
  store i64 %171, ptr %149, align 8
  %172 = icmp eq ptr %24, @_Py_FalseStruct
  %173 = or i1 %170, %172
  br i1 %173, label %180, label %505

174:
  %175 = call i64 @PyLong_AsLongLongAndOverflow(ptr %24, ptr %5)
  store i64 %175, ptr %149, align 8
  %176 = load i32, ptr %5, align 4
  %177 = icmp eq i32 %176, 0
  br i1 %177, label %178, label %505

178:
  %179 = load i64, ptr %0, align 8
  br label %180

180:
  %181 = phi i64 [ %179, %178 ], [ %18, %169 ], [ %18, %163 ], [ %18, %161 ], [ %18, %144 ], [ %18, %139 ], [ %18, %136 ]
  %182 = add nuw nsw i64 %19, 1
  %183 = getelementptr %struct.Parameter, ptr %20, i64 1
  %184 = icmp slt i64 %182, %181
  br i1 %184, label %17, label %185

185:
  %186 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 7
  %187 = load i64, ptr %186, align 8
  %188 = icmp eq i64 %187, 0
  %189 = icmp slt i64 %181, 1
  %190 = select i1 %188, i1 true, i1 %189
  br i1 %190, label %268, label %191

191:
  %192 = phi i1 [ %264, %263 ], [ false, %185 ]
  %193 = phi i64 [ %197, %263 ], [ 0, %185 ]
  %194 = getelementptr %struct.Parameter, ptr %15, i64 %193
  %195 = load i64, ptr %194, align 8
  %196 = icmp eq i64 %195, 0
  %197 = add nuw nsw i64 %193, 1
  %198 = icmp slt i64 %197, %181
  %199 = select i1 %196, i1 %198, i1 false
  br i1 %199, label %200, label %263

200:
  %201 = getelementptr %struct.Parameter, ptr %15, i64 %193, i32 7
  %202 = getelementptr %struct.Parameter, ptr %15, i64 %193, i32 6
  %203 = getelementptr %struct.Extent, ptr %14, i64 %193
  %204 = getelementptr %struct.Extent, ptr %14, i64 %193, i32 1
  %205 = getelementptr %struct.Parameter, ptr %15, i64 %193, i32 8
  %206 = getelementptr %struct.Parameter, ptr %15, i64 %193, i32 1
  br label %207

207:
  %208 = phi i64 [ %197, %200 ], [ %261, %260 ]
  %209 = getelementptr %struct.Parameter, ptr %15, i64 %208
  %210 = load i64, ptr %209, align 8
  %211 = icmp eq i64 %210, 0
  br i1 %211, label %212, label %260

212:
  %213 = load i64, ptr %201, align 8
  %214 = getelementptr %struct.Parameter, ptr %15, i64 %208, i32 7
  %215 = load i64, ptr %214, align 8
  %216 = icmp eq i64 %213, %215
  br i1 %216, label %217, label %243

217:
  %218 = load i64, ptr %205, align 8
  %219 = getelementptr i64, ptr %12, i64 %218
  %220 = getelementptr %struct.Parameter, ptr %15, i64 %208, i32 8
  %221 = load i64, ptr %220, align 8
  %222 = getelementptr i64, ptr %12, i64 %221
  %223 = load i64, ptr %206, align 8
  %224 = shl i64 %223, 1
  %225 = or i64 %224, 1
  %226 = icmp slt i64 %225, 1
  br i1 %226, label %260, label %227

227:
  %228 = load i64, ptr %219, align 8
  %229 = load i64, ptr %222, align 8
  %230 = icmp eq i64 %228, %229
  br i1 %230, label %231, label %266

231:
  %232 = phi i64 [ %233, %235 ], [ 0, %227 ]
  %233 = add nuw nsw i64 %232, 1
  %234 = icmp eq i64 %233, %225
  br i1 %234, label %260, label %235

235:
  %236 = getelementptr i64, ptr %219, i64 %233
  %237 = load i64, ptr %236, align 8
  %238 = getelementptr i64, ptr %222, i64 %233
  %239 = load i64, ptr %238, align 8
  %240 = icmp eq i64 %237, %239
  br i1 %240, label %231, label %241

241:
  %242 = icmp slt i64 %233, %225
  br i1 %242, label %266, label %260

243:
  %244 = load i64, ptr %202, align 8
  %245 = getelementptr %struct.Parameter, ptr %15, i64 %208, i32 6
  %246 = load i64, ptr %245, align 8
  %247 = or i64 %246, %244
  %248 = and i64 %247, 1024
  %249 = icmp eq i64 %248, 0
  br i1 %249, label %260, label %250

250:
  %251 = load i64, ptr %203, align 16
  %252 = getelementptr %struct.Extent, ptr %14, i64 %208, i32 1
  %253 = load i64, ptr %252, align 8
  %254 = icmp ult i64 %251, %253
  br i1 %254, label %255, label %260

255:
  %256 = getelementptr %struct.Extent, ptr %14, i64 %208
  %257 = load i64, ptr %256, align 16
  %258 = load i64, ptr %204, align 8
  %259 = icmp ult i64 %257, %258
  br i1 %259, label %266, label %260

260:
  %261 = add nuw nsw i64 %208, 1
  %262 = icmp slt i64 %261, %181
  br i1 %262, label %207, label %263

263:
  %264 = icmp sge i64 %197, %181
  %265 = icmp eq i64 %197, %181
  br i1 %265, label %266, label %191

266:
  %267 = phi i1 [ %192, %255 ], [ %192, %241 ], [ %192, %227 ], [ %264, %263 ]
  br i1 %267, label %268, label %505

268:
  br label %269

269:
  %270 = phi ptr [ %306, %304 ], [ %0, %268 ]
  %271 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 9
  %272 = load i64, ptr %271, align 8
  %273 = icmp eq i64 %272, 0
  %274 = getelementptr i64, ptr %270, i64 %272
  %275 = icmp eq ptr %274, null
  %276 = select i1 %273, i1 true, i1 %275
  br i1 %276, label %308, label %277

277:
  %278 = getelementptr inbounds %struct.Conditions, ptr %274, i64 0, i32 2
  %279 = load i64, ptr %274, align 8
  %280 = getelementptr %struct.SizeCondition, ptr %278, i64 %279
  %281 = icmp ult ptr %278, %280
  br i1 %281, label %282, label %308

282:
  %283 = phi ptr [ %302, %301 ], [ %278, %277 ]
  %284 = load i64, ptr %283, align 8
  %285 = getelementptr i64, ptr %12, i64 %284
  %286 = load i64, ptr %285, align 8
  %287 = getelementptr inbounds %struct.SizeCondition, ptr %283, i64 0, i32 1
  %288 = load i64, ptr %287, align 8
  %289 = icmp slt i64 %286, %288
  br i1 %289, label %304, label %290

290:
  %291 = getelementptr inbounds %struct.SizeCondition, ptr %283, i64 0, i32 2
  %292 = load i64, ptr %291, align 8
  %293 = icmp sgt i64 %286, %292
  br i1 %293, label %304, label %294

294:
  %295 = getelementptr inbounds %struct.SizeCondition, ptr %283, i64 0, i32 3
  %296 = load i64, ptr %295, align 8
  %297 = icmp eq i64 %296, 1
  br i1 %297, label %301, label %298

298:
  %299 = srem i64 %286, %296
  %300 = icmp eq i64 %299, 0
  br i1 %300, label %301, label %304

301:
  %302 = getelementptr %struct.SizeCondition, ptr %283, i64 1
  %303 = icmp ult ptr %302, %280
  br i1 %303, label %282, label %308

304:
  %305 = getelementptr inbounds %struct.Conditions, ptr %274, i64 0, i32 1
  %306 = load ptr, ptr %305, align 8
  %307 = icmp eq ptr %306, null
  br i1 %307, label %505, label %269

308:
  %309 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 2
  %310 = load ptr, ptr %309, align 8
  %311 = icmp eq ptr %310, null
  br i1 %311, label %317, label %312

312:
  %313 = call i64 %310(ptr %12)
  %314 = icmp eq i64 %313, 0
  %315 = shl i64 %313, 8
  %316 = or i64 %315, 3
  br i1 %314, label %317, label %505

317:
  %318 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 4
  %319 = load i64, ptr %318, align 8
  %320 = shl i64 %319, 3
  %321 = alloca i8, i64 %320, align 16
  %322 = shl i64 %319, 4
  %323 = alloca i8, i64 %322, align 16
  %324 = icmp slt i64 %319, 1
  br i1 %324, label %371, label %325

325:
  %326 = getelementptr %struct.Plan, ptr %270, i64 1
  %327 = load i64, ptr %270, align 8
  %328 = getelementptr %struct.Parameter, ptr %326, i64 %327
  br label %329

329:
  %330 = phi i64 [ %367, %364 ], [ 0, %325 ]
  %331 = phi ptr [ %368, %364 ], [ %328, %325 ]
  %332 = getelementptr inbounds %struct.Allocation, ptr %331, i64 0, i32 3
  %333 = load i64, ptr %332, align 8
  %334 = getelementptr i64, ptr %12, i64 %333
  %335 = getelementptr ptr, ptr %321, i64 %330
  store ptr null, ptr %335, align 8
  %336 = load i64, ptr %331, align 8
  %337 = icmp eq i64 %336, 0
  br i1 %337, label %340, label %338

338:
  %339 = getelementptr %struct.Cell, ptr %323, i64 %330
  br label %364

340:
  %341 = getelementptr inbounds %struct.Allocation, ptr %331, i64 0, i32 2
  %342 = load ptr, ptr %341, align 8
  call void @Py_IncRef(ptr %342)
  %343 = getelementptr inbounds %struct.Allocation, ptr %331, i64 0, i32 1
  %344 = load i64, ptr %343, align 8
  %345 = trunc i64 %344 to i32
  %346 = getelementptr i64, ptr %334, i64 1
  %347 = load ptr, ptr %341, align 8
  %348 = call ptr @jitmdh_array_empty(i32 %345, ptr %346, ptr %347, i32 0)
  store ptr %348, ptr %335, align 8
  %349 = icmp eq ptr %348, null
  br i1 %349, label %350, label %361

350:
  %351 = icmp eq i64 %330, 0
  br i1 %351, label %505, label %352

352:
  %353 = phi i64 [ %359, %358 ], [ 0, %350 ]
  %354 = getelementptr ptr, ptr %321, i64 %353
  %355 = load ptr, ptr %354, align 8
  %356 = icmp eq ptr %355, null
  br i1 %356, label %358, label %357

357:
  call void @Py_DecRef(ptr %355)
  br label %358

358:
  %359 = add nuw nsw i64 %353, 1
  %360 = icmp eq i64 %359, %330
  br i1 %360, label %505, label %352

361:
  %362 = getelementptr inbounds %struct.ArrayObject, ptr %348, i64 0, i32 1
  %363 = load ptr, ptr %362, align 8
  br label %364

364:
  %365 = phi ptr [ %339, %338 ], [ %363, %361 ]
  %366 = ptrtoint ptr %365 to i64
  store i64 %366, ptr %334, align 8
  %367 = add nuw nsw i64 %330, 1
  %368 = getelementptr %struct.Allocation, ptr %331, i64 1
  %369 = load i64, ptr %318, align 8
  %370 = icmp slt i64 %367, %369
  br i1 %370, label %329, label %371

371:
  %372 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 8
  %373 = load i64, ptr %372, align 8
  %374 = icmp eq i64 %373, 0
  br i1 %374, label %375, label %379

375:
  %376 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 1
  %377 = load ptr, ptr %376, align 8
  %378 = call i64 %377(ptr %12)
  br label %384

379:
  %380 = call ptr @PyEval_SaveThread()
  %381 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 1
  %382 = load ptr, ptr %381, align 8
  %383 = call i64 %382(ptr %12)
  call void @PyEval_RestoreThread(ptr %380)
  br label %384

384:
  %385 = phi i64 [ %383, %379 ], [ %378, %375 ]
  %386 = icmp eq i64 %385, 0
  %387 = load i64, ptr %318, align 8
  br i1 %386, label %402, label %388

388:
  %389 = icmp sgt i64 %387, 0
  br i1 %389, label %390, label %399

390:
  %391 = phi i64 [ %397, %396 ], [ 0, %388 ]
  %392 = getelementptr ptr, ptr %321, i64 %391
  %393 = load ptr, ptr %392, align 8
  %394 = icmp eq ptr %393, null
  br i1 %394, label %396, label %395

395:
  call void @Py_DecRef(ptr %393)
  br label %396

396:
  %397 = add nuw nsw i64 %391, 1
  %398 = icmp eq i64 %397, %387
  br i1 %398, label %399, label %390

399:
  %400 = shl i64 %385, 8
  %401 = or i64 %400, 4
  br label %505

402:
  %403 = icmp slt i64 %387, 1
  br i1 %403, label %444, label %404

404:
  %405 = getelementptr %struct.Plan, ptr %270, i64 1
  %406 = load i64, ptr %270, align 8
  %407 = getelementptr %struct.Parameter, ptr %405, i64 %406
  br label %408

408:
  %409 = phi i64 [ %440, %439 ], [ 0, %404 ]
  %410 = phi ptr [ %441, %439 ], [ %407, %404 ]
  %411 = load i64, ptr %410, align 8
  %412 = icmp eq i64 %411, 0
  br i1 %412, label %439, label %413

413:
  %414 = getelementptr %struct.Cell, ptr %323, i64 %409
  switch i64 %411, label %431 [
    i64 2, label %415
    i64 3, label %418
    i64 4, label %421
    i64 5, label %426
  ]

415:
  %416 = load double, ptr %414, align 16
  %417 = call ptr @PyFloat_FromDouble(double %416)
  br label %435

418:
  %419 = load i64, ptr %414, align 16
  %420 = call ptr @PyLong_FromLongLong(i64 %419)
  br label %435

421:
  %422 = load i8, ptr %414, align 16
  %423 = icmp eq i8 %422, 0
  %424 = select i1 %423, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @Py_IncRef(ptr %424)
  %425 = getelementptr ptr, ptr %321, i64 %409
  store ptr %424, ptr %425, align 8
  br label %439

426:
  %427 = load double, ptr %414, align 16
  %428 = getelementptr double, ptr %414, i64 1
  %429 = load double, ptr %428, align 8
  %430 = call ptr @PyComplex_FromDoubles(double %427, double %429)
  br label %435

431:
  %432 = getelementptr inbounds %struct.Allocation, ptr %410, i64 0, i32 2
  %433 = load ptr, ptr %432, align 8
  %434 = call ptr @jitmdh_array_scalar(ptr %414, ptr %433, ptr null)
  br label %435

435:
  %436 = phi ptr [ %434, %431 ], [ %430, %426 ], [ %420, %418 ], [ %417, %415 ]
  %437 = getelementptr ptr, ptr %321, i64 %409
  store ptr %436, ptr %437, align 8
  %438 = icmp eq ptr %436, null
  br i1 %438, label %486, label %439

439:
  %440 = add nuw nsw i64 %409, 1
  %441 = getelementptr %struct.Allocation, ptr %410, i64 1
  %442 = load i64, ptr %318, align 8
  %443 = icmp slt i64 %440, %442
  br i1 %443, label %408, label %444

444:
  %445 = phi i64 [ %387, %402 ], [ %442, %439 ]
  %446 = getelementptr %struct.Plan, ptr %270, i64 1
  %447 = load i64, ptr %270, align 8
  %448 = getelementptr %struct.Parameter, ptr %446, i64 %447
  %449 = getelementptr %struct.Allocation, ptr %448, i64 %445
  %450 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 5
  %451 = load i64, ptr %450, align 8
  %452 = icmp slt i64 %451, 0
  br i1 %452, label %453, label %454

453:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  br label %486

454:
  %455 = getelementptr inbounds %struct.Plan, ptr %270, i64 0, i32 6
  %456 = load i64, ptr %455, align 8
  %457 = icmp eq i64 %456, 0
  br i1 %457, label %458, label %466

458:
  %459 = load i64, ptr %449, align 8
  %460 = icmp eq i64 %459, 0
  %461 = select i1 %460, ptr %1, ptr %321
  %462 = getelementptr inbounds %struct.Result, ptr %449, i64 0, i32 1
  %463 = load i64, ptr %462, align 8
  %464 = getelementptr ptr, ptr %461, i64 %463
  %465 = load ptr, ptr %464, align 8
  call void @Py_IncRef(ptr %465)
  br label %486

466:
  %467 = call ptr @PyTuple_New(i64 %451)
  %468 = icmp eq ptr %467, null
  br i1 %468, label %486, label %469

469:
  %470 = load i64, ptr %450, align 8
  %471 = icmp sgt i64 %470, 0
  br i1 %471, label %472, label %486

472:
  %473 = phi i64 [ %483, %472 ], [ 0, %469 ]
  %474 = getelementptr %struct.Result, ptr %449, i64 %473
  %475 = load i64, ptr %474, align 8
  %476 = icmp eq i64 %475, 0
  %477 = select i1 %476, ptr %1, ptr %321
  %478 = getelementptr inbounds %struct.Result, ptr %474, i64 0, i32 1
  %479 = load i64, ptr %478, align 8
  %480 = getelementptr ptr, ptr %477, i64 %479
  %481 = load ptr, ptr %480, align 8
  call void @Py_IncRef(ptr %481)
  %482 = call i32 @PyTuple_SetItem(ptr %467, i64 %473, ptr %481)
  %483 = add nuw nsw i64 %473, 1
  %484 = load i64, ptr %450, align 8
  %485 = icmp slt i64 %483, %484
  br i1 %485, label %472, label %486

486:
  %487 = phi ptr [ @_Py_NoneStruct, %453 ], [ %465, %458 ], [ null, %466 ], [ %467, %469 ], [ %467, %472 ], [ null, %435 ]
  store ptr %487, ptr %3, align 8
  %488 = load i64, ptr %318, align 8
  %489 = icmp sgt i64 %488, 0
  br i1 %489, label %490, label %501

490:
  %491 = phi i64 [ %497, %496 ], [ 0, %486 ]
  %492 = getelementptr ptr, ptr %321, i64 %491
  %493 = load ptr, ptr %492, align 8
  %494 = icmp eq ptr %493, null
  br i1 %494, label %496, label %495

495:
  call void @Py_DecRef(ptr %493)
  br label %496

496:
  %497 = add nuw nsw i64 %491, 1
  %498 = icmp eq i64 %497, %488
  br i1 %498, label %499, label %490

499:
  %500 = load ptr, ptr %3, align 8
  br label %501

501:
  %502 = phi ptr [ %500, %499 ], [ %487, %486 ]
  %503 = icmp eq ptr %502, null
  %504 = select i1 %503, i64 2, i64 0
  br label %505

505:
  %506 = phi i64 [ 1, %4 ], [ %316, %312 ], [ 1, %266 ], [ %401, %399 ], [ %504, %501 ], [ 2, %350 ], [ 1, %168 ], [ 2, %358 ], [ 1, %304 ], [ 1, %169 ], [ 1, %144 ], [ 1, %174 ], [ 1, %49 ], [ 1, %44 ], [ 1, %40 ], [ 1, %25 ], [ 1, %73 ], [ 1, %130 ], [ 1, %135 ], [ 1, %150 ]
  ret i64 %506
}

define ptr @jitmdh_dispatch(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = alloca ptr, align 8
  %6 = tail call ptr @PyCapsule_GetPointer(ptr %0, ptr null)
  %7 = icmp eq ptr %3, null
  br i1 %7, label %8, label %118

8:
  %9 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 4
  %10 = load ptr, ptr %9, align 8
  %11 = icmp eq ptr %10, null
  br i1 %11, label %92, label %12

12:
  %13 = getelementptr inbounds %struct.Watches, ptr %10, i64 0, i32 1
  %14 = load i64, ptr %10, align 8
  %15 = getelementptr %struct.Watch, ptr %13, i64 %14
  %16 = icmp ult ptr %13, %15
  br i1 %16, label %17, label %92

17:
  %18 = phi ptr [ %46, %45 ], [ %13, %12 ]
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr %struct.Watch, ptr %18, i64 1
  switch i64 %19, label %31 [
    i64 0, label %48
    i64 1, label %21
    i64 2, label %27
  ]

21:
  %22 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 1
  %23 = load ptr, ptr %22, align 8
  %24 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 2
  %25 = load ptr, ptr %24, align 8
  %26 = tail call ptr @PyDict_GetItem(ptr %23, ptr %25)
  br label %40

27:
  %28 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 1
  %29 = load ptr, ptr %28, align 8
  %30 = load ptr, ptr %29, align 8
  br label %40

31:
  %32 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 1
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 2
  %35 = load ptr, ptr %34, align 8
  %36 = tail call ptr @PyObject_GetAttr(ptr %33, ptr %35)
  %37 = icmp eq ptr %36, null
  br i1 %37, label %39, label %38

38:
  tail call void @Py_DecRef(ptr %36)
  br label %40

39:
  tail call void @PyErr_Clear()
  br label %40

40:
  %41 = phi ptr [ %30, %27 ], [ %26, %21 ], [ null, %39 ], [ %36, %38 ]
  %42 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 3
  %43 = load ptr, ptr %42, align 8
  %44 = icmp eq ptr %41, %43
  br i1 %44, label %45, label %118

45:
  %46 = phi ptr [ %20, %40 ], [ %51, %48 ], [ %51, %91 ]
  %47 = icmp ult ptr %46, %15
  br i1 %47, label %17, label %92

48:
  %49 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 3
  %50 = load i64, ptr %49, align 8
  %51 = getelementptr %struct.Watch, ptr %20, i64 %50
  %52 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 1
  %53 = load ptr, ptr %52, align 8
  %54 = getelementptr inbounds %struct.DictObject, ptr %53, i64 0, i32 2
  %55 = load i64, ptr %54, align 8
  %56 = getelementptr inbounds %struct.Watch, ptr %18, i64 0, i32 2
  %57 = load i64, ptr %56, align 8
  %58 = icmp eq i64 %55, %57
  br i1 %58, label %45, label %59

59:
  %60 = icmp ult ptr %20, %51
  br i1 %60, label %64, label %91

61:
  %62 = getelementptr %struct.Watch, ptr %65, i64 1
  %63 = icmp ult ptr %62, %51
  br i1 %63, label %64, label %91

64:
  %65 = phi ptr [ %62, %61 ], [ %20, %59 ]
  %66 = load i64, ptr %65, align 8
  switch i64 %66, label %77 [
    i64 1, label %67
    i64 2, label %73
  ]

67:
  %68 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 1
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 2
  %71 = load ptr, ptr %70, align 8
  %72 = tail call ptr @PyDict_GetItem(ptr %69, ptr %71)
  br label %86

73:
  %74 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 1
  %75 = load ptr, ptr %74, align 8
  %76 = load ptr, ptr %75, align 8
  br label %86

77:
  %78 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 1
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 2
  %81 = load ptr, ptr %80, align 8
  %82 = tail call ptr @PyObject_GetAttr(ptr %79, ptr %81)
  %83 = icmp eq ptr %82, null
  br i1 %83, label %85, label %84

84:
  tail call void @Py_DecRef(ptr %82)
  br label %86

85:
  tail call void @PyErr_Clear()
  br label %86

86:
  %87 = phi ptr [ %76, %73 ], [ %72, %67 ], [ null, %85 ], [ %82, %84 ]
  %88 = getelementptr inbounds %struct.Watch, ptr %65, i64 0, i32 3
  %89 = load ptr, ptr %88, align 8
  %90 = icmp eq ptr %87, %89
  br i1 %90, label %61, label %118

91:
  store i64 %55, ptr %56, align 8
  br label %45

92:
  %93 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 1
  %94 = load i64, ptr %93, align 8
  %95 = icmp sgt i64 %94, 0
  br i1 %95, label %96, label %118

96:
  %97 = phi i64 [ %113, %112 ], [ 0, %92 ]
  %98 = getelementptr %struct.Table, ptr %6, i64 0, i32 5, i64 %97
  %99 = load ptr, ptr %98, align 8
  %100 = call i64 @jitmdh_call(ptr %99, ptr %1, i64 %2, ptr %5)
  %101 = trunc i64 %100 to i8
  switch i8 %101, label %112 [
    i8 0, label %102
    i8 2, label %115
    i8 4, label %106
    i8 3, label %117
  ]

102:
  %103 = load i64, ptr %6, align 8
  %104 = add i64 %103, 1
  store i64 %104, ptr %6, align 8
  %105 = load ptr, ptr %5, align 8
  br label %115

106:
  %107 = ashr i64 %100, 8
  %108 = add nsw i64 %107, -16
  %109 = icmp ult i64 %108, 1048560
  br i1 %109, label %117, label %110

110:
  %111 = tail call fastcc ptr @fail(ptr %6, i64 %107)
  br label %115

112:
  %113 = add nuw nsw i64 %97, 1
  %114 = icmp eq i64 %113, %94
  br i1 %114, label %118, label %96

115:
  %116 = phi ptr [ %111, %110 ], [ %105, %102 ], [ null, %96 ]
  br label %122

117:
  br label %118

118:
  %119 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 2
  %120 = load ptr, ptr %119, align 8
  %121 = tail call ptr @PyObject_Vectorcall(ptr %120, ptr %1, i64 %2, ptr %3)
  br label %122

122:
  %123 = phi ptr [ %121, %118 ], [ %116, %115 ]
  ret ptr %123
}

declare ptr @PyCapsule_GetPointer(ptr, ptr)

define internal fastcc ptr @fail(ptr %0, i64 %1) noinline nounwind {
  %3 = alloca ptr, align 8
  %4 = tail call ptr @PyLong_FromLongLong(i64 %1)
  store ptr %4, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %11, label %6

6:
  %7 = getelementptr inbounds %struct.Table, ptr %0, i64 0, i32 3
  %8 = load ptr, ptr %7, align 8
  %9 = call ptr @PyObject_Vectorcall(ptr %8, ptr %3, i64 1, ptr null)
  %10 = load ptr, ptr %3, align 8
  call void @Py_DecRef(ptr %10)
  br label %11

11:
  %12 = phi ptr [ %9, %6 ], [ null, %2 ]
  ret ptr %12
}

declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)

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

declare void @Py_IncRef(ptr)

declare ptr @jitmdh_array_empty(i32, ptr, ptr, i32)

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare void @Py_DecRef(ptr)

declare ptr @PyFloat_FromDouble(double)

declare ptr @PyLong_FromLongLong(i64)

declare ptr @PyComplex_FromDoubles(double, double)

declare ptr @jitmdh_array_scalar(ptr, ptr, ptr)

declare ptr @PyTuple_New(i64)

declare i32 @PyTuple_SetItem(ptr, i64, ptr)

declare ptr @PyDict_GetItem(ptr, ptr)

declare ptr @PyObject_GetAttr(ptr, ptr)

declare void @PyErr_Clear()

declare i64 @llvm.ctpop.i64(i64)

declare i64 @llvm.abs.i64(i64, i1)
