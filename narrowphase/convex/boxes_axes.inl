// Pairs of boxes in BOX_LANES lanes: faces, crossings of edges, and which axis is the normal. After pair_lanes.inl, included once by
// quick_boxes.c (one lane) and by boxes_kernel.c (sixteen), which therefore give the same bytes; without an include guard.
//
// Faces in float, with a bound for the error: most pairs of a broad phase end there. What is near is measured along
// the axes that matter in double: every separation that decides is that of the boxes' true extents along some
// direction, or is loosened by what the formula leaves out of a basis that is not quite square.

// With one lane what is not needed is skipped; with more some lane nearly always needs it, and a branch would only be missed.
#define BOX_IS_NONE(mask) (BOX_LANES == 1 && !M(Any)(mask))

// 0: A, 1: B.
typedef struct BoxLanes {
    Floats half[2][3];
    Floats axes[2][3][3]; // [box][column][coordinate]
    Floats cosines[3][3]; // of A's axes (first) and B's
    Floats sizes[3][3];   // without signs
    Floats gaps[2][3];    // `between` along the axes
    Floats reaches[2][3]; // of both boxes along them
    Floats faceTop;       // the largest separation of a face
    Floats centerSum;     // the sizes of the middles' coordinates in their shapes
    Doubles base[3];      // the origin of pose A; what follows is relative to it
    Doubles originB[3];
    Doubles middle[2][3];
    Doubles between[3]; // from A's middle to B's
    Mask isNear;        // no face separates by more than the margin
} BoxLanes;

// What more is to be known of boxes that are near.
typedef struct BoxScale {
    Doubles axes[2][3][3], half[2][3];
    Doubles margin, sizeSum;
    Doubles preference;
    Doubles slack;
    Doubles rounding; // of all lengths in double
    Doubles error;    // of the axes: of `top`
    Doubles allowed;  // by which crossings that were left out may be better than `top`
} BoxScale;

// ------------------------------------------------------------------------------------------------- small things

// Which of three: none of both is the first.
typedef struct Pick {
    Mask isSecond, isThird;
} Pick;

GRZ_SIMD_INLINE Pick pickOf(Ints index) {
    return (Pick){I(Equal)(index, I(Set1)(1)), I(Equal)(index, I(Set1)(2))};
}

GRZ_SIMD_INLINE Floats pickFloats(Pick pick, Floats first, Floats second, Floats third) {
    return F(Select)(pick.isThird, third, F(Select)(pick.isSecond, second, first));
}

GRZ_SIMD_INLINE Doubles pickDoubles(Pick pick, Doubles first, Doubles second, Doubles third) {
    return D(Select)(pick.isThird, third, D(Select)(pick.isSecond, second, first));
}

// Floats that are not above, or not below, the doubles; off by two roundings at most.
GRZ_SIMD_INLINE Floats roundOf(Doubles a) {
    return F(Add)(F(Mul)(F(Abs)(D(ToFloat)(a)), F(Set1)(0x1p-22f)), F(Set1)(0x1p-126f));
}

GRZ_SIMD_INLINE Floats lowerFloats(Doubles a) {
    return F(Sub)(D(ToFloat)(a), roundOf(a));
}

GRZ_SIMD_INLINE Floats upperFloats(Doubles a) {
    return F(Add)(D(ToFloat)(a), roundOf(a));
}

// quick_box.h
GRZ_SIMD_INLINE Doubles inverseLength(const Doubles a[3]) {
    Doubles x = D(Sub)(dotDoubles(a, a), D(Set1)(1));
    return D(Sub)(D(Set1)(1), D(Mul)(x, D(Sub)(D(Set1)(0.5), D(Mul)(D(Set1)(0.375), x))));
}

// -------------------------------------------------------------------------------------------------------- faces

GRZ_SIMD_INLINE void loadBoxes(const PairInput* in, BoxLanes* lanes) {
    Floats origins[2][3], centers[2][3];
    for (int side = 0; side < 2; ++side) {
        loadShapes(in, side, false, centers[side]);
        loadShapes(in, side, true, lanes->half[side]);
        for (int k = 0; k < 3; ++k)
            loadPoses(in, side, k, lanes->axes[side][k]);
        loadPoses(in, side, 3, origins[side]);
    }
    lanes->centerSum = F(Zero)();
    for (int i = 0; i < 3; ++i) {
        lanes->base[i] = D(FromFloat)(origins[0][i]);
        lanes->originB[i] = D(Sub)(D(FromFloat)(origins[1][i]), lanes->base[i]);
        lanes->centerSum = F(Add)(lanes->centerSum, F(Add)(F(Abs)(centers[0][i]), F(Abs)(centers[1][i])));
    }
    const Doubles zero[3] = {D(Zero)(), D(Zero)(), D(Zero)()};
    placeMiddle(in, 0, centers[0], zero, lanes->middle[0]);
    placeMiddle(in, 1, centers[1], lanes->originB, lanes->middle[1]);
    for (int i = 0; i < 3; ++i)
        lanes->between[i] = D(Sub)(lanes->middle[1][i], lanes->middle[0][i]);
}

GRZ_SIMD_INLINE void measureFaces(const PairInput* in, BoxLanes* lanes) {
    Floats between[3], all = F(Zero)();
    for (int i = 0; i < 3; ++i) {
        between[i] = D(ToFloat)(lanes->between[i]);
        Floats halves = F(Add)(lanes->half[0][i], lanes->half[1][i]);
        all = F(Add)(all, F(Add)(F(Abs)(between[i]), F(Add)(halves, halves)));
    }
    for (int i = 0; i < 3; ++i) {
        lanes->gaps[0][i] = dotFloats(lanes->axes[0][i], between);
        lanes->gaps[1][i] = dotFloats(lanes->axes[1][i], between);
        for (int j = 0; j < 3; ++j) {
            lanes->cosines[i][j] = dotFloats(lanes->axes[0][i], lanes->axes[1][j]);
            lanes->sizes[i][j] = F(Abs)(lanes->cosines[i][j]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        const Floats column[3] = {lanes->sizes[0][i], lanes->sizes[1][i], lanes->sizes[2][i]};
        lanes->reaches[0][i] = F(Add)(lanes->half[0][i], dotFloats(lanes->sizes[i], lanes->half[1]));
        lanes->reaches[1][i] = F(Add)(lanes->half[1][i], dotFloats(column, lanes->half[0]));
    }
    lanes->faceTop = F(Set1)(-(float)INFINITY);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i)
            lanes->faceTop = F(Max)(F(Sub)(F(Abs)(lanes->gaps[side][i]), lanes->reaches[side][i]), lanes->faceTop);
    Floats error = F(Mul)(F(Set1)((float)FLOAT_ERROR + 2 * QUICK_MOST_DEFECT), all);
    lanes->isNear = F(LessEqual)(lanes->faceTop, F(Add)(F(Load)(in->margins), error));
}

GRZ_SIMD_INLINE Doubles lengthOf(const Doubles a[3]) {
    return D(Sqrt)(dotDoubles(a, a));
}

GRZ_SIMD_INLINE Doubles sumOf(const Doubles a[3]) {
    return D(Add)(D(Add)(D(Abs)(a[0]), D(Abs)(a[1])), D(Abs)(a[2]));
}

// `isThorough`: no crossing is left out but by rounding.
GRZ_SIMD_INLINE void prepare(const PairInput* in, const BoxLanes* lanes, bool isThorough, BoxScale* scale) {
    Floats sum = lanes->centerSum;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
            scale->half[side][k] = D(FromFloat)(lanes->half[side][k]);
            sum = F(Add)(sum, lanes->half[side][k]);
            for (int i = 0; i < 3; ++i)
                scale->axes[side][k][i] = D(FromFloat)(lanes->axes[side][k][i]);
        }
    Doubles sizeA = D(Mul)(D(Set1)(2), lengthOf(scale->half[0]));
    Doubles sizeB = D(Mul)(D(Set1)(2), lengthOf(scale->half[1])), smaller = D(Min)(sizeA, sizeB);
    Doubles reach = D(Add)(sumOf(lanes->originB), D(Mul)(D(Set1)(4), D(FromFloat)(sum)));
    Doubles defectSq = D(FromFloat)(F(Load)(in->defectSq));
    Doubles defect = D(Add)(D(Sqrt)(D(Mul)(D(Set1)(2), defectSq)), D(Set1)(0x1p-21));
    scale->margin = D(FromFloat)(F(Load)(in->margins));
    scale->sizeSum = D(Add)(sizeA, sizeB);
    scale->preference = D(Mul)(D(Set1)(PREFERENCE), smaller);
    scale->slack = D(Mul)(D(Set1)(RIM_SLACK), smaller);
    scale->rounding = D(Mul)(D(Set1)(0x1p-46), reach);
    scale->error = D(Mul)(D(Set1)(FLOAT_ERROR), D(Add)(scale->sizeSum, sumOf(lanes->between)));
    scale->error = D(Add)(addScaled(scale->error, defect, scale->sizeSum), scale->rounding);
    scale->allowed = isThorough ? scale->error : D(Mul)(D(Set1)(ALLOWED_PART), scale->preference);
}

// ----------------------------------------------------------------------------------------------- along an axis

// An axis taken for the normal.
typedef struct BoxAxis {
    Mask isCrossing, isA; // the reference is A
    Ints face;            // of the reference
    Doubles normal[3];    // unit, from A to B
    Doubles along[2][3];  // the boxes' axes along the normal
    Doubles extents[2], gap, separation;
} BoxAxis;

// Sets what follows from the normal: the boxes' true extents along it.
GRZ_SIMD_INLINE void measureAlong(const BoxLanes* lanes, const BoxScale* scale, BoxAxis* axis) {
    for (int side = 0; side < 2; ++side) {
        axis->extents[side] = D(Zero)();
        for (int k = 0; k < 3; ++k) {
            axis->along[side][k] = dotDoubles(axis->normal, scale->axes[side][k]);
            axis->extents[side] =
                addScaled(axis->extents[side], scale->half[side][k], D(Abs)(axis->along[side][k]));
        }
    }
    axis->gap = dotDoubles(axis->normal, lanes->between);
    axis->separation = D(Sub)(D(Sub)(axis->gap, axis->extents[0]), axis->extents[1]);
}

// ---------------------------------------------------------------------------------------------------- crossings

// The best axis.
typedef struct BoxTop {
    Doubles top;
    Doubles crossing[3]; // of `top`, where that is more than faceTop: unit, from A to B
    Ints axes[2];        // that cross
} BoxTop;

// By how much each crossing separates, at most; -INFINITY where it is no better than the faces by more than is allowed.
typedef struct Crossings {
    Floats most[9]; // A's axis i and B's axis j: 3 * j + i
} Crossings;

// For n = a_i x b_j, n.a_k is +- a_l.b_j for the axes k, l other than i, and likewise for b. An axis as long as `length`
// <= 1 separates by sum / length; where no sum is above the best so far, or 0, nothing need be divided.
//
// Crossings of axes along each other may be left out, too: where the sine of the angle between them is x they can be no
// better than a face by more than x times the sizes. For turned by that much the two would be parallel, and boxes with
// parallel edges need no crossing of them.
GRZ_SIMD_INLINE bool boundCrossings(const BoxLanes* lanes, const BoxScale* scale, Crossings* crossings) {
    const Floats zero = F(Zero)(), none = F(Set1)(-(float)INFINITY), error = upperFloats(scale->error);
    Doubles most = D(Add)(D(FromFloat)(lanes->faceTop), scale->allowed);
    Floats least = F(Min)(lowerFloats(most), zero);
    Floats sine = F(Sub)(lowerFloats(D(Div)(scale->allowed, scale->sizeSum)), F(Set1)(0x1p-21f));
    Floats flat = F(Mul)(F(Mul)(sine, F(Max)(sine, zero)), F(Set1)(1 - 0x1p-22f));
    bool isAny = false;
    for (int j = 0; j < 3; ++j) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            Floats one = lanes->sizes[i1][j], two = lanes->sizes[i2][j];
            Floats gap = F(Abs)(F(Sub)(F(Mul)(lanes->cosines[i1][j], lanes->gaps[0][i2]),
                                       F(Mul)(lanes->cosines[i2][j], lanes->gaps[0][i1])));
            Floats reach = F(Add)(F(Mul)(lanes->half[0][i1], two), F(Mul)(lanes->half[0][i2], one));
            reach = F(Add)(reach, F(Mul)(lanes->half[1][j1], lanes->sizes[i][j2]));
            reach = F(Add)(reach, F(Mul)(lanes->half[1][j2], lanes->sizes[i][j1]));
            Floats sum = F(Add)(F(Sub)(gap, reach), error);
            Floats lengthSq = F(Add)(F(Mul)(one, one), F(Mul)(two, two));
            Mask isOpen = M(And)(F(Greater)(sum, least), F(Greater)(lengthSq, flat));
            crossings->most[3 * j + i] = none;
            if (!M(Any)(isOpen))
                continue;
            Floats room = F(Select)(F(Less)(sum, zero), F(Set1)(0x1p-21f), F(Set1)(-0x1p-21f));
            Floats length = F(Add)(F(Sqrt)(lengthSq), room); // to 2^-21
            Floats bound = F(Div)(sum, length);
            bound = F(Add)(bound, F(Mul)(F(Abs)(bound), F(Set1)(0x1p-22f)));
            bound = F(Select)(F(Greater)(length, zero), bound, F(Set1)((float)INFINITY));
            crossings->most[3 * j + i] = F(Select)(isOpen, bound, none);
            isAny = true;
        }
    }
    return isAny;
}

GRZ_SIMD_INLINE void crossAxes(const BoxScale* scale, Pick pickA, Pick pickB, Doubles n[3]) {
    Doubles a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = pickDoubles(pickA, scale->axes[0][0][k], scale->axes[0][1][k], scale->axes[0][2][k]);
        b[k] = pickDoubles(pickB, scale->axes[1][0][k], scale->axes[1][1][k], scale->axes[1][2][k]);
    }
    n[0] = D(Sub)(D(Mul)(a[1], b[2]), D(Mul)(a[2], b[1]));
    n[1] = D(Sub)(D(Mul)(a[2], b[0]), D(Mul)(a[0], b[2]));
    n[2] = D(Sub)(D(Mul)(a[0], b[1]), D(Mul)(a[1], b[0]));
}

// Which crossing has the greatest bound: the axis of A, and four times that of B.
GRZ_SIMD_INLINE Ints greatestBound(const Crossings* crossings) {
    Floats most[3];
    Ints at[3];
    for (int j = 0; j < 3; ++j) {
        most[j] = crossings->most[3 * j];
        at[j] = I(Set1)(4 * j);
        for (int i = 1; i < 3; ++i) {
            Mask isMore = F(Greater)(crossings->most[3 * j + i], most[j]);
            most[j] = F(Max)(crossings->most[3 * j + i], most[j]);
            at[j] = I(Select)(isMore, I(Set1)(4 * j + i), at[j]);
        }
    }
    Mask isMore = F(Greater)(most[1], most[0]);
    Ints best = I(Select)(isMore, at[1], at[0]);
    isMore = F(Greater)(most[2], F(Max)(most[1], most[0]));
    return I(Select)(isMore, at[2], best);
}

// Drops crossings that cannot be better than the best by more than is allowed. Returns the lanes that have others.
GRZ_SIMD_INLINE Mask dropCrossings(const BoxTop* best, const BoxScale* scale, Crossings* crossings) {
    const Floats least = lowerFloats(D(Add)(best->top, scale->allowed)), none = F(Set1)(-(float)INFINITY);
    Mask isOpen = M(FromBits)(0);
    for (int k = 0; k < 9; ++k) {
        const Mask isHigh = F(Greater)(crossings->most[k], least);
        crossings->most[k] = F(Select)(isHigh, crossings->most[k], none);
        isOpen = M(Or)(isOpen, isHigh);
    }
    return isOpen;
}

// Measures the crossing that is bounded by most in every lane, until none is left that may be better by more than is
// allowed: in nearly all lanes the first is the best.
GRZ_SIMD_PART void findTop(const BoxLanes* lanes, const BoxScale* scale, BoxTop* best) {
    Crossings crossings;
    best->top = D(FromFloat)(lanes->faceTop);
    best->axes[0] = best->axes[1] = I(Set1)(0);
    for (int k = 0; k < 3; ++k)
        best->crossing[k] = D(Zero)();
    if (!boundCrossings(lanes, scale, &crossings))
        return;
    for (;;) {
        const Mask isOpen = M(And)(lanes->isNear, dropCrossings(best, scale, &crossings));
        if (!M(Any)(isOpen))
            return;
        const Ints at = greatestBound(&crossings);
        BoxAxis axis;
        Doubles n[3];
        Ints axisA = I(And)(at, I(Set1)(3)), axisB = I(ShiftRight)(at, 2);
        crossAxes(scale, pickOf(axisA), pickOf(axisB), n);
        Mask isBack = D(Less)(dotDoubles(n, lanes->between), D(Zero)());
        Doubles toUnit = D(Div)(signOf(M(Not)(isBack)), lengthOf(n));
        for (int k = 0; k < 3; ++k)
            axis.normal[k] = D(Mul)(n[k], toUnit);
        measureAlong(lanes, scale, &axis);
        Mask isBetter = M(And)(isOpen, D(Greater)(axis.separation, best->top));
        best->top = D(Select)(isBetter, axis.separation, best->top);
        best->axes[0] = I(Select)(isBetter, axisA, best->axes[0]);
        best->axes[1] = I(Select)(isBetter, axisB, best->axes[1]);
        for (int k = 0; k < 3; ++k)
            best->crossing[k] = D(Select)(isBetter, axis.normal[k], best->crossing[k]);
        for (int k = 0; k < 9; ++k) {
            const Mask isDone = I(Equal)(at, I(Set1)(k % 3 | k / 3 << 2));
            crossings.most[k] = F(Select)(isDone, F(Set1)(-(float)INFINITY), crossings.most[k]);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- choice

// The first face that separates by `least` or more; 6 if none does. `sign`: 1 for A, whose gaps point to B, else -1.
GRZ_SIMD_INLINE Ints firstFace(const BoxLanes* lanes, int side, Floats least) {
    Ints face = I(Set1)(6);
    for (int k = 5; k >= 0; --k) {
        Floats gap = lanes->gaps[side][k >> 1];
        gap = (k & 1) == (side == 0) ? gap : F(Negate)(gap);
        Mask isEnough = F(GreaterEqual)(F(Sub)(gap, lanes->reaches[side][k >> 1]), least);
        face = I(Select)(isEnough, I(Set1)(k), face);
    }
    return face;
}

GRZ_SIMD_INLINE Mask isOdd(Ints a) {
    return I(Equal)(I(And)(a, I(Set1)(1)), I(Set1)(1));
}

// How far it points along a direction to which no vector of small whole numbers is square: convex_axes.h.
GRZ_SIMD_INLINE Doubles alongDirection(const Doubles a[3]) {
    const Doubles direction[3] = {D(Set1)(1), D(Set1)(1.4142135623730951), D(Set1)(1.7320508075688772)};
    return dotDoubles(a, direction);
}

GRZ_SIMD_INLINE void pickColumn(const BoxScale* scale, int side, Pick pick, Doubles column[3]) {
    for (int i = 0; i < 3; ++i)
        column[i] = pickDoubles(pick, scale->axes[side][0][i], scale->axes[side][1][i], scale->axes[side][2][i]);
}

// Of all faces that are worse than the best axis by no more than `preference` the first, else the crossing.
GRZ_SIMD_PART void chooseAxis(const BoxLanes* lanes, const BoxScale* scale, const BoxTop* best, Doubles preference,
                              BoxAxis* axis) {
    Doubles least = D(Sub)(best->top, preference), columns[2][3];
    axis->isCrossing = D(Greater)(least, D(FromFloat)(lanes->faceTop));
    Floats rounded = F(Min)(D(ToFloat)(least), lanes->faceTop);
    Ints faces[2];
    for (int side = 0; side < 2; ++side) {
        faces[side] = firstFace(lanes, side, rounded);
        pickColumn(scale, side, pickOf(I(ShiftRight)(faces[side], 1)), columns[side]);
    }
    axis->isA = I(Less)(faces[0], faces[1]);
    Mask isEqual = M(AndNot)(I(Equal)(faces[0], faces[1]), axis->isCrossing);
    if (M(Any)(isEqual)) { // of one index, so of one sign
        Doubles a = alongDirection(columns[0]), b = alongDirection(columns[1]);
        Mask isUpper = isOdd(faces[0]);
        Mask isFirst = M(Or)(M(And)(isUpper, D(GreaterEqual)(a, b)), M(AndNot)(D(GreaterEqual)(b, a), isUpper));
        axis->isA = M(Or)(axis->isA, M(And)(isEqual, isFirst));
    }
    axis->isA = M(Or)(axis->isA, axis->isCrossing);
    axis->face = I(Min)(I(Select)(axis->isA, faces[0], faces[1]), I(Set1)(5)); // a crossing has none
    Doubles n[3];
    for (int i = 0; i < 3; ++i)
        n[i] = D(Select)(axis->isA, columns[0][i], columns[1][i]);
    Mask isOutward = M(Not)(M(Xor)(isOdd(axis->face), axis->isA));
    Doubles toUnit = D(Mul)(signOf(isOutward), inverseLength(n));
    for (int i = 0; i < 3; ++i)
        axis->normal[i] = D(Select)(axis->isCrossing, best->crossing[i], D(Mul)(n[i], toUnit));
    measureAlong(lanes, scale, axis);
}

// The face of a box that is turned most against a direction, given as cosines with its axes; of several the first.
GRZ_SIMD_INLINE Ints facingFace(const Doubles cosines[3], Doubles* size) {
    Mask isSecond = D(Greater)(D(Abs)(cosines[1]), D(Abs)(cosines[0]));
    Doubles most = D(Select)(isSecond, cosines[1], cosines[0]);
    Mask isThird = D(Greater)(D(Abs)(cosines[2]), D(Abs)(most));
    most = D(Select)(isThird, cosines[2], most);
    Ints face = I(Select)(isThird, I(Set1)(4), I(Select)(isSecond, I(Set1)(2), I(Set1)(0)));
    *size = D(Abs)(most);
    return I(Select)(D(Less)(most, D(Zero)()), I(Add)(face, I(Set1)(1)), face);
}

// In lanes of `isWanted` takes for the reference the face that the normal meets, if any: of two the first. Returns where
// there is one.
GRZ_SIMD_PART Mask findMetFace(Mask isWanted, BoxAxis* axis) {
    Doubles back[3], cosineA, cosineB;
    for (int k = 0; k < 3; ++k)
        back[k] = D(Negate)(axis->along[0][k]);
    Ints a = facingFace(back, &cosineA), b = facingFace(axis->along[1], &cosineB);
    Mask meetsA = D(GreaterEqual)(cosineA, D(Set1)(FACE_COSINE));
    Mask meetsB = D(GreaterEqual)(cosineB, D(Set1)(FACE_COSINE));
    Mask isFirst = M(And)(I(Equal)(a, b), D(GreaterEqual)(alongDirection(axis->normal), D(Zero)()));
    isFirst = M(Or)(isFirst, I(Less)(a, b));
    Mask isA = M(And)(meetsA, M(Or)(isFirst, M(Not)(meetsB)));
    Mask isMet = M(And)(isWanted, M(Or)(meetsA, meetsB));
    axis->isA = M(Or)(M(And)(isMet, isA), M(AndNot)(axis->isA, isMet));
    axis->face = I(Select)(isMet, I(Select)(isA, a, b), axis->face);
    return isMet;
}
