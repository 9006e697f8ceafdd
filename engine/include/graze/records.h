// The records that stages exchange: what one stage writes is what the next one reads, in flat arrays.
//
//   broad phase    boxes               ->  grzBodyPair
//   mid phase      grzBodyPair         ->  grzTrianglePair, grzFeaturePair
//   narrow phase   the pairs           ->  grzImpact, grzContact
//   publication    grzContact          ->  grzEvent, grzHit, grzBodyEvent
//
// Who owns: arrays belong to the caller of a stage.      Threads: records are plain values.
// Bytes: no record has hidden padding. What is named `pad`, and the w of each vector, is written as 0, so that
//        arrays can be compared and hashed as bytes.
// Sides: A and B in one order everywhere: A is the body of the smaller slot, or number. Where a body meets itself (cloth)
//        both are the same, and the first index of A (triangle, feature) is the smaller one.
// Times: t0 <= t1 are the ends of an interval in the step's own time, 0 its start and 1 its end, unless the stage
//        says otherwise. A stage that rounds moves t0 down and t1 up.
// Order: each record has a key without ties between records that may stand in one array: 64-bit words, word 0 the
//        weightiest. Every published array is sorted by it, rising; equal keys are a defect of the stage that wrote
//        them. So the order depends on what was found, never on which worker found it first.
#ifndef GRAZE_RECORDS_H
#define GRAZE_RECORDS_H

#include "graze/linmath.h"
#include "graze/sort_key.h"

GRZ_EXTERN_C_BEGIN

// ----------------------------------------------------------------------------------------------------- bodies

// Names a body of a world, of any kind: what the call that added it returned. A body that is removed leaves its slot to the next
// one, but not its id: records that name it do not name that one. All zeros names nothing. Hosts that use a stage alone may give any
// ids; stages order by index1 and hand both words on.
typedef struct grzBodyId {
    uint32_t index1; // the slot plus 1; slots number what is by body in one array
    uint32_t generation;
} grzBodyId;

static inline bool grzBodyId_IsSame(grzBodyId a, grzBodyId b) {
    return a.index1 == b.index1 && a.generation == b.generation;
}

// -------------------------------------------------------------------------------------------------- certainty

// How sure an answer is, and what `measure` says beside it.
typedef enum grzCertainty {
    grz_exact = 0,    // true of the input numbers as given; measure: 0
    grz_conservative, // may be a false alarm, never a miss; measure: the tolerance, a length: what is reported is
                      // closer than that
    grz_probable,     // measure: the probability that it is true, 0 < p <= 1
} grzCertainty;

// --------------------------------------------------------------------------------------------------- features

// A part of a body's surface: two bits of kind over thirty of index into the body's own table of that kind. No mesh
// has more features than that can name: a larger one is refused when it is made (GRZ_MESH_MAX_VERTICES).
typedef uint32_t grzFeature;

typedef enum grzFeatureKind {
    grz_vertexFeature = 0,
    grz_edgeFeature = 1,
    grz_faceFeature = 2,
    grz_bodyFeature = 3, // the whole of it (a sphere); index 0
} grzFeatureKind;

#define GRZ_FEATURE_LIMIT 0x40000000u // indices are below it

static inline grzFeature grzMakeFeature(grzFeatureKind kind, uint32_t index) {
    return GRZ_CAST(uint32_t, kind) << 30 | index;
}

static inline grzFeatureKind grzFeature_Kind(grzFeature feature) {
    return GRZ_CAST(grzFeatureKind, feature >> 30);
}

static inline uint32_t grzFeature_Index(grzFeature feature) {
    return feature & (GRZ_FEATURE_LIMIT - 1);
}

// ------------------------------------------------------------------------------------------------ broad phase

// Two bodies that may touch. a < b; a == b where a body is to be tested with itself. One record a pair.
typedef struct grzBodyPair {
    uint32_t a, b;
} grzBodyPair;

static inline grzBodyPair grzMakeBodyPair(uint32_t id, uint32_t otherId) {
    grzBodyPair pair;
    pair.a = id < otherId ? id : otherId;
    pair.b = id < otherId ? otherId : id;
    return pair;
}

enum { grz_bodyPairKeyWords = 1 };
static inline uint64_t grzBodyPair_KeyWord(const grzBodyPair* pair, unsigned word) {
    (void)word;
    return grzSortKeyFromPair(pair->a, pair->b);
}

// -------------------------------------------------------------------------------------------------- mid phase

// Two triangles that may touch at some time in [t0, t1] and at no other time of the interval that was searched.
// One record a pair: where a pair comes near several times, the interval holds them all.
typedef struct grzTrianglePair {
    uint32_t bodyPair; // index into the array of body pairs that the stage was given
    uint32_t triangleA, triangleB;
    float t0, t1; // t0: when it can begin
} grzTrianglePair;

enum { grz_trianglePairKeyWords = 2 };
static inline uint64_t grzTrianglePair_KeyWord(const grzTrianglePair* pair, unsigned word) {
    return word == 0 ? pair->bodyPair : grzSortKeyFromPair(pair->triangleA, pair->triangleB);
}

// The other order: by the time they can begin, for searches over many frames at once. Then as above.
static inline uint64_t grzTrianglePair_TimeKeyWord(const grzTrianglePair* pair, unsigned word) {
    return word == 0 ? grzSortKeyFromPair(grzSortKeyFromFloat(pair->t0), pair->bodyPair)
                     : grzSortKeyFromPair(pair->triangleA, pair->triangleB);
}

// Two features that may touch at some time in [t0, t1]. The kinds are vertex and face, edge and edge, or face and
// vertex; in key order all of one kind lie together within a body pair. One record a pair.
typedef struct grzFeaturePair {
    uint32_t bodyPair; // index into the array of body pairs that the stage was given
    grzFeature featureA, featureB;
    float t0, t1;
} grzFeaturePair;

enum { grz_featurePairKeyWords = 2 };
static inline uint64_t grzFeaturePair_KeyWord(const grzFeaturePair* pair, unsigned word) {
    // The kinds come before both indices: |AA BB| leading, then what is left of the features.
    const uint32_t kinds = (pair->featureA >> 30) << 2 | pair->featureB >> 30;
    return word == 0 ? grzSortKeyFromPair(pair->bodyPair, kinds)
                     : grzSortKeyFromPair(grzFeature_Index(pair->featureA), grzFeature_Index(pair->featureB));
}

// ----------------------------------------------------------------------------------------------- narrow phase

// Two features that do touch, as sure as it says. They do not touch before pair.t0; where the certainty is exact,
// they touch at some time in [pair.t0, pair.t1]. One record a feature pair: its first touch.
typedef struct grzImpact {
    grzFeaturePair pair;
    uint32_t certainty; // a grzCertainty
    float measure;
} grzImpact;

enum { grz_impactKeyWords = grz_featurePairKeyWords };
static inline uint64_t grzImpact_KeyWord(const grzImpact* impact, unsigned word) {
    return grzFeaturePair_KeyWord(&impact->pair, word);
}

#define GRZ_NO_TRIANGLE 0xFFFFFFFFu

// A stop is a contact, too: a sweep found that two bodies would pass through each other, and stopped them. It follows
// all other contacts of the pair. It has no triangles, both features are the whole body, and the separation is 0.
#define GRZ_STOP_ORDINAL 0x80000000u

// One point of contact between two bodies. Where they only come near, the separation is positive.
typedef struct grzContact {
    grzVec3 point;    // in the world, midway between the two surfaces
    grzVec3 normal;   // unit length, from A to B
    float separation; // distance of the surfaces along the normal; negative: depth of penetration
    // Time of impact, rounded down. 0: touches when the step begins. 1: does not touch in the step. A world's rigid bodies touch where
    // they first push each other: toi is when the substep begins in which they do.
    float toi;
    grzBodyId bodyA; // bodyA.index1 <= bodyB.index1
    grzBodyId bodyB;
    uint32_t triangleA; // GRZ_NO_TRIANGLE where the shape has none
    uint32_t triangleB;
    grzFeature featureA;
    grzFeature featureB;
    // The number of the contact among those of the same two features, from 0, in an order fixed by the geometry. Stops
    // are numbered from GRZ_STOP_ORDINAL.
    uint32_t ordinal;
    uint32_t certainty; // a grzCertainty
    float measure;
    uint32_t pad;
} grzContact;

// Without generations: one array has contacts of no two bodies of one slot.
enum { grz_contactKeyWords = 4 };
static inline uint64_t grzContact_KeyWord(const grzContact* contact, unsigned word) {
    switch (word) {
    case 0:
        return grzSortKeyFromPair(contact->bodyA.index1, contact->bodyB.index1);
    case 1:
        return grzSortKeyFromPair(contact->triangleA, contact->triangleB);
    case 2:
        return grzSortKeyFromPair(contact->featureA, contact->featureB);
    default:
        return contact->ordinal;
    }
}

// ------------------------------------------------------------------------------------------------ publication

// When two bodies touch. A pair begins to touch in the first step in which one of these holds:
//   - One of its contacts pushes, in any substep. Its impulse over the whole step is above 0.
//   - A sweep stops the two bodies at each other.
//   - The bodies overlap (separation 0 or less) when the step begins, as bodies do that nothing pushes apart.
// It touches until none of these holds and a step begins with a gap that is too wide: wider than a quarter of the
// world's margin, or than the pair's own margin (grzWorldDef.margin says why so wide).
typedef enum grzEventKind {
    grz_beginEvent = 0, // touches in this step, and did not in the last one
    grz_persistEvent,   // touched in the last step and still does
    grz_endEvent,       // touched in the last step, and no longer does
} grzEventKind;

// What happened between two bodies in a step. A pair has at most one event. Its contacts have the times of impact. A
// pair that begins and bounces off ends in a later step. If a body has been removed since the last step, the bodies
// that it touched have end events with its id. Another body may be in its slot by then: its begin event has the same
// slots, and another generation.
typedef struct grzEvent {
    grzBodyId bodyA, bodyB; // bodyA.index1 <= bodyB.index1
    uint32_t kind;          // a grzEventKind
    uint32_t firstContact; // the pair's contacts in the sorted contact array of the same step; an end may have none
    uint32_t contactCount;
} grzEvent;

enum { grz_eventKeyWords = 2 };
static inline uint64_t grzEvent_KeyWord(const grzEvent* event, unsigned word) {
    return word == 0 ? grzSortKeyFromPair(event->bodyA.index1, event->bodyB.index1) : event->kind;
}

// Two bodies that struck each other. One of their contacts pushes in this step and did not in the last one, or is a
// stop, and its approach speed is above the world's hitSpeed. A pair has at most one hit in a step: the fastest such
// contact. So a pair that begins so fast has a hit. So has a pair that touches already, if a body strikes with another
// corner, or lands after a hop that was too low to end the pair.
//
// Approach speeds are those of the motion that was planned when the step began, with gravity and forces; of stops,
// those just before the stop. So a body that is struck, and strikes a third one in the same step, has no hit with that
// one unless they were approaching before. Their pair begins, and its contacts have the impulse.
typedef struct grzHit {
    grzVec3 point;          // of the contact
    grzVec3 normal;         // unit length, from A to B
    grzBodyId bodyA, bodyB; // bodyA.index1 < bodyB.index1
    float approachSpeed;    // of the bodies' points there, along the normal; above hitSpeed
    float impulse;          // sum over all contacts of the pair in the step, along their normals, stops included
    float toi;              // of the contact
    uint32_t firstContact;  // of the pair in the sorted contact array of the same step, as grzEvent has it
} grzHit;

enum { grz_hitKeyWords = 1 };
static inline uint64_t grzHit_KeyWord(const grzHit* hit, unsigned word) {
    (void)word;
    return grzSortKeyFromPair(hit->bodyA.index1, hit->bodyB.index1);
}

// What a step did to one body.
typedef enum grzBodyEventKind {
    grz_bodyStopped = 0, // keeps the position of the step's start, and has no velocity
} grzBodyEventKind;

// Why a body was stopped.
typedef enum grzStopReason {
    grz_stopNotFinite = 0, // its position, rotation or velocity would not be finite
    grz_stopTooFar,        // it, or the box of its path in the step, would be beyond 1e15
} grzStopReason;

// A body has one event of a kind at most in a step.
typedef struct grzBodyEvent {
    grzBodyId body;
    uint32_t kind;   // a grzBodyEventKind
    uint32_t reason; // of grz_bodyStopped: a grzStopReason
} grzBodyEvent;

enum { grz_bodyEventKeyWords = 1 };
static inline uint64_t grzBodyEvent_KeyWord(const grzBodyEvent* event, unsigned word) {
    (void)word;
    return grzSortKeyFromPair(event->body.index1, event->kind);
}

GRZ_STATIC_ASSERT(sizeof(grzBodyId) == 8, "two words");
GRZ_STATIC_ASSERT(sizeof(grzBodyPair) == 8, "two ids");
GRZ_STATIC_ASSERT(sizeof(grzTrianglePair) == 20, "three indices and two times");
GRZ_STATIC_ASSERT(sizeof(grzFeaturePair) == 20, "three indices and two times");
GRZ_STATIC_ASSERT(sizeof(grzImpact) == 28, "a feature pair and its certainty");
GRZ_STATIC_ASSERT(sizeof(grzContact) == 88, "two vectors, two ids and ten words");
GRZ_STATIC_ASSERT(sizeof(grzEvent) == 28, "two ids and three words");
GRZ_STATIC_ASSERT(sizeof(grzHit) == 64, "two vectors, two ids and four words");
GRZ_STATIC_ASSERT(sizeof(grzBodyEvent) == 16, "an id and two words");

GRZ_EXTERN_C_END

#endif
