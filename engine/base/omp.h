// The one place where OpenMP is turned off: without GRAZE_OPENMP the macros are empty and the loops run in order.
//
//   GRZ_OMP_PARALLEL_FOR(schedule(dynamic, 16))
//   for (int32_t i = 0; i < count; ++i)
//       slots[i] = f(i);
//
// Rules, for the same bytes with and without and no more threads than processors:
// - An iteration writes to slots of its own. No reduction over floats, no critical section that appends, and
//   nothing that depends on the thread's number: nobody calls the OpenMP runtime, so its own header is not needed
//   (and not found by rooms, since this one has its name).
// - Only for what is built once and off the step, never inside a task of a grzTasks: every worker
//   would start a team.
// - GRZ_OMP_SIMD only where the iterations are independent; it must not reorder sums.
// Threads: loops over parallel ones allocate nothing and fail nowhere; results of calls that can fail go to
// slots.
#ifndef GRAZE_BASE_OMP_H
#define GRAZE_BASE_OMP_H

#if defined(GRAZE_OPENMP)
#    if !defined(_OPENMP)
#        error "GRAZE_OPENMP is set, but the compiler was not told to use OpenMP"
#    endif
#    define GRZ_OMP_PRAGMA(text) _Pragma(#    text)
#    define GRZ_OMP_PARALLEL_FOR(...) GRZ_OMP_PRAGMA(omp parallel for __VA_ARGS__)
#    define GRZ_OMP_SIMD(...) GRZ_OMP_PRAGMA(omp simd __VA_ARGS__)
#else
#    define GRZ_OMP_PARALLEL_FOR(...)
#    define GRZ_OMP_SIMD(...)
#endif

#endif
