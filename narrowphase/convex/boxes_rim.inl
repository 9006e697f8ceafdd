// Pairs of boxes in BOX_LANES lanes: what of one box's face lies over the other's, and the few points that are kept.
// After boxes_axes.inl, without an include guard.
//
// The incident face is a parallelogram, seen in the directions u and v of the reference face, which is a rectangle.
// What they share has at most twelve corners in fixed slots, so that there is nothing to move:
//
//     0 .. 3    on edge k of the incident face the first place over the rectangle: the edge's first corner, or where
//               a side cuts the edge
//     4 .. 7    the last place on that edge, if a side cuts there
//     8 .. 11   corner k of the rectangle, if it lies under the incident face
//
// A corner is known by its places a and b on the incident face (-1 .. 1 each), in float, and how high it lies is told by
// those two in double. Rounding may lose a corner, or find one twice, only where two are within 1e-6 of each other or of
// a side; that no depth is lost with it is checked afterwards (boxes_settle.inl).

enum { rimCorners = 4, rimSlots = 12 };

// The names of corners: vertex k; edge k cut by side c: 4 + 4 * k + c; corner r of the rectangle: 20 + r.
enum { rimCuts = 4, rimReference = 20, rimCodes = 24 };

// The incident face as the reference face sees it.
typedef struct BoxLoop {
    Ints incident; // the face
    Pick pick;     // its axis
    Mask isUpper;
    Floats u, v;                  // the middle
    Floats alongA[2];             // half a side along, in u and v, for the place a
    Floats alongB[2];             // and b
    Floats halfU, halfV;          // of the reference face
    Floats halfNormal;            // of the reference box, along the face's normal
    Floats side, halfA, halfB;    // of the incident box: to the face (with its sign), along a, along b
    Doubles height, riseA, riseB; // over the reference face: of the middle, and along a and b
} BoxLoop;

typedef struct BoxRim {
    Floats a[rimSlots], b[rimSlots];
    Ints codes[rimSlots];
    Mask isValid[rimSlots];
    Mask isInside[rimCorners]; // corners of the incident face that need no slack
} BoxRim;

// The three values of axes k, k + 1 and k + 2, of an axis that is picked.
GRZ_SIMD_INLINE void turnFloats(Pick pick, const Floats from[3], Floats to[3]) {
    for (int k = 0; k < 3; ++k)
        to[k] = pickFloats(pick, from[k], from[(k + 1) % 3], from[(k + 2) % 3]);
}

GRZ_SIMD_INLINE void swapWhere(Mask mask, Floats* a, Floats* b) {
    Floats first = F(Select)(mask, *b, *a);
    *b = F(Select)(mask, *a, *b);
    *a = first;
}

GRZ_SIMD_PART void setLoop(const BoxLanes* lanes, const BoxAxis* axis, BoxLoop* loop) {
    const Mask isA = axis->isA;
    const Doubles sign = signOf(isA);
    Doubles outward[3], size;
    Floats halves[2][3],
        rows[5][3]; // u or v along the three incident axes, the gap, the half side: by reference axis
    for (int k = 0; k < 3; ++k) {
        outward[k] = D(Mul)(sign, D(Select)(isA, axis->along[1][k], axis->along[0][k]));
        halves[0][k] = F(Select)(isA, lanes->half[0][k], lanes->half[1][k]);
        halves[1][k] = F(Select)(isA, lanes->half[1][k], lanes->half[0][k]);
        for (int j = 0; j < 3; ++j)
            rows[j][k] = F(Select)(isA, lanes->cosines[k][j], lanes->cosines[j][k]);
        rows[3][k] = F(Select)(isA, lanes->gaps[0][k], F(Negate)(lanes->gaps[1][k]));
        rows[4][k] = halves[0][k];
    }
    loop->incident = facingFace(outward, &size);
    loop->isUpper = isOdd(loop->incident);
    loop->pick = pickOf(I(ShiftRight)(loop->incident, 1));
    // A face's directions are the next two axes, in this order where it is the upper one (quick_box.h).
    const Pick face = pickOf(I(ShiftRight)(axis->face, 1));
    const Mask isLower = M(Not)(isOdd(axis->face)), isSwapped = M(Not)(loop->isUpper);
    for (int j = 0; j < 5; ++j) {
        Floats turned[3];
        turnFloats(face, rows[j], turned);
        swapWhere(isLower, &turned[1], &turned[2]);
        for (int k = 0; k < 3; ++k)
            rows[j][k] = turned[k];
    }
    loop->halfNormal = rows[4][0], loop->halfU = rows[4][1], loop->halfV = rows[4][2];
    Floats own[3];
    turnFloats(loop->pick, halves[1], own);
    swapWhere(isSwapped, &own[1], &own[2]);
    loop->side = F(Select)(loop->isUpper, own[0], F(Negate)(own[0]));
    loop->halfA = own[1], loop->halfB = own[2];
    for (int k = 0; k < 2; ++k) {
        const Floats cosines[3] = {rows[0][k + 1], rows[1][k + 1], rows[2][k + 1]};
        Floats turned[3];
        turnFloats(loop->pick, cosines, turned);
        swapWhere(isSwapped, &turned[1], &turned[2]);
        Floats middle = F(Add)(rows[3][k + 1], F(Mul)(loop->side, turned[0]));
        if (k == 0)
            loop->u = middle;
        else
            loop->v = middle;
        loop->alongA[k] = F(Mul)(own[1], turned[1]);
        loop->alongB[k] = F(Mul)(own[2], turned[2]);
    }
    Doubles rises[3];
    for (int k = 0; k < 3; ++k)
        rises[k] = pickDoubles(loop->pick, outward[k], outward[(k + 1) % 3], outward[(k + 2) % 3]);
    loop->riseA = D(Mul)(D(FromFloat)(own[1]), D(Select)(isSwapped, rises[2], rises[1]));
    loop->riseB = D(Mul)(D(FromFloat)(own[2]), D(Select)(isSwapped, rises[1], rises[2]));
    loop->height = addScaled(D(Sub)(axis->gap, D(Select)(isA, axis->extents[0], axis->extents[1])),
                             D(FromFloat)(loop->side), rises[0]);
}

GRZ_SIMD_INLINE Doubles heightAt(const BoxLoop* loop, Floats a, Floats b) {
    return addScaled(addScaled(loop->height, D(FromFloat)(a), loop->riseA), D(FromFloat)(b), loop->riseB);
}

// The two ends of what lies over the rectangle of an edge of the incident face: its slots `edge` and 4 + `edge`. `from`
// and `to`: how far its corners are beyond the rectangle along u and v; `faster`: 1 / how far the edge goes in u and v.
GRZ_SIMD_INLINE void cutEdge(int edge, const Floats from[2], const Floats to[2], Ints sides[2][2],
                             const Floats faster[2], BoxRim* rim) {
    const Floats zero = F(Zero)(), one = F(Set1)(1);
    Floats first = zero, last = one;
    Ints codeFirst = I(Set1)(edge), codeLast = I(Set1)(0);
    Mask isCut = M(FromBits)(0);
    for (int k = 0; k < 2; ++k) {
        // A corner beyond a side is so by more than 0, so that no product is one of 0 and infinity.
        Mask isIn = F(Greater)(from[k], zero), isOut = F(Greater)(to[k], zero);
        if (BOX_IS_NONE(M(Or)(isIn, isOut)))
            continue;
        Floats t = F(Mul)(from[k], faster[k]);
        isIn = M(And)(isIn, F(Greater)(t, first));
        first = F(Select)(isIn, t, first);
        codeFirst = I(Select)(isIn, sides[0][k], codeFirst);
        t = F(Sub)(one, F(Mul)(to[k], faster[k]));
        isCut = M(Or)(isCut, isOut);
        isOut = M(And)(isOut, F(Less)(t, last));
        last = F(Select)(isOut, t, last);
        codeLast = I(Select)(isOut, sides[1][k], codeLast);
    }
    Floats places[2] = {first, last};
    for (int end = 0; end < 2; ++end) {
        Floats twice = F(Add)(places[end], places[end]);
        Floats along = edge < 2 ? F(Sub)(twice, one) : F(Sub)(one, twice);
        Floats across = edge == 0 || edge == 3 ? F(Set1)(-1) : one;
        rim->a[edge + 4 * end] = (edge & 1) == 0 ? along : across;
        rim->b[edge + 4 * end] = (edge & 1) == 0 ? across : along;
    }
    rim->codes[edge] = codeFirst;
    rim->codes[edge + 4] = codeLast;
    rim->isValid[edge] = F(LessEqual)(first, last);
    rim->isValid[edge + 4] = M(And)(isCut, F(Less)(first, last));
}

// Corner r of the rectangle.
GRZ_SIMD_INLINE void findUnder(const BoxLoop* loop, const Floats half[2], Floats inverse, int r, BoxRim* rim) {
    const Floats one = F(Set1)(1), least = F(Set1)(-1), most = F(Set1)(1 + 0x1p-20f);
    Floats u = F(Sub)(r == 1 || r == 2 ? half[0] : F(Negate)(half[0]), loop->u);
    Floats v = F(Sub)(r >= 2 ? half[1] : F(Negate)(half[1]), loop->v);
    Floats a = F(Mul)(F(Sub)(F(Mul)(u, loop->alongB[1]), F(Mul)(v, loop->alongB[0])), inverse);
    Floats b = F(Mul)(F(Sub)(F(Mul)(loop->alongA[0], v), F(Mul)(loop->alongA[1], u)), inverse);
    rim->isValid[8 + r] = M(And)(F(LessEqual)(F(Abs)(a), most), F(LessEqual)(F(Abs)(b), most));
    rim->a[8 + r] = F(Max)(F(Min)(a, one), least);
    rim->b[8 + r] = F(Max)(F(Min)(b, one), least);
    rim->codes[8 + r] = I(Set1)(rimReference + r);
}

// What of the incident face lies over the reference face, taken larger by the slack.
GRZ_SIMD_PART void cutRim(const BoxLoop* loop, Floats slack, BoxRim* rim) {
    const Floats half[2] = {F(Add)(loop->halfU, slack), F(Add)(loop->halfV, slack)};
    const Floats middle[2] = {loop->u, loop->v};
    Floats beyond[4][2], fasterA[2], fasterB[2];
    Mask isUpper[4][2];
    for (int k = 0; k < 4; ++k)
        rim->isInside[k] = M(Not)(M(FromBits)(0));
    for (int i = 0; i < 2; ++i) {
        const Floats p = loop->alongA[i], q = loop->alongB[i], one = F(Set1)(1);
        const Floats lower = F(Sub)(middle[i], q), upper = F(Add)(middle[i], q);
        const Floats places[4] = {F(Sub)(lower, p), F(Add)(lower, p), F(Add)(upper, p), F(Sub)(upper, p)};
        for (int k = 0; k < 4; ++k) {
            Floats size = F(Abs)(places[k]);
            beyond[k][i] = F(Sub)(size, half[i]);
            isUpper[k][i] = F(Greater)(places[k], F(Zero)());
            rim->isInside[k] = M(And)(rim->isInside[k], F(LessEqual)(size, i == 0 ? loop->halfU : loop->halfV));
        }
        fasterA[i] = F(Div)(one, F(Abs)(F(Add)(p, p)));
        fasterB[i] = F(Div)(one, F(Abs)(F(Add)(q, q)));
    }
    for (int k = 0; k < 4; ++k) {
        const int next = (k + 1) & 3, code = rimCuts + 4 * k;
        Ints sides[2][2]; // 0 .. 3: lower v, upper u, upper v, lower u
        for (int end = 0; end < 2; ++end) {
            const Mask* isOver = isUpper[end == 0 ? k : next];
            sides[end][0] = I(Select)(isOver[0], I(Set1)(code + 1), I(Set1)(code + 3));
            sides[end][1] = I(Select)(isOver[1], I(Set1)(code + 2), I(Set1)(code));
        }
        cutEdge(k, beyond[k], beyond[next], sides, (k & 1) == 0 ? fasterA : fasterB, rim);
    }
    Floats area = F(Sub)(F(Mul)(loop->alongA[0], loop->alongB[1]), F(Mul)(loop->alongA[1], loop->alongB[0]));
    Floats inverse = F(Div)(F(Set1)(1), area);
    for (int r = 0; r < 4; ++r)
        findUnder(loop, half, inverse, r, rim);
}

// ------------------------------------------------------------------------------------------------------- choice

typedef struct BoxPoints {
    Floats a[4], b[4];
    Ints codes[4];
    Doubles heights[4];
    Ints count;
} BoxPoints;

typedef struct Chosen {
    Floats most, a, b;
    Ints code;
} Chosen;

GRZ_SIMD_INLINE Chosen greaterOf(Chosen a, Chosen b) {
    const Mask isMore = F(Greater)(b.most, a.most);
    return (Chosen){F(Max)(b.most, a.most), F(Select)(isMore, b.a, a.a), F(Select)(isMore, b.b, a.b),
                    I(Select)(isMore, b.code, a.code)};
}

// The slot of the greatest value above `least`: by rounds, which is sooner known than in a row. Returns where there is one.
// The order in which slots meet tells which of two that are equal is taken.
#if BOX_LANES == 1
GRZ_SIMD_INLINE Mask chooseMost(const BoxRim* rim, const Floats values[rimSlots], Floats least, int at,
                                BoxPoints* points) {
    static const uint8_t order[rimSlots] = {0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11};
    int best = order[0];
    float most = rim->isValid[best].v ? values[best].v : least.v;
    for (int i = 1; i < rimSlots; ++i)
        if (rim->isValid[order[i]].v && values[order[i]].v > most) {
            best = order[i];
            most = values[best].v;
        }
    points->a[at] = rim->a[best];
    points->b[at] = rim->b[best];
    points->codes[at] = rim->codes[best];
    return (Mask){most > least.v};
}
#else
GRZ_SIMD_INLINE Mask chooseMost(const BoxRim* rim, const Floats values[rimSlots], Floats least, int at,
                                BoxPoints* points) {
    Chosen best[rimSlots];
    for (int k = 0; k < rimSlots; ++k)
        best[k] = (Chosen){F(Select)(rim->isValid[k], values[k], least), rim->a[k], rim->b[k], rim->codes[k]};
    for (int k = 0; k < 6; ++k)
        best[k] = greaterOf(best[k], best[k + 6]);
    for (int k = 0; k < 3; ++k)
        best[k] = greaterOf(best[k], best[k + 3]);
    best[0] = greaterOf(greaterOf(best[0], best[1]), best[2]);
    points->a[at] = best[0].a;
    points->b[at] = best[0].b;
    points->codes[at] = best[0].code;
    return F(Greater)(best[0].most, least);
}
#endif

// Twice the area of points i and k and a slot, with its sign: in a and b, which scales all areas alike. Of a slot at either
// point it is 0.
GRZ_SIMD_INLINE Floats areaWith(const BoxPoints* points, int i, int k, const BoxRim* rim, int slot) {
    Floats a = F(Sub)(points->a[k], points->a[i]), b = F(Sub)(points->b[k], points->b[i]);
    Floats c = F(Sub)(rim->a[slot], points->a[i]), d = F(Sub)(rim->b[slot], points->b[i]);
    return F(Sub)(F(Mul)(a, d), F(Mul)(b, c));
}

// Drops what is higher than the margin.
GRZ_SIMD_INLINE Mask chooseDeepest(const BoxLoop* loop, Doubles margin, BoxRim* rim, BoxPoints* points) {
    Floats depths[rimSlots];
    const Floats most = D(ToFloat)(D(Sub)(margin, loop->height));
    const Floats riseA = D(ToFloat)(loop->riseA), riseB = D(ToFloat)(loop->riseB);
    for (int k = 0; k < rimSlots; ++k) {
        if (BOX_IS_NONE(rim->isValid[k]))
            continue;
        Floats rise = F(Add)(F(Mul)(rim->a[k], riseA), F(Mul)(rim->b[k], riseB));
        rim->isValid[k] = M(And)(rim->isValid[k], F(LessEqual)(rise, most));
        depths[k] = F(Negate)(rise);
    }
    return chooseMost(rim, depths, F(Set1)(-(float)INFINITY), 0, points);
}

GRZ_SIMD_INLINE Mask chooseFarthest(const BoxLoop* loop, const BoxRim* rim, BoxPoints* points) {
    Floats values[rimSlots];
    const Floats lengthA = F(Mul)(loop->halfA, loop->halfA), lengthB = F(Mul)(loop->halfB, loop->halfB);
    for (int k = 0; k < rimSlots; ++k) {
        if (BOX_IS_NONE(rim->isValid[k]))
            continue;
        Floats a = F(Sub)(rim->a[k], points->a[0]), b = F(Sub)(rim->b[k], points->b[0]);
        values[k] = F(Add)(F(Mul)(F(Mul)(a, a), lengthA), F(Mul)(F(Mul)(b, b), lengthB));
    }
    return chooseMost(rim, values, F(Zero)(), 1, points);
}

GRZ_SIMD_INLINE Mask chooseThird(const BoxRim* rim, BoxPoints* points) {
    Floats values[rimSlots];
    for (int k = 0; k < rimSlots; ++k)
        if (!BOX_IS_NONE(rim->isValid[k]))
            values[k] = F(Abs)(areaWith(points, 0, 1, rim, k));
    return chooseMost(rim, values, F(Zero)(), 2, points);
}

// The one by which the area of the first three grows most.
GRZ_SIMD_INLINE Mask chooseFourth(const BoxRim* rim, BoxPoints* points) {
    Floats values[rimSlots];
    Floats a = F(Sub)(points->a[1], points->a[0]), b = F(Sub)(points->b[1], points->b[0]);
    Floats c = F(Sub)(points->a[2], points->a[0]), d = F(Sub)(points->b[2], points->b[0]);
    const Mask isBack = F(Less)(F(Mul)(a, d), F(Mul)(b, c));
    const Floats turn = F(Select)(isBack, F(Set1)(1), F(Set1)(-1));
    for (int k = 0; k < rimSlots; ++k) {
        if (BOX_IS_NONE(rim->isValid[k]))
            continue;
        Floats first = F(Mul)(turn, areaWith(points, 0, 1, rim, k));
        Floats second = F(Mul)(turn, areaWith(points, 1, 2, rim, k));
        values[k] = F(Max)(F(Max)(first, second), F(Mul)(turn, areaWith(points, 2, 0, rim, k)));
    }
    return chooseMost(rim, values, F(Zero)(), 3, points);
}

// Of two points that rounding to float had in the wrong order the deeper comes first.
GRZ_SIMD_INLINE void orderPoints(Mask isThere, int at, BoxPoints* points) {
    const Mask isDeeper = M(And)(isThere, D(Less)(points->heights[at], points->heights[0]));
    if (!M(Any)(isDeeper))
        return;
    swapWhere(isDeeper, &points->a[0], &points->a[at]);
    swapWhere(isDeeper, &points->b[0], &points->b[at]);
    const Ints code = I(Select)(isDeeper, points->codes[at], points->codes[0]);
    points->codes[at] = I(Select)(isDeeper, points->codes[0], points->codes[at]);
    points->codes[0] = code;
    const Doubles height = D(Select)(isDeeper, points->heights[at], points->heights[0]);
    points->heights[at] = D(Select)(isDeeper, points->heights[0], points->heights[at]);
    points->heights[0] = height;
}

// The deepest of the rim's corners that are no higher than the margin, the farthest from it, the one that spans most with
// these, and the one by which that grows most. Corners that add nothing to the others, as all do that are found twice, are
// left out.
GRZ_SIMD_PART void choosePoints(const BoxLoop* loop, Doubles margin, BoxRim* rim, BoxPoints* points) {
    const Ints one = I(Set1)(1), zero = I(Set1)(0);
    Mask isThere[4];
    points->count = zero;
    isThere[0] = chooseDeepest(loop, margin, rim, points);
    if (BOX_IS_NONE(isThere[0]))
        return;
    isThere[1] = chooseFarthest(loop, rim, points);
    isThere[2] = M(And)(isThere[1], chooseThird(rim, points));
    isThere[3] = M(And)(isThere[2], chooseFourth(rim, points));
    for (int k = 0; k < 4; ++k) {
        points->count = I(Add)(points->count, I(Select)(isThere[k], one, zero));
        points->heights[k] = heightAt(loop, points->a[k], points->b[k]);
    }
    for (int k = 1; k < 4; ++k)
        orderPoints(isThere[k], k, points);
}
