// A few boxes that drift about among many that stand still, frame by frame: which pairs begin and end to overlap, and how long each
// lasts; what a ray through the room hits first, what a camera has in view and what it sees of it, and what lies about the movers. Uses
// public headers only.
#include <graze/graze.h>
#include <graze/stage/pair_table.h>

#include <stdio.h>

enum { boxCount = 500, movingCount = 60, frameCount = 60, rowMost = movingCount * boxCount };

typedef struct Room {
    grzTree *moving, *still; // the boxes below movingCount, and the others
    grzTreePairs* finder;
    grzPairTable* table;
    grzTreeHits* hits;
    grzVisibility* visibility;
    grzTreeId ids[boxCount];
    uint32_t movers[movingCount];
    int lasted[rowMost]; // frames, by the row of a pair
} Room;

static grzBox boxAt(int i, int frame) {
    float angle = 0.02f * (float)frame * (float)(i % 7 + 1) + (float)i;
    grzVec3 center = grzVec3_Make(20 * grzCos(angle), (float)(i % 13), 20 * grzSin(angle));
    grzVec3 half = grzVec3_Splat(0.5f);
    return grzBox_Make(grzSub(center, half), grzAdd(center, half));
}

static grzResult fillRoom(Room* room) {
    static grzTreeObject objects[boxCount];
    for (int i = 0; i < boxCount; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].key = (uint32_t)i;
        objects[i].box = boxAt(i, 0);
    }
    for (int i = 0; i < movingCount; ++i)
        room->movers[i] = (uint32_t)i;
    grzResult result = grzTree_InsertMany(room->moving, objects, movingCount, room->ids);
    if (!grzResult_IsOk(result))
        return result;
    return grzTree_InsertMany(room->still, objects + movingCount, boxCount - movingCount, room->ids + movingCount);
}

static grzResult makeRoom(Room* room) {
    grzTreeDef treeDef = grzDefaultTreeDef();
    grzResult result = grzTree_Create(&treeDef, &room->moving);
    if (grzResult_IsOk(result))
        result = grzTree_Create(&treeDef, &room->still);
    if (!grzResult_IsOk(result))
        return result;
    result = grzTreePairs_Create((grzAllocator){0}, &room->finder);
    if (!grzResult_IsOk(result))
        return result;
    grzPairTableDef tableDef = grzDefaultPairTableDef();
    result = grzPairTable_Create(&tableDef, &room->table);
    if (!grzResult_IsOk(result))
        return result;
    grzVisibilityDef visibilityDef = grzDefaultVisibilityDef();
    result = grzVisibility_Create(&visibilityDef, &room->visibility);
    if (!grzResult_IsOk(result))
        return result;
    result = grzTreeHits_Create((grzAllocator){0}, &room->hits);
    return grzResult_IsOk(result) ? fillRoom(room) : result;
}

static void destroyRoom(Room* room) {
    grzVisibility_Destroy(room->visibility);
    grzTreeHits_Destroy(room->hits);
    grzPairTable_Destroy(room->table);
    grzTreePairs_Destroy(room->finder);
    grzTree_Destroy(room->still);
    grzTree_Destroy(room->moving);
}

// Counts a frame for each pair: its row is the same in all frames. Returns the most.
static int countFrames(Room* room) {
    const grzPairTableView view = grzPairTable_GetView(room->table);
    int most = 0;
    for (size_t i = 0; i < view.begunCount; ++i)
        room->lasted[view.rows[view.begun[i]]] = 0;
    for (size_t i = 0; i < view.count; ++i)
        most = ++room->lasted[view.rows[i]] > most ? room->lasted[view.rows[i]] : most;
    return most;
}

// Moves what moves and brings its pairs up to date.
static grzResult step(Room* room, int frame) {
    grzBox boxes[movingCount];
    for (int i = 0; i < movingCount; ++i)
        boxes[i] = boxAt(i, frame);
    grzResult result = grzTree_UpdateMany(room->moving, room->ids, boxes, movingCount);
    if (!grzResult_IsOk(result))
        return result;
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = room->moving;
    query.still = room->still;
    query.order = grz_pairsSorted;
    result = grzTreePairs_Find(room->finder, NULL, &query);
    if (!grzResult_IsOk(result))
        return result;
    const grzTreePairsView found = grzTreePairs_GetView(room->finder);
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = found.pairs;
    update.pairCount = found.count;
    update.moved = room->movers;
    update.movedCount = movingCount;
    return grzPairTable_Update(room->table, NULL, &update);
}

static bool isEven(void* context, uint32_t key) {
    (void)context;
    return key % 2 == 0;
}

static void countDeep(void* context, grzBox box, uint32_t level, bool isLeaf) {
    (void)box;
    *(int*)context += isLeaf && level > 1;
}

// What stands about each mover, found for all of them at once, and how the tree of what stands does it.
static grzResult lookAbout(Room* room) {
    static grzTreeQuery queries[movingCount];
    int deep = 0;
    for (int i = 0; i < movingCount; ++i) {
        grzVec3 center = grzBox_Center(boxAt(i, frameCount - 1));
        queries[i] = grzMakeSphereQuery(center, 2);
    }
    grzResult result = grzTree_FindMany(room->still, NULL, queries, movingCount, room->hits);
    if (!grzResult_IsOk(result))
        return result;
    const grzTreeQueryStats stats = grzTreeHits_GetStats(room->hits);
    const grzTreeStats tree = grzTree_GetStats(room->still);
    grzTree_Draw(room->still, countDeep, &deep);
    printf(
        "%llu boxes are within 2 of a mover; %llu were tested, in a tree of %u leaves, %d of them below level 1\n",
        (unsigned long long)stats.hitCount, (unsigned long long)stats.testedCount, (unsigned)tree.leafCount, deep);
    return result;
}

// How many boxes a camera has in view, hidden ones too.
static grzResult countInView(Room* room, const grzCamera* camera, size_t* count) {
    grzHalfSpace halfSpaces[6];
    grzResult result = grzCamera_HalfSpaces(camera, halfSpaces);
    if (!grzResult_IsOk(result))
        return result;
    grzTreeQuery view = grzMakeVolumeQuery(halfSpaces, 6);
    result = grzTree_Find(room->still, &view, room->hits);
    *count = grzTreeHits_GetView(room->hits).count;
    return result;
}

// Of what stands still: the first box of an even number that a ray hits, and how many boxes a camera sees.
static grzResult look(Room* room) {
    grzVec3 eye = grzVec3_Make(-40, 6, 0), center = grzVec3_Make(0, 6, 0);
    grzTreeQuery ray = grzMakeRayQuery(eye, grzVec3_Make(1, 0, 0), 80, grz_pickClosest);
    ray.filter = isEven;
    grzResult result = grzTree_Find(room->still, &ray, room->hits);
    if (!grzResult_IsOk(result))
        return result;
    grzTreeHitsView found = grzTreeHits_GetView(room->hits);
    if (found.count != 0)
        printf("the ray meets box %u at %g\n", (unsigned)found.keys[0], (double)found.values[0]);
    grzCamera camera = grzCamera_LookAt(eye, center, grzVec3_Make(0, 1, 0), 0.8f, 2, 0.1f, 100);
    grzVisibilityQuery view = grzDefaultVisibilityQuery();
    view.tree = room->still;
    view.camera = &camera;
    view.occlusion = grz_occludeByBoxes;
    result = grzVisibility_Find(room->visibility, &view);
    size_t inView = 0;
    if (grzResult_IsOk(result))
        result = countInView(room, &camera, &inView);
    if (grzResult_IsOk(result))
        printf("the camera sees %zu of %zu boxes in its view\n", grzVisibility_GetView(room->visibility).count,
               inView);
    return grzResult_IsOk(result) ? lookAbout(room) : result;
}

int main(void) {
    static Room room; // large
    room = (Room){0};
    size_t begun = 0, ended = 0;
    int lasted = 0;
    grzResult result = makeRoom(&room);
    for (int frame = 0; frame < frameCount && grzResult_IsOk(result); ++frame) {
        result = step(&room, frame);
        if (!grzResult_IsOk(result))
            break;
        grzPairTableView view = grzPairTable_GetView(room.table);
        begun += view.begunCount, ended += view.endedCount;
        const int most = countFrames(&room);
        lasted = most > lasted ? most : lasted;
    }
    if (grzResult_IsOk(result))
        result = look(&room);
    size_t now = grzResult_IsOk(result) ? grzPairTable_GetView(room.table).count : 0;
    destroyRoom(&room);
    char text[128];
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "what_touches: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%zu pairs began, %zu ended, %zu are there; the longest lasted %d frames\n", begun, ended, now, lasted);
    return begun - ended == now ? 0 : 1;
}
