// What: where the models of a query may touch: the deepest of the pairs of boxes that its walk has open; of the published method,
//   until it is finished, the likeliest.
// Idea: the six axes of the faces are those that the walk tests. The one with the least depth, in the common frame,
//   gives the normal. What the boxes share is cut in A's frame, with the box around B's box there.
// Threads: reads the state.
#include <math.h>

#include "probe_state.h"

static grzBox boxOf(const grzModel* model, uint32_t level, uint32_t number) {
    const uint32_t lane = number % GRZ_BVH_WIDTH;
    const grzBvhNode* node = model->levels[level] + number / GRZ_BVH_WIDTH;
    return grzBox_Make(grzVec3_Make(node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]),
                       grzVec3_Make(node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]));
}

// As thick as for its counts.
static grzBox boxOfTree(const grzAdbTree* tree, uint32_t ref) {
    const AdbBox box = grzAdbTree_Box(tree, ref);
    float lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        lower[i] = (float)(box.center[i] - box.half[i]);
        upper[i] = (float)(box.center[i] + box.half[i]);
    }
    return grzBox_Make(grzVec3_Load(lower), grzVec3_Load(upper));
}

static grzMat3 basisOf(const ModelFrame* frame) {
    const float(*c)[4] = frame->columns;
    return grzMat3_FromColumns(grzVec3_Make(c[0][0], c[0][1], c[0][2]), grzVec3_Make(c[1][0], c[1][1], c[1][2]),
                               grzVec3_Make(c[2][0], c[2][1], c[2][2]));
}

// Around the box, after the map into another frame.
static grzBox bringBox(const ModelFrame* frame, grzBox box) {
    const grzMat3 basis = basisOf(frame);
    const grzVec3 origin = grzVec3_Make(frame->origin[0], frame->origin[1], frame->origin[2]);
    const grzVec3 center = grzAdd(grzMat3_Apply(basis, grzScale(grzAdd(box.lower, box.upper), 0.5F)), origin);
    const grzVec3 half = grzMat3_Apply(grzMat3_Abs(basis), grzScale(grzSub(box.upper, box.lower), 0.5F));
    return grzBox_Make(grzSub(center, half), grzAdd(center, half));
}

// A face's axis of a model in the common frame: of length 1, and what one unit along it is there.
typedef struct FaceAxis {
    grzVec3 normal;
    float length;
} FaceAxis;

// By the greatest number of it, so that products of what is large or small are neither infinite nor 0.
static grzVec3 toSize(grzVec3 v) {
    const grzVec3 size = grzAbs(v);
    const float most = fmaxf(size.x, fmaxf(size.y, size.z));
    return most > 0 ? grzVec3_Make(v.x / most, v.y / most, v.z / most) : v;
}

static FaceAxis faceAxis(grzMat3 pose, int i) {
    const grzVec3 columns[3] = {pose.x, pose.y, pose.z};
    const grzVec3 across = grzCross(toSize(columns[(i + 1) % 3]), toSize(columns[(i + 2) % 3]));
    const grzVec3 normal = grzNormalize(toSize(across));
    const float length = grzDot(normal, columns[i]);
    return length < 0 ? (FaceAxis){grzNeg(normal), -length} : (FaceAxis){normal, length};
}

static float lane(grzVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// Along the axes of one model's frame, where `own` is its box and `other` surrounds the other one's.
static void takeAxes(grzMat3 pose, grzBox own, grzBox other, bool isA, grzProbePlace* place) {
    for (int i = 0; i < 3; ++i) {
        const FaceAxis axis = faceAxis(pose, i);
        const float above = lane(own.upper, i) - lane(other.lower, i);
        const float below = lane(other.upper, i) - lane(own.lower, i);
        const float depth = axis.length * (above < below ? above : below);
        if (depth < place->depth) {
            place->depth = depth;
            place->normal = (above < below) == isA ? axis.normal : grzNeg(axis.normal);
        }
    }
}

// The names and boxes of a place are set.
static void fillPlace(const ProbeState* state, grzProbePlace* place) {
    const ModelSearch* search = &state->walk.search;
    const grzBox bInA = bringBox(&search->relation.into[0], place->boxB);
    const grzBox aInB = bringBox(&search->relation.into[1], place->boxA);
    const grzBox shared = grzBox_Make(grzMax(place->boxA.lower, bInA.lower), grzMin(place->boxA.upper, bInA.upper));
    place->point = grzTransform_Apply(state->poseA, grzScale(grzAdd(shared.lower, shared.upper), 0.5F));
    place->depth = (float)INFINITY;
    takeAxes(state->poseA.basis, place->boxA, bInA, true, place);
    takeAxes(grzMat3_Multiply(state->poseA.basis, basisOf(&search->relation.into[0])), place->boxB, aInB, false,
             place);
}

static grzProbePlace makePlace(const ProbeState* state, Ref first, Ref second, float ratio) {
    const ModelSearch* search = &state->walk.search;
    const Ref a = (first & SIDE_BIT) != 0 ? second : first, b = (first & SIDE_BIT) != 0 ? first : second;
    grzProbePlace place;
    memset(&place, 0, sizeof place);
    place.levelA = levelOf(a), place.nodeA = a & INDEX_MASK;
    place.levelB = levelOf(b), place.nodeB = b & INDEX_MASK;
    place.boxA = boxOf(search->models[0], place.levelA, place.nodeA);
    place.boxB = boxOf(search->models[1], place.levelB, place.nodeB);
    place.likeliness = ratio;
    fillPlace(state, &place);
    return place;
}

// Of ADB-trees, whose refs have no side.
static uint32_t findPublished(const ProbeState* state, grzProbePlace* places, uint32_t capacity) {
    AdbPair pairs[ADB_MOST_PEEKED];
    const grzAdbTree *treeA = state->adb.trees[0], *treeB = state->adb.trees[1];
    const uint32_t count = grzAdbWalk_Peek(&state->adb, pairs, capacity);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t a = pairs[k].a, b = pairs[k].b;
        grzProbePlace* place = &places[k];
        memset(place, 0, sizeof *place);
        place->levelA = grzAdbTree_Level(treeA, a), place->nodeA = a & ADB_INDEX_MASK;
        place->levelB = grzAdbTree_Level(treeB, b), place->nodeB = b & ADB_INDEX_MASK;
        place->boxA = boxOfTree(treeA, a);
        place->boxB = boxOfTree(treeB, b);
        place->likeliness = (float)pairs[k].chance;
        fillPlace(state, place);
    }
    return count;
}

// A pair of the walk: number `count` of the stack is the one that is next.
static float ratioOf(const ProbeWalk* walk, uint32_t i) {
    float ratio = walk->ratio;
    if (i < walk->stack.count)
        memcpy(&ratio, &walk->stack.ratios[i], sizeof ratio);
    return ratio;
}

// Whether pair i comes before k: deeper, or as deep and later on the stack.
static bool isBefore(const ProbeWalk* walk, uint32_t i, uint32_t k) {
    const float a = ratioOf(walk, i), b = ratioOf(walk, k);
    return a > b || (a == b && i > k);
}

// Whether the walk has left the boxes of all.
static bool hasBegun(const ProbeWalk* walk) {
    return walk->end != probeIsOpen || walk->first != 0 || walk->second != SIDE_BIT;
}

uint32_t grzProbeState_FindPlaces(const ProbeState* state, grzProbePlace* places, uint32_t capacity) {
    const ProbeWalk* walk = &state->walk;
    uint32_t order[PROBE_STACK_SIZE], count = 0;
    if (walk->end == probeIsApart || capacity == 0)
        return 0;
    if (state->isPublished && !hasBegun(walk))
        return findPublished(state, places, capacity);
    const uint32_t least = walk->end == probeTouches ? walk->stack.count : 0;
    for (uint32_t i = least; i <= walk->stack.count; ++i) {
        uint32_t at = count < capacity ? count++ : count;
        for (; at > 0 && isBefore(walk, i, order[at - 1]); --at)
            if (at < count)
                order[at] = order[at - 1];
        if (at < count)
            order[at] = i;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const bool isNext = order[k] == walk->stack.count;
        const Ref first = isNext ? walk->first : (Ref)walk->stack.first[order[k]];
        const Ref second = isNext ? walk->second : (Ref)walk->stack.second[order[k]];
        places[k] = makePlace(state, first, second, ratioOf(walk, order[k]));
    }
    return count;
}
