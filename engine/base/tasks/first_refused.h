// A parallel loop over items that may be refused, and which one is the first, whoever looks at it.
#ifndef GRAZE_BASE_FIRST_REFUSED_H
#define GRAZE_BASE_FIRST_REFUSED_H

#include "graze/result.h"
#include "graze/tasks.h"

// Does the items from begin to end. Returns the first of them that is refused, or end. Whether it does those behind a refused one is
// its own choice.
typedef uint32_t grzTryFn(uint32_t begin, uint32_t end, uint32_t worker, void* context);

// Runs blocks as grzParallelFor does (graze/tasks.h). Returns the first item of all that is refused, or count.
uint32_t grzParallelTry(grzTasks* tasks, uint32_t count, uint32_t grain, grzTryFn* fn, void* context);

// Answers an item; the same for the same item, whenever it is asked.
typedef grzResult grzAnswerFn(uint32_t item, void* context);

// Answers all items, `grain` to a task, but one where there are few, so that these run side by side. Returns the result of the first
// one that is refused, with its index and part grz_partElement.
grzResult grzParallelAnswer(grzTasks* tasks, uint32_t count, uint32_t grain, grzAnswerFn* fn, void* context);

#endif
