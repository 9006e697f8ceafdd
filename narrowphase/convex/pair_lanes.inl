// Pairs of shapes in BOX_LANES lanes, 1, 4, 8 or 16: the words of the texts that follow, what is loaded, and how manifolds are
// written. Without an include guard.

#define F(Verb) GRZ_SIMD_VERB(F, BOX_LANES, Verb)
#define D(Verb) GRZ_SIMD_VERB(D, BOX_LANES, Verb)
#define I(Verb) GRZ_SIMD_VERB(I, BOX_LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, BOX_LANES, Verb)

typedef GRZ_SIMD_TYPE(F, BOX_LANES) Floats;
typedef GRZ_SIMD_TYPE(D, BOX_LANES) Doubles;
typedef GRZ_SIMD_TYPE(I, BOX_LANES) Ints;
typedef GRZ_SIMD_TYPE(M, BOX_LANES) Mask;

// A pair in every lane; lanes without one repeat another.
typedef struct PairInput {
    const grzConvex* shapes[2][BOX_LANES];
    const grzTransform* poses[2][BOX_LANES];
    grzManifold* manifolds[BOX_LANES];
    float defectSq[BOX_LANES], margins[BOX_LANES];
} PairInput;

GRZ_SIMD_INLINE Floats dotFloats(const Floats a[3], const Floats b[3]) {
    return F(Add)(F(Add)(F(Mul)(a[0], b[0]), F(Mul)(a[1], b[1])), F(Mul)(a[2], b[2]));
}

GRZ_SIMD_INLINE Doubles dotDoubles(const Doubles a[3], const Doubles b[3]) {
    return D(Add)(D(Add)(D(Mul)(a[0], b[0]), D(Mul)(a[1], b[1])), D(Mul)(a[2], b[2]));
}

GRZ_SIMD_INLINE Doubles addScaled(Doubles a, Doubles s, Doubles b) {
    return D(Add)(a, D(Mul)(s, b));
}

// 1 in lanes of the mask, else -1.
GRZ_SIMD_INLINE Doubles signOf(Mask mask) {
    return D(Select)(mask, D(Set1)(1), D(Set1)(-1));
}

// --------------------------------------------------------------------------------------------------- in and out

#if BOX_LANES == 1
GRZ_SIMD_INLINE void loadRows(const float* const rows[1], Floats columns[4]) {
    for (int k = 0; k < 4; ++k)
        columns[k] = F(Load)(rows[0] + k);
}

GRZ_SIMD_INLINE void storeRows(char* const to[1], size_t offset, const Floats columns[4]) {
    for (size_t k = 0; k < 4; ++k)
        memcpy(to[0] + offset + 4 * k, &columns[k], 4);
}
#else
GRZ_SIMD_INLINE void storeFour(char* to, grzF4 row) {
    memcpy(to, &row, sizeof row);
}

#    if BOX_LANES == 4
GRZ_SIMD_INLINE void loadRows(const float* const rows[4], Floats columns[4]) {
    for (int k = 0; k < 4; ++k)
        columns[k] = grzF4_Load(rows[k]);
    grzTransposeBlocks4(columns);
}

GRZ_SIMD_INLINE void storeRows(char* const to[4], size_t offset, const Floats columns[4]) {
    Floats rows[4] = {columns[0], columns[1], columns[2], columns[3]};
    grzTransposeBlocks4(rows);
    for (int k = 0; k < 4; ++k)
        storeFour(to[k] + offset, rows[k]);
}
#    elif BOX_LANES == 8
GRZ_SIMD_INLINE void loadRows(const float* const rows[8], Floats columns[4]) {
    for (int k = 0; k < 4; ++k)
        columns[k] = grzF8_Join(grzF4_Load(rows[k]), grzF4_Load(rows[k + 4]));
    grzTransposeBlocks8(columns);
}

GRZ_SIMD_INLINE void storeRows(char* const to[8], size_t offset, const Floats columns[4]) {
    Floats rows[4] = {columns[0], columns[1], columns[2], columns[3]};
    grzTransposeBlocks8(rows);
    for (int k = 0; k < 4; ++k) {
        storeFour(to[k] + offset, grzF8_Lower(rows[k]));
        storeFour(to[k + 4] + offset, grzF8_Upper(rows[k]));
    }
}
#    else
GRZ_SIMD_INLINE void loadRows(const float* const rows[16], Floats columns[4]) {
    for (int k = 0; k < 4; ++k)
        columns[k] = grzF16_Join(grzF8_Join(grzF4_Load(rows[k]), grzF4_Load(rows[k + 4])),
                                 grzF8_Join(grzF4_Load(rows[k + 8]), grzF4_Load(rows[k + 12])));
    grzTransposeBlocks16(columns);
}

GRZ_SIMD_INLINE void storeRows(char* const to[16], size_t offset, const Floats columns[4]) {
    Floats rows[4] = {columns[0], columns[1], columns[2], columns[3]};
    grzTransposeBlocks16(rows);
    for (int k = 0; k < 4; ++k) {
        grzF8 lower = grzF16_Lower(rows[k]), upper = grzF16_Upper(rows[k]);
        storeFour(to[k] + offset, grzF8_Lower(lower));
        storeFour(to[k + 4] + offset, grzF8_Upper(lower));
        storeFour(to[k + 8] + offset, grzF8_Lower(upper));
        storeFour(to[k + 12] + offset, grzF8_Upper(upper));
    }
}
#    endif
#endif

GRZ_SIMD_INLINE void loadVectors(const float* const rows[BOX_LANES], Floats vector[3]) {
    Floats columns[4];
    loadRows(rows, columns);
    for (int k = 0; k < 3; ++k)
        vector[k] = columns[k];
}

// A vector of the shape, or of the pose (0 .. 2 the columns, 3 the origin), of every lane.
GRZ_SIMD_INLINE void loadShapes(const PairInput* in, int side, bool isHalf, Floats vector[3]) {
    const float* rows[BOX_LANES];
    for (int lane = 0; lane < BOX_LANES; ++lane)
        rows[lane] = isHalf ? &in->shapes[side][lane]->b.x : &in->shapes[side][lane]->a.x;
    loadVectors(rows, vector);
}

GRZ_SIMD_INLINE void loadPoses(const PairInput* in, int side, int row, Floats vector[3]) {
    const float* rows[BOX_LANES];
    for (int lane = 0; lane < BOX_LANES; ++lane)
        rows[lane] = row < 3 ? &(&in->poses[side][lane]->basis.x + row)->x : &in->poses[side][lane]->origin.x;
    loadVectors(rows, vector);
}

// A shape's middle, from its pose's origin `from`: its centre, 0 nearly always, turned and moved.
GRZ_SIMD_INLINE void placeMiddle(const PairInput* in, int side, const Floats center[3], const Doubles from[3],
                                 Doubles middle[3]) {
    const Floats zero = F(Zero)();
    const Mask isOff =
        M(Or)(M(Or)(F(NotEqual)(center[0], zero), F(NotEqual)(center[1], zero)), F(NotEqual)(center[2], zero));
    for (int i = 0; i < 3; ++i)
        middle[i] = from[i];
    if (!M(Any)(isOff))
        return;
    for (int k = 0; k < 3; ++k) {
        Floats column[3];
        loadPoses(in, side, k, column);
        for (int i = 0; i < 3; ++i)
            middle[i] = addScaled(middle[i], D(FromFloat)(center[k]), D(FromFloat)(column[i]));
    }
    for (int i = 0; i < 3; ++i)
        middle[i] = D(Select)(isOff, middle[i], from[i]);
}

// The batch's pairs that are listed, at most as many as there are lanes.
GRZ_SIMD_INLINE void takePairs(const grzConvexBatch* batch, const uint32_t* list, uint32_t count, PairInput* in) {
    for (uint32_t lane = 0; lane < BOX_LANES; ++lane) {
        uint32_t i = list[lane < count ? lane : 0];
        const grzPosedConvex *a = batchBody(batch, batch->pairs[i].a), *b = batchBody(batch, batch->pairs[i].b);
        in->shapes[0][lane] = &a->shape, in->shapes[1][lane] = &b->shape;
        in->poses[0][lane] = &a->pose, in->poses[1][lane] = &b->pose;
        in->defectSq[lane] = a->defectSq + b->defectSq;
        in->margins[lane] = batch->margins[i];
        in->manifolds[lane] = &batch->manifolds[i];
    }
}

// ------------------------------------------------------------------------------------------------------ writing

GRZ_STATIC_ASSERT(sizeof(grzManifoldPoint) == 32 && offsetof(grzManifoldPoint, separation) == 16 &&
                      offsetof(grzManifoldPoint, featureA) == 20 && offsetof(grzManifoldPoint, featureB) == 24,
                  "two rows a point");
GRZ_STATIC_ASSERT(offsetof(grzManifold, normal) == 128 && offsetof(grzManifold, separation) == 144 &&
                      offsetof(grzManifold, pointCount) == 148 && offsetof(grzManifold, certainty) == 152 &&
                      offsetof(grzManifold, measure) == 156 && offsetof(grzManifold, depthError) == 160 &&
                      offsetof(grzManifold, triangleB) == 164 && sizeof(grzManifold) == 168,
                  "three rows for the rest, of which two overlap");

GRZ_SIMD_INLINE void setMasked(Mask mask, Floats values[4]) {
    for (int k = 0; k < 4; ++k)
        values[k] = F(Select)(mask, values[k], F(Zero)());
}

// A float that is not below: the next one, where the nearest is. Of numbers above 0.
GRZ_SIMD_INLINE Floats ceilFloats(Doubles a) {
    Floats nearest = D(ToFloat)(a);
    Ints next = I(Add)(F(AsInt)(nearest), I(Set1)(1));
    return F(Select)(D(Less)(D(FromFloat)(nearest), a), I(AsFloat)(next), nearest);
}

typedef struct HeadLanes {
    Floats separation, measure, depthError;
    Ints certainty, count;
} HeadLanes;

// What follows the points.
GRZ_SIMD_INLINE void writeHeadRows(char* const to[BOX_LANES], Floats normal[4], const HeadLanes* head,
                                   Mask isThere) {
    Floats facts[4] = {head->separation, I(AsFloat)(head->count), I(AsFloat)(head->certainty), head->measure};
    setMasked(isThere, normal);
    setMasked(isThere, facts);
    const Floats depthError = F(Select)(isThere, head->depthError, F(Zero)());
    const Floats rest[4] = {facts[2], facts[3], depthError, I(AsFloat)(I(Set1)((int32_t)GRZ_NO_TRIANGLE))};
    storeRows(to, 128, normal);
    storeRows(to, 144, facts);
    storeRows(to, 152, rest);
}

// Lanes that are not to be written go to waste.
GRZ_SIMD_INLINE void setTargets(const PairInput* in, uint32_t written, grzManifold* waste, char* to[BOX_LANES]) {
    for (uint32_t lane = 0; lane < BOX_LANES; ++lane)
        to[lane] = (char*)((written >> lane & 1) != 0 ? in->manifolds[lane] : waste);
}
