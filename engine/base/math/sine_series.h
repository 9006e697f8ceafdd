// The series of sine and cosine near 0, which libraries do not agree on, from a term of the caller's on: a caller that needs more
// accuracy puts more terms before it.
#ifndef GRAZE_BASE_SINE_SERIES_H
#define GRAZE_BASE_SINE_SERIES_H

// sin x. `p` is the coefficient of x^13, 1/13!, and of what the caller has of the terms behind it, divided by x^13.
static inline double grzSineSeries(double x, double p) {
    const double s = x * x;
    p = p * s - 1.0 / 39916800.0;
    p = p * s + 1.0 / 362880.0;
    p = p * s - 1.0 / 5040.0;
    p = p * s + 1.0 / 120.0;
    p = p * s - 1.0 / 6.0;
    return x + x * (s * p);
}

// cos x, where s is x * x. `p` is the coefficient of x^12, 1/12!, and of what the caller has of the terms behind it, divided by x^12.
static inline double grzCosineSeries(double s, double p) {
    p = p * s - 1.0 / 3628800.0;
    p = p * s + 1.0 / 40320.0;
    p = p * s - 1.0 / 720.0;
    p = p * s + 1.0 / 24.0;
    p = p * s - 0.5;
    return 1.0 + s * p;
}

#endif
