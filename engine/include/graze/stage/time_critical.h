// Time-critical queries: do two models intersect, as far as a budget tells, and how sure is the answer?
//
//   grzProbeQuery query = grzDefaultProbeQuery();
//   query.models.a = mesh, query.models.b = mesh;
//   query.models.poseB = grzTransform_FromQuat(rotation, origin);
//   query.fit = &fit;                                    // of this pair of meshes: grzProbeFit_Make
//   grzProbeBudget budget = grzUnlimitedProbeBudget();
//   budget.microseconds = 0.5f;
//   grzProbeAnswer answer;
//   grzResult result = grzModels_Probe(&query, &budget, &answer);
//
// Contents: fits; queries and answers; queries that go on; places of contact; many queries.
//
// How it works. The walk is that of grzModels_Touch (model_pair.h), but for its order. Pairs of boxes predict a contact by
// their relative penetration: the depth of the boxes in each other, over the size of the smaller one. Where several pairs
// are open, the one with the greatest is next. Before any step, and after 2, 4, 8, 16, 40 and 80 of them, a linear score of
// the walk so far may end the query with either answer. The weights come from a fit: a thousand queries of the same two
// meshes. With enough budget the walk goes on to the exact answer, which is that of grzModels_Touch.
//
// Ownership: models and fits belong to the caller, and must stay as they are until the last run of a query on them.
// Threads: any number may ask at a time; a grzModelProbe belongs to one thread at a time. Answers are the same bytes at every SIMD
//   level, unless the budget has microseconds.
// [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003]
#ifndef GRAZE_STAGE_TIME_CRITICAL_H
#define GRAZE_STAGE_TIME_CRITICAL_H

#include "graze/model_pair.h"
#include "graze/stage/adb_tree.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

// ----------------------------------------------------------------------------------------------------------- fits

// Scores are computed before any work, and after 2, 4, 8, 16, 40 and 80 units of it.
enum { grz_probeStops = 7, grz_probeWeights = 5, grz_probeRisks = 6 };

// What a thousand queries of two meshes say about the next one. Plain numbers: it may be copied, and kept in a file
// by grzProbeFit_Save.
typedef struct grzProbeFit {
    uint32_t mark; // set by grzProbeFit_Make and grzProbeFit_Load; queries refuse another
    uint32_t axes; // a grzModelAxes: which took less work
    uint32_t queryCount;
    // The score of a stop, the log of the odds that the models touch: of 1, the distance of the models' centres over their
    // sizes, the deepest pair so far, the log of 1 and the relative penetrations of all open pairs, and that of 1 and the
    // pairs of leaves.
    float weights[grz_probeStops][grz_probeWeights];
    // How many times more often an answer is wrong than its score says, where the budget ran out after a stop.
    float spent[grz_probeStops];
    // A score that is as far from 0 before any work ends a query whose error may be 0.2, 0.5, 1, 2, 5, 10 %; after n units
    // log(1 + n) less is enough.
    float limits[grz_probeRisks];
    float sure[grz_probeRisks]; // as `spent`, of answers that were ended so
    float voteAbove;            // a pair with a greater relative penetration is a vote
    uint32_t votesWanted;       // with so many, a score is at least
    float voteScore;
    // How large B is beside A by the poses, the least and the greatest of the queries.
    float sizes[2];
    uint32_t pad;
    uint64_t revisions[2]; // of the models in this process; 0: unknown
} grzProbeFit;

// Asks queries of two models, all of the same two, exactly, on the workers of tasks (NULL: the calling thread alone), and fits
// scores to what it sees: about 2 ms for 1,000 queries. They should be drawn as the later ones will be: the same scales, and poses as likely. Scores are fitted on
// all; limits are set by scores of queries that were held back (two folds), so that the error that a budget allows is
// kept in the mean over fits. The same bytes on every machine and for any number of workers. The fit is all zeros where it is refused: what
// grzModels_Touch says of the first query that it refuses (part element, its index); grz_badArgument (value 2: fewer
// than 100 queries; value 1: half an allocator, or models that differ), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzProbeFit_Make(grzTasks* tasks, const grzModelQuery* queries, uint32_t count,
                                                 grzAllocator allocator, grzProbeFit* fit);

enum { grz_probeFitNumbers = 4 + grz_probeStops * (grz_probeWeights + 1) + 2 * grz_probeRisks + 4 + 4 };

// Writes a fit of these two models as plain numbers, for a file. O(size of the models). Refused: grz_badArgument
// where the fit is not of these models as they are.
GRZ_NODISCARD GRZ_API grzResult grzProbeFit_Save(const grzProbeFit* fit, const grzModel* a, const grzModel* b,
                                                 double numbers[grz_probeFitNumbers]);

// The fit that was saved. It counts as the own fit of these two models where they have the same contents as those
// that it was saved with. Refused: grz_badArgument for numbers that no Save writes; the fit is then all zeros.
GRZ_NODISCARD GRZ_API grzResult grzProbeFit_Load(const double numbers[grz_probeFitNumbers], const grzModel* a,
                                                 const grzModel* b, grzProbeFit* fit);

// ------------------------------------------------------------------------------------------- queries and answers

// What guesses. Either goes on to the exact answer.
typedef enum grzProbeMethod {
    grz_probeFast = 0, // scores of the walk of grzModels_Touch, by a fit
    // Probabilities of ADB-trees, as printed: "they touch" where kMin pairs of boxes are likely to, "they do not" where no pair is
    // left. Its confidence is that of the paper, which is a guess: 1/2 at least, and below 1. See docs/adb.md.
    grz_probePublished,
} grzProbeMethod;

typedef struct grzProbeQuery {
    uint32_t mark; // set by grzDefaultProbeQuery; calls refuse another
    grzProbeMethod method;
    // order, limit and bodyPair are not used; nor are axes where there is a fit, which has them
    grzModelQuery models;
    // Of the fast method. NULL, or one of queries where B was of another size beside A: no score ends the query, and what is
    // not certain has confidence 1/2.
    const grzProbeFit* fit;
    grzAdbQuery adb; // of the published method
} grzProbeQuery;

// The fast method, identities, no models, no fit, no trees.
GRZ_API grzProbeQuery grzDefaultProbeQuery(void);

// A run ends at the first bound that it meets.
typedef struct grzProbeBudget {
    // Units: boxes opened, pairs of leaves tested, and pairs of triangles that floats do not decide; of the published
    // method, eight probabilities. UINT32_MAX: no bound.
    uint32_t work;
    // By the clock, which is read every few units; INFINITY: no bound. A unit of the third kind takes microseconds; it
    // runs where 4 are left. With more than 0, a run takes one unit at least, so that queries with any time end.
    float microseconds;
    // Fast: ends where a score is enough for this share of wrong answers over all queries, exact ones among them: 0.002,
    // 0.005, 0.01, 0.02, 0.05 or 0.1, or what of these is below. Published: above 0, ends with the method's own answer,
    // whatever its error. 0: goes on.
    float error;
} grzProbeBudget;

// No bounds: a run with it ends with the exact answer.
GRZ_API grzProbeBudget grzUnlimitedProbeBudget(void);

typedef struct grzProbeAnswer {
    bool touches;
    // The fit was made of these two models as they are, and B is no smaller or larger beside A than half or twice what it was
    // there; else the confidence is a guess. Never of the published method.
    bool isOwnFit;
    bool isSure;        // exact, or ended by its budget's error; else work or time ran out
    uint8_t pad;        // 0
    uint32_t certainty; // a grzCertainty: grz_exact or grz_probable
    float confidence;   // the probability that `touches` is true, 1/2 to 1; 1 where exact
    uint32_t work;      // units so far, of all runs of the query
    uint32_t leafPairs; // of these, pairs of leaves
} grzProbeAnswer;

// Asks once. Allocates nothing, but for the queue of the published method. Refused as grzModels_Touch refuses
// query->models, with zeros in *answer; and
//   grz_badDef        the mark of the query or of its fit
//   grz_badArgument   an unknown method; a number of the budget that is below 0 or a NaN; an error above 1/2; published:
//                     no trees, trees of other models, octrees of a model that was refit since, grids that differ, a pMin,
//                     kMin, volume or sphereRatio that is none, half an allocator, a relative pose that is no similarity
//   grz_outOfMemory   published
GRZ_NODISCARD GRZ_API grzResult grzModels_Probe(const grzProbeQuery* query, const grzProbeBudget* budget,
                                                grzProbeAnswer* answer);

// -------------------------------------------------------------------------------------------- queries that go on

// A query between its runs: 6 KB, to be used again and again; and the queue of the published method, which it keeps.
typedef struct grzModelProbe grzModelProbe;

// Refused: grz_badArgument (half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzModelProbe_Create(grzAllocator allocator, grzModelProbe** probe);

// NULL is fine.
GRZ_API void grzModelProbe_Destroy(grzModelProbe* probe);

// Begins a query. Allocates nothing. Refused as above; then no query is begun.
GRZ_NODISCARD GRZ_API grzResult grzModelProbe_Begin(grzModelProbe* probe, const grzProbeQuery* query);

// Goes on where the last run ended; nothing is computed twice. The walk does not depend on where runs ended before. A
// run after one that ended by its error goes on as well; one after the exact answer gives it again. Refused: a budget
// as above; grz_badArgument where no query was begun; grz_outOfMemory (published): the units before are kept, and a next
// run goes on there.
GRZ_NODISCARD GRZ_API grzResult grzModelProbe_Run(grzModelProbe* probe, const grzProbeBudget* budget,
                                                  grzProbeAnswer* answer);

// ---------------------------------------------------------------------------------------------- places of contact

// Two boxes that overlap, in which the models may touch. (The boxes of all, before any work, may be apart.)
typedef struct grzProbePlace {
    // Which box of A's hierarchy: level 0 is the box of all, the last level has the leaves. Of an octree, which cube.
    uint32_t levelA, nodeA;
    uint32_t levelB, nodeB;
    grzBox boxA, boxB; // in the models' own frames; of ADB-trees as thick as for counts
    grzVec3 point;     // in the common frame: the middle of what the boxes share, about
    grzVec3 normal;    // in the common frame, of length 1, from A to B: where the boxes part soonest along a face
    float depth;       // by how much the boxes overlap along it, in the common frame
    // What predicts a contact: the relative penetration; of the published method until it has its own answer, the
    // probability.
    float likeliness;
} grzProbePlace;

// The likeliest places of the query as its last run left it, the likeliest first; of the
// published method at most 64. After the exact answer "touches" the one place is the pair of leaves that does; after "apart"
// there is none. Returns how many places were written: at most `capacity`. O(open pairs times capacity).
GRZ_API uint32_t grzModelProbe_FindPlaces(const grzModelProbe* probe, grzProbePlace* places, uint32_t capacity);

// --------------------------------------------------------------------------------------------------- many queries

// Asks each query once, each with the same budget, on the workers of tasks. Allocates as grzModels_Probe. Answers are
// the same bytes for any number of workers, unless the budget has microseconds. Refused: what grzModels_Probe says of
// the first query that it refuses (part element, its index), or grz_badDef for no queries where count is not 0; then
// all answers are zeros.
GRZ_NODISCARD GRZ_API grzResult grzModels_ProbeMany(grzTasks* tasks, const grzProbeQuery* queries, uint32_t count,
                                                    const grzProbeBudget* budget, grzProbeAnswer* answers);

// Spends one budget on many queries. Keeps its memory from call to call: 6 KB for each query that was begun, with
// the queue of the published method, and 16 bytes for each query.
typedef struct grzProbeScheduler grzProbeScheduler;

// Refused: grz_badArgument (half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzProbeScheduler_Create(grzAllocator allocator, grzProbeScheduler** scheduler);

// NULL is fine.
GRZ_API void grzProbeScheduler_Destroy(grzProbeScheduler* scheduler);

// Answers all queries with a budget for all of them together; budget->error is that of each. The next units go to the
// queries with the most to gain: importance, times the stated error, over the units to the next stop; the first of
// equal ones. Queries that get none are answered by the score before any work. Sixteen queries run at a time, on the workers
// of tasks. Answers are the same bytes for any number of workers, unless the budget has microseconds: the clock is
// read after every sixteen. Refused, and all answers are zeros:
//   what grzModels_Probe says of the first query that it refuses (part element, its index), whatever the budget
//   grz_badArgument   a budget; an importance that is not finite or below 0 (part element, its index)
//   grz_badDef        no queries where count is not 0
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzProbeScheduler_Run(grzProbeScheduler* scheduler, grzTasks* tasks,
                                                      const grzProbeQuery* queries, const float* importances,
                                                      uint32_t count, const grzProbeBudget* budget,
                                                      grzProbeAnswer* answers);

GRZ_EXTERN_C_END

#endif
