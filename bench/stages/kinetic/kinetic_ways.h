// What: the ways of the stage "kinetic", each going through a scene frame by frame as a host would.
//
// Holds: a run begins at keyframe `first`, goes through `intervals` intervals with `perInterval` frames drawn in each, and ends
// at a keyframe that is neither the first nor the last one. A way has its first two keyframes before the clock starts, and from
// then on what comes up is inside it: each interval brings one keyframe. Kinetic trees look at a keyframe with the first step
// after it: they begin an interval earlier, so that there are as many looks as intervals. The refit is of positions that lie
// in the tree's order, ready, those of the keyframe ahead; the ways get theirs in the same order.
#ifndef GRAZE_BENCH_KINETIC_WAYS_H
#define GRAZE_BENCH_KINETIC_WAYS_H

#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_scene.h"
#include "plain_bvh.h"

// Plain: the paper's bottom-up update, a binary tree with a triangle a leaf, one number after the other.
typedef enum KineticWayKind { wayChord, wayOrdered, wayBatched, wayBoxTree, wayRefit, wayPlain } KineticWayKind;

// Whether every box is written in every frame; else boxes are there for the asking.
typedef struct KineticWay {
    const char* name;
    KineticWayKind kind;
    bool writes;
    bool isHeld; // chords, no leaf of which is looser than a tenth of an edge
} KineticWay;

typedef struct KineticCounts {
    double events, updates;
} KineticCounts;

typedef struct KineticRun {
    Bench* bench;
    const KineticScene* scene;
    const KineticWay* way;
    grzTasks* tasks; // NULL: one thread
    size_t first, intervals, perInterval;
    grzChordTree* chord;
    grzKineticTree* kinetic;
    grzBoxTree* boxes;
    PlainBvh plain;
    grzBvhNode* nodes;
    KineticCounts before; // what was counted before the clock started
    grzResult result;     // the first refusal
} KineticRun;

// Of all intervals but the first and the last, of four keyframes or more. False after Bench_Fail; to be dropped all the same.
bool KineticRun_Make(Bench* bench, const KineticScene* scene, const KineticWay* way, size_t perInterval,
                     KineticRun* run);
void KineticRun_Drop(Bench* bench, KineticRun* run);

// Intervals in the middle of the sequence, so that a run draws some `most` triangles in all, a keyframe counted as 40 frames
// more; at least two intervals, where there are two.
void KineticRun_Shorten(KineticRun* run, double most);

// Of the last run, of an ordered tree or a BoxTree.
KineticCounts KineticRun_Counts(const KineticRun* run);

// How many triangles a run draws: those of the scene, in each frame.
double KineticRun_Amount(const KineticRun* run);

// The functions of a BenchSide; the context is the run. The digest is of the numbers of all nodes; zeros of both signs are one.
// A BoxTree and the plain tree have other nodes: a digest of the box of everything, and 0 where the tree does not stand up to its
// own check, or where the plain tree has a box that does not hold what is below it.
void KineticRun_Prepare(void* run);
void KineticRun_Go(void* run);
uint64_t KineticRun_Digest(void* run);

// What KineticRun_Digest would be if the last run of this way was right. Looks at all positions anew.
uint64_t KineticRun_RightDigest(const KineticRun* run);

#define KINETIC_REPEATS 3

// Goes through all runs in turns, pinned, on one thread: KINETIC_REPEATS times, once with --quick. Gives the median of each in nanoseconds of
// the processor. Whether each run came to what it should, every time; false after Bench_Fail too.
bool KineticRuns_Time(Bench* bench, KineticRun* runs, size_t count, double* medians);

#endif
