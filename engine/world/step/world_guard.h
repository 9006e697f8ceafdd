// What the guard keeps: the stops of this step, and memory from step to step. Also the functions that its files share.
#ifndef GRAZE_WORLD_WORLD_GUARD_H
#define GRAZE_WORLD_WORLD_GUARD_H

#include "array.h"
#include "graze/tree_query.h"
#include "graze/world.h"
#include "passing.h"

// A stop of a body by another one. Static bodies may have no row, so slots name both.
typedef struct grzGuardStop {
    uint32_t slotA, slotB; // A < B
    float toi;             // in parts of the step
    float approach;        // speed along the normal before the stop; 0 where they parted
    float impulse;         // along the normal, at the point; on B as it is, on A the other way
    grzVec3 point, normal; // in the world, at the time of impact; the normal is from A to B
    // What the stop adds to the momentum of the body that yields, as B would get it: A loses the same. At a wall it
    // has what the body loses for its lift, too.
    grzVec3 momentum;
} grzGuardStop;

// A fast body, and what stops it next (world_guard_pairs.c).
typedef struct grzGuardMover {
    float toi;           // of the next stop; above 1 where there is none
    float since;         // after that time it was searched
    uint32_t row, other; // other: the slot of what stops it
    float wallToi;       // the same of the first wall
    uint32_t wall;
    uint32_t next; // in a list of those that are to be searched again
} grzGuardMover;

// How a body moves in the step.
typedef struct grzGuardPace {
    grzVec3 way;     // of its centre
    float turn;      // no point turns farther about it
    float thickness; // grzSolid_Thickness
    grzBox box;      // grzGuard_BoxOf
} grzGuardPace;

// So many bodies for each fast one may join rings.
#define GRZ_GUARD_JOINS 4u

// A body that is held, and those that hold it: they are a ring, which starts with the first that was held.
typedef struct grzGuardHeld {
    uint32_t root, next;     // rows: of the first one, and of the next one in the ring
    uint32_t stop;           // the number of the stop that put it into the ring
    uint32_t stay, stayStop; // of the root: the row that does not yield, and the stop that says so; or none
    grzVec3 planned;         // where its centre would have come without stops
    bool isDone;             // of the root: the ring has been moved on, or stays
} grzGuardHeld;

typedef struct grzGuard {
    struct {
        GRZ_ARRAY(grzTreeHits*);
    } hits; // by worker; always empty: hits of a tree are handled at once
    struct {
        GRZ_ARRAY(uint64_t);
        // A bit a row. held: the body has been stopped; fixed: by what does not yield; beside: static bodies may be near.
    } marks, held, fixed, beside;
    struct {
        GRZ_ARRAY(grzGuardMover);
    } movers; // as `fast` has them
    struct {
        GRZ_ARRAY(grzGuardHeld);
    } rings; // by row, of bodies that are held
    struct {
        GRZ_ARRAY(grzGuardPace);
    } paces; // by row, of fast bodies, as the guard begins
    struct {
        GRZ_ARRAY(uint32_t);
    } first; // a tree of movers: each node has the number of the one below it that is stopped first
    struct {
        GRZ_ARRAY(uint32_t);
    } fast, walls;      // rows: of bodies that are tested against walls, and of walls that may move
    uint32_t joinsLeft; // so many bodies may still join rings that they are in the way of
    // Of this step, sorted by (slotA, slotB, toi). They hold until the next step is planned.
    struct {
        GRZ_ARRAY(grzGuardStop);
    } stops;
    struct {
        GRZ_ARRAY(uint64_t);
    } scratch; // of sorting them
} grzGuard;

// Makes a guard. tree: any empty one.
grzResult grzGuard_Create(const grzAllocator* allocator, const grzTree* tree, uint32_t workerCount,
                          grzGuard** guard);
void grzGuard_Destroy(grzGuard* guard, const grzAllocator* allocator);

// Takes memory for so many rows. Returns false where it is refused.
bool grzGuard_ReserveRows(grzGuard* guard, const grzAllocator* allocator, size_t count);

// Gives back memory that is not needed.
void grzGuard_Trim(grzGuard* guard, const grzAllocator* allocator);

// ---- world_guard.c

bool grzGuard_IsBody(const grzWorld* world, uint32_t row); // dynamic
// Returns how far any point of a row's body has moved at most; 0 if that is at most `least`.
float grzGuard_WayOf(const grzWorld* world, uint32_t row, float least);
float grzGuard_LeastWayOf(const grzWorld* world, uint32_t row); // grzPassing_LeastWay
// Returns a box around where a row's body was in the step.
grzBox grzGuard_BoxOf(const grzWorld* world, uint32_t row);
// Returns whether groups let the row's body meet another one.
bool grzGuard_MayMeet(const grzWorld* world, uint32_t row, uint32_t slot);

// What is near the body or wall of a row.
typedef struct grzGuardSearch {
    const grzWorld* world;
    uint32_t row, worker;
    grzBox box;
    grzQueryFilterFn* meet; // called for each; returns false
    void* context;
} grzGuardSearch;

void grzGuard_Search(const grzGuardSearch* search, const grzTree* tree);

// Returns the time at which a wall stops a row's body first; above 1 where none does.
float grzGuard_FindWall(const grzWorld* world, uint32_t row, uint32_t worker, uint32_t* wall);
// Returns how a wall is in the way of a row's body, if that is moved on at the end of the step.
grzPassingStop grzGuard_FindWallBeside(const grzWorld* world, uint32_t row, uint32_t slot, grzVec3 carry);
// Stops it there.
void grzGuard_StopAtWall(grzWorld* world, uint32_t row);
// Moves a row's body, which rests where it is from a part of the step on, out of the way of walls that move on then.
// Returns whether one came to it.
bool grzGuard_PushByWall(grzWorld* world, uint32_t row, float since);

// Returns whether the row's body is tested against walls in this step (world_guard.c).
bool grzGuard_IsFast(const grzWorld* world, uint32_t row);
// Returns the motion of a row's body, without a wall.
grzPassing grzGuard_PassingOf(const grzWorld* world, uint32_t row);
// Returns the first stop of a row's body, or of a vertex of its cloth, at the walls in the box.
grzPassingStop grzGuard_FindStop(const grzWorld* world, uint32_t row, grzBox box, const grzPassing* passing,
                                 uint32_t worker);

// Writes what a stop of a row's body has done: `before` is the body's state before it, `other` the slot of what
// stopped it.
void grzGuard_Record(const grzWorld* world, uint32_t row, uint32_t other, const grzBodyState* before,
                     const grzPassingStop* stop, const grzPassingHit* hit, grzGuardStop* record);

// Returns how many stops at cloth a step may have.
size_t grzGuard_MostClothStops(const grzWorld* world);

// ---- world_guard_pairs.c

// Takes memory for all fast bodies.
grzResult grzGuard_ReserveMovers(grzWorld* world);
// Stops fast bodies at walls and at each other.
void grzGuard_StopBodies(grzWorld* world);

// ---- world_guard_cloth.c: HoldByCloth stops fast bodies at cloth, HoldCloth stops vertices of cloth at walls.
void grzGuard_HoldByCloth(grzWorld* world);
// Returns whether it has marked a cloth that has left the range (grzWorld_MarkSpoiler).
bool grzGuard_HoldCloth(grzWorld* world);

#endif
