// The one place where OpenMP is turned off: without GRAZE_OPENMP the macros are empty and the loops run in order.
//
//   GRZ_OMP_PARALLEL_FOR(schedule(dynamic, 16))
//   for (int32_t i = 0; i < count; ++i)
//       slots[i] = f(i);
//
// Rules, for the same bytes with and without and no more threads than processors:
// - An iteration writes to slots of its own. Integers may be summed by a reduction, floats never; no critical
//   section that appends, and nothing that depends on the thread's number: only task_openmp.c calls the OpenMP runtime.
// - Only for what is built once and off the step, never inside a task of a grzTasks, where every worker would start
//   a team: if(!grzIsInsideTasks()), see task_queue.h.
// - GRZ_OMP_SIMD only where the iterations are independent; it must not reorder sums.
// Threads: the body of a parallel loop allocates nothing and fails nowhere; what a call in it says goes to a slot.
#ifndef GRAZE_BASE_OPENMP_H
#define GRAZE_BASE_OPENMP_H

#if defined(GRAZE_OPENMP)
#    if !defined(_OPENMP)
#        error "GRAZE_OPENMP is set, but the compiler was not told to use OpenMP"
#    endif
// It takes the # of a macro for a directive's.
// clang-format off
#    define GRZ_OMP_PRAGMA(text) _Pragma(#text)
// clang-format on
#    define GRZ_OMP_PARALLEL_FOR(...) GRZ_OMP_PRAGMA(omp parallel for __VA_ARGS__)
#    define GRZ_OMP_SIMD(...) GRZ_OMP_PRAGMA(omp simd __VA_ARGS__)
#else
#    define GRZ_OMP_PARALLEL_FOR(...)
#    define GRZ_OMP_SIMD(...)
#endif

#endif
