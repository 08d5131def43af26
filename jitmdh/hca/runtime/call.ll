; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 90a23d32b2ae48b3b23f801f539000ac

%struct.Plan = type { i64, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr }
%struct.Extent = type { i64, i64 }
%struct.Parameter = type { i64, i64, ptr, ptr, i64, i64, i64, i64, i64, i64 }
%struct.Object = type { i64, ptr }
%struct.ArrayObject = type { %struct.Object, ptr, i32, ptr, ptr, ptr, ptr, i32 }
%struct.ScalarObject = type { %struct.Object, [16 x i8] }
%struct.Conditions = type { i64, ptr, [0 x %struct.SizeCondition] }
%struct.SizeCondition = type { i64, i64, i64, i64 }
%struct.Allocation = type { i64, i64, ptr, i64, [2 x i64] }
%struct.Cell = type { [16 x i8] }
%struct.Trial = type { i64, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, i64, [0 x %struct.Sample] }
%struct.Sample = type { i64, i64 }
%struct.Result = type { i64, i64 }
%struct.Table = type { i64, i64, ptr, ptr, ptr, ptr, [0 x ptr] }
%struct.Watches = type { i64, [0 x %struct.Watch] }
%struct.Watch = type { i64, ptr, %union.anon, %union.anon.0 }
%union.anon = type { ptr }
%union.anon.0 = type { ptr }
%struct.DictObject = type { %struct.Object, i64, i64 }
%struct.TimeSpec = type { i64, i64 }

@jitmdh_ndarray_type = external global i8, align 1
@PyLong_Type = external global i8, align 1
@_Py_TrueStruct = external global i8, align 1
@_Py_FalseStruct = external global i8, align 1
@_Py_NoneStruct = external global i8, align 1

define i64 @jitmdh_call(ptr %0, ptr %1, i64 %2, ptr %3) noinline nounwind {
  %5 = alloca i32, align 4
  %6 = load i64, ptr %0, align 8
  %7 = icmp eq i64 %6, %2
  br i1 %7, label %8, label %538

8:
  %9 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 3
  %10 = load i64, ptr %9, align 8
  %11 = shl i64 %10, 3
  %12 = alloca i8, i64 %11, align 16
  %13 = shl i64 %2, 4
  %14 = alloca i8, i64 %13, align 16
  %15 = getelementptr %struct.Plan, ptr %0, i64 1
  %16 = icmp sgt i64 %2, 0
  br i1 %16, label %17, label %293

17:
  %18 = phi i64 [ %206, %205 ], [ 0, %8 ]
  %19 = phi ptr [ %207, %205 ], [ %15, %8 ]
  %20 = load i64, ptr %19, align 8
  %21 = icmp eq i64 %20, 0
  %22 = getelementptr ptr, ptr %1, i64 %18
  %23 = load ptr, ptr %22, align 8
  br i1 %21, label %24, label %156

24:
  %25 = getelementptr %struct.Extent, ptr %14, i64 %18
  %26 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 1
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 5
  %29 = load i64, ptr %28, align 8
  %30 = getelementptr inbounds %struct.Object, ptr %23, i64 0, i32 1
  %31 = load ptr, ptr %30, align 8
  %32 = icmp eq ptr %31, @jitmdh_ndarray_type
  br i1 %32, label %33, label %538

33:
  %34 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 6
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 2
  %37 = load ptr, ptr %36, align 8
  %38 = icmp eq ptr %35, %37
  br i1 %38, label %43, label %39

39:
  %40 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 3
  %41 = load ptr, ptr %40, align 8
  %42 = icmp eq ptr %35, %41
  br i1 %42, label %43, label %538

43:
  %44 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 2
  %45 = load i32, ptr %44, align 8
  %46 = sext i32 %45 to i64
  %47 = icmp eq i64 %27, %46
  br i1 %47, label %48, label %538

48:
  %49 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 7
  %50 = load i32, ptr %49, align 8
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 6
  %53 = load i64, ptr %52, align 8
  %54 = and i64 %53, %51
  %55 = icmp eq i64 %54, %53
  br i1 %55, label %56, label %538

56:
  %57 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 8
  %58 = load i64, ptr %57, align 8
  %59 = getelementptr i64, ptr %12, i64 %58
  %60 = getelementptr i64, ptr %59, i64 1
  %61 = getelementptr i64, ptr %60, i64 %27
  %62 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 1
  %63 = load ptr, ptr %62, align 8
  %64 = ptrtoint ptr %63 to i64
  %65 = add i64 %29, -1
  %66 = call i64 @llvm.ctpop.i64(i64 %29)
  %67 = icmp ult i64 %66, 2
  store i64 %64, ptr %59, align 8
  %68 = icmp sgt i64 %27, 0
  br i1 %68, label %69, label %126

69:
  %70 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 3
  %71 = getelementptr inbounds %struct.ArrayObject, ptr %23, i64 0, i32 4
  br label %77

72:
  %73 = icmp ne i64 %103, 0
  %74 = icmp ugt i64 %114, 72057594037927935
  %75 = select i1 %73, i1 true, i1 %74
  %76 = select i1 %75, i1 true, i1 %110
  br i1 %76, label %538, label %123

77:
  %78 = phi i64 [ %64, %69 ], [ %118, %101 ]
  %79 = phi i64 [ %64, %69 ], [ %117, %101 ]
  %80 = phi i64 [ 0, %69 ], [ %114, %101 ]
  %81 = phi i1 [ false, %69 ], [ %110, %101 ]
  %82 = phi i64 [ 0, %69 ], [ %103, %101 ]
  %83 = phi i1 [ false, %69 ], [ %120, %101 ]
  %84 = phi i64 [ 0, %69 ], [ %121, %101 ]
  %85 = phi i1 [ false, %69 ], [ %96, %101 ]
  %86 = load ptr, ptr %70, align 8
  %87 = getelementptr i64, ptr %86, i64 %84
  %88 = load i64, ptr %87, align 8
  %89 = load ptr, ptr %71, align 8
  %90 = getelementptr i64, ptr %89, i64 %84
  %91 = load i64, ptr %90, align 8
  %92 = icmp sgt i64 %88, 1
  %93 = select i1 %92, i64 %91, i64 %29
  %94 = icmp eq i64 %91, %29
  %95 = select i1 %94, i1 %92, i1 false
  %96 = or i1 %85, %95
  br i1 %67, label %97, label %99

97:
  %98 = and i64 %93, %65
  br label %101

99:
  %100 = srem i64 %93, %29
  br label %101

101:
  %102 = phi i64 [ %98, %97 ], [ %100, %99 ]
  %103 = or i64 %102, %82
  %104 = getelementptr i64, ptr %60, i64 %84
  store i64 %88, ptr %104, align 8
  %105 = getelementptr i64, ptr %61, i64 %84
  store i64 %93, ptr %105, align 8
  %106 = add i64 %88, -1
  %107 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %106, i64 %93)
  %108 = extractvalue { i64, i1 } %107, 1
  %109 = extractvalue { i64, i1 } %107, 0
  %110 = or i1 %81, %108
  %111 = icmp slt i64 %109, 0
  %112 = call i64 @llvm.abs.i64(i64 %109, i1 false)
  %113 = or i64 %80, %112
  %114 = or i64 %113, %88
  %115 = select i1 %111, i64 %78, i64 %79
  %116 = add i64 %115, %109
  %117 = select i1 %111, i64 %79, i64 %116
  %118 = select i1 %111, i64 %116, i64 %78
  %119 = icmp eq i64 %88, 0
  %120 = or i1 %83, %119
  %121 = add nuw nsw i64 %84, 1
  %122 = icmp eq i64 %121, %27
  br i1 %122, label %72, label %77

123:
  %124 = xor i1 %96, true
  %125 = select i1 %124, i1 true, i1 %120
  br i1 %120, label %131, label %126

126:
  %127 = phi i1 [ %125, %123 ], [ true, %56 ]
  %128 = phi i64 [ %117, %123 ], [ %64, %56 ]
  %129 = phi i64 [ %118, %123 ], [ %64, %56 ]
  %130 = add i64 %128, %29
  br label %131

131:
  %132 = phi i1 [ %127, %126 ], [ %125, %123 ]
  %133 = phi i1 [ false, %126 ], [ true, %123 ]
  %134 = phi i64 [ %129, %126 ], [ 0, %123 ]
  %135 = phi i64 [ %130, %126 ], [ 0, %123 ]
  store i64 %134, ptr %25, align 16
  %136 = getelementptr inbounds i8, ptr %25, i64 8
  store i64 %135, ptr %136, align 8
  %137 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 4
  %138 = load i64, ptr %137, align 8
  %139 = icmp sgt i64 %138, -1
  br i1 %139, label %140, label %145

140:
  %141 = getelementptr i64, ptr %61, i64 %138
  %142 = load i64, ptr %141, align 8
  %143 = icmp eq i64 %142, %29
  %144 = or i1 %133, %143
  br i1 %144, label %146, label %538

145:
  br i1 %132, label %146, label %538

146:
  %147 = and i64 %53, 1024
  %148 = icmp eq i64 %147, 0
  br i1 %148, label %205, label %149

149:
  %150 = load i32, ptr %49, align 8
  %151 = and i32 %150, 3
  %152 = icmp ne i32 %151, 0
  %153 = or i1 %133, %152
  br i1 %153, label %205, label %154

154:
  %155 = call fastcc zeroext i1 @elements_are_separate(ptr %23, i64 %27, i64 %29)
  br i1 %155, label %205, label %538

156:
  %157 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 8
  %158 = load i64, ptr %157, align 8
  %159 = getelementptr i64, ptr %12, i64 %158
  switch i64 %20, label %197 [
    i64 1, label %160
    i64 2, label %174
    i64 4, label %183
  ]

160:
  %161 = getelementptr inbounds %struct.ScalarObject, ptr %23, i64 0, i32 1
  %162 = getelementptr inbounds %struct.Object, ptr %23, i64 0, i32 1
  %163 = load ptr, ptr %162, align 8
  %164 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 2
  %165 = load ptr, ptr %164, align 8
  %166 = icmp eq ptr %163, %165
  br i1 %166, label %167, label %538

167:
  %168 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 1
  %169 = load i64, ptr %168, align 8
  %170 = icmp eq i64 %169, 8
  br i1 %170, label %171, label %173

171:
  %172 = load i64, ptr %161, align 8
  store i64 %172, ptr %159, align 8
  br label %205

173:
  store i64 0, ptr %159, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %159, ptr align 1 %161, i64 %169, i1 false)
  br label %205

174:
  %175 = getelementptr inbounds %struct.Object, ptr %23, i64 0, i32 1
  %176 = load ptr, ptr %175, align 8
  %177 = icmp eq ptr %176, @PyLong_Type
  br i1 %177, label %179, label %178

178:
  br label %538

179:
  %180 = call i64 @PyLong_AsLongLongAndOverflow(ptr %23, ptr %5)
  store i64 %180, ptr %159, align 8
  %181 = load i32, ptr %5, align 4
  %182 = icmp eq i32 %181, 0
  br i1 %182, label %205, label %538

183:
  %184 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 2
  %185 = load ptr, ptr %184, align 8
  store i64 0, ptr %159, align 8
  %186 = icmp eq ptr %185, %23
  br i1 %186, label %205, label %187

187:
  %188 = getelementptr inbounds %struct.Parameter, ptr %19, i64 0, i32 1
  %189 = load i64, ptr %188, align 8
  %190 = icmp eq i64 %189, 0
  br i1 %190, label %538, label %191

191:
  %192 = getelementptr inbounds %struct.Object, ptr %23, i64 0, i32 1
  %193 = load ptr, ptr %192, align 8
  %194 = getelementptr inbounds %struct.Object, ptr %185, i64 0, i32 1
  %195 = load ptr, ptr %194, align 8
  %196 = icmp eq ptr %193, %195
  br i1 %196, label %202, label %538

197:
  %198 = icmp eq ptr %23, @_Py_TrueStruct
  %199 = zext i1 %198 to i64
  store i64 %199, ptr %159, align 8
  %200 = icmp eq ptr %23, @_Py_FalseStruct
  %201 = or i1 %198, %200
  br i1 %201, label %205, label %538

202:
  %203 = call i32 @PyObject_RichCompareBool(ptr %23, ptr %185, i32 2)
  %204 = icmp eq i32 %203, 1
  br i1 %204, label %205, label %538

205:
  %206 = add nuw nsw i64 %18, 1
  %207 = getelementptr %struct.Parameter, ptr %19, i64 1
  %208 = load i64, ptr %0, align 8
  %209 = icmp slt i64 %206, %208
  br i1 %209, label %17, label %210

210:
  %211 = getelementptr inbounds %struct.Plan, ptr %0, i64 0, i32 7
  %212 = load i64, ptr %211, align 8
  %213 = icmp eq i64 %212, 0
  %214 = icmp slt i64 %208, 1
  %215 = select i1 %213, i1 true, i1 %214
  br i1 %215, label %293, label %216

216:
  %217 = phi i1 [ %289, %288 ], [ false, %210 ]
  %218 = phi i64 [ %222, %288 ], [ 0, %210 ]
  %219 = getelementptr %struct.Parameter, ptr %15, i64 %218
  %220 = load i64, ptr %219, align 8
  %221 = icmp eq i64 %220, 0
  %222 = add nuw nsw i64 %218, 1
  %223 = icmp slt i64 %222, %208
  %224 = select i1 %221, i1 %223, i1 false
  br i1 %224, label %225, label %288

225:
  %226 = getelementptr %struct.Parameter, ptr %15, i64 %218, i32 7
  %227 = getelementptr %struct.Parameter, ptr %15, i64 %218, i32 6
  %228 = getelementptr %struct.Extent, ptr %14, i64 %218
  %229 = getelementptr %struct.Extent, ptr %14, i64 %218, i32 1
  %230 = getelementptr %struct.Parameter, ptr %15, i64 %218, i32 8
  %231 = getelementptr %struct.Parameter, ptr %15, i64 %218, i32 1
  br label %232

232:
  %233 = phi i64 [ %222, %225 ], [ %286, %285 ]
  %234 = getelementptr %struct.Parameter, ptr %15, i64 %233
  %235 = load i64, ptr %234, align 8
  %236 = icmp eq i64 %235, 0
  br i1 %236, label %237, label %285

237:
  %238 = load i64, ptr %226, align 8
  %239 = getelementptr %struct.Parameter, ptr %15, i64 %233, i32 7
  %240 = load i64, ptr %239, align 8
  %241 = icmp eq i64 %238, %240
  br i1 %241, label %242, label %268

242:
  %243 = load i64, ptr %230, align 8
  %244 = getelementptr i64, ptr %12, i64 %243
  %245 = getelementptr %struct.Parameter, ptr %15, i64 %233, i32 8
  %246 = load i64, ptr %245, align 8
  %247 = getelementptr i64, ptr %12, i64 %246
  %248 = load i64, ptr %231, align 8
  %249 = shl i64 %248, 1
  %250 = or i64 %249, 1
  %251 = icmp slt i64 %250, 1
  br i1 %251, label %285, label %252

252:
  %253 = load i64, ptr %244, align 8
  %254 = load i64, ptr %247, align 8
  %255 = icmp eq i64 %253, %254
  br i1 %255, label %256, label %291

256:
  %257 = phi i64 [ %258, %260 ], [ 0, %252 ]
  %258 = add nuw nsw i64 %257, 1
  %259 = icmp eq i64 %258, %250
  br i1 %259, label %285, label %260

260:
  %261 = getelementptr i64, ptr %244, i64 %258
  %262 = load i64, ptr %261, align 8
  %263 = getelementptr i64, ptr %247, i64 %258
  %264 = load i64, ptr %263, align 8
  %265 = icmp eq i64 %262, %264
  br i1 %265, label %256, label %266

266:
  %267 = icmp slt i64 %258, %250
  br i1 %267, label %291, label %285

268:
  %269 = load i64, ptr %227, align 8
  %270 = getelementptr %struct.Parameter, ptr %15, i64 %233, i32 6
  %271 = load i64, ptr %270, align 8
  %272 = or i64 %271, %269
  %273 = and i64 %272, 1024
  %274 = icmp eq i64 %273, 0
  br i1 %274, label %285, label %275

275:
  %276 = load i64, ptr %228, align 16
  %277 = getelementptr %struct.Extent, ptr %14, i64 %233, i32 1
  %278 = load i64, ptr %277, align 8
  %279 = icmp slt i64 %276, %278
  br i1 %279, label %280, label %285

280:
  %281 = getelementptr %struct.Extent, ptr %14, i64 %233
  %282 = load i64, ptr %281, align 16
  %283 = load i64, ptr %229, align 8
  %284 = icmp slt i64 %282, %283
  br i1 %284, label %291, label %285

285:
  %286 = add nuw nsw i64 %233, 1
  %287 = icmp slt i64 %286, %208
  br i1 %287, label %232, label %288

288:
  %289 = icmp sge i64 %222, %208
  %290 = icmp eq i64 %222, %208
  br i1 %290, label %291, label %216

291:
  %292 = phi i1 [ %217, %280 ], [ %217, %266 ], [ %217, %252 ], [ %289, %288 ]
  br i1 %292, label %293, label %538

293:
  br label %294

294:
  %295 = phi ptr [ %331, %329 ], [ %0, %293 ]
  %296 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 9
  %297 = load i64, ptr %296, align 8
  %298 = icmp eq i64 %297, 0
  %299 = getelementptr i64, ptr %295, i64 %297
  %300 = icmp eq ptr %299, null
  %301 = select i1 %298, i1 true, i1 %300
  br i1 %301, label %333, label %302

302:
  %303 = getelementptr inbounds %struct.Conditions, ptr %299, i64 0, i32 2
  %304 = load i64, ptr %299, align 8
  %305 = getelementptr %struct.SizeCondition, ptr %303, i64 %304
  %306 = icmp ult ptr %303, %305
  br i1 %306, label %307, label %333

307:
  %308 = phi ptr [ %327, %326 ], [ %303, %302 ]
  %309 = load i64, ptr %308, align 8
  %310 = getelementptr i64, ptr %12, i64 %309
  %311 = load i64, ptr %310, align 8
  %312 = getelementptr inbounds %struct.SizeCondition, ptr %308, i64 0, i32 1
  %313 = load i64, ptr %312, align 8
  %314 = icmp slt i64 %311, %313
  br i1 %314, label %329, label %315

315:
  %316 = getelementptr inbounds %struct.SizeCondition, ptr %308, i64 0, i32 2
  %317 = load i64, ptr %316, align 8
  %318 = icmp sgt i64 %311, %317
  br i1 %318, label %329, label %319

319:
  %320 = getelementptr inbounds %struct.SizeCondition, ptr %308, i64 0, i32 3
  %321 = load i64, ptr %320, align 8
  %322 = icmp eq i64 %321, 1
  br i1 %322, label %326, label %323

323:
  %324 = srem i64 %311, %321
  %325 = icmp eq i64 %324, 0
  br i1 %325, label %326, label %329

326:
  %327 = getelementptr %struct.SizeCondition, ptr %308, i64 1
  %328 = icmp ult ptr %327, %305
  br i1 %328, label %307, label %333

329:
  %330 = getelementptr inbounds %struct.Conditions, ptr %299, i64 0, i32 1
  %331 = load ptr, ptr %330, align 8
  %332 = icmp eq ptr %331, null
  br i1 %332, label %538, label %294

333:
  %334 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 2
  %335 = load ptr, ptr %334, align 8
  %336 = icmp eq ptr %335, null
  br i1 %336, label %342, label %337

337:
  %338 = call i64 %335(ptr %12)
  %339 = icmp eq i64 %338, 0
  %340 = shl i64 %338, 8
  %341 = or i64 %340, 3
  br i1 %339, label %342, label %538

342:
  %343 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 4
  %344 = load i64, ptr %343, align 8
  %345 = shl i64 %344, 3
  %346 = alloca i8, i64 %345, align 16
  %347 = shl i64 %344, 4
  %348 = alloca i8, i64 %347, align 16
  %349 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 10
  %350 = load i64, ptr %349, align 8
  %351 = add i64 %350, 1
  store i64 %351, ptr %349, align 8
  %352 = icmp slt i64 %344, 1
  br i1 %352, label %399, label %353

353:
  %354 = getelementptr %struct.Plan, ptr %295, i64 1
  %355 = load i64, ptr %295, align 8
  %356 = getelementptr %struct.Parameter, ptr %354, i64 %355
  br label %357

357:
  %358 = phi i64 [ %395, %392 ], [ 0, %353 ]
  %359 = phi ptr [ %396, %392 ], [ %356, %353 ]
  %360 = getelementptr inbounds %struct.Allocation, ptr %359, i64 0, i32 3
  %361 = load i64, ptr %360, align 8
  %362 = getelementptr i64, ptr %12, i64 %361
  %363 = getelementptr ptr, ptr %346, i64 %358
  store ptr null, ptr %363, align 8
  %364 = load i64, ptr %359, align 8
  %365 = icmp eq i64 %364, 0
  br i1 %365, label %368, label %366

366:
  %367 = getelementptr %struct.Cell, ptr %348, i64 %358
  br label %392

368:
  %369 = getelementptr inbounds %struct.Allocation, ptr %359, i64 0, i32 2
  %370 = load ptr, ptr %369, align 8
  call void @Py_IncRef(ptr %370)
  %371 = getelementptr inbounds %struct.Allocation, ptr %359, i64 0, i32 1
  %372 = load i64, ptr %371, align 8
  %373 = trunc i64 %372 to i32
  %374 = getelementptr i64, ptr %362, i64 1
  %375 = load ptr, ptr %369, align 8
  %376 = call ptr @jitmdh_array_empty(i32 %373, ptr %374, ptr %375, i32 0)
  store ptr %376, ptr %363, align 8
  %377 = icmp eq ptr %376, null
  br i1 %377, label %378, label %389

378:
  %379 = icmp eq i64 %358, 0
  br i1 %379, label %534, label %380

380:
  %381 = phi i64 [ %387, %386 ], [ 0, %378 ]
  %382 = getelementptr ptr, ptr %346, i64 %381
  %383 = load ptr, ptr %382, align 8
  %384 = icmp eq ptr %383, null
  br i1 %384, label %386, label %385

385:
  call void @Py_DecRef(ptr %383)
  br label %386

386:
  %387 = add nuw nsw i64 %381, 1
  %388 = icmp eq i64 %387, %358
  br i1 %388, label %534, label %380

389:
  %390 = getelementptr inbounds %struct.ArrayObject, ptr %376, i64 0, i32 1
  %391 = load ptr, ptr %390, align 8
  br label %392

392:
  %393 = phi ptr [ %367, %366 ], [ %391, %389 ]
  %394 = ptrtoint ptr %393 to i64
  store i64 %394, ptr %362, align 8
  %395 = add nuw nsw i64 %358, 1
  %396 = getelementptr %struct.Allocation, ptr %359, i64 1
  %397 = load i64, ptr %343, align 8
  %398 = icmp slt i64 %395, %397
  br i1 %398, label %357, label %399

399:
  %400 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 11
  %401 = load ptr, ptr %400, align 8
  %402 = icmp eq ptr %401, null
  br i1 %402, label %410, label %403

403:
  %404 = getelementptr inbounds %struct.Trial, ptr %401, i64 0, i32 9
  %405 = load i64, ptr %404, align 8
  %406 = add i64 %405, -1
  store i64 %406, ptr %404, align 8
  %407 = icmp slt i64 %406, 0
  br i1 %407, label %408, label %410

408:
  %409 = call fastcc i64 @run_timed(ptr %295, ptr %401, ptr %12)
  br label %423

410:
  %411 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 8
  %412 = load i64, ptr %411, align 8
  %413 = icmp eq i64 %412, 0
  br i1 %413, label %414, label %418

414:
  %415 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 1
  %416 = load ptr, ptr %415, align 8
  %417 = call i64 %416(ptr %12)
  br label %423

418:
  %419 = call ptr @PyEval_SaveThread()
  %420 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 1
  %421 = load ptr, ptr %420, align 8
  %422 = call i64 %421(ptr %12)
  call void @PyEval_RestoreThread(ptr %419)
  br label %423

423:
  %424 = phi i64 [ %409, %408 ], [ %422, %418 ], [ %417, %414 ]
  %425 = icmp eq i64 %424, 0
  switch i64 %424, label %426 [
    i64 4611686018427387904, label %431
    i64 0, label %431
  ]

426:
  %427 = shl i64 %424, 8
  %428 = or i64 %427, 4
  %429 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 12
  %430 = load ptr, ptr %429, align 8
  store ptr %430, ptr %3, align 8
  call void @Py_IncRef(ptr %430)
  br label %521

431:
  %432 = load i64, ptr %343, align 8
  %433 = icmp slt i64 %432, 1
  br i1 %433, label %474, label %434

434:
  %435 = getelementptr %struct.Plan, ptr %295, i64 1
  %436 = load i64, ptr %295, align 8
  %437 = getelementptr %struct.Parameter, ptr %435, i64 %436
  br label %438

438:
  %439 = phi i64 [ %470, %469 ], [ 0, %434 ]
  %440 = phi ptr [ %471, %469 ], [ %437, %434 ]
  %441 = load i64, ptr %440, align 8
  %442 = icmp eq i64 %441, 0
  br i1 %442, label %469, label %443

443:
  %444 = getelementptr %struct.Cell, ptr %348, i64 %439
  switch i64 %441, label %461 [
    i64 2, label %445
    i64 3, label %448
    i64 4, label %451
    i64 5, label %456
  ]

445:
  %446 = load double, ptr %444, align 16
  %447 = call ptr @PyFloat_FromDouble(double %446)
  br label %465

448:
  %449 = load i64, ptr %444, align 16
  %450 = call ptr @PyLong_FromLongLong(i64 %449)
  br label %465

451:
  %452 = load i8, ptr %444, align 16
  %453 = icmp eq i8 %452, 0
  %454 = select i1 %453, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @Py_IncRef(ptr %454)
  %455 = getelementptr ptr, ptr %346, i64 %439
  store ptr %454, ptr %455, align 8
  br label %469

456:
  %457 = load double, ptr %444, align 16
  %458 = getelementptr double, ptr %444, i64 1
  %459 = load double, ptr %458, align 8
  %460 = call ptr @PyComplex_FromDoubles(double %457, double %459)
  br label %465

461:
  %462 = getelementptr inbounds %struct.Allocation, ptr %440, i64 0, i32 2
  %463 = load ptr, ptr %462, align 8
  %464 = call ptr @jitmdh_array_scalar(ptr %444, ptr %463, ptr null)
  br label %465

465:
  %466 = phi ptr [ %464, %461 ], [ %460, %456 ], [ %450, %448 ], [ %447, %445 ]
  %467 = getelementptr ptr, ptr %346, i64 %439
  store ptr %466, ptr %467, align 8
  %468 = icmp eq ptr %466, null
  br i1 %468, label %516, label %469

469:
  %470 = add nuw nsw i64 %439, 1
  %471 = getelementptr %struct.Allocation, ptr %440, i64 1
  %472 = load i64, ptr %343, align 8
  %473 = icmp slt i64 %470, %472
  br i1 %473, label %438, label %474

474:
  %475 = phi i64 [ %432, %431 ], [ %472, %469 ]
  %476 = getelementptr %struct.Plan, ptr %295, i64 1
  %477 = load i64, ptr %295, align 8
  %478 = getelementptr %struct.Parameter, ptr %476, i64 %477
  %479 = getelementptr %struct.Allocation, ptr %478, i64 %475
  %480 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 5
  %481 = load i64, ptr %480, align 8
  %482 = icmp slt i64 %481, 0
  br i1 %482, label %483, label %484

483:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  br label %516

484:
  %485 = getelementptr inbounds %struct.Plan, ptr %295, i64 0, i32 6
  %486 = load i64, ptr %485, align 8
  %487 = icmp eq i64 %486, 0
  br i1 %487, label %488, label %496

488:
  %489 = load i64, ptr %479, align 8
  %490 = icmp eq i64 %489, 0
  %491 = select i1 %490, ptr %1, ptr %346
  %492 = getelementptr inbounds %struct.Result, ptr %479, i64 0, i32 1
  %493 = load i64, ptr %492, align 8
  %494 = getelementptr ptr, ptr %491, i64 %493
  %495 = load ptr, ptr %494, align 8
  call void @Py_IncRef(ptr %495)
  br label %516

496:
  %497 = call ptr @PyTuple_New(i64 %481)
  %498 = icmp eq ptr %497, null
  br i1 %498, label %516, label %499

499:
  %500 = load i64, ptr %480, align 8
  %501 = icmp sgt i64 %500, 0
  br i1 %501, label %502, label %516

502:
  %503 = phi i64 [ %513, %502 ], [ 0, %499 ]
  %504 = getelementptr %struct.Result, ptr %479, i64 %503
  %505 = load i64, ptr %504, align 8
  %506 = icmp eq i64 %505, 0
  %507 = select i1 %506, ptr %1, ptr %346
  %508 = getelementptr inbounds %struct.Result, ptr %504, i64 0, i32 1
  %509 = load i64, ptr %508, align 8
  %510 = getelementptr ptr, ptr %507, i64 %509
  %511 = load ptr, ptr %510, align 8
  call void @Py_IncRef(ptr %511)
  %512 = call i32 @PyTuple_SetItem(ptr %497, i64 %503, ptr %511)
  %513 = add nuw nsw i64 %503, 1
  %514 = load i64, ptr %480, align 8
  %515 = icmp slt i64 %513, %514
  br i1 %515, label %502, label %516

516:
  %517 = phi ptr [ @_Py_NoneStruct, %483 ], [ %495, %488 ], [ null, %496 ], [ %497, %499 ], [ %497, %502 ], [ null, %465 ]
  store ptr %517, ptr %3, align 8
  %518 = icmp eq ptr %517, null
  %519 = select i1 %425, i64 0, i64 256
  %520 = select i1 %518, i64 2, i64 %519
  br label %521

521:
  %522 = phi i64 [ %428, %426 ], [ %520, %516 ]
  %523 = load i64, ptr %343, align 8
  %524 = icmp sgt i64 %523, 0
  br i1 %524, label %525, label %534

525:
  %526 = phi i64 [ %532, %531 ], [ 0, %521 ]
  %527 = getelementptr ptr, ptr %346, i64 %526
  %528 = load ptr, ptr %527, align 8
  %529 = icmp eq ptr %528, null
  br i1 %529, label %531, label %530

530:
  call void @Py_DecRef(ptr %528)
  br label %531

531:
  %532 = add nuw nsw i64 %526, 1
  %533 = icmp eq i64 %532, %523
  br i1 %533, label %534, label %525

534:
  %535 = phi i64 [ 2, %378 ], [ %522, %521 ], [ %522, %531 ], [ 2, %386 ]
  %536 = load i64, ptr %349, align 8
  %537 = add i64 %536, -1
  store i64 %537, ptr %349, align 8
  br label %538

538:
  %539 = phi i64 [ 1, %4 ], [ %535, %534 ], [ %341, %337 ], [ 1, %291 ], [ 1, %178 ], [ 1, %329 ], [ 1, %179 ], [ 1, %197 ], [ 1, %154 ], [ 1, %202 ], [ 1, %48 ], [ 1, %43 ], [ 1, %39 ], [ 1, %24 ], [ 1, %72 ], [ 1, %140 ], [ 1, %145 ], [ 1, %160 ], [ 1, %191 ], [ 1, %187 ]
  ret i64 %539
}

define ptr @jitmdh_dispatch(ptr %0, ptr %1, i64 %2, ptr %3) nounwind {
  %5 = alloca ptr, align 8
  %6 = tail call ptr @PyCapsule_GetPointer(ptr %0, ptr null)
  %7 = icmp eq ptr %3, null
  br i1 %7, label %8, label %123

8:
  %9 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 5
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
  br i1 %44, label %45, label %123

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
  br i1 %90, label %61, label %123

91:
  store i64 %55, ptr %56, align 8
  br label %45

92:
  %93 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 1
  %94 = load i64, ptr %93, align 8
  %95 = icmp sgt i64 %94, 0
  br i1 %95, label %96, label %123

96:
  %97 = phi i64 [ %117, %116 ], [ 0, %92 ]
  %98 = getelementptr %struct.Table, ptr %6, i64 0, i32 6, i64 %97
  %99 = load ptr, ptr %98, align 8
  %100 = call i64 @jitmdh_call(ptr %99, ptr %1, i64 %2, ptr %5)
  %101 = trunc i64 %100 to i8
  switch i8 %101, label %116 [
    i8 0, label %102
    i8 2, label %120
    i8 4, label %109
    i8 3, label %122
  ]

102:
  %103 = load i64, ptr %6, align 8
  %104 = add i64 %103, 1
  store i64 %104, ptr %6, align 8
  %105 = icmp ult i64 %100, 256
  %106 = load ptr, ptr %5, align 8
  br i1 %105, label %120, label %107

107:
  %108 = tail call fastcc ptr @observed(ptr %6, ptr %1, i64 %2, ptr %106)
  br label %120

109:
  %110 = ashr i64 %100, 8
  %111 = add nsw i64 %110, -16
  %112 = icmp ult i64 %111, 1048560
  %113 = load ptr, ptr %5, align 8
  br i1 %112, label %119, label %114

114:
  %115 = tail call fastcc ptr @fail(ptr %6, i64 %110, ptr %113)
  tail call void @Py_DecRef(ptr %113)
  br label %120

116:
  %117 = add nuw nsw i64 %97, 1
  %118 = icmp eq i64 %117, %94
  br i1 %118, label %123, label %96

119:
  tail call void @Py_DecRef(ptr %113)
  br label %122

120:
  %121 = phi ptr [ %115, %114 ], [ %108, %107 ], [ %106, %102 ], [ null, %96 ]
  br label %127

122:
  br label %123

123:
  %124 = getelementptr inbounds %struct.Table, ptr %6, i64 0, i32 2
  %125 = load ptr, ptr %124, align 8
  %126 = tail call ptr @PyObject_Vectorcall(ptr %125, ptr %1, i64 %2, ptr %3)
  br label %127

127:
  %128 = phi ptr [ %126, %123 ], [ %121, %120 ]
  ret ptr %128
}

declare ptr @PyCapsule_GetPointer(ptr, ptr)

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

declare void @Py_DecRef(ptr)

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

declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)

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
  %92 = and i64 %87, 1
  %93 = icmp eq i64 %92, 0
  br i1 %93, label %98, label %94

94:
  %95 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 16
  %96 = load i64, ptr %95, align 8
  %97 = add i64 %96, %72
  store i64 %97, ptr %95, align 8
  br label %98

98:
  %99 = icmp eq i64 %63, 0
  %100 = load i64, ptr %11, align 8
  %101 = icmp sgt i64 %100, 0
  br i1 %99, label %102, label %149

102:
  br i1 %101, label %103, label %135

103:
  %104 = load i64, ptr %6, align 8
  %105 = icmp eq i64 %104, %7
  br i1 %105, label %106, label %132

106:
  %107 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 11
  %108 = load i64, ptr %107, align 8
  %109 = add i64 %108, %72
  store i64 %109, ptr %107, align 8
  %110 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 13
  %111 = load i64, ptr %110, align 8
  %112 = or i64 %111, %87
  store i64 %112, ptr %110, align 8
  %113 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 12
  %114 = load i64, ptr %113, align 8
  %115 = add i64 %114, 1
  store i64 %115, ptr %113, align 8
  %116 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 4
  %117 = load i64, ptr %116, align 8
  %118 = icmp slt i64 %115, %117
  br i1 %118, label %132, label %119

119:
  %120 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 18
  %121 = load i64, ptr %120, align 8
  %122 = add i64 %121, -1
  %123 = and i64 %122, %7
  %124 = getelementptr %struct.Trial, ptr %1, i64 0, i32 19, i64 %123
  store i64 %109, ptr %124, align 8
  %125 = load i64, ptr %110, align 8
  %126 = getelementptr %struct.Trial, ptr %1, i64 0, i32 19, i64 %123, i32 1
  store i64 %125, ptr %126, align 8
  store i64 0, ptr %110, align 8
  store i64 0, ptr %113, align 8
  store i64 0, ptr %107, align 8
  %127 = load i64, ptr %6, align 8
  %128 = add i64 %127, 1
  store i64 %128, ptr %6, align 8
  %129 = load i64, ptr %11, align 8
  %130 = add i64 %129, -1
  store i64 %130, ptr %11, align 8
  %131 = icmp sgt i64 %130, 0
  br i1 %131, label %132, label %135

132:
  %133 = load ptr, ptr %35, align 8
  %134 = icmp eq ptr %133, null
  br i1 %134, label %135, label %142

135:
  %136 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 7
  %137 = load i64, ptr %136, align 8
  %138 = icmp sgt i64 %137, %72
  br i1 %138, label %139, label %142

139:
  %140 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 8
  %141 = load i64, ptr %140, align 8
  br label %142

142:
  %143 = phi i64 [ %141, %139 ], [ 0, %135 ], [ 0, %132 ]
  store i64 %143, ptr %8, align 8
  %144 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 9
  store i64 %143, ptr %144, align 8
  %145 = load i64, ptr %89, align 8
  %146 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 15
  %147 = load i64, ptr %146, align 8
  %148 = icmp slt i64 %145, %147
  br i1 %148, label %165, label %163

149:
  br i1 %101, label %150, label %153

150:
  %151 = load ptr, ptr %35, align 8
  %152 = icmp eq ptr %151, null
  br i1 %152, label %153, label %160

153:
  %154 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 7
  %155 = load i64, ptr %154, align 8
  %156 = icmp sgt i64 %155, %72
  br i1 %156, label %157, label %160

157:
  %158 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 8
  %159 = load i64, ptr %158, align 8
  br label %160

160:
  %161 = phi i64 [ %159, %157 ], [ 0, %153 ], [ 0, %150 ]
  store i64 %161, ptr %8, align 8
  %162 = getelementptr inbounds %struct.Trial, ptr %1, i64 0, i32 9
  store i64 %161, ptr %162, align 8
  br label %165

163:
  %164 = add i64 %145, 1000000000
  store i64 %164, ptr %146, align 8
  br label %165

165:
  %166 = phi i64 [ 4611686018427387904, %163 ], [ %63, %160 ], [ 0, %142 ]
  ret i64 %166
}

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare i32 @clock_gettime(i32, ptr)

declare i32 @platform_clock_monotonic()

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
