; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 31070adb6831813e154e2dc491188b33

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
  br i1 %7, label %8, label %516

8:
  %9 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 3
  %10 = load i64, ptr %9, align 8
  %11 = shl i64 %10, 3
  %12 = alloca i8, i64 %11, align 16
  %13 = shl i64 %2, 4
  %14 = alloca i8, i64 %13, align 16
  %15 = getelementptr %struct.Plan, ptr %0, i64 1
  %16 = icmp sgt i64 %2, 0
  br i1 %16, label %17, label %279

17:
  %18 = phi i64 [ %192, %191 ], [ %2, %8 ]
  %19 = phi i64 [ %193, %191 ], [ 0, %8 ]
  %20 = phi ptr [ %194, %191 ], [ %15, %8 ]
  %21 = load i64, ptr %20, align 8
  %22 = icmp eq i64 %21, 0
  %23 = getelementptr ptr, ptr %1, i64 %19
  %24 = load ptr, ptr %23, align 8
  br i1 %22, label %25, label %157

25:
  %26 = getelementptr %struct.Extent, ptr %14, i64 %19
  %27 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 1
  %28 = load i64, ptr %27, align 8
  %29 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 5
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %32 = load ptr, ptr %31, align 8
  %33 = icmp eq ptr %32, @jitmdh_ndarray_type
  br i1 %33, label %34, label %516

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
  br i1 %43, label %44, label %516

44:
  %45 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 2
  %46 = load i32, ptr %45, align 8
  %47 = sext i32 %46 to i64
  %48 = icmp eq i64 %28, %47
  br i1 %48, label %49, label %516

49:
  %50 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 7
  %51 = load i32, ptr %50, align 8
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 6
  %54 = load i64, ptr %53, align 8
  %55 = and i64 %54, %52
  %56 = icmp eq i64 %55, %54
  br i1 %56, label %57, label %516

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
  br i1 %69, label %70, label %127

70:
  %71 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 3
  %72 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 4
  br label %78

73:
  %74 = icmp ne i64 %104, 0
  %75 = icmp ugt i64 %115, 72057594037927935
  %76 = select i1 %74, i1 true, i1 %75
  %77 = select i1 %76, i1 true, i1 %111
  br i1 %77, label %516, label %124

78:
  %79 = phi i64 [ %65, %70 ], [ %119, %102 ]
  %80 = phi i64 [ %65, %70 ], [ %118, %102 ]
  %81 = phi i64 [ 0, %70 ], [ %115, %102 ]
  %82 = phi i1 [ false, %70 ], [ %111, %102 ]
  %83 = phi i64 [ 0, %70 ], [ %104, %102 ]
  %84 = phi i1 [ false, %70 ], [ %121, %102 ]
  %85 = phi i64 [ 0, %70 ], [ %122, %102 ]
  %86 = phi i1 [ false, %70 ], [ %97, %102 ]
  %87 = load ptr, ptr %71, align 8
  %88 = getelementptr i64, ptr %87, i64 %85
  %89 = load i64, ptr %88, align 8
  %90 = load ptr, ptr %72, align 8
  %91 = getelementptr i64, ptr %90, i64 %85
  %92 = load i64, ptr %91, align 8
  %93 = icmp sgt i64 %89, 1
  %94 = select i1 %93, i64 %92, i64 %30
  %95 = icmp eq i64 %92, %30
  %96 = select i1 %95, i1 %93, i1 false
  %97 = or i1 %86, %96
  br i1 %68, label %98, label %100

98:
  %99 = and i64 %94, %66
  br label %102

100:
  %101 = srem i64 %94, %30
  br label %102

102:
  %103 = phi i64 [ %99, %98 ], [ %101, %100 ]
  %104 = or i64 %103, %83
  %105 = getelementptr i64, ptr %61, i64 %85
  store i64 %89, ptr %105, align 8
  %106 = getelementptr i64, ptr %62, i64 %85
  store i64 %94, ptr %106, align 8
  %107 = add i64 %89, -1
  %108 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %107, i64 %94)
  %109 = extractvalue { i64, i1 } %108, 1
  %110 = extractvalue { i64, i1 } %108, 0
  %111 = or i1 %82, %109
  %112 = icmp slt i64 %110, 0
  %113 = call i64 @llvm.abs.i64(i64 %110, i1 false)
  %114 = or i64 %81, %113
  %115 = or i64 %114, %89
  %116 = select i1 %112, i64 %79, i64 %80
  %117 = add i64 %116, %110
  %118 = select i1 %112, i64 %80, i64 %117
  %119 = select i1 %112, i64 %117, i64 %79
  %120 = icmp eq i64 %89, 0
  %121 = or i1 %84, %120
  %122 = add nuw nsw i64 %85, 1
  %123 = icmp eq i64 %122, %28
  br i1 %123, label %73, label %78

124:
  %125 = xor i1 %97, true
  %126 = select i1 %125, i1 true, i1 %121
  br i1 %121, label %132, label %127

127:
  %128 = phi i1 [ %126, %124 ], [ true, %57 ]
  %129 = phi i64 [ %118, %124 ], [ %65, %57 ]
  %130 = phi i64 [ %119, %124 ], [ %65, %57 ]
  %131 = add i64 %129, %30
  br label %132

132:
  %133 = phi i1 [ %128, %127 ], [ %126, %124 ]
  %134 = phi i1 [ false, %127 ], [ true, %124 ]
  %135 = phi i64 [ %130, %127 ], [ 0, %124 ]
  %136 = phi i64 [ %131, %127 ], [ 0, %124 ]
  store i64 %135, ptr %26, align 16
  %137 = getelementptr inbounds i8, ptr %26, i64 8
  store i64 %136, ptr %137, align 8
  %138 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 4
  %139 = load i64, ptr %138, align 8
  %140 = icmp sgt i64 %139, -1
  br i1 %140, label %141, label %146

141:
  %142 = getelementptr i64, ptr %62, i64 %139
  %143 = load i64, ptr %142, align 8
  %144 = icmp eq i64 %143, %30
  %145 = or i1 %134, %144
  br i1 %145, label %147, label %516

146:
  br i1 %133, label %147, label %516

147:
  %148 = and i64 %54, 1024
  %149 = icmp eq i64 %148, 0
  br i1 %149, label %191, label %150

150:
  %151 = load i32, ptr %50, align 8
  %152 = and i32 %151, 3
  %153 = icmp ne i32 %152, 0
  %154 = or i1 %134, %153
  br i1 %154, label %191, label %155

155:
  %156 = call fastcc zeroext i1 @elements_are_separate(ptr %24, i64 %28, i64 %30)
  br i1 %156, label %191, label %516

157:
  %158 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 8
  %159 = load i64, ptr %158, align 8
  %160 = getelementptr i64, ptr %12, i64 %159
  switch i64 %21, label %180 [
    i64 1, label %161
    i64 2, label %175
  ]

161:
  %162 = getelementptr inbounds %struct.ScalarObject, ptr %24, i64 0, i32 1
  %163 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %164 = load ptr, ptr %163, align 8
  %165 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 2
  %166 = load ptr, ptr %165, align 8
  %167 = icmp eq ptr %164, %166
  br i1 %167, label %168, label %516

168:
  %169 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 1
  %170 = load i64, ptr %169, align 8
  %171 = icmp eq i64 %170, 8
  br i1 %171, label %172, label %174

172:
  %173 = load i64, ptr %162, align 8
  store i64 %173, ptr %160, align 8
  br label %191

174:
  store i64 0, ptr %160, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %160, ptr align 1 %162, i64 %170, i1 false)
  br label %191

175:
  %176 = getelementptr inbounds %struct.Object, ptr %24, i64 0, i32 1
  %177 = load ptr, ptr %176, align 8
  %178 = icmp eq ptr %177, @PyLong_Type
  br i1 %178, label %185, label %179

179:
  br label %516

180:
  %181 = icmp eq ptr %24, @_Py_TrueStruct
  %182 = zext i1 %181 to i64
  store i64 %182, ptr %160, align 8
  %183 = icmp eq ptr %24, @_Py_FalseStruct
  %184 = or i1 %181, %183
  br i1 %184, label %191, label %516

185:
  %186 = call i64 @PyLong_AsLongLongAndOverflow(ptr %24, ptr %5)
  store i64 %186, ptr %160, align 8
  %187 = load i32, ptr %5, align 4
  %188 = icmp eq i32 %187, 0
  br i1 %188, label %189, label %516

189:
  %190 = load i64, ptr %0, align 8
  br label %191

191:
  %192 = phi i64 [ %190, %189 ], [ %18, %180 ], [ %18, %174 ], [ %18, %172 ], [ %18, %155 ], [ %18, %150 ], [ %18, %147 ]
  %193 = add nuw nsw i64 %19, 1
  %194 = getelementptr %struct.Parameter, ptr %20, i64 1
  %195 = icmp slt i64 %193, %192
  br i1 %195, label %17, label %196

196:
  %197 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 7
  %198 = load i64, ptr %197, align 8
  %199 = icmp eq i64 %198, 0
  %200 = icmp slt i64 %192, 1
  %201 = select i1 %199, i1 true, i1 %200
  br i1 %201, label %279, label %202

202:
  %203 = phi i1 [ %275, %274 ], [ false, %196 ]
  %204 = phi i64 [ %208, %274 ], [ 0, %196 ]
  %205 = getelementptr %struct.Parameter, ptr %15, i64 %204
  %206 = load i64, ptr %205, align 8
  %207 = icmp eq i64 %206, 0
  %208 = add nuw nsw i64 %204, 1
  %209 = icmp slt i64 %208, %192
  %210 = select i1 %207, i1 %209, i1 false
  br i1 %210, label %211, label %274

211:
  %212 = getelementptr %struct.Parameter, ptr %15, i64 %204, i32 7
  %213 = getelementptr %struct.Parameter, ptr %15, i64 %204, i32 6
  %214 = getelementptr %struct.Extent, ptr %14, i64 %204
  %215 = getelementptr %struct.Extent, ptr %14, i64 %204, i32 1
  %216 = getelementptr %struct.Parameter, ptr %15, i64 %204, i32 8
  %217 = getelementptr %struct.Parameter, ptr %15, i64 %204, i32 1
  br label %218

218:
  %219 = phi i64 [ %208, %211 ], [ %272, %271 ]
  %220 = getelementptr %struct.Parameter, ptr %15, i64 %219
  %221 = load i64, ptr %220, align 8
  %222 = icmp eq i64 %221, 0
  br i1 %222, label %223, label %271

223:
  %224 = load i64, ptr %212, align 8
  %225 = getelementptr %struct.Parameter, ptr %15, i64 %219, i32 7
  %226 = load i64, ptr %225, align 8
  %227 = icmp eq i64 %224, %226
  br i1 %227, label %228, label %254

228:
  %229 = load i64, ptr %216, align 8
  %230 = getelementptr i64, ptr %12, i64 %229
  %231 = getelementptr %struct.Parameter, ptr %15, i64 %219, i32 8
  %232 = load i64, ptr %231, align 8
  %233 = getelementptr i64, ptr %12, i64 %232
  %234 = load i64, ptr %217, align 8
  %235 = shl i64 %234, 1
  %236 = or i64 %235, 1
  %237 = icmp slt i64 %236, 1
  br i1 %237, label %271, label %238

238:
  %239 = load i64, ptr %230, align 8
  %240 = load i64, ptr %233, align 8
  %241 = icmp eq i64 %239, %240
  br i1 %241, label %242, label %277

242:
  %243 = phi i64 [ %244, %246 ], [ 0, %238 ]
  %244 = add nuw nsw i64 %243, 1
  %245 = icmp eq i64 %244, %236
  br i1 %245, label %271, label %246

246:
  %247 = getelementptr i64, ptr %230, i64 %244
  %248 = load i64, ptr %247, align 8
  %249 = getelementptr i64, ptr %233, i64 %244
  %250 = load i64, ptr %249, align 8
  %251 = icmp eq i64 %248, %250
  br i1 %251, label %242, label %252

252:
  %253 = icmp slt i64 %244, %236
  br i1 %253, label %277, label %271

254:
  %255 = load i64, ptr %213, align 8
  %256 = getelementptr %struct.Parameter, ptr %15, i64 %219, i32 6
  %257 = load i64, ptr %256, align 8
  %258 = or i64 %257, %255
  %259 = and i64 %258, 1024
  %260 = icmp eq i64 %259, 0
  br i1 %260, label %271, label %261

261:
  %262 = load i64, ptr %214, align 16
  %263 = getelementptr %struct.Extent, ptr %14, i64 %219, i32 1
  %264 = load i64, ptr %263, align 8
  %265 = icmp slt i64 %262, %264
  br i1 %265, label %266, label %271

266:
  %267 = getelementptr %struct.Extent, ptr %14, i64 %219
  %268 = load i64, ptr %267, align 16
  %269 = load i64, ptr %215, align 8
  %270 = icmp slt i64 %268, %269
  br i1 %270, label %277, label %271

271:
  %272 = add nuw nsw i64 %219, 1
  %273 = icmp slt i64 %272, %192
  br i1 %273, label %218, label %274

274:
  %275 = icmp sge i64 %208, %192
  %276 = icmp eq i64 %208, %192
  br i1 %276, label %277, label %202

277:
  %278 = phi i1 [ %203, %266 ], [ %203, %252 ], [ %203, %238 ], [ %275, %274 ]
  br i1 %278, label %279, label %516

279:
  br label %280

280:
  %281 = phi ptr [ %317, %315 ], [ %0, %279 ]
  %282 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 9
  %283 = load i64, ptr %282, align 8
  %284 = icmp eq i64 %283, 0
  %285 = getelementptr i64, ptr %281, i64 %283
  %286 = icmp eq ptr %285, null
  %287 = select i1 %284, i1 true, i1 %286
  br i1 %287, label %319, label %288

288:
  %289 = getelementptr inbounds %struct.Conditions, ptr %285, i64 0, i32 2
  %290 = load i64, ptr %285, align 8
  %291 = getelementptr %struct.SizeCondition, ptr %289, i64 %290
  %292 = icmp ult ptr %289, %291
  br i1 %292, label %293, label %319

293:
  %294 = phi ptr [ %313, %312 ], [ %289, %288 ]
  %295 = load i64, ptr %294, align 8
  %296 = getelementptr i64, ptr %12, i64 %295
  %297 = load i64, ptr %296, align 8
  %298 = getelementptr inbounds %struct.SizeCondition, ptr %294, i64 0, i32 1
  %299 = load i64, ptr %298, align 8
  %300 = icmp slt i64 %297, %299
  br i1 %300, label %315, label %301

301:
  %302 = getelementptr inbounds %struct.SizeCondition, ptr %294, i64 0, i32 2
  %303 = load i64, ptr %302, align 8
  %304 = icmp sgt i64 %297, %303
  br i1 %304, label %315, label %305

305:
  %306 = getelementptr inbounds %struct.SizeCondition, ptr %294, i64 0, i32 3
  %307 = load i64, ptr %306, align 8
  %308 = icmp eq i64 %307, 1
  br i1 %308, label %312, label %309

309:
  %310 = srem i64 %297, %307
  %311 = icmp eq i64 %310, 0
  br i1 %311, label %312, label %315

312:
  %313 = getelementptr %struct.SizeCondition, ptr %294, i64 1
  %314 = icmp ult ptr %313, %291
  br i1 %314, label %293, label %319

315:
  %316 = getelementptr inbounds %struct.Conditions, ptr %285, i64 0, i32 1
  %317 = load ptr, ptr %316, align 8
  %318 = icmp eq ptr %317, null
  br i1 %318, label %516, label %280

319:
  %320 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 2
  %321 = load ptr, ptr %320, align 8
  %322 = icmp eq ptr %321, null
  br i1 %322, label %328, label %323

323:
  %324 = call i64 %321(ptr %12)
  %325 = icmp eq i64 %324, 0
  %326 = shl i64 %324, 8
  %327 = or i64 %326, 3
  br i1 %325, label %328, label %516

328:
  %329 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 4
  %330 = load i64, ptr %329, align 8
  %331 = shl i64 %330, 3
  %332 = alloca i8, i64 %331, align 16
  %333 = shl i64 %330, 4
  %334 = alloca i8, i64 %333, align 16
  %335 = icmp slt i64 %330, 1
  br i1 %335, label %382, label %336

336:
  %337 = getelementptr %struct.Plan, ptr %281, i64 1
  %338 = load i64, ptr %281, align 8
  %339 = getelementptr %struct.Parameter, ptr %337, i64 %338
  br label %340

340:
  %341 = phi i64 [ %378, %375 ], [ 0, %336 ]
  %342 = phi ptr [ %379, %375 ], [ %339, %336 ]
  %343 = getelementptr inbounds %struct.Allocation, ptr %342, i64 0, i32 3
  %344 = load i64, ptr %343, align 8
  %345 = getelementptr i64, ptr %12, i64 %344
  %346 = getelementptr ptr, ptr %332, i64 %341
  store ptr null, ptr %346, align 8
  %347 = load i64, ptr %342, align 8
  %348 = icmp eq i64 %347, 0
  br i1 %348, label %351, label %349

349:
  %350 = getelementptr %struct.Cell, ptr %334, i64 %341
  br label %375

351:
  %352 = getelementptr inbounds %struct.Allocation, ptr %342, i64 0, i32 2
  %353 = load ptr, ptr %352, align 8
  call void @Py_IncRef(ptr %353)
  %354 = getelementptr inbounds %struct.Allocation, ptr %342, i64 0, i32 1
  %355 = load i64, ptr %354, align 8
  %356 = trunc i64 %355 to i32
  %357 = getelementptr i64, ptr %345, i64 1
  %358 = load ptr, ptr %352, align 8
  %359 = call ptr @jitmdh_array_empty(i32 %356, ptr %357, ptr %358, i32 0)
  store ptr %359, ptr %346, align 8
  %360 = icmp eq ptr %359, null
  br i1 %360, label %361, label %372

361:
  %362 = icmp eq i64 %341, 0
  br i1 %362, label %516, label %363

363:
  %364 = phi i64 [ %370, %369 ], [ 0, %361 ]
  %365 = getelementptr ptr, ptr %332, i64 %364
  %366 = load ptr, ptr %365, align 8
  %367 = icmp eq ptr %366, null
  br i1 %367, label %369, label %368

368:
  call void @Py_DecRef(ptr %366)
  br label %369

369:
  %370 = add nuw nsw i64 %364, 1
  %371 = icmp eq i64 %370, %341
  br i1 %371, label %516, label %363

372:
  %373 = getelementptr inbounds %struct.ArrayObject, ptr %359, i64 0, i32 1
  %374 = load ptr, ptr %373, align 8
  br label %375

375:
  %376 = phi ptr [ %350, %349 ], [ %374, %372 ]
  %377 = ptrtoint ptr %376 to i64
  store i64 %377, ptr %345, align 8
  %378 = add nuw nsw i64 %341, 1
  %379 = getelementptr %struct.Allocation, ptr %342, i64 1
  %380 = load i64, ptr %329, align 8
  %381 = icmp slt i64 %378, %380
  br i1 %381, label %340, label %382

382:
  %383 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 8
  %384 = load i64, ptr %383, align 8
  %385 = icmp eq i64 %384, 0
  br i1 %385, label %386, label %390

386:
  %387 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 1
  %388 = load ptr, ptr %387, align 8
  %389 = call i64 %388(ptr %12)
  br label %395

390:
  %391 = call ptr @PyEval_SaveThread()
  %392 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 1
  %393 = load ptr, ptr %392, align 8
  %394 = call i64 %393(ptr %12)
  call void @PyEval_RestoreThread(ptr %391)
  br label %395

395:
  %396 = phi i64 [ %394, %390 ], [ %389, %386 ]
  %397 = icmp eq i64 %396, 0
  %398 = load i64, ptr %329, align 8
  br i1 %397, label %413, label %399

399:
  %400 = icmp sgt i64 %398, 0
  br i1 %400, label %401, label %410

401:
  %402 = phi i64 [ %408, %407 ], [ 0, %399 ]
  %403 = getelementptr ptr, ptr %332, i64 %402
  %404 = load ptr, ptr %403, align 8
  %405 = icmp eq ptr %404, null
  br i1 %405, label %407, label %406

406:
  call void @Py_DecRef(ptr %404)
  br label %407

407:
  %408 = add nuw nsw i64 %402, 1
  %409 = icmp eq i64 %408, %398
  br i1 %409, label %410, label %401

410:
  %411 = shl i64 %396, 8
  %412 = or i64 %411, 4
  br label %516

413:
  %414 = icmp slt i64 %398, 1
  br i1 %414, label %455, label %415

415:
  %416 = getelementptr %struct.Plan, ptr %281, i64 1
  %417 = load i64, ptr %281, align 8
  %418 = getelementptr %struct.Parameter, ptr %416, i64 %417
  br label %419

419:
  %420 = phi i64 [ %451, %450 ], [ 0, %415 ]
  %421 = phi ptr [ %452, %450 ], [ %418, %415 ]
  %422 = load i64, ptr %421, align 8
  %423 = icmp eq i64 %422, 0
  br i1 %423, label %450, label %424

424:
  %425 = getelementptr %struct.Cell, ptr %334, i64 %420
  switch i64 %422, label %442 [
    i64 2, label %426
    i64 3, label %429
    i64 4, label %432
    i64 5, label %437
  ]

426:
  %427 = load double, ptr %425, align 16
  %428 = call ptr @PyFloat_FromDouble(double %427)
  br label %446

429:
  %430 = load i64, ptr %425, align 16
  %431 = call ptr @PyLong_FromLongLong(i64 %430)
  br label %446

432:
  %433 = load i8, ptr %425, align 16
  %434 = icmp eq i8 %433, 0
  %435 = select i1 %434, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @Py_IncRef(ptr %435)
  %436 = getelementptr ptr, ptr %332, i64 %420
  store ptr %435, ptr %436, align 8
  br label %450

437:
  %438 = load double, ptr %425, align 16
  %439 = getelementptr double, ptr %425, i64 1
  %440 = load double, ptr %439, align 8
  %441 = call ptr @PyComplex_FromDoubles(double %438, double %440)
  br label %446

442:
  %443 = getelementptr inbounds %struct.Allocation, ptr %421, i64 0, i32 2
  %444 = load ptr, ptr %443, align 8
  %445 = call ptr @jitmdh_array_scalar(ptr %425, ptr %444, ptr null)
  br label %446

446:
  %447 = phi ptr [ %445, %442 ], [ %441, %437 ], [ %431, %429 ], [ %428, %426 ]
  %448 = getelementptr ptr, ptr %332, i64 %420
  store ptr %447, ptr %448, align 8
  %449 = icmp eq ptr %447, null
  br i1 %449, label %497, label %450

450:
  %451 = add nuw nsw i64 %420, 1
  %452 = getelementptr %struct.Allocation, ptr %421, i64 1
  %453 = load i64, ptr %329, align 8
  %454 = icmp slt i64 %451, %453
  br i1 %454, label %419, label %455

455:
  %456 = phi i64 [ %398, %413 ], [ %453, %450 ]
  %457 = getelementptr %struct.Plan, ptr %281, i64 1
  %458 = load i64, ptr %281, align 8
  %459 = getelementptr %struct.Parameter, ptr %457, i64 %458
  %460 = getelementptr %struct.Allocation, ptr %459, i64 %456
  %461 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 5
  %462 = load i64, ptr %461, align 8
  %463 = icmp slt i64 %462, 0
  br i1 %463, label %464, label %465

464:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  br label %497

465:
  %466 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 6
  %467 = load i64, ptr %466, align 8
  %468 = icmp eq i64 %467, 0
  br i1 %468, label %469, label %477

469:
  %470 = load i64, ptr %460, align 8
  %471 = icmp eq i64 %470, 0
  %472 = select i1 %471, ptr %1, ptr %332
  %473 = getelementptr inbounds %struct.Result, ptr %460, i64 0, i32 1
  %474 = load i64, ptr %473, align 8
  %475 = getelementptr ptr, ptr %472, i64 %474
  %476 = load ptr, ptr %475, align 8
  call void @Py_IncRef(ptr %476)
  br label %497

477:
  %478 = call ptr @PyTuple_New(i64 %462)
  %479 = icmp eq ptr %478, null
  br i1 %479, label %497, label %480

480:
  %481 = load i64, ptr %461, align 8
  %482 = icmp sgt i64 %481, 0
  br i1 %482, label %483, label %497

483:
  %484 = phi i64 [ %494, %483 ], [ 0, %480 ]
  %485 = getelementptr %struct.Result, ptr %460, i64 %484
  %486 = load i64, ptr %485, align 8
  %487 = icmp eq i64 %486, 0
  %488 = select i1 %487, ptr %1, ptr %332
  %489 = getelementptr inbounds %struct.Result, ptr %485, i64 0, i32 1
  %490 = load i64, ptr %489, align 8
  %491 = getelementptr ptr, ptr %488, i64 %490
  %492 = load ptr, ptr %491, align 8
  call void @Py_IncRef(ptr %492)
  %493 = call i32 @PyTuple_SetItem(ptr %478, i64 %484, ptr %492)
  %494 = add nuw nsw i64 %484, 1
  %495 = load i64, ptr %461, align 8
  %496 = icmp slt i64 %494, %495
  br i1 %496, label %483, label %497

497:
  %498 = phi ptr [ @_Py_NoneStruct, %464 ], [ %476, %469 ], [ null, %477 ], [ %478, %480 ], [ %478, %483 ], [ null, %446 ]
  store ptr %498, ptr %3, align 8
  %499 = load i64, ptr %329, align 8
  %500 = icmp sgt i64 %499, 0
  br i1 %500, label %501, label %512

501:
  %502 = phi i64 [ %508, %507 ], [ 0, %497 ]
  %503 = getelementptr ptr, ptr %332, i64 %502
  %504 = load ptr, ptr %503, align 8
  %505 = icmp eq ptr %504, null
  br i1 %505, label %507, label %506

506:
  call void @Py_DecRef(ptr %504)
  br label %507

507:
  %508 = add nuw nsw i64 %502, 1
  %509 = icmp eq i64 %508, %499
  br i1 %509, label %510, label %501

510:
  %511 = load ptr, ptr %3, align 8
  br label %512

512:
  %513 = phi ptr [ %511, %510 ], [ %498, %497 ]
  %514 = icmp eq ptr %513, null
  %515 = select i1 %514, i64 2, i64 0
  br label %516

516:
  %517 = phi i64 [ 1, %4 ], [ %327, %323 ], [ 1, %277 ], [ %412, %410 ], [ %515, %512 ], [ 2, %361 ], [ 1, %179 ], [ 2, %369 ], [ 1, %315 ], [ 1, %180 ], [ 1, %155 ], [ 1, %185 ], [ 1, %49 ], [ 1, %44 ], [ 1, %40 ], [ 1, %25 ], [ 1, %73 ], [ 1, %141 ], [ 1, %146 ], [ 1, %161 ]
  ret i64 %517
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
