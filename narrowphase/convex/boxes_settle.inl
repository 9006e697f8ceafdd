// Pairs of boxes in BOX_LANES lanes: which points prove the axis, and the manifold. After boxes_rim.inl, without an
// include guard.
//
// Boxes that overlap touch along the best axis. Boxes that are apart do so, too, where a point of the contact is found
// that lies no farther than the axis says: then nothing else can be nearer. Only where two vertices, or a vertex and an
// edge, are nearest does none of the axes prove itself. Such lanes are left undecided.

// A vertex or edge of the one box and one of the other, as one point of contact.
typedef struct BoxCross {
    Doubles places[3]; // on B, along its axes from its middle
    Doubles height, distance;
    Ints edges[2];
} BoxCross;

// The edge of a box along an axis that reaches farthest along the normal, `sign` times: its middle, as half sides along
// the axes (0 along the edge's own), and its number.
GRZ_SIMD_INLINE Ints farEdge(const BoxScale* scale, const BoxAxis* axis, int side, Pick pick, Doubles places[3]) {
    const Mask isSelf[3] = {M(Not)(M(Or)(pick.isSecond, pick.isThird)), pick.isSecond, pick.isThird};
    Ints edge = I(Set1)(0);
    Mask isUpper[3];
    for (int k = 0; k < 3; ++k) {
        const Doubles along = axis->along[side][k], zero = D(Zero)();
        isUpper[k] = side == 0 ? D(Greater)(along, zero) : D(Less)(along, zero);
        Doubles half = scale->half[side][k];
        places[k] = D(Select)(isSelf[k], zero, D(Select)(isUpper[k], half, D(Negate)(half)));
    }
    for (int k = 0; k < 3; ++k) {
        const Ints none = I(Set1)(0);
        Ints number = I(Add)(I(Select)(isUpper[(k + 1) % 3], I(Set1)(1), none),
                             I(Select)(isUpper[(k + 2) % 3], I(Set1)(2), none));
        edge = I(Select)(isSelf[k], I(Add)(number, I(Set1)(4 * k)), edge);
    }
    return edge;
}

// A place in a box's axes as a vector from its middle.
GRZ_SIMD_INLINE void toWorld(const BoxScale* scale, int side, const Doubles places[3], Doubles vector[3]) {
    for (int i = 0; i < 3; ++i) {
        vector[i] = D(Mul)(places[0], scale->axes[side][0][i]);
        vector[i] = addScaled(vector[i], places[1], scale->axes[side][1][i]);
        vector[i] = addScaled(vector[i], places[2], scale->axes[side][2][i]);
    }
}

GRZ_SIMD_INLINE Doubles clampTo(Doubles value, Doubles half) {
    return D(Max)(D(Min)(value, half), D(Negate)(half));
}

// The closest points of two crossing edges.
GRZ_SIMD_PART void crossEdges(const BoxLanes* lanes, const BoxScale* scale, const BoxAxis* axis, const BoxTop* best,
                              BoxCross* cross) {
    Doubles directions[2][3], places[2][3], points[2][3], r[3], reaches[2];
    for (int side = 0; side < 2; ++side) {
        Pick pick = pickOf(best->axes[side]);
        cross->edges[side] = farEdge(scale, axis, side, pick, places[side]);
        toWorld(scale, side, places[side], points[side]);
        pickColumn(scale, side, pick, directions[side]);
        reaches[side] = pickDoubles(pick, scale->half[side][0], scale->half[side][1], scale->half[side][2]);
    }
    const Doubles *d = directions[0], *e = directions[1];
    for (int i = 0; i < 3; ++i)
        r[i] = D(Add)(lanes->between[i], D(Sub)(points[1][i], points[0][i]));
    Doubles dd = dotDoubles(d, d), ee = dotDoubles(e, e), de = dotDoubles(d, e);
    Doubles dr = dotDoubles(d, r), er = dotDoubles(e, r);
    Doubles inverse = D(Div)(D(Set1)(1), D(Sub)(D(Mul)(dd, ee), D(Mul)(de, de)));
    Doubles s = D(Mul)(D(Sub)(D(Mul)(dr, ee), D(Mul)(de, er)), inverse);
    Doubles t = D(Mul)(D(Sub)(D(Mul)(de, dr), D(Mul)(dd, er)), inverse);
    s = clampTo(s, reaches[0]);
    t = clampTo(t, reaches[1]);
    for (int i = 0; i < 3; ++i)
        r[i] = D(Sub)(addScaled(r[i], t, e[i]), D(Mul)(s, d[i]));
    const Pick pick = pickOf(best->axes[1]);
    const Mask isSelf[3] = {M(Not)(M(Or)(pick.isSecond, pick.isThird)), pick.isSecond, pick.isThird};
    for (int k = 0; k < 3; ++k)
        cross->places[k] = D(Select)(isSelf[k], t, places[1][k]);
    cross->height = dotDoubles(axis->normal, r);
    cross->distance = lengthOf(r);
}

// ------------------------------------------------------------------------------------------------------- proofs

// How far places on the incident face are from the plane of the reference face: the boxes are no farther apart than a
// point that lies over the face.
typedef struct BoxPlane {
    Doubles height, riseA, riseB;
} BoxPlane;

// Where the normal is that of the face, this is the height along it.
GRZ_SIMD_PART void setPlane(const BoxLanes* lanes, const BoxScale* scale, const BoxAxis* axis, const BoxLoop* loop,
                            BoxPlane* plane) {
    Doubles columns[2][3], n[3], along[3], extent = D(Zero)(), gap;
    const Pick pick = pickOf(I(ShiftRight)(axis->face, 1));
    for (int side = 0; side < 2; ++side)
        pickColumn(scale, side, pick, columns[side]);
    for (int i = 0; i < 3; ++i)
        n[i] = D(Select)(axis->isA, columns[0][i], columns[1][i]);
    Doubles toUnit = D(Mul)(signOf(isOdd(axis->face)), inverseLength(n));
    for (int i = 0; i < 3; ++i)
        n[i] = D(Mul)(n[i], toUnit);
    for (int k = 0; k < 3; ++k) {
        Doubles a = dotDoubles(n, scale->axes[0][k]), b = dotDoubles(n, scale->axes[1][k]);
        along[k] = D(Select)(axis->isA, b, a);
        extent = addScaled(extent, D(Select)(axis->isA, scale->half[0][k], scale->half[1][k]),
                           D(Abs)(D(Select)(axis->isA, a, b)));
    }
    gap = D(Mul)(signOf(axis->isA), dotDoubles(n, lanes->between));
    const Doubles upper[3] = {along[0], along[1], along[2]};
    for (int k = 0; k < 3; ++k)
        along[k] = pickDoubles(loop->pick, upper[k], upper[(k + 1) % 3], upper[(k + 2) % 3]);
    plane->height = addScaled(D(Sub)(gap, extent), D(FromFloat)(loop->side), along[0]);
    plane->riseA = D(Mul)(D(FromFloat)(loop->halfA), D(Select)(loop->isUpper, along[1], along[2]));
    plane->riseB = D(Mul)(D(FromFloat)(loop->halfB), D(Select)(loop->isUpper, along[2], along[1]));
}

// The lowest of the rim's first corners over the plane, of those that are valid and, `isInside`, need no slack.
GRZ_SIMD_INLINE Doubles lowestOver(const BoxPlane* plane, const BoxRim* rim, bool isInside) {
    Doubles least = D(Set1)((double)INFINITY);
    for (int k = 0; k < (isInside ? rimCorners : rimSlots); ++k) {
        Doubles height = addScaled(plane->height, D(FromFloat)(rim->a[k]), plane->riseA);
        height = addScaled(height, D(FromFloat)(rim->b[k]), plane->riseB);
        Mask isValid = isInside ? M(And)(rim->isValid[k], rim->isInside[k]) : rim->isValid[k];
        least = D(Select)(M(And)(isValid, D(Less)(height, least)), height, least);
    }
    return least;
}

// What is found of a pair before it is written.
typedef struct BoxTouch {
    Mask isFar, isUndecided, isSingle;
    Doubles upper;      // the boxes are no farther apart than this
    Doubles depthError; // 0 where they do not overlap
} BoxTouch;

// Lanes that overlap: undecided where the points under a preferred face leave out the deepest part of the overlap, which
// lies beside the face.
GRZ_SIMD_INLINE void judgeDeep(Mask isDeep, const BoxScale* scale, const BoxAxis* axis, const BoxTop* best,
                               const BoxPoints* points, BoxTouch* touch) {
    Doubles most = D(Add)(D(Add)(axis->separation, scale->preference), scale->error);
    Mask isBeside = M(Or)(I(Equal)(points->count, I(Set1)(0)), D(Greater)(points->heights[0], most));
    isBeside = M(AndNot)(M(And)(isDeep, isBeside), axis->isCrossing);
    touch->isUndecided = M(Or)(touch->isUndecided, isBeside);
    Doubles upper = D(Add)(best->top, scale->allowed);
    Doubles depthError = D(Add)(D(Sub)(upper, axis->separation), scale->error);
    touch->upper = D(Select)(isDeep, upper, touch->upper);
    touch->depthError = D(Select)(isDeep, D(Max)(depthError, D(Zero)()), D(Zero)());
}

// Lanes that are apart: a point of the contact must prove that the axis is the normal of the closest points.
GRZ_SIMD_INLINE void judgeApart(Mask isApart, const BoxScale* scale, const BoxAxis* axis, const BoxPoints* points,
                                BoxTouch* touch) {
    Mask isOpen = D(Greater)(touch->upper, D(Add)(axis->separation, scale->error));
    Doubles most = D(Add)(axis->separation, scale->preference);
    Mask isBeside = M(Or)(I(Equal)(points->count, I(Set1)(0)), D(Greater)(points->heights[0], most));
    isOpen = M(Or)(isOpen, M(AndNot)(isBeside, axis->isCrossing));
    touch->isUndecided = M(Or)(touch->isUndecided, M(And)(isApart, isOpen));
    touch->isSingle = M(Or)(touch->isSingle, M(And)(M(And)(isApart, isBeside), axis->isCrossing));
}

// ------------------------------------------------------------------------------------------------------ writing

// The features of a rim's corners by the face (rows) and the corner's code.
#define BOX_FEATURE(kind, index)  ((int32_t)((uint32_t)(kind) << 30 | (uint32_t)(index)))
#define BOX_FACE(f)               BOX_FEATURE(grz_faceFeature, f)
#define BOX_VERTEX(v)             BOX_FEATURE(grz_vertexFeature, v)
#define BOX_EDGE(e)               BOX_FEATURE(grz_edgeFeature, e)
#define BOX_SIDES(e0, e1, e2, e3) BOX_EDGE(e0), BOX_EDGE(e1), BOX_EDGE(e2), BOX_EDGE(e3)
#define BOX_INCIDENT(f, c0, c1, c2, c3, e0, e1, e2, e3)                                                            \
    BOX_VERTEX(c0), BOX_VERTEX(c1), BOX_VERTEX(c2), BOX_VERTEX(c3), BOX_SIDES(e0, e0, e0, e0),                     \
        BOX_SIDES(e1, e1, e1, e1), BOX_SIDES(e2, e2, e2, e2), BOX_SIDES(e3, e3, e3, e3), BOX_FACE(f), BOX_FACE(f), \
        BOX_FACE(f), BOX_FACE(f)
#define BOX_REFERENCE(f, c0, c1, c2, c3, e0, e1, e2, e3)                                                           \
    BOX_FACE(f), BOX_FACE(f), BOX_FACE(f), BOX_FACE(f), BOX_SIDES(e0, e1, e2, e3), BOX_SIDES(e0, e1, e2, e3),      \
        BOX_SIDES(e0, e1, e2, e3), BOX_SIDES(e0, e1, e2, e3), BOX_VERTEX(c0), BOX_VERTEX(c1), BOX_VERTEX(c2),      \
        BOX_VERTEX(c3)
// quickFaceCorners and quickFaceEdges of quick_box.h.
#define BOX_FACES(Row)                                                                                             \
    Row(0, 0, 4, 6, 2, 8, 5, 10, 4), Row(1, 1, 3, 7, 5, 6, 11, 7, 9), Row(2, 0, 1, 5, 4, 0, 9, 2, 8),              \
        Row(3, 2, 6, 7, 3, 10, 3, 11, 1), Row(4, 0, 2, 3, 1, 4, 1, 6, 0), Row(5, 4, 5, 7, 6, 2, 7, 3, 5)
static const int32_t incidentFeatures[6 * rimCodes] = {BOX_FACES(BOX_INCIDENT)};
static const int32_t referenceFeatures[6 * rimCodes] = {BOX_FACES(BOX_REFERENCE)};

GRZ_SIMD_INLINE Ints featureOf(const int32_t* features, Ints face, Ints code) {
    Ints row = I(Add)(I(ShiftLeft)(face, 4), I(ShiftLeft)(face, 3)); // rimCodes
    return I(Gather)(features, I(Add)(row, I(Max)(code, I(Set1)(0))));
}

// Point k: where it is on the incident box, and from there back to midway between the two surfaces.
GRZ_SIMD_INLINE void writePoint(char* const to[BOX_LANES], const BoxLanes* lanes, const BoxScale* scale,
                                const BoxAxis* axis, const Doubles places[3], Doubles height, Ints reference,
                                Ints incident, Mask isThere, int k) {
    Floats place[4], facts[4];
    Doubles back = D(Mul)(height, D(Select)(axis->isA, D(Set1)(-0.5), D(Set1)(0.5)));
    for (int i = 0; i < 3; ++i) {
        Doubles at = D(Select)(axis->isA, lanes->middle[1][i], lanes->middle[0][i]);
        for (int x = 0; x < 3; ++x)
            at = addScaled(at, places[x], D(Select)(axis->isA, scale->axes[1][x][i], scale->axes[0][x][i]));
        at = D(Add)(addScaled(at, back, axis->normal[i]), lanes->base[i]);
        place[i] = D(ToFloat)(at);
    }
    place[3] = F(Zero)();
    facts[0] = D(ToFloat)(height);
    facts[1] = I(AsFloat)(I(Select)(axis->isA, reference, incident));
    facts[2] = I(AsFloat)(I(Select)(axis->isA, incident, reference));
    facts[3] = F(Zero)(); // of the same features there is but one
    setMasked(isThere, place);
    setMasked(isThere, facts);
    storeRows(to, (size_t)k * sizeof(grzManifoldPoint), place);
    storeRows(to, (size_t)k * sizeof(grzManifoldPoint) + 16, facts);
}

GRZ_SIMD_INLINE void writeHead(char* const to[BOX_LANES], const BoxScale* scale, const BoxAxis* axis,
                               const BoxTouch* touch, Ints count, Mask isThere) {
    Floats normal[4] = {D(ToFloat)(axis->normal[0]), D(ToFloat)(axis->normal[1]), D(ToFloat)(axis->normal[2]),
                        F(Zero)()};
    Mask isCertain = D(LessEqual)(D(Add)(touch->upper, scale->error), scale->margin);
    Doubles error = D(Add)(scale->error, scale->allowed);
    Floats measure = ceilFloats(addScaled(scale->margin, D(Set1)(2), error));
    HeadLanes head = {.separation = D(ToFloat)(axis->separation),
                      .certainty = I(Select)(isCertain, I(Set1)(grz_exact), I(Set1)(grz_conservative)),
                      .measure = F(Select)(isCertain, F(Zero)(), measure),
                      .depthError = ceilFloats(touch->depthError),
                      .count = count};
    writeHeadRows(to, normal, &head, isThere);
}

GRZ_SIMD_PART void writeManifolds(char* const to[BOX_LANES], const BoxLanes* lanes, const BoxScale* scale,
                                  const BoxAxis* axis, const BoxLoop* loop, const BoxPoints* points,
                                  const BoxCross* cross, const BoxTouch* touch) {
    const Mask isThere = M(Not)(touch->isFar), isSingle = touch->isSingle;
    Ints count = I(Select)(isSingle, I(Set1)(1), points->count);
    BoxAxis own = *axis;
    own.isA = M(Or)(axis->isA, isSingle);
    const Mask isUpper = loop->isUpper;
    const Mask isSelf[3] = {M(Not)(M(Or)(loop->pick.isSecond, loop->pick.isThird)), loop->pick.isSecond,
                            loop->pick.isThird};
    writeHead(to, scale, axis, touch, count, isThere);
    for (int k = 0; k < 4; ++k) {
        const Mask isPoint = M(And)(isThere, I(Greater)(count, I(Set1)(k)));
        if (BOX_IS_NONE(isPoint)) {
            memset(to[0] + (size_t)k * sizeof(grzManifoldPoint), 0, sizeof(grzManifoldPoint));
            continue;
        }
        Floats a = F(Mul)(points->a[k], loop->halfA), b = F(Mul)(points->b[k], loop->halfB);
        Floats next = F(Select)(isUpper, a, b), last = F(Select)(isUpper, b, a);
        Doubles places[3], height = points->heights[k];
        for (int x = 0; x < 3; ++x) {
            // Axis x is the face's own, the one after it, or the one after that.
            Floats place = F(Select)(isSelf[x], loop->side, F(Select)(isSelf[(x + 2) % 3], next, last));
            places[x] = D(FromFloat)(place);
        }
        Ints reference = featureOf(referenceFeatures, own.face, points->codes[k]);
        Ints incident = featureOf(incidentFeatures, loop->incident, points->codes[k]);
        if (k == 0 && M(Any)(isSingle)) {
            const Ints edge = I(Set1)(BOX_EDGE(0));
            for (int x = 0; x < 3; ++x)
                places[x] = D(Select)(isSingle, cross->places[x], places[x]);
            height = D(Select)(isSingle, cross->height, height);
            reference = I(Select)(isSingle, I(Or)(cross->edges[0], edge), reference);
            incident = I(Select)(isSingle, I(Or)(cross->edges[1], edge), incident);
        }
        writePoint(to, lanes, scale, &own, places, height, reference, incident, isPoint, k);
    }
}

// ------------------------------------------------------------------------------------------------------ all of it

// Writes the manifolds of lanes that are near and in `wanted` but for those it returns, which are left undecided. With
// `isThorough` no crossing is left out and no face preferred.
GRZ_SIMD_PART uint32_t settleBoxes(const PairInput* in, const BoxLanes* lanes, uint32_t wanted, bool isThorough) {
    BoxScale scale;
    BoxTop best;
    BoxAxis axis;
    BoxLoop loop;
    BoxRim rim;
    BoxPoints points;
    BoxPlane plane;
    BoxCross cross;
    BoxTouch touch;
    char* to[BOX_LANES];
    grzManifold waste;
    const Mask none = M(FromBits)(0), all = M(FromBits)(wanted);
    memset(&cross, 0, sizeof cross);
    prepare(in, lanes, isThorough, &scale);
    findTop(lanes, &scale, &best);
    Mask isApart = D(Greater)(best.top, scale.error);
    Doubles preference = D(Select)(isApart, D(Zero)(), isThorough ? D(Zero)() : scale.preference);
    chooseAxis(lanes, &scale, &best, preference, &axis);
    touch.isFar = M(Or)(D(Greater)(D(Sub)(best.top, scale.error), scale.margin),
                        D(Greater)(D(Sub)(axis.separation, scale.rounding), scale.margin));
    touch.isUndecided = touch.isSingle = none;
    const Mask isNear = M(AndNot)(all, touch.isFar);
    if (!M(Any)(isNear)) {
        for (int lane = 0; lane < BOX_LANES; ++lane)
            if ((wanted >> lane & 1) != 0)
                grzClearManifold(in->manifolds[lane]);
        return 0;
    }
    isApart = M(And)(isApart, isNear);
    const Mask isDeep = M(AndNot)(isNear, isApart), isFaceApart = M(AndNot)(isApart, axis.isCrossing);
    Mask hasFace = M(AndNot)(isDeep, axis.isCrossing);
    if (M(Any)(isApart))
        hasFace = M(Or)(hasFace, findMetFace(isApart, &axis));
#if BOX_LANES == 1
    memset(&points, 0, sizeof points); // what is skipped is not set
    memset(&rim, 0, sizeof rim);
#endif
    memset(&loop, 0, sizeof loop); // for compilers that see it used unset
    setLoop(lanes, &axis, &loop);
    if (!BOX_IS_NONE(hasFace))
        cutRim(&loop, D(ToFloat)(scale.slack), &rim);
    for (int k = 0; k < rimSlots; ++k)
        rim.isValid[k] = M(And)(rim.isValid[k], hasFace);
    plane = (BoxPlane){loop.height, loop.riseA, loop.riseB};
    if (M(Any)(isFaceApart)) {
        BoxPlane own;
        setPlane(lanes, &scale, &axis, &loop, &own);
        plane.height = D(Select)(isFaceApart, own.height, plane.height);
        plane.riseA = D(Select)(isFaceApart, own.riseA, plane.riseA);
        plane.riseB = D(Select)(isFaceApart, own.riseB, plane.riseB);
    }
    touch.upper = lowestOver(&plane, &rim, true);
    choosePoints(&loop, scale.margin, &rim, &points);
    judgeDeep(isDeep, &scale, &axis, &best, &points, &touch);
    if (M(Any)(M(And)(isNear, axis.isCrossing))) {
        const Mask isDeepCrossing = M(And)(isDeep, axis.isCrossing);
        crossEdges(lanes, &scale, &axis, &best, &cross);
        cross.height = D(Select)(isDeepCrossing, axis.separation, cross.height);
        touch.isSingle = isDeepCrossing;
        touch.upper = D(Select)(M(And)(isApart, axis.isCrossing), cross.distance, touch.upper);
    }
    // What needed slack, or is not yet known to be within the margin, has another look at what is over the face whatever was
    // rounded.
    Mask isOpen = M(And)(isFaceApart, D(Greater)(touch.upper, D(Add)(axis.separation, scale.error)));
    Mask isUnsure = M(And)(hasFace, M(And)(isDeep, D(Greater)(D(Add)(touch.upper, scale.error), scale.margin)));
    if (M(Any)(M(Or)(isOpen, isUnsure))) {
        cutRim(&loop, F(Negate)(upperFloats(scale.error)), &rim);
        Doubles least = lowestOver(&plane, &rim, false);
        Doubles under = D(Mul)(D(Set1)(-2), D(FromFloat)(loop.halfNormal));
        isUnsure = M(And)(isUnsure, M(And)(D(Greater)(least, under), D(LessEqual)(least, scale.margin)));
        touch.upper = D(Select)(M(Or)(isOpen, isUnsure), least, touch.upper);
    }
    if (M(Any)(isApart))
        judgeApart(isApart, &scale, &axis, &points, &touch);
    const uint32_t undecided = M(Bits)(touch.isUndecided) & wanted;
    setTargets(in, wanted & ~undecided, &waste, to);
    writeManifolds(to, lanes, &scale, &axis, &loop, &points, &cross, &touch);
    return undecided;
}
