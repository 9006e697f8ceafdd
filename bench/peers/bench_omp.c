// What: OpenMP as a peer of grzParallelFor. Compiled with OpenMP's flags alone in the benches.
#include "bench_omp.h"

#if defined(_OPENMP)
#    include <omp.h>
#endif

bool benchHasOmp(void) {
#if defined(_OPENMP)
    return true;
#else
    return false;
#endif
}

void benchOmpFor(int workers, uint32_t count,
                 void (*fn)(uint32_t begin, uint32_t end, uint32_t worker, void* context), void* context) {
#if defined(_OPENMP)
#    pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (uint32_t i = 0; i < count; ++i)
        fn(i, i + 1, (uint32_t)omp_get_thread_num(), context);
#else
    (void)workers;
    for (uint32_t i = 0; i < count; ++i)
        fn(i, i + 1, 0, context);
#endif
}
