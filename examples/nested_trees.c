// A street of houses that share one tree of furniture: which chairs a camera sees through the frames of the houses. Uses public headers
// only.
#include <graze/graze.h>

#include <stdio.h>

enum { houseCount = 20, chairCount = 30 };

typedef struct Street {
    grzTree *street, *house;
    grzTreeNest* nest;
    grzVisibility* visibility;
    grzAttachmentId attachments[houseCount];
} Street;

static grzTransform frameOf(int house) {
    return grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 0.3f * (float)house),
                                 grzVec3_Make(15 * (float)house, 0, 0));
}

static grzResult insert(grzTree* tree, uint32_t key, grzVec3 center, grzTreeId* id) {
    grzTreeObject object = grzDefaultTreeObject();
    object.key = key;
    object.box = grzBox_Make(grzSub(center, grzVec3_Splat(0.3f)), grzAdd(center, grzVec3_Splat(0.3f)));
    return grzTree_Insert(tree, &object, id);
}

static grzResult makeStreet(Street* s) {
    grzTreeDef def = grzDefaultTreeDef();
    grzVisibilityDef visibilityDef = grzDefaultVisibilityDef();
    grzTreeId id;
    grzResult result = grzTree_Create(&def, &s->street);
    if (grzResult_IsOk(result))
        result = grzTree_Create(&def, &s->house);
    if (grzResult_IsOk(result))
        result = grzTreeNest_Create((grzAllocator){0}, &s->nest);
    if (grzResult_IsOk(result))
        result = grzVisibility_Create(&visibilityDef, &s->visibility);
    for (uint32_t i = 0; i < chairCount && grzResult_IsOk(result); ++i)
        result = insert(s->house, i, grzVec3_Make((float)(i % 6) - 3, 0, (float)(i / 6) - 2), &id);
    for (int i = 0; i < houseCount && grzResult_IsOk(result); ++i) {
        result = insert(s->street, (uint32_t)i, frameOf(i).origin, &id);
        if (grzResult_IsOk(result))
            result = grzTreeNest_Attach(s->nest, s->street, id, s->house, frameOf(i), &s->attachments[i]);
    }
    return grzResult_IsOk(result) ? grzTreeNest_Refit(s->nest) : result;
}

static grzResult look(Street* s, const char* when, size_t* count) {
    grzCamera camera =
        grzCamera_LookAt(grzVec3_Make(-20, 2, 0), grzVec3_Make(0, 0, 0), grzVec3_Make(0, 1, 0), 0.6f, 2, 0.1f, 100);
    grzVisibilityQuery query = grzDefaultVisibilityQuery();
    query.tree = s->street, query.nest = s->nest, query.camera = &camera;
    grzResult result = grzVisibility_Find(s->visibility, &query);
    const grzVisibilityView view = grzVisibility_GetView(s->visibility);
    *count = view.count;
    if (grzResult_IsOk(result))
        printf("%s: %zu chairs are seen, in %zu houses\n", when, view.count, view.instanceCount - 1);
    return result;
}

// The first house is moved away, and the last one is emptied.
static grzResult change(Street* s) {
    grzTransform away = grzTransform_Identity();
    away.origin = grzVec3_Make(0, 1000, 0);
    grzResult result = grzTreeNest_Move(s->nest, s->attachments[0], away);
    if (grzResult_IsOk(result))
        result = grzTreeNest_Detach(s->nest, s->attachments[houseCount - 1]);
    return grzResult_IsOk(result) ? grzTreeNest_Refit(s->nest) : result;
}

int main(void) {
    Street s = {0};
    size_t before = 0, after = 0;
    char text[128];
    grzResult result = makeStreet(&s);
    if (grzResult_IsOk(result))
        result = look(&s, "at first", &before);
    if (grzResult_IsOk(result))
        result = change(&s);
    if (grzResult_IsOk(result))
        result = look(&s, "later", &after);
    grzVisibility_Destroy(s.visibility);
    grzTreeNest_Destroy(s.nest);
    grzTree_Destroy(s.street);
    grzTree_Destroy(s.house);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "nested_trees: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return before > after && after > 0 ? 0 : 1;
}
