// What: Bullet's btDbvt as a tree of boxes.
#include "peer_tree.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <vector>

namespace {

struct BulletTree final : btDbvt::ICollide {
    btDbvt tree;
    std::vector<btDbvtNode*> leaves;
    std::vector<uint32_t> keys;
    std::vector<size_t> starts;
    void Process(const btDbvtNode* leaf) override {
        keys.push_back(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(leaf->data)));
    }
};

btVector3 toBullet(const grzVec3& v) {
    return btVector3(v.x, v.y, v.z);
}

btDbvtVolume volumeOf(const grzBox& box) {
    return btDbvtVolume::FromMM(toBullet(box.lower), toBullet(box.upper));
}

BulletTree& treeOf(void* context) {
    return *static_cast<BulletTree*>(context);
}

void* create(const grzBox* boxes, size_t count) {
    BulletTree* tree = new BulletTree;
    for (size_t i = 0; i < count; ++i)
        tree->leaves.push_back(tree->tree.insert(volumeOf(boxes[i]), reinterpret_cast<void*>(i)));
    return tree;
}

void destroy(void* context) {
    delete static_cast<BulletTree*>(context);
}

void tune(void* context) {
    treeOf(context).tree.optimizeTopDown();
}

void update(void* context, const grzBox* boxes, const uint32_t* moved, size_t movedCount) {
    BulletTree& tree = treeOf(context);
    for (size_t k = 0; k < movedCount; ++k) {
        btDbvtVolume volume = volumeOf(boxes[moved[k]]);
        tree.tree.update(tree.leaves[moved[k]], volume);
    }
}

void begin(BulletTree& tree) {
    tree.keys.clear();
    tree.starts.assign(1, 0);
}

void end(BulletTree& tree) {
    tree.starts.push_back(tree.keys.size());
}

void boxes(void* context, const grzTreeQuery* queries, size_t count) {
    BulletTree& tree = treeOf(context);
    begin(tree);
    for (size_t i = 0; i < count; ++i) {
        tree.tree.collideTV(tree.tree.m_root, volumeOf(queries[i].box), tree);
        end(tree);
    }
}

void volumes(void* context, const grzTreeQuery* queries, size_t count) {
    BulletTree& tree = treeOf(context);
    begin(tree);
    for (size_t i = 0; i < count; ++i) {
        btVector3 normals[GRZ_MAX_HALF_SPACES];
        btScalar offsets[GRZ_MAX_HALF_SPACES];
        for (uint32_t k = 0; k < queries[i].halfSpaceCount; ++k) { // theirs point inward
            normals[k] = -toBullet(queries[i].halfSpaces[k].normal);
            offsets[k] = queries[i].halfSpaces[k].offset;
        }
        btDbvt::collideKDOP(tree.tree.m_root, normals, offsets, static_cast<int>(queries[i].halfSpaceCount), tree);
        end(tree);
    }
}

void rays(void* context, const grzTreeQuery* queries, size_t count) {
    BulletTree& tree = treeOf(context);
    begin(tree);
    for (size_t i = 0; i < count; ++i) {
        const grzVec3 to = grzAdd(queries[i].point, grzScale(queries[i].direction, queries[i].reach));
        btDbvt::rayTest(tree.tree.m_root, toBullet(queries[i].point), toBullet(to), tree);
        end(tree);
    }
}

PeerHits hits(const void* context) {
    const BulletTree& tree = *static_cast<const BulletTree*>(context);
    return PeerHits{tree.keys.data(), tree.starts.data(), tree.starts.size() - 1};
}

} // namespace

const PeerTree peerBulletTree = {"Bullet", create, destroy, tune, update, boxes, volumes, rays, nullptr, hits};
