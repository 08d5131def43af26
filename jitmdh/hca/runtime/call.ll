; Generated from call.c by `python -m jitmdh.hca.runtime.build`; do not edit.
; clang: 16.0.6
; sources: 12e5f4e37e7e71a18983a611cfb5979c

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
  br i1 %7, label %8, label %524

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
  br i1 %33, label %34, label %524

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
  br i1 %43, label %44, label %524

44:
  %45 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 2
  %46 = load i32, ptr %45, align 8
  %47 = sext i32 %46 to i64
  %48 = icmp eq i64 %28, %47
  br i1 %48, label %49, label %524

49:
  %50 = getelementptr inbounds %struct.ArrayObject, ptr %24, i64 0, i32 7
  %51 = load i32, ptr %50, align 8
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds %struct.Parameter, ptr %20, i64 0, i32 6
  %54 = load i64, ptr %53, align 8
  %55 = and i64 %54, %52
  %56 = icmp eq i64 %55, %54
  br i1 %56, label %57, label %524

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
  br i1 %77, label %524, label %124

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
  br i1 %145, label %147, label %524

146:
  br i1 %133, label %147, label %524

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
  br i1 %156, label %191, label %524

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
  br i1 %167, label %168, label %524

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
  br label %524

180:
  %181 = icmp eq ptr %24, @_Py_TrueStruct
  %182 = zext i1 %181 to i64
  store i64 %182, ptr %160, align 8
  %183 = icmp eq ptr %24, @_Py_FalseStruct
  %184 = or i1 %181, %183
  br i1 %184, label %191, label %524

185:
  %186 = call i64 @PyLong_AsLongLongAndOverflow(ptr %24, ptr %5)
  store i64 %186, ptr %160, align 8
  %187 = load i32, ptr %5, align 4
  %188 = icmp eq i32 %187, 0
  br i1 %188, label %189, label %524

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
  br i1 %278, label %279, label %524

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
  br i1 %318, label %524, label %280

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
  br i1 %325, label %328, label %524

328:
  %329 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 4
  %330 = load i64, ptr %329, align 8
  %331 = shl i64 %330, 3
  %332 = alloca i8, i64 %331, align 16
  %333 = shl i64 %330, 4
  %334 = alloca i8, i64 %333, align 16
  %335 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 10
  %336 = load i64, ptr %335, align 8
  %337 = add i64 %336, 1
  store i64 %337, ptr %335, align 8
  %338 = icmp slt i64 %330, 1
  br i1 %338, label %385, label %339

339:
  %340 = getelementptr %struct.Plan, ptr %281, i64 1
  %341 = load i64, ptr %281, align 8
  %342 = getelementptr %struct.Parameter, ptr %340, i64 %341
  br label %343

343:
  %344 = phi i64 [ %381, %378 ], [ 0, %339 ]
  %345 = phi ptr [ %382, %378 ], [ %342, %339 ]
  %346 = getelementptr inbounds %struct.Allocation, ptr %345, i64 0, i32 3
  %347 = load i64, ptr %346, align 8
  %348 = getelementptr i64, ptr %12, i64 %347
  %349 = getelementptr ptr, ptr %332, i64 %344
  store ptr null, ptr %349, align 8
  %350 = load i64, ptr %345, align 8
  %351 = icmp eq i64 %350, 0
  br i1 %351, label %354, label %352

352:
  %353 = getelementptr %struct.Cell, ptr %334, i64 %344
  br label %378

354:
  %355 = getelementptr inbounds %struct.Allocation, ptr %345, i64 0, i32 2
  %356 = load ptr, ptr %355, align 8
  call void @Py_IncRef(ptr %356)
  %357 = getelementptr inbounds %struct.Allocation, ptr %345, i64 0, i32 1
  %358 = load i64, ptr %357, align 8
  %359 = trunc i64 %358 to i32
  %360 = getelementptr i64, ptr %348, i64 1
  %361 = load ptr, ptr %355, align 8
  %362 = call ptr @jitmdh_array_empty(i32 %359, ptr %360, ptr %361, i32 0)
  store ptr %362, ptr %349, align 8
  %363 = icmp eq ptr %362, null
  br i1 %363, label %364, label %375

364:
  %365 = icmp eq i64 %344, 0
  br i1 %365, label %520, label %366

366:
  %367 = phi i64 [ %373, %372 ], [ 0, %364 ]
  %368 = getelementptr ptr, ptr %332, i64 %367
  %369 = load ptr, ptr %368, align 8
  %370 = icmp eq ptr %369, null
  br i1 %370, label %372, label %371

371:
  call void @Py_DecRef(ptr %369)
  br label %372

372:
  %373 = add nuw nsw i64 %367, 1
  %374 = icmp eq i64 %373, %344
  br i1 %374, label %520, label %366

375:
  %376 = getelementptr inbounds %struct.ArrayObject, ptr %362, i64 0, i32 1
  %377 = load ptr, ptr %376, align 8
  br label %378

378:
  %379 = phi ptr [ %353, %352 ], [ %377, %375 ]
  %380 = ptrtoint ptr %379 to i64
  store i64 %380, ptr %348, align 8
  %381 = add nuw nsw i64 %344, 1
  %382 = getelementptr %struct.Allocation, ptr %345, i64 1
  %383 = load i64, ptr %329, align 8
  %384 = icmp slt i64 %381, %383
  br i1 %384, label %343, label %385

385:
  %386 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 11
  %387 = load ptr, ptr %386, align 8
  %388 = icmp eq ptr %387, null
  br i1 %388, label %396, label %389

389:
  %390 = getelementptr inbounds %struct.Trial, ptr %387, i64 0, i32 9
  %391 = load i64, ptr %390, align 8
  %392 = add i64 %391, -1
  store i64 %392, ptr %390, align 8
  %393 = icmp slt i64 %392, 0
  br i1 %393, label %394, label %396

394:
  %395 = call fastcc i64 @run_timed(ptr %281, ptr %387, ptr %12)
  br label %409

396:
  %397 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 8
  %398 = load i64, ptr %397, align 8
  %399 = icmp eq i64 %398, 0
  br i1 %399, label %400, label %404

400:
  %401 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 1
  %402 = load ptr, ptr %401, align 8
  %403 = call i64 %402(ptr %12)
  br label %409

404:
  %405 = call ptr @PyEval_SaveThread()
  %406 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 1
  %407 = load ptr, ptr %406, align 8
  %408 = call i64 %407(ptr %12)
  call void @PyEval_RestoreThread(ptr %405)
  br label %409

409:
  %410 = phi i64 [ %395, %394 ], [ %408, %404 ], [ %403, %400 ]
  %411 = icmp eq i64 %410, 0
  switch i64 %410, label %412 [
    i64 4611686018427387904, label %417
    i64 0, label %417
  ]

412:
  %413 = shl i64 %410, 8
  %414 = or i64 %413, 4
  %415 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 12
  %416 = load ptr, ptr %415, align 8
  store ptr %416, ptr %3, align 8
  call void @Py_IncRef(ptr %416)
  br label %507

417:
  %418 = load i64, ptr %329, align 8
  %419 = icmp slt i64 %418, 1
  br i1 %419, label %460, label %420

420:
  %421 = getelementptr %struct.Plan, ptr %281, i64 1
  %422 = load i64, ptr %281, align 8
  %423 = getelementptr %struct.Parameter, ptr %421, i64 %422
  br label %424

424:
  %425 = phi i64 [ %456, %455 ], [ 0, %420 ]
  %426 = phi ptr [ %457, %455 ], [ %423, %420 ]
  %427 = load i64, ptr %426, align 8
  %428 = icmp eq i64 %427, 0
  br i1 %428, label %455, label %429

429:
  %430 = getelementptr %struct.Cell, ptr %334, i64 %425
  switch i64 %427, label %447 [
    i64 2, label %431
    i64 3, label %434
    i64 4, label %437
    i64 5, label %442
  ]

431:
  %432 = load double, ptr %430, align 16
  %433 = call ptr @PyFloat_FromDouble(double %432)
  br label %451

434:
  %435 = load i64, ptr %430, align 16
  %436 = call ptr @PyLong_FromLongLong(i64 %435)
  br label %451

437:
  %438 = load i8, ptr %430, align 16
  %439 = icmp eq i8 %438, 0
  %440 = select i1 %439, ptr @_Py_FalseStruct, ptr @_Py_TrueStruct
  call void @Py_IncRef(ptr %440)
  %441 = getelementptr ptr, ptr %332, i64 %425
  store ptr %440, ptr %441, align 8
  br label %455

442:
  %443 = load double, ptr %430, align 16
  %444 = getelementptr double, ptr %430, i64 1
  %445 = load double, ptr %444, align 8
  %446 = call ptr @PyComplex_FromDoubles(double %443, double %445)
  br label %451

447:
  %448 = getelementptr inbounds %struct.Allocation, ptr %426, i64 0, i32 2
  %449 = load ptr, ptr %448, align 8
  %450 = call ptr @jitmdh_array_scalar(ptr %430, ptr %449, ptr null)
  br label %451

451:
  %452 = phi ptr [ %450, %447 ], [ %446, %442 ], [ %436, %434 ], [ %433, %431 ]
  %453 = getelementptr ptr, ptr %332, i64 %425
  store ptr %452, ptr %453, align 8
  %454 = icmp eq ptr %452, null
  br i1 %454, label %502, label %455

455:
  %456 = add nuw nsw i64 %425, 1
  %457 = getelementptr %struct.Allocation, ptr %426, i64 1
  %458 = load i64, ptr %329, align 8
  %459 = icmp slt i64 %456, %458
  br i1 %459, label %424, label %460

460:
  %461 = phi i64 [ %418, %417 ], [ %458, %455 ]
  %462 = getelementptr %struct.Plan, ptr %281, i64 1
  %463 = load i64, ptr %281, align 8
  %464 = getelementptr %struct.Parameter, ptr %462, i64 %463
  %465 = getelementptr %struct.Allocation, ptr %464, i64 %461
  %466 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 5
  %467 = load i64, ptr %466, align 8
  %468 = icmp slt i64 %467, 0
  br i1 %468, label %469, label %470

469:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  br label %502

470:
  %471 = getelementptr inbounds %struct.Plan, ptr %281, i64 0, i32 6
  %472 = load i64, ptr %471, align 8
  %473 = icmp eq i64 %472, 0
  br i1 %473, label %474, label %482

474:
  %475 = load i64, ptr %465, align 8
  %476 = icmp eq i64 %475, 0
  %477 = select i1 %476, ptr %1, ptr %332
  %478 = getelementptr inbounds %struct.Result, ptr %465, i64 0, i32 1
  %479 = load i64, ptr %478, align 8
  %480 = getelementptr ptr, ptr %477, i64 %479
  %481 = load ptr, ptr %480, align 8
  call void @Py_IncRef(ptr %481)
  br label %502

482:
  %483 = call ptr @PyTuple_New(i64 %467)
  %484 = icmp eq ptr %483, null
  br i1 %484, label %502, label %485

485:
  %486 = load i64, ptr %466, align 8
  %487 = icmp sgt i64 %486, 0
  br i1 %487, label %488, label %502

488:
  %489 = phi i64 [ %499, %488 ], [ 0, %485 ]
  %490 = getelementptr %struct.Result, ptr %465, i64 %489
  %491 = load i64, ptr %490, align 8
  %492 = icmp eq i64 %491, 0
  %493 = select i1 %492, ptr %1, ptr %332
  %494 = getelementptr inbounds %struct.Result, ptr %490, i64 0, i32 1
  %495 = load i64, ptr %494, align 8
  %496 = getelementptr ptr, ptr %493, i64 %495
  %497 = load ptr, ptr %496, align 8
  call void @Py_IncRef(ptr %497)
  %498 = call i32 @PyTuple_SetItem(ptr %483, i64 %489, ptr %497)
  %499 = add nuw nsw i64 %489, 1
  %500 = load i64, ptr %466, align 8
  %501 = icmp slt i64 %499, %500
  br i1 %501, label %488, label %502

502:
  %503 = phi ptr [ @_Py_NoneStruct, %469 ], [ %481, %474 ], [ null, %482 ], [ %483, %485 ], [ %483, %488 ], [ null, %451 ]
  store ptr %503, ptr %3, align 8
  %504 = icmp eq ptr %503, null
  %505 = select i1 %411, i64 0, i64 256
  %506 = select i1 %504, i64 2, i64 %505
  br label %507

507:
  %508 = phi i64 [ %414, %412 ], [ %506, %502 ]
  %509 = load i64, ptr %329, align 8
  %510 = icmp sgt i64 %509, 0
  br i1 %510, label %511, label %520

511:
  %512 = phi i64 [ %518, %517 ], [ 0, %507 ]
  %513 = getelementptr ptr, ptr %332, i64 %512
  %514 = load ptr, ptr %513, align 8
  %515 = icmp eq ptr %514, null
  br i1 %515, label %517, label %516

516:
  call void @Py_DecRef(ptr %514)
  br label %517

517:
  %518 = add nuw nsw i64 %512, 1
  %519 = icmp eq i64 %518, %509
  br i1 %519, label %520, label %511

520:
  %521 = phi i64 [ 2, %364 ], [ %508, %507 ], [ %508, %517 ], [ 2, %372 ]
  %522 = load i64, ptr %335, align 8
  %523 = add i64 %522, -1
  store i64 %523, ptr %335, align 8
  br label %524

524:
  %525 = phi i64 [ 1, %4 ], [ %521, %520 ], [ %327, %323 ], [ 1, %277 ], [ 1, %179 ], [ 1, %315 ], [ 1, %180 ], [ 1, %155 ], [ 1, %185 ], [ 1, %49 ], [ 1, %44 ], [ 1, %40 ], [ 1, %25 ], [ 1, %73 ], [ 1, %141 ], [ 1, %146 ], [ 1, %161 ]
  ret i64 %525
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
  br i1 %148, label %164, label %163

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
  br label %164

163:
  store i64 9223372036854775807, ptr %146, align 8
  br label %164

164:
  %165 = phi i64 [ 4611686018427387904, %163 ], [ %63, %160 ], [ 0, %142 ]
  ret i64 %165
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
