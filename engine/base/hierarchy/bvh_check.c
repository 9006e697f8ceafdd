// What: checks a hierarchy and its boxes against what the header says of them, slowly and in plain words.
// Holds: nothing here is shared with the code that is checked, but the positions' layout.
#include "bvh_parts.h"

#include <float.h>
#include <string.h>

#include "check.h"
#include "refuse_null.h"

static bool fails(const char* sentence) {
    grzLog(grz_logError, "a hierarchy is broken: %s", sentence);
    return false;
}

// ---- topology ----

static const char* flawOfShape(const grzBvhView* view) {
    uint32_t count = 1;
    for (uint32_t d = 0, start = 0; d < view->levelCount; ++d) {
        if (view->levelStarts[d] != start)
            return "a level does not begin behind the one above";
        start = view->levelStarts[d + 1];
        if (d + 1 == view->levelCount && start != view->nodeCount)
            return "the last level does not end with the nodes";
        if (start - view->levelStarts[d] != count)
            return "a level has not a node for each child above";
        count = 0;
        for (uint32_t i = 0; i < start - view->levelStarts[d]; ++i)
            count += grzBvhView_ChildCount(view, d, i);
    }
    return count == view->leafCount && view->leafCount == (view->triangleCount + 3) / 4 ? NULL
                                                                                        : "leaves are missing";
}

static const char* flawOfMaps(const grzBvhView* view) {
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        if (view->vertexFromCaller[v] >= view->vertexCount || view->vertexToCaller[view->vertexFromCaller[v]] != v)
            return "the maps of the vertices are not inverse";
    }
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i)
        if (view->triangles[i] >= view->vertexCount)
            return "a corner is no vertex";
    return NULL;
}

// As built; edits leave no such order.
static const char* flawOfTouch(const grzBvhView* view) {
    uint32_t touched = 0;
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i) {
        if (view->triangles[i] > touched)
            return "vertices are not numbered by first touch";
        touched += view->triangles[i] == touched;
    }
    for (uint32_t v = touched; v + 1 < view->vertexCount; ++v)
        if (view->vertexToCaller[v] >= view->vertexToCaller[v + 1])
            return "vertices without a triangle are not in the caller's order";
    return NULL;
}

static const char* flawOfEdits(const grzBvh* bvh) {
    const BvhEdits* edits = &bvh->edits;
    if (bvh->view.vertexCount > bvh->vertexRoom || bvh->view.triangleCount > bvh->triangleRoom)
        return "there is more than there is room for";
    const uint32_t lanes = bvh->view.leafCount % GRZ_BVH_WIDTH;
    const uint32_t lastNode = bvh->view.nodeCount - 1 - grzBvhView_BottomStart(&bvh->view);
    if ((lanes != 0 || bvh->view.leafCount == 0) && (bvh->nodeFlags[lastNode] & 0xFFu) >> lanes != 0)
        return "a node's flags tell of a leaf that is not there";
    if (edits->isEdited && edits->places.count != bvh->view.triangleCount)
        return "not every triangle has a place";
    for (uint32_t t = 0; t < edits->places.count; ++t)
        if (edits->places.data[t] >= bvh->view.triangleCount || bvh->triangleToCaller[edits->places.data[t]] != t)
            return "a triangle is not at its place";
    for (size_t w = 0; w < edits->isTouched.count; ++w)
        if (edits->isTouched.data[w] != 0)
            return "an edit has not cleared up";
    return NULL;
}

static uint32_t listed(const grzBvhView* view, uint32_t leaf, uint32_t k) {
    return k < 8 ? view->leafVertices[8 * (size_t)leaf + k] : view->moreVertices[4 * (size_t)leaf + k - 8];
}

static bool isListed(const grzBvhView* view, uint32_t leaf, uint32_t count, uint32_t vertex) {
    for (uint32_t k = 0; k < count; ++k)
        if (listed(view, leaf, k) == vertex)
            return true;
    return false;
}

static const char* flawOfLeaf(const grzBvhView* view, uint32_t leaf) {
    const uint32_t first = 4 * leaf, end = first + 4 < view->triangleCount ? first + 4 : view->triangleCount;
    uint32_t met = 0;
    for (size_t i = 3 * (size_t)first; i < 3 * (size_t)end; ++i) {
        if (isListed(view, leaf, met, view->triangles[i]))
            continue;
        if (met == GRZ_BVH_LEAF_VERTICES || listed(view, leaf, met) != view->triangles[i])
            return "a leaf's list is not that of its triangles";
        ++met;
    }
    if (met != view->leafVertexCounts[leaf])
        return "a leaf's count is not that of its list";
    for (uint32_t k = met; k < (met > 8 ? GRZ_BVH_LEAF_VERTICES : 8); ++k)
        if (listed(view, leaf, k) != listed(view, leaf, 0))
            return "a leaf's list is not filled up";
    return NULL;
}

static const char* flawOfFlags(const grzBvh* bvh, uint32_t leaf) {
    const grzBvhView* view = &bvh->view;
    const uint32_t count = view->leafVertexCounts[leaf], last = view->vertexCount - 1;
    const unsigned flags = bvh->nodeFlags[leaf / 8];
    if ((flags >> leaf % 8 & 1) != (count > 8))
        return "a node's flags do not tell its long lists";
    if (isListed(view, leaf, count, last) && (flags & GRZ_BVH_HAS_TREES_LAST) == 0)
        return "a node's flags do not tell the tree's last vertex";
    if (isListed(view, leaf, count, view->vertexFromCaller[last]) && (flags & GRZ_BVH_HAS_CALLERS_LAST) == 0)
        return "a node's flags do not tell the caller's last vertex";
    return NULL;
}

// [Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014]
static uint64_t mixed(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

// Whether each is there once, without memory for marks: by the sum of their mixed numbers.
static const char* flawOfOrder(const grzBvhView* view) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        if (view->triangleToCaller[t] >= view->triangleCount)
            return "a triangle is not there once";
        sum += mixed(view->triangleToCaller[t]) - mixed(t);
    }
    return sum == 0 ? NULL : "a triangle is not there once";
}

bool grzBvh_Validate(const grzBvh* bvh) {
    GRZ_RETURN_IF_NULL(bvh, false);
    const grzBvhView* view = &bvh->view;
    const char* flaw = flawOfShape(view);
    flaw = flaw != NULL ? flaw : flawOfOrder(view);
    flaw = flaw != NULL ? flaw : flawOfMaps(view);
    flaw = flaw != NULL || bvh->edits.isEdited ? flaw : flawOfTouch(view);
    flaw = flaw != NULL ? flaw : flawOfEdits(bvh);
    for (uint32_t leaf = 0; leaf < view->leafCount && flaw == NULL; ++leaf) {
        flaw = flawOfLeaf(view, leaf);
        flaw = flaw != NULL ? flaw : flawOfFlags(bvh, leaf);
    }
    return flaw == NULL || fails(flaw);
}

// ---- boxes ----

static double numberAt(const grzBvhRefit* refit, const void* positions, size_t vertex, size_t axis) {
    const size_t size = grzBvhNumberSize(refit->type), stride = refit->stride != 0 ? refit->stride : 3 * size;
    const unsigned char* at = (const unsigned char*)positions + vertex * stride + axis * size;
    if (refit->type == grz_float64) {
        double x;
        memcpy(&x, at, sizeof x);
        return x;
    }
    float x;
    memcpy(&x, at, sizeof x);
    return (double)x;
}

static bool holdsVertex(const grzBvhNode* node, uint32_t lane, const grzBvhRefit* refit, const void* positions,
                        uint32_t vertex) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const double x = numberAt(refit, positions, vertex, axis);
        if (!((double)node->lower[axis][lane] <= x && x <= (double)node->upper[axis][lane]))
            return false;
    }
    return true;
}

static bool holdsTriangles(const grzBvhView* view, const grzBvhRefit* refit, const grzBvhNode* nodes) {
    const grzBvhNode* bottom = nodes + grzBvhView_BottomStart(view);
    for (uint32_t t = 0; t < view->triangleCount; ++t) {
        for (size_t k = 0; k < 3; ++k) {
            uint32_t vertex = view->triangles[3 * (size_t)t + k];
            if (refit->numbering == grz_bvhCallersNumbers)
                vertex = view->vertexToCaller[vertex];
            const grzBvhNode* node = bottom + t / 32;
            if (!holdsVertex(node, t / 4 % 8, refit, refit->positions, vertex))
                return false;
            if (refit->endPositions != NULL && !holdsVertex(node, t / 4 % 8, refit, refit->endPositions, vertex))
                return false;
        }
    }
    return true;
}

// Whether lane k of a node is the least box of that child's own lanes.
static bool isUnion(const grzBvhNode* node, uint32_t k, const grzBvhNode* child) {
    for (int axis = 0; axis < 3; ++axis) {
        float lower = child->lower[axis][0], upper = child->upper[axis][0];
        for (int lane = 1; lane < 8; ++lane) {
            lower = child->lower[axis][lane] < lower ? child->lower[axis][lane] : lower;
            upper = child->upper[axis][lane] > upper ? child->upper[axis][lane] : upper;
        }
        if (node->lower[axis][k] != lower || node->upper[axis][k] != upper)
            return false;
    }
    return true;
}

static bool isEmpty(const grzBvhNode* node, uint32_t k) {
    for (int axis = 0; axis < 3; ++axis)
        if (node->lower[axis][k] != FLT_MAX || node->upper[axis][k] != -FLT_MAX)
            return false;
    return true;
}

static const char* flawOfNode(const grzBvhView* view, const grzBvhNode* nodes, uint32_t level, uint32_t index) {
    const grzBvhNode* node = &nodes[view->levelStarts[level] + index];
    const uint32_t count = grzBvhView_ChildCount(view, level, index);
    for (uint32_t k = 0; k < 8; ++k) {
        if (k >= count && !isEmpty(node, k))
            return "a lane without a child is not empty";
        if (k < count && level + 1 < view->levelCount &&
            !isUnion(node, k, &nodes[view->levelStarts[level + 1] + 8 * (size_t)index + k]))
            return "a box is not the union of its children";
    }
    return NULL;
}

bool grzBvh_ValidateBoxes(const grzBvh* bvh, const grzBvhRefit* refit, const grzBvhNode* nodes) {
    GRZ_RETURN_IF_NULL(bvh, false);
    GRZ_RETURN_IF_NULL(refit, false);
    const grzBvhView* view = &bvh->view;
    if (nodes == NULL && view->nodeCount != 0)
        return fails("nodes is NULL");
    for (uint32_t level = 0; level < view->levelCount; ++level) {
        for (uint32_t i = 0; i < view->levelStarts[level + 1] - view->levelStarts[level]; ++i) {
            const char* flaw = flawOfNode(view, nodes, level, i);
            if (flaw != NULL)
                return fails(flaw);
        }
    }
    return holdsTriangles(view, refit, nodes) || fails("a leaf does not hold its triangles");
}
