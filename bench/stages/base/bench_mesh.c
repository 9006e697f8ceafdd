// What: making a mesh's topology, and reading mesh files. Files are written to memory first, so that no disk is
// timed. What was built must have the edges and neighbours that sorting finds; what was read must be what was
// written.
// Holds: in a build with OpenMP, building is measured alone and with a team of all processors.
#include "bench_base.h"

#include <string.h>

#include "bench_inputs.h"
#include "graze/mesh.h"
#include "mesh_read.h"
#include "mesh_write.h"
#include "plain_topology.h"
#include "task_queue.h"

// ---- building ----

typedef struct BuildWork {
    const MeshData* data;
    grzMeshDef def;
    grzMesh* mesh;
    PlainTopology expected;
    grzTasks* alone; // one worker
} BuildWork;

static void dropMesh(void* context) {
    BuildWork* work = context;
    grzMesh_Destroy(work->mesh);
    work->mesh = NULL;
}

static void buildMesh(void* context) {
    BuildWork* work = context;
    if (!grzResult_IsOk(grzMesh_Create(&work->def, &work->mesh)))
        work->mesh = NULL;
}

static void buildTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    buildMesh(context);
}

// A worker of a grzTasks goes alone, also where OpenMP is built in.
static void buildMeshAlone(void* context) {
    BuildWork* work = context;
    grzParallelFor(work->alone, 1, 1, buildTask, work);
}

static uint64_t builtDigest(void* context) {
    BuildWork* work = context;
    if (work->mesh == NULL)
        return 0;
    grzMeshView view = grzMesh_GetView(work->mesh);
    uint64_t digest = Bench_Digest(view.edgeCount, view.edges, view.edgeCount * sizeof *view.edges);
    grzMeshReport report = grzMesh_GetReport(work->mesh);
    digest = Bench_Digest(digest, report.degenerateTriangles, report.degenerateTriangleCount * sizeof(uint32_t));
    digest = Bench_Digest(digest, view.triangleNeighbours, 3 * (size_t)view.triangleCount * sizeof(uint32_t));
    return Bench_Digest(digest, view.triangles, 3 * (size_t)view.triangleCount * sizeof(uint32_t));
}

static bool builtAgrees(void* context) {
    BuildWork* work = context;
    if (work->mesh == NULL)
        return false;
    grzMeshView view = grzMesh_GetView(work->mesh);
    return PlainTopology_Equals(&work->expected, work->data, &view);
}

static void measureBuild(Bench* bench, BuildWork* work, const char* name) {
    BenchSide side = {"graze", dropMesh, buildMeshAlone, builtDigest, builtAgrees, work, NULL};
    BenchJob job = {.variant = name,
                    .metric = "build",
                    .unit = "ns/triangle",
                    .amount = (double)work->data->triangleCount,
                    .n = work->data->triangleCount,
                    .workers = 1,
                    .sides = &side,
                    .sideCount = 1};
    Bench_Measure(bench, &job);
#if defined(GRAZE_OPENMP)
    side.run = buildMesh;
    job.workers = grzProcessorCount();
    if (job.workers > 1)
        Bench_Measure(bench, &job);
#endif
}

static void checkAndMeasure(Bench* bench, BuildWork* work, const char* name) {
    buildMesh(work);
    if (work->data->triangleCount == 0)
        Bench_Fail(bench, "%s has no triangles", name);
    else if (work->mesh == NULL)
        Bench_Fail(bench, "%s: no mesh could be made of it", name);
    else if (!PlainTopology_Make(&work->expected, work->data, bench->allocator))
        Bench_Fail(bench, "%s: no memory to check what is made of it", name);
    else
        measureBuild(bench, work, name);
    PlainTopology_Release(&work->expected);
    dropMesh(work);
}

void benchMeshBuild(Bench* bench) {
    static const ShapeKind kinds[] = {shapeGrid, shapeSphere};
    size_t count = bench->options->meshA != NULL ? 1 : 2;
    for (size_t i = 0; i < count; ++i) {
        MeshData data;
        const char* name;
        if (!Bench_Mesh(bench, false, kinds[i], Bench_Size(bench, 65000, 2000), &data, &name))
            return;
        BuildWork work = {.data = &data, .def = MeshData_Def(&data)};
        work.def.allocator = bench->allocator;
        grzTasksDef alone = grzDefaultTasksDef();
        alone.workerCount = 1;
        if (grzResult_IsOk(grzTasks_Create(&alone, &work.alone)))
            checkAndMeasure(bench, &work, name);
        else
            Bench_Fail(bench, "mesh-build: no worker could be had");
        grzTasks_Destroy(work.alone);
        MeshData_Release(&data);
    }
}

// ---- reading ----

typedef bool ReadFn(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
                    FileError* error);

typedef struct ReadWork {
    ReadFn* read;
    const char* bytes;
    size_t size;
    grzAllocator allocator;
    MeshData mesh;
    const MeshData* written;
} ReadWork;

static void dropRead(void* context) {
    ReadWork* work = context;
    MeshData_Release(&work->mesh);
}

static void readBytes(void* context) {
    ReadWork* work = context;
    work->read(work->bytes, work->size, "memory", work->allocator, &work->mesh, NULL);
}

static uint64_t meshDigest(const MeshData* mesh) {
    size_t number = mesh->isDouble ? sizeof(double) : sizeof(float);
    uint64_t digest = Bench_Digest(mesh->isDouble, mesh->positions, 3 * mesh->vertexCount * number);
    return Bench_Digest(digest, mesh->indices, 3 * mesh->triangleCount * sizeof(uint32_t));
}

static uint64_t readDigest(void* context) {
    return meshDigest(&((ReadWork*)context)->mesh);
}

// OBJ has no number type: it is read as double, which holds what was written as float.
static double numberAt(const MeshData* mesh, size_t i) {
    return mesh->isDouble ? ((const double*)mesh->positions)[i] : (double)((const float*)mesh->positions)[i];
}

static bool readAgrees(void* context) {
    const ReadWork* work = context;
    const MeshData *read = &work->mesh, *written = work->written;
    if (read->vertexCount != written->vertexCount || read->triangleCount != written->triangleCount)
        return false;
    for (size_t i = 0; i < 3 * read->vertexCount; ++i) {
        double number = numberAt(read, i), wanted = numberAt(written, i);
        if (written->isDouble ? number != wanted : (float)number != (float)wanted)
            return false;
    }
    return memcmp(read->indices, written->indices, 3 * read->triangleCount * sizeof *read->indices) == 0;
}

static void measureRead(Bench* bench, ReadFn* read, const ByteSink* sink, const MeshData* mesh,
                        const char* format) {
    if (!grzResult_IsOk(sink->failure)) {
        Bench_Fail(bench, "read-mesh: no memory for the %s file", format);
        return;
    }
    ReadWork work = {.read = read, .bytes = sink->bytes.data, .size = sink->bytes.count, .written = mesh};
    work.allocator = bench->allocator;
    BenchSide side = {"graze", dropRead, readBytes, readDigest, readAgrees, &work, NULL};
    BenchJob job = {.variant = format,
                    .metric = "read",
                    .unit = "MB/s",
                    .isRate = true,
                    .amount = (double)work.size * 1e-6,
                    .n = mesh->triangleCount,
                    .workers = 1,
                    .sides = &side,
                    .sideCount = 1};
    Bench_Measure(bench, &job);
    dropRead(&work);
}

void benchMeshRead(Bench* bench) {
    MeshData mesh;
    const char* name;
    if (!Bench_Mesh(bench, false, shapeTorus, Bench_Size(bench, 65000, 2000), &mesh, &name))
        return;
    ByteSink obj = {.allocator = bench->allocator}, ply = obj;
    putObj(&obj, &mesh);
    measureRead(bench, readObj, &obj, &mesh, "obj");
    putPly(&ply, &mesh, ply_littleEndian);
    measureRead(bench, readPly, &ply, &mesh, "ply");
    ByteSink_Release(&obj);
    ByteSink_Release(&ply);
    MeshData_Release(&mesh);
}
