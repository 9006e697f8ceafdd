// What: the way to Assimp, or the sentence that it is missing.
// Idea: the tree of nodes becomes a flat list with each node's place in the world; one pass over it counts, one
// fills. Polygons are cut here: Assimp's own way takes quadratic time, and cuts other than the other readers.
#define _POSIX_C_SOURCE 200809L

#include "mesh_assimp.h"

#include <string.h>

#include "file_error.h"

#if defined(GRAZE_ASSIMP)

#    include <assimp/cimport.h>
#    include <assimp/scene.h>
#    include <errno.h>
#    include <math.h>
#    include <sys/stat.h>

#    include "array.h"
#    include "check.h"
#    include "file_extension.h"
#    include "memory.h"
#    include "result_make.h"
#    include "vertex_weld.h"

typedef struct PlacedNode {
    const struct aiNode* node;
    struct aiMatrix4x4 place;
} PlacedNode;

typedef struct SceneReader {
    const struct aiScene* scene;
    const char* name;
    FileError* error;
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(PlacedNode);
    } nodes;
    MeshData mesh;
    size_t vertexCount, triangleCount; // counted first, then filled so far
    size_t skippedCount;               // points and lines
} SceneReader;

static bool listNode(SceneReader* reader, const struct aiNode* node, const struct aiMatrix4x4* parentPlace) {
    size_t count = reader->nodes.count;
    if (!grzArray_Reserve(&reader->nodes, &reader->allocator, count + 1))
        return failResult(reader->error, reader->name, grzNoMemory(count + 1, sizeof(PlacedNode)));
    PlacedNode placed = {node, *parentPlace};
    aiMultiplyMatrix4(&placed.place, &node->mTransformation);
    reader->nodes.data[reader->nodes.count++] = placed;
    return true;
}

// Parents before children, so that no depth of the tree is too large.
static bool listNodes(SceneReader* reader) {
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    if (!listNode(reader, reader->scene->mRootNode, &identity))
        return false;
    for (size_t i = 0; i < reader->nodes.count; ++i) {
        PlacedNode parent = reader->nodes.data[i];
        for (unsigned child = 0; child < parent.node->mNumChildren; ++child)
            if (!listNode(reader, parent.node->mChildren[child], &parent.place))
                return false;
    }
    return true;
}

typedef bool MeshVisitor(SceneReader* reader, const struct aiMesh* mesh, const struct aiMatrix4x4* place);

// A mesh that several nodes show is visited as often.
static bool visitMeshes(SceneReader* reader, MeshVisitor* visit) {
    reader->vertexCount = reader->triangleCount = 0;
    for (size_t i = 0; i < reader->nodes.count; ++i) {
        const PlacedNode* placed = &reader->nodes.data[i];
        for (unsigned m = 0; m < placed->node->mNumMeshes; ++m)
            if (!visit(reader, reader->scene->mMeshes[placed->node->mMeshes[m]], &placed->place))
                return false;
    }
    return true;
}

static bool countMesh(SceneReader* reader, const struct aiMesh* mesh, const struct aiMatrix4x4* place) {
    (void)place;
    reader->vertexCount += mesh->mNumVertices;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        size_t corners = mesh->mFaces[i].mNumIndices;
        reader->triangleCount += corners >= 3 ? corners - 2 : 0;
        reader->skippedCount += corners < 3;
    }
    return true;
}

static bool fillVertices(SceneReader* reader, const struct aiMesh* mesh, const struct aiMatrix4x4* place) {
    float* position = (float*)reader->mesh.positions + reader->vertexCount * 3;
    for (unsigned i = 0; i < mesh->mNumVertices; ++i, position += 3) {
        struct aiVector3D vertex = mesh->mVertices[i];
        aiTransformVecByMatrix4(&vertex, place);
        position[0] = (float)vertex.x;
        position[1] = (float)vertex.y;
        position[2] = (float)vertex.z;
        if (!isfinite(position[0]) || !isfinite(position[1]) || !isfinite(position[2]))
            return failFile(reader->error, reader->name, "vertex %u of mesh '%.40s' is not finite", i,
                            mesh->mName.data);
    }
    return true;
}

static bool checkFace(SceneReader* reader, const struct aiMesh* mesh, unsigned number) {
    const struct aiFace* face = &mesh->mFaces[number];
    for (unsigned i = 0; i < face->mNumIndices; ++i)
        if (face->mIndices[i] >= mesh->mNumVertices)
            return failFile(reader->error, reader->name, "face %u of mesh '%.40s' names vertex %u of %u", number,
                            mesh->mName.data, face->mIndices[i], mesh->mNumVertices);
    return true;
}

// As appendFan of polygon.h, straight into the mesh.
static bool fillTriangles(SceneReader* reader, const struct aiMesh* mesh, bool isMirrored) {
    uint32_t* corners = reader->mesh.indices + reader->triangleCount * 3;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        if (!checkFace(reader, mesh, i))
            return false;
        const struct aiFace* face = &mesh->mFaces[i];
        for (unsigned k = 2; k < face->mNumIndices; ++k) {
            *corners++ = (uint32_t)(reader->vertexCount + face->mIndices[0]);
            *corners++ = (uint32_t)(reader->vertexCount + face->mIndices[isMirrored ? k : k - 1]);
            *corners++ = (uint32_t)(reader->vertexCount + face->mIndices[isMirrored ? k - 1 : k]);
            reader->triangleCount++;
        }
    }
    return true;
}

static bool fillMesh(SceneReader* reader, const struct aiMesh* mesh, const struct aiMatrix4x4* place) {
    bool isMirrored = aiMatrix4Determinant(place) < 0;
    if (!fillVertices(reader, mesh, place) || !fillTriangles(reader, mesh, isMirrored))
        return false;
    reader->vertexCount += mesh->mNumVertices;
    return true;
}

static bool readScene(SceneReader* reader) {
    if (!listNodes(reader) || !visitMeshes(reader, countMesh))
        return false;
    if (reader->vertexCount == 0)
        return failFile(reader->error, reader->name, "holds no vertices");
    grzResult result =
        MeshData_Create(&reader->mesh, reader->allocator, false, reader->vertexCount, reader->triangleCount);
    if (!grzResult_IsOk(result))
        return failResult(reader->error, reader->name, result);
    if (!visitMeshes(reader, fillMesh))
        return false;
    result = MeshData_Weld(&reader->mesh);
    return grzResult_IsOk(result) || failResult(reader->error, reader->name, result);
}

bool isKnownToAssimp(const char* path) {
    const char* extension = extensionOf(path);
    return *extension != 0 && aiIsExtensionSupported(extension - 1) == AI_TRUE; // with its point
}

// Assimp opens a file several times and jumps about in it.
static bool checkOrdinary(const char* path, FileError* error) {
    struct stat status;
    if (stat(path, &status) != 0)
        return failFile(error, path, "cannot be opened: %s", strerror(errno));
    return S_ISREG(status.st_mode) || failFile(error, path, "is no ordinary file, and Assimp reads no other");
}

bool readByAssimp(const char* path, grzAllocator allocator, MeshData* out, FileError* error) {
    memset(out, 0, sizeof *out);
    if (!isKnownToAssimp(path))
        return failFile(error, path, "is neither OBJ nor PLY, and Assimp knows no other format by this name");
    if (!checkOrdinary(path, error))
        return false;
    const struct aiScene* scene = aiImportFile(path, 0);
    if (scene == NULL)
        return failFile(error, path, "cannot be read: Assimp says '%s'", aiGetErrorString());
    SceneReader reader = {.scene = scene, .name = path, .error = error};
    reader.allocator = grzAllocator_OrDefault(allocator);
    bool isRead = scene->mRootNode != NULL ? readScene(&reader) : failFile(error, path, "holds no scene");
    if (isRead && reader.skippedCount != 0)
        grzLog(grz_logWarning, "%s: skipped %zu points and lines", path, reader.skippedCount);
    if (isRead)
        *out = reader.mesh;
    else
        MeshData_Release(&reader.mesh);
    grzArray_Release(&reader.nodes, &reader.allocator);
    aiReleaseImport(scene);
    return isRead;
}

#else

bool isKnownToAssimp(const char* path) {
    (void)path;
    return false;
}

bool readByAssimp(const char* path, grzAllocator allocator, MeshData* out, FileError* error) {
    (void)allocator;
    memset(out, 0, sizeof *out);
    return failFile(error, path,
                    "is neither OBJ nor PLY, and this build reads no other format: install Assimp "
                    "(Debian: libassimp-dev) and build again");
}

#endif
