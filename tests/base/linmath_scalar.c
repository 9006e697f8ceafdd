// linmath.h's plain C twin over the cases of linmath_cases.h.
#define GRZ_LINMATH_SCALAR
#define LINMATH_CASES linmathCasesScalar
#include "linmath_cases.h"
