// What: the target for scenes: any bytes are a world that steps, or are refused with a sentence, and nothing leaks.
// Idea: a scene of few bytes may ask for a million bodies, so memory ends at a bound; that is a refusal like others.
#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "scene.h"

enum { MOST_BYTES = 8 << 20, STEPS = 3 };

static void* allocateSome(void* context, size_t size, size_t alignment) {
    FuzzMemory* memory = context;
    if (size > memory->limit - memory->liveBytes)
        return NULL;
    memory->liveBytes += size;
    return grzDefaultAllocator().allocate(NULL, size, alignment);
}

static void checkWorld(const Scene* scene) {
    FUZZ_REQUIRE(grzWorld_Validate(scene->world));
    for (size_t i = 0; i < scene->looks.count; ++i)
        FUZZ_REQUIRE(grzWorld_HasBody(scene->world, scene->looks.data[i].id));
}

int fuzzScene(const uint8_t* bytes, size_t size) {
    FuzzMemory memory;
    FileError error = {""};
    Scene scene;
    grzAllocator allocator = fuzzAllocator(&memory, size);
    memory.limit = MOST_BYTES;
    allocator.allocate = allocateSome;
    const SceneSetup setup = {.allocator = allocator};
    bool isFine = Scene_LoadBytes(&scene, (const char*)bytes, size, "input", &setup, &error);
    for (int step = 0; step < STEPS && isFine; ++step) {
        checkWorld(&scene);
        isFine = Scene_Step(&scene, &error);
    }
    if (!isFine)
        fuzzCheckError(&error);
    Scene_Release(&scene);
    FUZZ_REQUIRE(memory.liveBytes == 0);
    return 0;
}
