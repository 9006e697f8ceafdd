// visibility.c, visibility_walk.c, view_forms.c, plane_test.h: what a ray sees is found, against rays in double
// through pixels' centres and corners; volumes against all objects' corners in the world; and much of what is
// hidden is culled.
#include "testing.h"

#include "graze/visibility.h"
#include "hash.h"
#include "simd_dispatch.h"
#include "visibility_scenes.h"

static grzVisibility* createVisibility(uint32_t width, uint32_t height) {
    grzVisibilityDef def = grzDefaultVisibilityDef();
    def.width = width, def.height = height;
    def.minOccluderPixels = width * height < 4 ? 1 : 4;
    grzVisibility* visibility;
    assert_int_equal(grzVisibility_Create(&def, &visibility).status, grz_ok);
    return visibility;
}

static grzTree* createTree(grzNesting nesting, grzRetention retention) {
    grzTreeDef def = grzDefaultTreeDef();
    def.idSalt = 1; // the ids of one run are compared with those of another
    def.nesting = nesting, def.retention = retention;
    def.splitThreshold = 20;
    grzTree* tree;
    assert_int_equal(grzTree_Create(&def, &tree).status, grz_ok);
    return tree;
}

static grzTreeId insert(grzTree* tree, grzBox box, uint32_t key) {
    grzTreeObject object = grzDefaultTreeObject();
    object.box = box, object.key = key;
    grzTreeId id;
    assert_int_equal(grzTree_Insert(tree, &object, &id).status, grz_ok);
    return id;
}

static grzVisibilityView find(grzVisibility* visibility, const grzVisibilityQuery* query) {
    grzResult result = grzVisibility_Find(visibility, query);
    assert_int_equal(result.status, grz_ok);
    return grzVisibility_GetView(visibility);
}

static grzBox boxOf(float x0, float y0, float z0, float x1, float y1, float z1) {
    return grzBox_Make(grzVec3_Make(x0, y0, z0), grzVec3_Make(x1, y1, z1));
}

// Order as promised, ids good, instances level by level.
static void checkOrder(const grzVisibilityView* view) {
    assert_true(view->instanceCount > 0 && view->instances[0].parent == UINT32_MAX);
    for (size_t i = 1; i < view->instanceCount; ++i) {
        assert_true(view->instances[i].parent < i && view->instances[i].attachment.index1 != 0);
        assert_true(i == 1 || view->instances[i - 1].parent <= view->instances[i].parent);
    }
    for (size_t i = 0; i < view->count; ++i) {
        const grzVisibleObject* object = &view->objects[i];
        assert_true(object->instance < view->instanceCount && object->id.index1 != 0);
        if (i == 0)
            continue;
        const grzVisibleObject* last = object - 1;
        assert_true(last->instance <= object->instance);
        if (last->instance == object->instance)
            assert_true(last->key < object->key ||
                        (last->key == object->key && last->id.index1 < object->id.index1));
    }
}

// ------------------------------------------------------------------------------------------ one tree, one volume

enum { plainCount = 1500 };

typedef struct PlainScene {
    grzBox boxes[plainCount];
    grzHalfSpace halves[GRZ_MAX_HALF_SPACES];
    uint32_t halfCount;
} PlainScene;

static void makePlainScene(grzRng* rng, PlainScene* scene) {
    for (uint32_t i = 0; i < plainCount; ++i) {
        float size = ldexpf(sceneFloat(rng, 0.5f, 1), (int)grzRng_Below(rng, 9) - 4);
        scene->boxes[i] = sceneBox(scenePoint(rng, 60), grzVec3_Splat(i % 50 == 0 ? 0 : size));
    }
    scene->halfCount = grzRng_Below(rng, GRZ_MAX_HALF_SPACES + 1);
    for (uint32_t i = 0; i < scene->halfCount; ++i) {
        grzVec3 normal = grzScale(scenePoint(rng, 1), ldexpf(1, (int)grzRng_Below(rng, 60) - 30));
        scene->halves[i] = (grzHalfSpace){normal, sceneFloat(rng, -10, 60) * grzLength(normal)};
    }
}

// How deep in the half-space the box's deepest corner lies, times the length of the normal.
static double depthOf(const grzHalfSpace* half, grzBox box) {
    double depth = (double)half->offset;
    for (int i = 0; i < 3; ++i) {
        double n = (double)grzVec3_Get(half->normal, i);
        depth -= fmin(n * (double)grzVec3_Get(box.lower, i), n * (double)grzVec3_Get(box.upper, i));
    }
    return depth;
}

// How far into the volume a box reaches, in the worst of the planes, in units of length.
static double reachOf(const PlainScene* scene, grzBox box) {
    double reach = (double)INFINITY;
    for (uint32_t i = 0; i < scene->halfCount; ++i)
        reach = fmin(reach, depthOf(&scene->halves[i], box) / (double)grzLength(scene->halves[i].normal));
    return reach;
}

static void volumesHoldWhatNoPlaneRulesOut(void** state) {
    (void)state;
    static PlainScene scene;
    grzRng rng = grzRng_Make(testSeed(51), 0);
    grzVisibility* visibility = createVisibility(16, 16);
    for (int round = 0; round < 40; ++round) {
        makePlainScene(&rng, &scene);
        uint32_t firstHash = 0;
        for (int variant = 0; variant < 18; variant += 1 + round % 5) {
            grzTree* tree = createTree((grzNesting)(variant % 6), (grzRetention)(variant / 6));
            for (uint32_t i = 0; i < plainCount; ++i) {
                uint32_t k = variant % 2 == 0 ? i : plainCount - 1 - i;
                insert(tree, scene.boxes[k], k);
            }
            grzVisibilityQuery query = grzDefaultVisibilityQuery();
            query.tree = tree, query.halfSpaces = scene.halves, query.halfSpaceCount = scene.halfCount;
            grzVisibilityView view = find(visibility, &query);
            checkOrder(&view);
            uint32_t hash = (uint32_t)view.count;
            for (size_t i = 0, at = 0; i < plainCount; ++i) {
                bool isFound = at < view.count && view.objects[at].key == i;
                double reach = reachOf(&scene, scene.boxes[i]);
                assert_true(isFound || reach < 0);
                assert_true(!isFound || reach > -1e-3);
                at += isFound;
                hash = hash * 31 + isFound;
            }
            if (variant == 0)
                firstHash = hash;
            assert_int_equal(hash, firstHash); // whatever the tree's shape
            assert_int_equal(view.stats.objectsTested - view.stats.objectsOutside, view.count);
            grzTree_Destroy(tree);
        }
    }
    grzVisibility_Destroy(visibility);
}

// ------------------------------------------------------------------------------------------------ scenes with time

enum { objectMost = 4000, treeMost = 4, wayMost = 40 };

// A tree with objects, and how it is carried.
typedef struct SceneTree {
    grzTree* tree;
    grzBox boxes[objectMost];
    grzTreeId ids[objectMost];
    uint32_t count;
} SceneTree;

// One way into a tree: the frames on the way, outermost first.
typedef struct SceneWay {
    uint32_t tree;
    grzTransform frames[4];
    grzAttachmentId attachments[4];
    uint32_t depth;
} SceneWay;

typedef struct World {
    SceneTree trees[treeMost];
    uint32_t treeCount;
    grzTreeNest* nest;
    SceneWay ways[wayMost];
    uint32_t wayCount;
} World;

static void destroyWorld(World* world) {
    grzTreeNest_Destroy(world->nest);
    for (uint32_t i = 0; i < world->treeCount; ++i)
        grzTree_Destroy(world->trees[i].tree);
}

static void addObject(SceneTree* tree, grzBox box) {
    tree->boxes[tree->count] = box;
    tree->ids[tree->count] = insert(tree->tree, box, tree->count);
    tree->count++;
}

static grzTransform randomFrame(grzRng* rng, float reach) {
    grzQuat turn = grzQuat_Normalize(grzQuat_Make(sceneFloat(rng, -1, 1), sceneFloat(rng, -1, 1),
                                                  sceneFloat(rng, -1, 1), sceneFloat(rng, -1, 1)));
    grzVec3 scale = grzVec3_Make(sceneFloat(rng, 0.3f, 2), sceneFloat(rng, 0.3f, 2), sceneFloat(rng, -2, -0.3f));
    return grzTransform_Make(grzMat3_ScaleColumns(grzMat3_FromQuat(turn), scale), scenePoint(rng, reach));
}

// Lets `object` of the tree at the end of a way's parent carry another tree, and notes the way in.
static void addWay(World* world, uint32_t outer, uint32_t tree, grzTransform frame) {
    SceneWay way = world->ways[outer];
    SceneTree* parent = &world->trees[way.tree];
    grzTreeId object = insert(parent->tree, sceneBox(grzVec3_Zero(), grzVec3_Zero()), 100000 + world->wayCount);
    way.tree = tree;
    way.frames[way.depth] = frame;
    assert_int_equal(grzTreeNest_Attach(world->nest, parent->tree, object, world->trees[tree].tree, frame,
                                        &way.attachments[way.depth])
                         .status,
                     grz_ok);
    way.depth++;
    world->ways[world->wayCount++] = way;
}

// Four trees of random boxes: the first carries the second and third several times, the second carries the third,
// and that the fourth. Ways through an attachment that several ways share are added for each.
static void makeWorld(grzRng* rng, uint32_t count, World* world) {
    memset(world, 0, sizeof *world);
    world->treeCount = treeMost;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &world->nest).status, grz_ok);
    for (uint32_t t = 0; t < treeMost; ++t) {
        world->trees[t].tree = createTree((grzNesting)grzRng_Below(rng, 6), grz_retainVolume);
        for (uint32_t i = 0; i < (t == 0 ? count : count / 8); ++i)
            addObject(&world->trees[t], sceneBox(scenePoint(rng, t == 0 ? 40 : 8), grzAbs(scenePoint(rng, 3))));
    }
    world->wayCount = 1; // the root
    for (uint32_t k = 0; k < 5; ++k)
        addWay(world, 0, 1 + k % 2, randomFrame(rng, 30));
    // Ways 1, 3, 5 lead to tree 1, ways 2, 4 to tree 2.
    grzTransform inner = randomFrame(rng, 6), innermost = randomFrame(rng, 5);
    addWay(world, 1, 2, inner);
    uint32_t shared = world->wayCount - 1;
    addWay(world, shared, 3, innermost);
    grzAttachmentId innerId = world->ways[shared].attachments[1],
                    innermostId = world->ways[shared + 1].attachments[2];
    for (uint32_t k = 2; k <= 5; ++k) {
        SceneWay way = world->ways[k];
        if (way.tree == 1) {
            way.tree = 2, way.frames[way.depth] = inner, way.attachments[way.depth++] = innerId;
            world->ways[world->wayCount++] = way;
        }
        way.tree = 3, way.frames[way.depth] = innermost, way.attachments[way.depth++] = innermostId;
        world->ways[world->wayCount++] = way;
    }
    assert_int_equal(grzTreeNest_Refit(world->nest).status, grz_ok);
}

// The instance of a way in a result, or UINT32_MAX.
static uint32_t instanceOf(const grzVisibilityView* view, const SceneWay* way) {
    for (uint32_t i = 0; i < view->instanceCount; ++i) {
        uint32_t at = i, depth = way->depth;
        for (; depth > 0 && at != UINT32_MAX &&
               view->instances[at].attachment.index1 == way->attachments[depth - 1].index1;
             --depth)
            at = view->instances[at].parent;
        if (depth == 0 && at == 0)
            return i;
    }
    return UINT32_MAX;
}

static bool isReported(const grzVisibilityView* view, uint32_t instance, uint32_t key) {
    size_t from = 0, to = view->count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        const grzVisibleObject* object = &view->objects[middle];
        bool isBelow = object->instance < instance || (object->instance == instance && object->key < key);
        *(isBelow ? &from : &to) = isBelow ? middle + 1 : middle;
    }
    return from < view->count && view->objects[from].instance == instance && view->objects[from].key == key;
}

static void toWorld(const SceneWay* way, double p[3]) {
    for (uint32_t d = way->depth; d-- > 0;) {
        const grzTransform* frame = &way->frames[d];
        const grzVec3 columns[3] = {frame->basis.x, frame->basis.y, frame->basis.z};
        double q[3];
        for (int row = 0; row < 3; ++row) {
            q[row] = (double)grzVec3_Get(frame->origin, row);
            for (int c = 0; c < 3; ++c)
                q[row] += (double)grzVec3_Get(columns[c], row) * p[c];
        }
        memcpy(p, q, sizeof q);
    }
}

// How far a box of a way reaches beyond the worst plane, by its corners in the world.
static double cornersReach(const SceneWay* way, grzBox box, const grzHalfSpace* halves, uint32_t count) {
    double reach = (double)INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        double most = -(double)INFINITY;
        for (int corner = 0; corner < 8; ++corner) {
            double p[3], depth = (double)halves[i].offset;
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = (double)grzVec3_Get(corner >> axis & 1 ? box.upper : box.lower, axis);
            toWorld(way, p);
            for (int axis = 0; axis < 3; ++axis)
                depth -= (double)grzVec3_Get(halves[i].normal, axis) * p[axis];
            most = fmax(most, depth);
        }
        reach = fmin(reach, most / (double)grzLength(halves[i].normal));
    }
    return reach;
}

static void nestedTreesAgreeWithCornersInTheWorld(void** state) {
    (void)state;
    static World world;
    grzRng rng = grzRng_Make(testSeed(52), 0);
    grzVisibility* visibility = createVisibility(16, 16);
    size_t found = 0, deep = 0;
    for (int round = 0; round < 60; ++round) {
        if (round % 6 == 0)
            makeWorld(&rng, 400, &world);
        grzHalfSpace halves[5];
        for (int i = 0; i < 5; ++i)
            halves[i] = (grzHalfSpace){scenePoint(&rng, 1), sceneFloat(&rng, -5, 15)};
        grzVisibilityQuery query = grzDefaultVisibilityQuery();
        query.tree = world.trees[0].tree, query.nest = world.nest;
        query.halfSpaces = halves, query.halfSpaceCount = 1 + grzRng_Below(&rng, 5);
        grzVisibilityView view = find(visibility, &query);
        checkOrder(&view);
        size_t count = 0;
        for (uint32_t w = 0; w < world.wayCount; ++w) {
            const SceneWay* way = &world.ways[w];
            uint32_t instance = instanceOf(&view, way);
            for (uint32_t i = 0; i < world.trees[way->tree].count; ++i) {
                bool isFound = instance != UINT32_MAX && isReported(&view, instance, i);
                double reach = cornersReach(way, world.trees[way->tree].boxes[i], halves, query.halfSpaceCount);
                assert_true(isFound || reach < 1e-12);
                assert_true(!isFound || reach > -1e-3);
                count += isFound;
                deep += isFound && way->depth == 3;
            }
        }
        assert_int_equal(count, view.count); // nothing else, and nothing twice
        found += count;
        if (round % 6 == 5)
            destroyWorld(&world);
    }
    assert_true(found > 1000 && deep > 50);
    grzVisibility_Destroy(visibility);
}

// ---------------------------------------------------------------------------------------------------- occlusion

// The first two things that a ray meets as occluders.
typedef struct FirstHits {
    double first, second;
    uint32_t way, object; // the first
} FirstHits;

static FirstHits firstHits(const World* world, const SceneRay* rays) {
    FirstHits hits = {(double)INFINITY, (double)INFINITY, 0, 0};
    for (uint32_t w = 0; w < world->wayCount; ++w) {
        const SceneTree* tree = &world->trees[world->ways[w].tree];
        for (uint32_t i = 0; i < tree->count; ++i) {
            double at = sceneOcclusion(&rays[w], tree->boxes[i]);
            if (at < hits.first)
                hits = (FirstHits){at, hits.first, w, i};
            else if (at < hits.second)
                hits.second = at;
        }
    }
    return hits;
}

// Everything that a ray sees is in the result. `limit`: the w beyond which other occluders hide all.
static void checkRay(const World* world, const grzVisibilityView* view, const uint32_t* instances,
                     const SceneRay* ray) {
    SceneRay rays[wayMost];
    for (uint32_t w = 0; w < world->wayCount; ++w) {
        rays[w] = *ray;
        for (uint32_t d = 0; d < world->ways[w].depth; ++d)
            rays[w] = sceneRayInto(&rays[w], &world->ways[w].frames[d]);
    }
    FirstHits hits = firstHits(world, rays);
    for (uint32_t w = 0; w < world->wayCount; ++w) {
        const SceneTree* tree = &world->trees[world->ways[w].tree];
        for (uint32_t i = 0; i < tree->count; ++i) {
            double sight = sceneSight(&rays[w], tree->boxes[i]);
            double occlusion = w == hits.way && i == hits.object ? hits.second : hits.first;
            if (sight < (double)INFINITY && sight < occlusion * (1 - SCENE_DOUBT))
                assert_true(instances[w] != UINT32_MAX && isReported(view, instances[w], i));
        }
    }
}

static void checkView(const World* world, const grzVisibilityView* view, const grzCamera* camera, int width,
                      int height, int step) {
    uint32_t instances[wayMost];
    for (uint32_t w = 0; w < world->wayCount; ++w)
        instances[w] = instanceOf(view, &world->ways[w]);
    for (int v = 0; v <= 2 * height; v += step) {
        for (int u = v % step; u <= 2 * width; u += step) {
            // A little inward, where the reference's rays at the rim of the screen may pass out of view.
            double x = ((double)u / width - 1) * (1 - 1e-9), y = ((double)v / height - 1) * (1 - 1e-9);
            SceneRay ray = sceneRay(camera, x, y);
            checkRay(world, view, instances, &ray);
        }
    }
}

static void moveObjects(grzRng* rng, World* world) {
    for (uint32_t t = 0; t < world->treeCount; ++t) {
        SceneTree* tree = &world->trees[t];
        for (uint32_t i = 0; i < tree->count; ++i) {
            if (grzRng_Below(rng, 3) != 0)
                continue;
            grzVec3 by = scenePoint(rng, 1);
            tree->boxes[i] = grzBox_Make(grzAdd(tree->boxes[i].lower, by), grzAdd(tree->boxes[i].upper, by));
            assert_int_equal(grzTree_Update(tree->tree, tree->ids[i], tree->boxes[i]).status, grz_ok);
        }
    }
    assert_int_equal(grzTreeNest_Refit(world->nest).status, grz_ok);
}

static void whatARaySeesIsFound(void** state) {
    (void)state;
    static World world;
    enum { width = 28, height = 20 };
    grzRng rng = grzRng_Make(testSeed(53), 0);
    grzVisibility* visibility = createVisibility(width, height);
    uint64_t hidden = 0;
    for (int round = 0; round < 4; ++round) {
        makeWorld(&rng, 600, &world);
        grzVec3 position = scenePoint(&rng, 40);
        for (int frame = 0; frame < 3; ++frame) {
            grzCamera camera = sceneCamera(&rng, position);
            camera.nearest = 0.05f;
            grzVisibilityQuery query = grzDefaultVisibilityQuery();
            query.tree = world.trees[0].tree, query.nest = world.nest, query.camera = &camera;
            query.occlusion = grz_occludeByBoxes;
            grzVisibilityView view = find(visibility, &query);
            checkOrder(&view);
            checkView(&world, &view, &camera, width, height, 2);
            hidden += view.stats.objectsHidden + view.stats.nodesHidden;
            if (frame == 1)
                position = grzAdd(position, scenePoint(&rng, 2));
            moveObjects(&rng, &world);
        }
        destroyWorld(&world);
    }
    assert_true(hidden > 50);
    grzVisibility_Destroy(visibility);
}

// Streets between houses, a camera on one of them, and things that lie about.
static void makeCity(grzRng* rng, uint32_t blocks, uint32_t things, World* world) {
    memset(world, 0, sizeof *world);
    world->treeCount = 1, world->wayCount = 1;
    world->trees[0].tree = createTree(grz_nestRank, grz_retainVolume);
    float size = 20 * (float)blocks;
    for (uint32_t y = 0; y < blocks; ++y)
        for (uint32_t x = 0; x < blocks; ++x) {
            float x0 = 20 * (float)x, y0 = 20 * (float)y;
            addObject(&world->trees[0], boxOf(x0 + 4, y0 + 4, 0, x0 + 20, y0 + 20, sceneFloat(rng, 10, 30)));
        }
    for (uint32_t i = 0; i < things; ++i) {
        grzVec3 p = grzVec3_Make(sceneFloat(rng, 0, size), sceneFloat(rng, 0, size), sceneFloat(rng, 0, 2));
        addObject(&world->trees[0], sceneBox(p, grzVec3_Splat(0.3f)));
    }
}

static grzCamera cityCamera(uint32_t blocks, int frame) {
    float along = 20 * (float)(blocks / 2) + 2;
    grzVec3 position = grzVec3_Make(along, 10 + 0.3f * (float)frame, 1.7f);
    grzVec3 target = grzAdd(position, grzVec3_Make(0.3f, 1, 0.05f));
    return grzCamera_LookAt(position, target, grzVec3_Make(0, 0, 1), 1, 1.6f, 0.1f, 5000);
}

static void aCityIsMostlyHidden(void** state) {
    (void)state;
    static World world;
    enum { blocks = 20, things = 3000, width = 128, height = 80 };
    grzRng rng = grzRng_Make(54, 0); // the counts below are of this city
    makeCity(&rng, blocks, things, &world);
    grzVisibility* visibility = createVisibility(width, height);
    grzVisibilityQuery query = grzDefaultVisibilityQuery();
    query.tree = world.trees[0].tree;
    for (int frame = 0; frame < 4; ++frame) {
        grzCamera camera = cityCamera(blocks, frame);
        query.camera = &camera;
        query.occlusion = grz_occludeNothing;
        size_t inVolume = find(visibility, &query).count;
        if (frame > 0)
            assert_int_equal(grzVisibility_GetView(visibility).stats.occludersBefore, 0);
        grzVisibility* fresh = createVisibility(width, height);
        query.occlusion = grz_occludeByBoxes;
        size_t first = find(fresh, &query).count;
        grzVisibilityView view = find(fresh, &query);
        checkView(&world, &view, &camera, width / 4, height / 4, 2);
        assert_true(view.stats.occludersBefore > 0);
        assert_true(inVolume > 700 && first * 4 < inVolume && view.count * 4 < inVolume && view.count <= first);
        assert_true(view.stats.objectsTested * 2 < inVolume && view.stats.nodesHidden > 50);
        grzVisibility_Destroy(fresh);
    }
    grzVisibility_Destroy(visibility);
    grzTree_Destroy(world.trees[0].tree);
}

// --------------------------------------------------------------------------------------- occluders of the host

typedef struct HostOccluders {
    grzBox boxes[objectMost];
    float corners[objectMost][3][3]; // a triangle across each box
    uint32_t triangle[1][3];
    uint32_t calls;
} HostOccluders;

// Even keys have a smaller box in them, odd ones a triangle, and every fifth nothing.
static void occludersOf(void* context, const grzTree* tree, uint32_t key, grzOccluders* occluders) {
    HostOccluders* host = context;
    host->calls++;
    assert_non_null(tree);
    assert_true(occluders->boxCount == 0 && occluders->triangles.triangleCount == 0);
    if (key % 5 == 0)
        return;
    if (key % 2 == 0) {
        occluders->boxes = &host->boxes[key];
        occluders->boxCount = 1;
    } else {
        grzTriangleSoup soup = {(const float(*)[3])host->corners[key], 3, (const uint32_t(*)[3])host->triangle, 1};
        occluders->triangles = soup;
    }
}

static void makeHostOccluders(grzRng* rng, const SceneTree* tree, HostOccluders* host) {
    memset(host, 0, sizeof *host);
    host->triangle[0][1] = 1, host->triangle[0][2] = 2;
    for (uint32_t i = 0; i < tree->count; ++i) {
        grzBox box = tree->boxes[i];
        grzVec3 half = grzScale(grzBox_HalfExtent(box), 0.8f);
        host->boxes[i] = sceneBox(grzBox_Center(box), half);
        for (int k = 0; k < 3; ++k)
            for (int axis = 0; axis < 3; ++axis)
                host->corners[i][k][axis] =
                    sceneFloat(rng, grzVec3_Get(box.lower, axis), grzVec3_Get(box.upper, axis));
    }
}

static double hostOcclusion(const HostOccluders* host, const SceneRay* ray, uint32_t key) {
    if (key % 5 == 0)
        return (double)INFINITY;
    return key % 2 == 0 ? sceneOcclusion(ray, host->boxes[key])
                        : sceneTriangle(ray, (const float(*)[3])host->corners[key]);
}

static void occludersOfTheHostAreConservativeToo(void** state) {
    (void)state;
    static World world;
    static HostOccluders host;
    enum { width = 40, height = 30, count = 900 };
    grzRng rng = grzRng_Make(testSeed(55), 0);
    grzVisibility* visibility = createVisibility(width, height);
    memset(&world, 0, sizeof world);
    world.treeCount = world.wayCount = 1;
    world.trees[0].tree = createTree(grz_nestOctree, grz_retainNone);
    for (uint32_t i = 0; i < count; ++i)
        addObject(&world.trees[0], sceneBox(scenePoint(&rng, 40), grzVec3_Make(sceneFloat(&rng, 1, 5), 4, 3)));
    makeHostOccluders(&rng, &world.trees[0], &host);
    grzBox wall = boxOf(12, -60, -60, 13, 60, 60);
    grzVec3 position = grzVec3_Make(-20, 1, 2);
    uint64_t hidden = 0;
    for (int frame = 0; frame < 4; ++frame) {
        grzCamera camera = grzCamera_LookAt(position, grzVec3_Make(40, 0, (float)frame), grzVec3_Make(0, 0, 1),
                                            1.4f, 1.3f, 0.1f, 500);
        grzVisibilityQuery query = grzDefaultVisibilityQuery();
        query.tree = world.trees[0].tree, query.camera = &camera;
        query.occlusion = grz_occludeByHost;
        query.occludersOf = occludersOf, query.occludersContext = &host;
        if (frame >= 2)
            query.scenery.boxes = &wall, query.scenery.boxCount = 1;
        grzVisibilityView view = find(visibility, &query);
        hidden += view.stats.objectsHidden + view.stats.nodesHidden;
        for (int v = 0; v <= 2 * height; v += 2) {
            for (int u = 0; u <= 2 * width; ++u) {
                SceneRay ray = sceneRay(&camera, ((double)u / width - 1) * 0.999, ((double)v / height - 1) * 0.999);
                double first = frame >= 2 ? sceneOcclusion(&ray, wall) : (double)INFINITY;
                for (uint32_t i = 0; i < count; ++i)
                    first = fmin(first, hostOcclusion(&host, &ray, i));
                for (uint32_t i = 0; i < count; ++i)
                    if (sceneSight(&ray, world.trees[0].boxes[i]) < first * (1 - SCENE_DOUBT))
                        assert_true(isReported(&view, 0, i));
            }
        }
        for (uint32_t i = 0; frame >= 2 && i < count; ++i)
            assert_true(world.trees[0].boxes[i].lower.x < 20 || !isReported(&view, 0, i)); // behind the wall
    }
    assert_true(hidden > 100 && host.calls > 50);
    grzVisibility_Destroy(visibility);
    grzTree_Destroy(world.trees[0].tree);
}

// ------------------------------------------------------------------------------------------------- plain cases

// A wall, a box behind it and one beside it, seen from the origin along x.
typedef struct WallScene {
    grzTree* tree;
    grzTreeId wall, behind, beside;
    grzCamera camera;
    grzVisibility* visibility;
    grzVisibilityQuery query;
} WallScene;

static void makeWall(WallScene* scene) {
    memset(scene, 0, sizeof *scene);
    scene->tree = createTree(grz_nestKd, grz_retainNone);
    scene->wall = insert(scene->tree, boxOf(10, -5, -5, 11, 5, 5), 1);
    scene->behind = insert(scene->tree, boxOf(20, -1, -1, 22, 1, 1), 2);
    scene->beside = insert(scene->tree, boxOf(10, 7, 0, 11, 8, 1), 3);
    scene->camera =
        grzCamera_LookAt(grzVec3_Zero(), grzVec3_Make(1, 0, 0), grzVec3_Make(0, 0, 1), 1.5f, 1, 0.1f, 1000);
    scene->visibility = createVisibility(64, 64);
    scene->query = grzDefaultVisibilityQuery();
    scene->query.tree = scene->tree;
    scene->query.camera = &scene->camera;
    scene->query.occlusion = grz_occludeByBoxes;
}

static void destroyWall(WallScene* scene) {
    grzVisibility_Destroy(scene->visibility);
    grzTree_Destroy(scene->tree);
}

// The keys that are visible, as bits. In one leaf all is tested in the order of storage, so what hides what came
// before it in the leaf does so from the second time on.
static uint32_t seenKeys(WallScene* scene) {
    grzVisibilityView view = find(scene->visibility, &scene->query);
    uint32_t bits = 0;
    for (size_t i = 0; i < view.count; ++i)
        bits |= 1u << view.objects[i].key;
    return bits;
}

static void whatWasVisibleIsDrawnWhereItIsNow(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
    assert_int_equal(grzVisibility_GetView(scene.visibility).stats.occludersBefore, 2);
    // The wall steps aside: what it hid is seen at once.
    assert_int_equal(grzTree_Update(scene.tree, scene.wall, boxOf(10, -8, -5, 11, -6, 5)).status, grz_ok);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(grzTree_Update(scene.tree, scene.wall, boxOf(10, -5, -5, 11, 5, 5)).status, grz_ok);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
    // It goes, and another object gets its index.
    assert_int_equal(grzTree_Remove(scene.tree, scene.wall).status, grz_ok);
    grzTreeId id = insert(scene.tree, boxOf(-5, -5, -5, -4, 5, 5), 4);
    assert_int_equal(id.index1, scene.wall.index1);
    assert_int_equal(seenKeys(&scene), 1u << 2 | 1u << 3);
    destroyWall(&scene);
}

static void categoriesAreNeitherSeenNorOcclude(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    grzTreeObject glass = grzDefaultTreeObject();
    glass.category = 2, glass.key = 5, glass.box = boxOf(5, -9, -9, 6, 9, 9);
    grzTreeId id;
    assert_int_equal(grzTree_Insert(scene.tree, &glass, &id).status, grz_ok);
    seenKeys(&scene);
    assert_int_equal(seenKeys(&scene), 1u << 5); // it hides all
    scene.query.mask = 1;
    for (int i = 0; i < 2; ++i)
        assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3); // though it was visible
    scene.query.mask = 2;
    assert_int_equal(seenKeys(&scene), 1u << 5);
    assert_int_equal(grzVisibility_GetView(scene.visibility).stats.objectsTested, 1);
    scene.query.mask = 0;
    assert_int_equal(seenKeys(&scene), 0);
    destroyWall(&scene);
}

// As with queries: the object, too, must want to be seen by one of the view's category.
static void masksOfObjectsCountAsInQueries(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    grzTreeObject shy = grzDefaultTreeObject();
    shy.mask = 4, shy.key = 5, shy.box = boxOf(5, -9, -9, 6, 9, 9);
    grzTreeId id;
    assert_int_equal(grzTree_Insert(scene.tree, &shy, &id).status, grz_ok);
    for (uint64_t category = 1; category <= 8; category *= 2) {
        scene.query.category = category;
        uint32_t expected = category == 4 ? 1u << 5 : 1u << 1 | 1u << 3;
        seenKeys(&scene);
        assert_int_equal(seenKeys(&scene), expected);
    }
    destroyWall(&scene);
}

// Where no object has a category of its own, the view's mask still holds.
static void aMaskHoldsAmongUsualObjects(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    scene.query.mask = 2;
    assert_int_equal(seenKeys(&scene), 0);
    scene.query.mask = 3, scene.query.category = 0;
    assert_int_equal(seenKeys(&scene), 0);
    destroyWall(&scene);
}

static void aCameraWithinABoxSeesOutOfIt(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    insert(scene.tree, boxOf(-3, -3, -3, 3, 3, 3), 6);        // around the camera
    insert(scene.tree, boxOf(0, -3, -3, 4, 3, 3), 7);         // its side runs through the camera
    insert(scene.tree, boxOf(0.05f, -3, -3, 0.06f, 3, 3), 8); // nearer than nearest
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3 | 1u << 6 | 1u << 7);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3 | 1u << 6 | 1u << 7);
    destroyWall(&scene);
}

// A tree within a tree within a tree, and so on; each shifts by one.
static void nestingMayBeDeep(void** state) {
    (void)state;
    enum { depth = 300 };
    static grzTree* trees[depth];
    grzTreeNest* nest;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &nest).status, grz_ok);
    for (uint32_t i = 0; i < depth; ++i) {
        trees[i] = createTree(grz_nestKd, grz_retainNone);
        insert(trees[i], boxOf(0, 0, 0, 0.5f, 0.5f, 0.5f), i);
    }
    for (int i = 0; i + 1 < depth; ++i) {
        grzTreeId carrier = insert(trees[i], boxOf(0, 0, 0, 0, 0, 0), 1000);
        grzAttachmentId id;
        grzTransform frame = grzTransform_Make(grzMat3_Identity(), grzVec3_Make(1, 0, 0));
        assert_int_equal(grzTreeNest_Attach(nest, trees[i], carrier, trees[i + 1], frame, &id).status, grz_ok);
    }
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    grzVisibility* visibility = createVisibility(16, 16);
    grzHalfSpace slab[2] = {{grzVec3_Make(-1, 0, 0), -100.2f}, {grzVec3_Make(1, 0, 0), 201.2f}};
    grzVisibilityQuery query = grzDefaultVisibilityQuery();
    query.tree = trees[0], query.nest = nest, query.halfSpaces = slab, query.halfSpaceCount = 2;
    grzVisibilityView view = find(visibility, &query);
    checkOrder(&view);
    assert_int_equal(view.count, 102);
    for (uint32_t i = 0; i < view.count; ++i)
        assert_true(view.objects[i].key == 100 + i && view.objects[i].instance == 100 + i);
    grzVisibility_Destroy(visibility);
    grzTreeNest_Destroy(nest);
    for (int i = 0; i < depth; ++i)
        grzTree_Destroy(trees[i]);
}

// Between two finds attachments end and begin, and objects begin and cease to carry trees.
static void attachmentsMayChangeBetweenFinds(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    grzTree* house = createTree(grz_nestKd, grz_retainNone);
    insert(house, boxOf(0, -20, -20, 1, 20, 20), 9); // hides all that is farther
    grzTreeNest* nest;
    grzAttachmentId id;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &nest).status, grz_ok);
    scene.query.nest = nest;
    grzTransform frame = grzTransform_Make(grzMat3_Identity(), grzVec3_Make(4, 0, 0));
    for (int round = 0; round < 3; ++round) {
        assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
        assert_int_equal(grzTreeNest_Attach(nest, scene.tree, scene.wall, house, frame, &id).status, grz_ok);
        assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
        seenKeys(&scene);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(seenKeys(&scene), 1u << 9);
        assert_int_equal(grzVisibility_GetView(scene.visibility).stats.occludersBefore, 1);
        assert_int_equal(grzTreeNest_Detach(nest, id).status, grz_ok);
        assert_int_equal(grzTree_Update(scene.tree, scene.wall, boxOf(10, -5, -5, 11, 5, 5)).status, grz_ok);
    }
    // The object that carries goes: what it carried is neither there nor drawn.
    assert_int_equal(grzTreeNest_Attach(nest, scene.tree, scene.wall, house, frame, &id).status, grz_ok);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    seenKeys(&scene);
    assert_int_equal(seenKeys(&scene), 1u << 9);
    assert_int_equal(grzTree_Remove(scene.tree, scene.wall).status, grz_ok);
    assert_int_equal(seenKeys(&scene), 1u << 2 | 1u << 3);
    grzTreeNest_Destroy(nest);
    grzTree_Destroy(house);
    destroyWall(&scene);
}

// Frames 3.3e0, 1e20 and -1e20 one in the other: what is in the innermost lies at 3.3, but doubles have lost it.
// Nothing there may be ruled out, and nothing may be hidden by it.
static void framesThatCancelAreNotTrusted(void** state) {
    (void)state;
    static const float origins[3] = {3.3f, 1e20f, -1e20f};
    WallScene scene;
    makeWall(&scene);
    grzTree* trees[4] = {scene.tree};
    grzTreeNest* nest;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &nest).status, grz_ok);
    for (int i = 1; i < 4; ++i)
        trees[i] = createTree(grz_nestKd, grz_retainNone);
    for (int i = 0; i < 3; ++i) {
        grzTreeId carrier = insert(trees[i], boxOf(0, 0, 0, 0, 0, 0), 20);
        grzAttachmentId id;
        grzTransform frame = grzTransform_Make(grzMat3_Identity(), grzVec3_Make(0, origins[i], 0));
        assert_int_equal(grzTreeNest_Attach(nest, trees[i], carrier, trees[i + 1], frame, &id).status, grz_ok);
    }
    insert(trees[3], boxOf(5, -0.5f, -2, 6, 0.5f, 2), 9); // in truth beside what is seen of the wall's middle
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    const grzHalfSpace beyond = {grzVec3_Make(0, -1, 0), -2.8f};
    scene.query.nest = nest;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3 | 1u << 9);
    assert_int_equal(grzTree_Remove(scene.tree, scene.wall).status, grz_ok);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(seenKeys(&scene), 1u << 2 | 1u << 3 | 1u << 9);
    scene.query.halfSpaces = &beyond, scene.query.halfSpaceCount = 1;
    assert_int_equal(seenKeys(&scene), 1u << 3 | 1u << 9);
    grzTreeNest_Destroy(nest);
    for (int i = 1; i < 4; ++i)
        grzTree_Destroy(trees[i]);
    destroyWall(&scene);
}

// Objects of equal key carry trees: the instances stand in the order of the attachments.
static void instancesOfEqualKeysAreInTheOrderOfAttachment(void** state) {
    (void)state;
    enum { count = 40 };
    grzTree* tree = createTree(grz_nestKd, grz_retainNone);
    grzTree* carried = createTree(grz_nestKd, grz_retainNone);
    insert(carried, boxOf(0, 0, 0, 1, 1, 1), 5);
    grzTreeNest* nest;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &nest).status, grz_ok);
    grzTreeId carriers[count];
    for (int i = 0; i < count; ++i)
        carriers[i] = insert(tree, boxOf(0, 0, 0, 0, 0, 0), 7);
    for (int i = 0; i < count; ++i) {
        grzAttachmentId id;
        grzTransform frame = grzTransform_Make(grzMat3_Identity(), grzVec3_Make((float)(i * 11 % count), 0, 0));
        assert_int_equal(grzTreeNest_Attach(nest, tree, carriers[(i * 7 + 3) % count], carried, frame, &id).status,
                         grz_ok);
    }
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    grzVisibility* visibility = createVisibility(16, 16);
    grzVisibilityQuery query = grzDefaultVisibilityQuery();
    query.tree = tree, query.nest = nest;
    grzVisibilityView view = find(visibility, &query);
    assert_true(view.instanceCount == count + 1 && view.count == count);
    for (uint32_t i = 1; i <= count; ++i)
        assert_true(view.instances[i].attachment.index1 == i && view.objects[i - 1].instance == i);
    grzVisibility_Destroy(visibility);
    grzTreeNest_Destroy(nest);
    grzTree_Destroy(tree), grzTree_Destroy(carried);
}

static void emptyTreesAndScreensOfOnePixelWork(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    grzTree* empty = createTree(grz_nestRank, grz_retainVolume);
    scene.query.tree = empty;
    assert_int_equal(seenKeys(&scene), 0);
    assert_int_equal(grzVisibility_GetView(scene.visibility).instanceCount, 1);
    scene.query.tree = scene.tree;
    scene.query.occlusion = grz_occludeNothing;
    scene.query.camera = NULL;
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 2 | 1u << 3); // no volume at all
    scene.query.camera = &scene.camera;
    scene.query.occlusion = grz_occludeByBoxes;
    grzVisibility* large = scene.visibility;
    scene.visibility = createVisibility(1, 1);
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 2 | 1u << 3); // a pixel that nothing covers
    insert(scene.tree, boxOf(5, -50, -50, 6, 50, 50), 4);
    seenKeys(&scene);
    assert_int_equal(seenKeys(&scene), 1u << 4);
    grzVisibility_Destroy(large);
    destroyWall(&scene);
    grzTree_Destroy(empty);
}

// What is drawn on the way joins the coarse levels while the walk goes on, but not box by box.
static void coarseLevelsFollowWhatIsDrawn(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    grzTree* wall = createTree(grz_nestKd, grz_retainNone);
    for (uint32_t i = 0; i < 64; ++i) {
        float y = 2.2f * (float)(i % 8) - 8.8f, z = 2.2f * (float)(i / 8) - 8.8f;
        insert(wall, boxOf(10, y, z, 11, y + 2, z + 2), i);
    }
    scene.query.tree = wall;
    for (int frame = 0; frame < 2; ++frame) {
        assert_int_equal(grzVisibility_Find(scene.visibility, &scene.query).status, grz_ok);
        grzVisibilityView view = grzVisibility_GetView(scene.visibility);
        assert_int_equal(view.count, 64);
        assert_int_equal(frame == 0 ? view.stats.occludersDuring : view.stats.occludersBefore, 64);
        if (frame == 0)
            assert_in_range(view.stats.reductions, 2, 5);
        else
            assert_int_equal(view.stats.reductions, 1);
    }
    destroyWall(&scene);
    grzTree_Destroy(wall);
}

static void refuse(WallScene* scene, grzStatus status, uint64_t value) {
    grzResult result = grzVisibility_Find(scene->visibility, &scene->query);
    assert_int_equal(result.status, status);
    assert_int_equal(result.value, value);
    assert_true(status != grz_badArgument || result.reason != NULL);
    grzVisibilityView view = grzVisibility_GetView(scene->visibility);
    assert_true(view.count == 0 && view.instanceCount == 0 && view.stats.objectsTested == 0);
}

static void badQueriesAreRefused(void** state) {
    (void)state;
    WallScene scene;
    makeWall(&scene);
    const grzVisibilityQuery good = scene.query;
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
    scene.query.tree = NULL;
    refuse(&scene, grz_badArgument, 1);
    scene.query = good, scene.query.halfSpaceCount = GRZ_MAX_HALF_SPACES + 1;
    refuse(&scene, grz_badArgument, 2);
    scene.query = good, scene.query.halfSpaceCount = 1;
    refuse(&scene, grz_badArgument, 2);
    scene.query = good, scene.query.camera = NULL;
    refuse(&scene, grz_badArgument, 3);
    scene.query = good, scene.query.occlusion = grz_occludeByHost;
    refuse(&scene, grz_badArgument, 4);
    scene.query = good, scene.query.occlusion = (grzOcclusion)3;
    refuse(&scene, grz_badArgument, 6);
    grzHalfSpace halves[2] = {{grzVec3_Make(1, 0, 0), 0}, {grzVec3_Make(1, 0, 0), INFINITY}};
    scene.query = good, scene.query.halfSpaces = halves, scene.query.halfSpaceCount = 2;
    assert_int_equal(grzVisibility_Find(scene.visibility, &scene.query).index, 1);
    refuse(&scene, grz_notFinite, 0);
    scene.query = good, scene.camera.nearest = -1;
    refuse(&scene, grz_badArgument, 7);
    scene.camera.nearest = 0.1f;
    static const float corner[1][3] = {{0, 0, 0}};
    static const uint32_t triangle[1][3] = {{0, 0, 1}};
    grzTriangleSoup soup = {corner, 1, triangle, 1};
    scene.query.scenery.triangles = soup;
    refuse(&scene, grz_indexTooLarge, 1);
    scene.query = good;
    assert_int_equal(seenKeys(&scene), 1u << 1 | 1u << 3);
    grzTreeDef def = grzDefaultTreeDef();
    def.margin = 0.5f;
    grzTree* loose;
    assert_int_equal(grzTree_Create(&def, &loose).status, grz_ok);
    scene.query.tree = loose;
    refuse(&scene, grz_badArgument, 5);
    scene.query.occlusion = grz_occludeNothing;
    assert_int_equal(seenKeys(&scene), 0);
    grzTree_Destroy(loose);
    grzVisibility* none;
    grzVisibilityDef bad = grzDefaultVisibilityDef();
    bad.mark ^= 1;
    assert_int_equal(grzVisibility_Create(&bad, &none).status, grz_badDef);
    assert_int_equal(grzVisibility_Create(NULL, &none).status, grz_badDef);
    bad = grzDefaultVisibilityDef(), bad.allocator.allocate = grzDefaultAllocator().allocate;
    assert_int_equal(grzVisibility_Create(&bad, &none).status, grz_badArgument);
    assert_null(none);
    bad = grzDefaultVisibilityDef(), bad.height = 0;
    assert_int_equal(grzVisibility_Create(&bad, &none).status, grz_badArgument);
    assert_null(none);
    grzVisibility_Destroy(NULL);
    destroyWall(&scene);
}

static uint64_t hashOfFinds(uint64_t seed) {
    static World world;
    grzRng rng = grzRng_Make(seed, 0);
    grzHash hash = grzHash_Begin(0);
    makeWorld(&rng, 500, &world);
    grzVisibility* visibility = createVisibility(75, 43);
    for (int frame = 0; frame < 6; ++frame) {
        grzCamera camera = sceneCamera(&rng, scenePoint(&rng, 30));
        grzVisibilityQuery query = grzDefaultVisibilityQuery();
        query.tree = world.trees[0].tree, query.nest = world.nest, query.camera = &camera;
        query.occlusion = frame % 3 == 2 ? grz_occludeNothing : grz_occludeByBoxes;
        grzVisibilityView view = find(visibility, &query);
        grzHash_Add(&hash, view.objects, view.count * sizeof *view.objects);
        grzHash_Add(&hash, view.instances, view.instanceCount * sizeof *view.instances);
        grzHash_Add(&hash, &view.stats, sizeof view.stats);
        moveObjects(&rng, &world);
    }
    grzVisibility_Destroy(visibility);
    destroyWorld(&world);
    return grzHash_End(&hash);
}

static void allSimdLevelsFindTheSameBytes(void** state) {
    (void)state;
    uint64_t seed = testSeed(56);
    grzSimdLevel usual = grzSimd_Force(grz_simdScalar);
    uint64_t expected = hashOfFinds(seed);
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        assert_true(hashOfFinds(seed) == expected);
    }
    grzSimd_Force(usual);
}

static void refusedMemoryIsReported(void** state) {
    (void)state;
    static World world;
    grzRng rng = grzRng_Make(testSeed(57), 0);
    makeWorld(&rng, 200, &world);
    grzCamera camera = sceneCamera(&rng, scenePoint(&rng, 30));
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzVisibilityDef def = grzDefaultVisibilityDef();
        def.width = def.height = 32;
        def.allocator = testAllocator(&memory);
        grzVisibility* visibility;
        grzResult result = grzVisibility_Create(&def, &visibility);
        grzVisibilityQuery query = grzDefaultVisibilityQuery();
        query.tree = world.trees[0].tree, query.nest = world.nest, query.camera = &camera;
        query.occlusion = grz_occludeByBoxes;
        for (int frame = 0; frame < 2 && grzResult_IsOk(result); ++frame) {
            result = grzVisibility_Find(visibility, &query);
            assert_true(grzResult_IsOk(result) == (grzVisibility_GetView(visibility).instanceCount != 0));
        }
        assert_true(grzResult_IsOk(result) || result.status == grz_outOfMemory);
        assert_int_equal(grzResult_IsOk(result), memory.requests <= failAt);
        if (!grzResult_IsOk(result) && visibility != NULL) { // it can be used again
            memory.failAt = SIZE_MAX;
            assert_true(find(visibility, &query).count > 0);
        }
        grzVisibility_Destroy(visibility);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result))
            break;
    }
    destroyWorld(&world);
}

static void nothingIsAllocatedAfterWarmUp(void** state) {
    (void)state;
    static World world;
    grzRng rng = grzRng_Make(testSeed(58), 0);
    makeWorld(&rng, 400, &world);
    grzCamera camera = sceneCamera(&rng, scenePoint(&rng, 30));
    TestMemory memory = {.failAt = SIZE_MAX};
    grzVisibilityDef def = grzDefaultVisibilityDef();
    def.allocator = testAllocator(&memory);
    grzVisibility* visibility;
    assert_int_equal(grzVisibility_Create(&def, &visibility).status, grz_ok);
    grzVisibilityQuery query = grzDefaultVisibilityQuery();
    query.tree = world.trees[0].tree, query.nest = world.nest, query.camera = &camera;
    query.occlusion = grz_occludeByBoxes;
    for (int frame = 0; frame < 3; ++frame)
        find(visibility, &query);
    size_t requests = memory.requests;
    for (int frame = 0; frame < 3; ++frame)
        find(visibility, &query);
    assert_int_equal(memory.requests, requests);
    grzVisibility_Destroy(visibility);
    destroyWorld(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumesHoldWhatNoPlaneRulesOut),
        cmocka_unit_test(nestedTreesAgreeWithCornersInTheWorld),
        cmocka_unit_test(whatARaySeesIsFound),
        cmocka_unit_test(aCityIsMostlyHidden),
        cmocka_unit_test(occludersOfTheHostAreConservativeToo),
        cmocka_unit_test(whatWasVisibleIsDrawnWhereItIsNow),
        cmocka_unit_test(categoriesAreNeitherSeenNorOcclude),
        cmocka_unit_test(masksOfObjectsCountAsInQueries),
        cmocka_unit_test(aMaskHoldsAmongUsualObjects),
        cmocka_unit_test(aCameraWithinABoxSeesOutOfIt),
        cmocka_unit_test(nestingMayBeDeep),
        cmocka_unit_test(attachmentsMayChangeBetweenFinds),
        cmocka_unit_test(framesThatCancelAreNotTrusted),
        cmocka_unit_test(instancesOfEqualKeysAreInTheOrderOfAttachment),
        cmocka_unit_test(emptyTreesAndScreensOfOnePixelWork),
        cmocka_unit_test(coarseLevelsFollowWhatIsDrawn),
        cmocka_unit_test(badQueriesAreRefused),
        cmocka_unit_test(allSimdLevelsFindTheSameBytes),
        cmocka_unit_test(refusedMemoryIsReported),
        cmocka_unit_test(nothingIsAllocatedAfterWarmUp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
