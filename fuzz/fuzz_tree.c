// Any bytes as a tree's life: a tree of some kind, then one operation after another, held to a flat list. After
// each the tree is valid and holds what the list holds; pairs are those of brute force; memory may be refused at
// any time.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "graze/tree_pairs.h"

enum { mostObjects = 96 };

// The bytes yet to come; zeros after their end.
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static uint8_t takeByte(Bytes* bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

// An allocator that refuses everything for a while.
typedef struct Memory {
    size_t liveBytes;
    uint32_t allowed; // requests until it refuses
} Memory;

static void* allocate(void* context, size_t size, size_t alignment) {
    Memory* memory = context;
    if (memory->allowed == 0)
        return NULL;
    memory->allowed--;
    memory->liveBytes += size;
    return grzDefaultAllocator().allocate(NULL, size, alignment);
}

static void release(void* context, void* data, size_t size, size_t alignment) {
    Memory* memory = context;
    FUZZ_REQUIRE(memory->liveBytes >= size);
    memory->liveBytes -= size;
    grzDefaultAllocator().release(NULL, data, size, alignment);
}

typedef struct Life {
    Bytes bytes;
    Memory memory;
    grzTree* tree;
    grzTreePairs* pairs;
    float margin;
    uint32_t count;
    grzTreeObject objects[mostObjects]; // as they should be stored
    grzTreeId ids[mostObjects];
    grzTreeId removed;
} Life;

// ---------------------------------------------------------------------------------------------------------- boxes

static float takeCoordinate(Bytes* bytes) {
    return (float)((int)takeByte(bytes) - 128);
}

static void makeOdd(grzBox* box, uint8_t kind) {
    switch (kind) {
    case 1:
        box->upper = box->lower; // a point
        break;
    case 2:
        *box = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(FLT_MAX));
        break;
    case 3:
        *box = grzBox_Make(grzScale(box->lower, 1e-43F), grzScale(box->upper, 1e-43F));
        break;
    case 4:
        *box = grzBox_Make(grzScale(box->lower, 1e35F), grzScale(box->upper, 1e35F));
        break;
    case 5:
        box->upper.y = FLT_MAX;
        break;
    case 6:
        *box = grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(2)); // the same for all
        break;
    case 7:
        box->lower.z = NAN;
        break;
    case 8:
        box->upper.x = INFINITY;
        break;
    case 9:
        box->lower.y = box->upper.y + 1;
        break;
    default:
        break;
    }
}

static grzBox takeBox(Bytes* bytes) {
    float x = takeCoordinate(bytes), y = takeCoordinate(bytes), z = takeCoordinate(bytes);
    uint8_t shape = takeByte(bytes);
    grzVec3 lower = grzVec3_Make(x, y, z), size = grzVec3_Splat((float)(shape % 16));
    grzBox box = grzBox_Make(lower, grzAdd(lower, size));
    if (shape >= 0xc0)
        makeOdd(&box, (uint8_t)(shape % 16));
    return box;
}

static grzStatus statusOf(grzBox box) {
    if (!grzVec3_IsFinite(box.lower) || !grzVec3_IsFinite(box.upper))
        return grz_notFinite;
    return grzBox_IsValid(box) ? grz_ok : grz_invertedBounds;
}

static grzBox storedBox(const Life* life, grzBox box) {
    if (!(life->margin > 0))
        return box;
    grzBox wide = grzBox_Expand(box, life->margin);
    return grzBox_Make(grzMax(wide.lower, grzVec3_Splat(-FLT_MAX)), grzMin(wide.upper, grzVec3_Splat(FLT_MAX)));
}

static grzBox updatedBox(const Life* life, grzBox stored, grzBox box) {
    bool isFree = life->margin > 0 && grzBox_Contains(stored, box) &&
                  grzBox_Contains(grzBox_Expand(box, 4 * life->margin), stored);
    return isFree ? stored : storedBox(life, box);
}

// ----------------------------------------------------------------------------------------------------- operations

static void insert(Life* life) {
    grzTreeObject objects[16];
    grzTreeId ids[16];
    uint8_t how = takeByte(&life->bytes);
    uint32_t count = 1 + how % 16;
    if (count > mostObjects - life->count)
        return;
    grzStatus expected = grz_ok;
    for (uint32_t i = 0; i < count; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].box = takeBox(&life->bytes);
        objects[i].key = life->count + i;
        if ((how & 0x80) != 0) {
            objects[i].category = takeByte(&life->bytes);
            objects[i].mask = takeByte(&life->bytes);
        }
        if (expected == grz_ok)
            expected = statusOf(objects[i].box);
    }
    grzResult result = grzTree_InsertMany(life->tree, objects, count, ids);
    bool isStarved = result.status == grz_outOfMemory && life->memory.allowed == 0;
    FUZZ_REQUIRE(result.status == expected || (expected == grz_ok && isStarved));
    for (uint32_t i = 0; i < count && grzResult_IsOk(result); ++i) {
        objects[i].box = storedBox(life, objects[i].box);
        life->objects[life->count] = objects[i];
        life->ids[life->count++] = ids[i];
    }
}

static void removeOne(Life* life) {
    FUZZ_REQUIRE(grzTree_Remove(life->tree, life->removed).status == grz_staleHandle);
    if (life->count == 0)
        return;
    uint32_t i = takeByte(&life->bytes) % life->count;
    life->removed = life->ids[i];
    FUZZ_REQUIRE(grzResult_IsOk(grzTree_Remove(life->tree, life->ids[i])));
    life->objects[i] = life->objects[--life->count];
    life->ids[i] = life->ids[life->count];
}

static void update(Life* life) {
    grzTreeId ids[8];
    grzBox boxes[8];
    if (life->count == 0)
        return;
    uint32_t places[8], count = 1 + takeByte(&life->bytes) % 8;
    grzStatus expected = grz_ok;
    for (uint32_t i = 0; i < count; ++i) {
        places[i] = takeByte(&life->bytes) % life->count;
        ids[i] = life->ids[places[i]];
        boxes[i] = takeBox(&life->bytes);
        if (expected == grz_ok)
            expected = statusOf(boxes[i]);
    }
    FUZZ_REQUIRE(grzTree_UpdateMany(life->tree, ids, boxes, count).status == expected);
    for (uint32_t i = 0; i < count && expected == grz_ok; ++i)
        life->objects[places[i]].box = updatedBox(life, life->objects[places[i]].box, boxes[i]);
}

// All by one step, and a few anywhere.
static void updateAll(Life* life) {
    grzBox boxes[mostObjects];
    float step = takeCoordinate(&life->bytes) / 8;
    grzStatus expected = grz_ok;
    for (uint32_t i = 0; i < mostObjects; ++i) // nobody may look at what no object has
        boxes[i] = grzBox_Make(grzVec3_Splat(NAN), grzVec3_Splat(NAN));
    for (uint32_t i = 0; i < life->count; ++i) {
        grzBox box = life->objects[i].box;
        box = grzBox_Make(grzAdd(box.lower, grzVec3_Splat(step)), grzAdd(box.upper, grzVec3_Splat(step)));
        if (i % 32 == 7)
            box = takeBox(&life->bytes);
        boxes[life->ids[i].index1 - 1] = box;
    }
    for (uint32_t i = 0; i < mostObjects && expected == grz_ok; ++i)
        for (uint32_t k = 0; k < life->count; ++k)
            if (life->ids[k].index1 == i + 1)
                expected = statusOf(boxes[i]);
    FUZZ_REQUIRE(grzTree_UpdateAll(life->tree, NULL, boxes, mostObjects).status == expected);
    for (uint32_t i = 0; i < life->count && expected == grz_ok; ++i)
        life->objects[i].box = storedBox(life, boxes[life->ids[i].index1 - 1]);
}

static void prepare(Life* life) {
    grzBox volume = takeBox(&life->bytes);
    grzTree_Prepare(life->tree, volume.upper.x > 100 ? NULL : &volume);
}

// ---------------------------------------------------------------------------------------------------------- pairs

static bool arePair(const grzTreeObject* a, const grzTreeObject* b) {
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0 && a->box.lower.x <= b->box.upper.x &&
           b->box.lower.x <= a->box.upper.x && a->box.lower.y <= b->box.upper.y &&
           b->box.lower.y <= a->box.upper.y && a->box.lower.z <= b->box.upper.z && b->box.lower.z <= a->box.upper.z;
}

// Keys are not unique once objects were removed, so each pair is counted by its keys.
static void checkPairs(const Life* life, const grzTreeObject* others, uint32_t otherCount) {
    static int32_t counts[mostObjects][mostObjects];
    memset(counts, 0, sizeof counts);
    grzTreePairsView found = grzTreePairs_GetView(life->pairs);
    for (size_t i = 0; i < found.count; ++i) {
        FUZZ_REQUIRE(found.pairs[i].a < mostObjects && found.pairs[i].b < mostObjects);
        FUZZ_REQUIRE(i == 0 || grzSortKeyFromPair(found.pairs[i - 1].a, found.pairs[i - 1].b) <=
                                   grzSortKeyFromPair(found.pairs[i].a, found.pairs[i].b));
        counts[found.pairs[i].a][found.pairs[i].b]++;
    }
    for (uint32_t i = 0; i < life->count; ++i) {
        for (uint32_t k = others == NULL ? i + 1 : 0; k < otherCount; ++k) {
            const grzTreeObject *a = &life->objects[i], *b = others == NULL ? &life->objects[k] : &others[k];
            bool isSwapped = others == NULL && b->key < a->key;
            if (arePair(a, b))
                counts[isSwapped ? b->key : a->key][isSwapped ? a->key : b->key]--;
        }
    }
    for (uint32_t i = 0; i < mostObjects * mostObjects; ++i)
        FUZZ_REQUIRE(counts[i / mostObjects][i % mostObjects] == 0);
}

static void findPairs(Life* life) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = life->tree;
    query.order = grz_pairsSorted;
    FUZZ_REQUIRE(grzResult_IsOk(grzTreePairs_Find(life->pairs, NULL, &query)));
    checkPairs(life, NULL, life->count);
}

// What meets a box: pairs with a tree of one object.
static void ask(Life* life) {
    grzTreeObject probe = grzDefaultTreeObject();
    probe.box = takeBox(&life->bytes);
    if (statusOf(probe.box) != grz_ok)
        return;
    grzTreeDef def = grzDefaultTreeDef();
    grzTree* other;
    grzTreeId id;
    FUZZ_REQUIRE(grzResult_IsOk(grzTree_Create(&def, &other)));
    FUZZ_REQUIRE(grzResult_IsOk(grzTree_Insert(other, &probe, &id)));
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = life->tree;
    query.treeB = other;
    query.order = grz_pairsSorted;
    FUZZ_REQUIRE(grzResult_IsOk(grzTreePairs_Find(life->pairs, NULL, &query)));
    checkPairs(life, &probe, 1);
    grzTree_Destroy(other);
}

// ----------------------------------------------------------------------------------------------------------- life

static bool isSameBox(grzBox a, grzBox b) {
    return grzBox_Contains(a, b) && grzBox_Contains(b, a);
}

static void checkTree(const Life* life) {
    FUZZ_REQUIRE(grzTree_Validate(life->tree));
    FUZZ_REQUIRE(grzTree_Count(life->tree) == life->count);
    for (uint32_t i = 0; i < life->count; ++i) {
        grzTreeObject object;
        FUZZ_REQUIRE(grzTree_Get(life->tree, life->ids[i], &object));
        FUZZ_REQUIRE(object.key == life->objects[i].key && object.category == life->objects[i].category);
        FUZZ_REQUIRE(object.mask == life->objects[i].mask && isSameBox(object.box, life->objects[i].box));
    }
}

static void doOne(Life* life) {
    static void (*const operations[])(Life*) = {insert,    insert,  removeOne, update,
                                                updateAll, prepare, findPairs, ask};
    uint8_t operation = takeByte(&life->bytes);
    life->memory.allowed = (operation & 0x80) != 0 ? operation >> 4 & 7u : UINT32_MAX;
    operations[operation % 8](life);
    checkTree(life);
}

int fuzzTree(const uint8_t* bytes, size_t size) {
    static const float margins[] = {0, 0.5F, 1e38F, 0};
    Life life = {.bytes = {bytes, bytes + size}, .memory = {.allowed = UINT32_MAX}};
    uint8_t kind = takeByte(&life.bytes), threshold = takeByte(&life.bytes);
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = (grzNesting)(kind % 6);
    def.retention = (grzRetention)(kind / 6 % 3);
    def.margin = life.margin = margins[kind / 18 % 4];
    def.splitThreshold = 1 + threshold % 16;
    def.allocator = (grzAllocator){&life.memory, allocate, release};
    FUZZ_REQUIRE(grzResult_IsOk(grzTree_Create(&def, &life.tree)));
    FUZZ_REQUIRE(grzResult_IsOk(grzTreePairs_Create((grzAllocator){0}, &life.pairs)));
    while (life.bytes.at < life.bytes.end)
        doOne(&life);
    findPairs(&life);
    grzTreePairs_Destroy(life.pairs);
    grzTree_Destroy(life.tree);
    FUZZ_REQUIRE(life.memory.liveBytes == 0);
    return 0;
}
