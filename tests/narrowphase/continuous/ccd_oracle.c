// What: ccd_oracle.h.
// Holds: coordinates are whole numbers of one unit for the whole query, which changes no sign. Times are n / 2^k.
#include "ccd_oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- polynomials with integer coefficients ----

enum { MOST_DEGREE = 12, MOST_POLYS = 4096 };

typedef struct Poly {
    int degree; // -1: zero
    mpz_t c[MOST_DEGREE + 1];
} Poly;

// Everything that a query makes is dropped at its end, and used again.
static Poly* polys[MOST_POLYS];
static int polyCount, polysMade;

// Zero.
static Poly* polyTake(void) {
    if (polyCount == MOST_POLYS)
        abort();
    if (polyCount == polysMade) {
        Poly* made = malloc(sizeof *made);
        if (made == NULL)
            abort();
        for (int i = 0; i <= MOST_DEGREE; ++i)
            mpz_init(made->c[i]);
        polys[polysMade++] = made;
    }
    Poly* p = polys[polyCount++];
    p->degree = -1;
    for (int i = 0; i <= MOST_DEGREE; ++i)
        mpz_set_ui(p->c[i], 0);
    return p;
}

static void polyTrim(Poly* p, int from) {
    p->degree = from;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static const Poly* combine(const Poly* a, const Poly* b, int sign) {
    Poly* sum = polyTake();
    for (int i = 0; i <= a->degree; ++i)
        mpz_set(sum->c[i], a->c[i]);
    for (int i = 0; i <= b->degree; ++i)
        (sign > 0 ? mpz_add : mpz_sub)(sum->c[i], sum->c[i], b->c[i]);
    polyTrim(sum, a->degree > b->degree ? a->degree : b->degree);
    return sum;
}

static const Poly* product(const Poly* a, const Poly* b) {
    Poly* p = polyTake();
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j)
            mpz_addmul(p->c[i + j], a->c[i], b->c[j]);
    polyTrim(p, a->degree < 0 || b->degree < 0 ? -1 : a->degree + b->degree);
    return p;
}

static const Poly* derivative(const Poly* a) {
    Poly* p = polyTake();
    for (int i = 1; i <= a->degree; ++i)
        mpz_mul_si(p->c[i - 1], a->c[i], i);
    polyTrim(p, a->degree - 1);
    return p;
}

// Divided by what all coefficients have in common; signs stay.
static const Poly* primitive(Poly* a) {
    mpz_t common;
    mpz_init(common);
    for (int i = 0; i <= a->degree && mpz_cmp_ui(common, 1) != 0; ++i)
        mpz_gcd(common, common, a->c[i]);
    if (mpz_cmp_ui(common, 1) > 0)
        for (int i = 0; i <= a->degree; ++i)
            mpz_divexact(a->c[i], a->c[i], common);
    mpz_clear(common);
    return a;
}

// What a positive multiple of a leaves by b, with a smaller degree than b; and the quotient of that, where it is asked for. Both
// primitive.
static const Poly* divide(const Poly* a, const Poly* b, Poly* quotient) {
    Poly* rest = polyTake();
    mpz_t by, size;
    mpz_inits(by, size, NULL);
    for (int i = 0; i <= a->degree; ++i)
        mpz_set(rest->c[i], a->c[i]);
    mpz_abs(size, b->c[b->degree]);
    for (int top = a->degree; top >= b->degree; --top) {
        mpz_mul_si(by, rest->c[top], mpz_sgn(b->c[b->degree]));
        for (int i = 0; i <= a->degree; ++i) {
            mpz_mul(rest->c[i], rest->c[i], size);
            if (quotient != NULL)
                mpz_mul(quotient->c[i], quotient->c[i], size);
        }
        if (quotient != NULL)
            mpz_set(quotient->c[top - b->degree], by);
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(rest->c[top - b->degree + i], by, b->c[i]);
    }
    mpz_clears(by, size, NULL);
    polyTrim(rest, a->degree);
    if (quotient != NULL) {
        polyTrim(quotient, a->degree - b->degree);
        primitive(quotient);
    }
    return primitive(rest);
}

static const Poly* commonDivisor(const Poly* a, const Poly* b) {
    while (b->degree >= 0) {
        const Poly* rest = divide(a, b, NULL);
        a = b;
        b = rest;
    }
    return a;
}

static const Poly* squareFree(const Poly* a) {
    if (a->degree < 2)
        return a;
    const Poly* common = commonDivisor(a, derivative(a));
    if (common->degree < 1)
        return a;
    Poly* quotient = polyTake();
    divide(a, common, quotient);
    return quotient;
}

// ---- at a time ----

// p times 2^(k degree).
static void evaluate(mpz_t sum, const Poly* p, const mpz_t n, mp_bitcnt_t k) {
    mpz_t term;
    mpz_init(term);
    mpz_set_ui(sum, 0);
    for (int i = p->degree; i >= 0; --i) {
        mpz_mul(sum, sum, n);
        mpz_mul_2exp(term, p->c[i], k * (mp_bitcnt_t)(p->degree - i));
        mpz_add(sum, sum, term);
    }
    mpz_clear(term);
}

static int signAt(const Poly* p, const mpz_t n, mp_bitcnt_t k) {
    mpz_t sum;
    mpz_init(sum);
    evaluate(sum, p, n, k);
    const int sign = mpz_sgn(sum);
    mpz_clear(sum);
    return sign;
}

// ---- Sturm's chain ----

typedef struct Chain {
    const Poly* of[MOST_DEGREE + 2];
    int count;
} Chain;

static Chain chainOf(const Poly* p) {
    Chain chain = {{p, derivative(p)}, 2};
    while (chain.of[chain.count - 1]->degree > 0) {
        const Poly* rest = divide(chain.of[chain.count - 2], chain.of[chain.count - 1], NULL);
        if (rest->degree < 0)
            break;
        chain.of[chain.count++] = combine(polyTake(), rest, -1);
    }
    return chain;
}

static int changesAt(const Chain* chain, const mpz_t n, mp_bitcnt_t k) {
    int changes = 0, before = 0;
    for (int i = 0; i < chain->count; ++i) {
        const int sign = signAt(chain->of[i], n, k);
        changes += sign != 0 && before != 0 && sign != before;
        before = sign != 0 ? sign : before;
    }
    return changes;
}

// ---- a root ----

// A number: the one root of `of`, which is square free, in ]n / 2^k, (n + 1) / 2^k]; or the end of that where `of` is NULL.
typedef struct Root {
    const Poly* of;
    mpz_t n, next; // next: n + 1
    mp_bitcnt_t k;
} Root;

static void rootInit(Root* root) {
    root->of = NULL;
    root->k = 0;
    mpz_inits(root->n, root->next, NULL);
}

static void rootClear(Root* root) {
    mpz_clears(root->n, root->next, NULL);
}

static void rootSet(Root* root, const Poly* of, const mpz_t n, mp_bitcnt_t k) {
    root->of = of;
    root->k = k;
    mpz_set(root->n, n);
    mpz_add_ui(root->next, n, 1);
}

static bool isAtEnd(const Root* root) {
    return root->of == NULL || signAt(root->of, root->next, root->k) == 0;
}

// Distinct roots in the root's interval.
static int rootsIn(const Chain* chain, const Root* root) {
    return changesAt(chain, root->n, root->k) - changesAt(chain, root->next, root->k);
}

// Into one half of its interval.
static void halve(Root* root) {
    const int last = root->of == NULL ? 0 : signAt(root->of, root->next, root->k);
    mpz_mul_2exp(root->n, root->n, 1);
    root->k++;
    mpz_add_ui(root->next, root->n, 1);
    const int middle = last == 0 ? 1 : signAt(root->of, root->next, root->k);
    if (last == 0 || (middle != 0 && middle != last)) {
        mpz_add_ui(root->n, root->n, 1);
        mpz_add_ui(root->next, root->next, 1);
    }
}

// p's sign throughout the interval, or 0 where it is in doubt: from the middle m to any other place it changes by no more than half
// the length times the sum of |i c_i|.
static int signOver(const Poly* p, const Root* root) {
    mpz_t sum, most, middle;
    mpz_inits(sum, most, middle, NULL);
    mpz_add(middle, root->n, root->next);
    evaluate(sum, p, middle, root->k + 1);
    for (int i = 1; i <= p->degree; ++i)
        (mpz_sgn(p->c[i]) > 0 ? mpz_addmul_ui : mpz_submul_ui)(most, p->c[i], (unsigned long)i);
    if (p->degree > 0)
        mpz_mul_2exp(most, most, (root->k + 1) * (mp_bitcnt_t)(p->degree - 1));
    const int sign = mpz_cmpabs(sum, most) > 0 ? mpz_sgn(sum) : 0;
    mpz_clears(sum, most, middle, NULL);
    return sign;
}

static bool haveRootInCommon(const Poly* p, const Root* root) {
    const int mark = polyCount;
    const Poly* common = commonDivisor(root->of, p);
    bool isCommon = false;
    if (common->degree >= 1) {
        const Chain chain = chainOf(common);
        isCommon = rootsIn(&chain, root) > 0;
    }
    polyCount = mark;
    return isCommon;
}

// Narrows the root.
static int signAtRoot(const Poly* p, Root* root) {
    if (p->degree < 1)
        return p->degree < 0 ? 0 : mpz_sgn(p->c[0]);
    if (isAtEnd(root))
        return signAt(p, root->next, root->k);
    for (int i = 0;; ++i) {
        const int sign = signOver(p, root);
        if (sign != 0)
            return sign;
        if (i == 12 && haveRootInCommon(p, root))
            return 0;
        halve(root);
        if (isAtEnd(root))
            return signAt(p, root->next, root->k);
    }
}

// ---- the features ----

typedef struct Vec {
    const Poly* x[3];
} Vec;

// The unit, as an exponent: that of the last place of any number.
static int unitOf(const grzCcdQuery* query) {
    int lowest = 2000;
    for (int i = 0; i < 24; ++i) {
        const double value = query->points[i / 12][i / 3 % 4][i % 3];
        int exponent;
        if (value == 0)
            continue;
        frexp(value, &exponent);
        lowest = exponent - 53 < lowest ? exponent - 53 : lowest;
    }
    return lowest;
}

static void setWhole(mpz_t whole, double value, int unit) {
    int exponent;
    const double fraction = frexp(value, &exponent);
    mpz_set_d(whole, ldexp(fraction, 53));
    if (value != 0)
        mpz_mul_2exp(whole, whole, (mp_bitcnt_t)(exponent - 53 - unit));
}

static Vec pointOf(const grzCcdQuery* query, int i, int unit) {
    Vec v;
    for (int axis = 0; axis < 3; ++axis) {
        Poly* p = polyTake();
        setWhole(p->c[0], query->points[0][i][axis], unit);
        setWhole(p->c[1], query->points[1][i][axis], unit);
        mpz_sub(p->c[1], p->c[1], p->c[0]);
        polyTrim(p, 1);
        v.x[axis] = p;
    }
    return v;
}

static Vec minus(Vec a, Vec b) {
    return (Vec){{combine(a.x[0], b.x[0], -1), combine(a.x[1], b.x[1], -1), combine(a.x[2], b.x[2], -1)}};
}

static Vec crossed(Vec a, Vec b) {
    Vec v;
    for (int axis = 0; axis < 3; ++axis) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        v.x[axis] = combine(product(a.x[i], b.x[j]), product(a.x[j], b.x[i]), -1);
    }
    return v;
}

static const Poly* dotted(Vec a, Vec b) {
    const Poly* sum = combine(product(a.x[0], b.x[0]), product(a.x[1], b.x[1]), 1);
    return combine(sum, product(a.x[2], b.x[2]), 1);
}

// ---- the formula ----

// A point is on a segment: the cross product is zero, and the ends are not both on one side.
typedef struct OnSegment {
    Vec cross;
    const Poly* dot;
} OnSegment;

// Where the normal is not zero, all of `inside` must be at least 0; else some point must be on some segment.
typedef struct Formula {
    const Poly* volume;
    bool isNever; // the volume is not zero from 0 to 1, and nothing below is made
    Vec normal;
    const Poly* inside[4];
    int insideCount;
    OnSegment segments[4];
    int segmentCount;
} Formula;

static OnSegment onSegment(Vec p, Vec a, Vec b) {
    const Vec pa = minus(a, p), pb = minus(b, p);
    return (OnSegment){crossed(pa, pb), dotted(pa, pb)};
}

static bool canNeverBeZero(const Poly* volume) {
    if (volume->degree < 1)
        return volume->degree == 0;
    const int mark = polyCount;
    Root all;
    rootInit(&all);
    mpz_set_ui(all.next, 1);
    bool isNever = signAt(volume, all.n, 0) != 0;
    if (isNever) {
        const Chain chain = chainOf(squareFree(volume));
        isNever = rootsIn(&chain, &all) == 0;
    }
    rootClear(&all);
    polyCount = mark;
    return isNever;
}

static Formula vertexFace(const Vec points[4]) {
    const Vec p = points[0], a = points[1], b = points[2], c = points[3];
    Formula f = {.insideCount = 3, .segmentCount = 3};
    f.normal = crossed(minus(b, a), minus(c, a));
    f.volume = dotted(f.normal, minus(p, a));
    f.isNever = canNeverBeZero(f.volume);
    if (f.isNever)
        return f;
    f.inside[0] = dotted(f.normal, crossed(minus(b, p), minus(c, p)));
    f.inside[1] = dotted(f.normal, crossed(minus(c, p), minus(a, p)));
    f.inside[2] = dotted(f.normal, crossed(minus(a, p), minus(b, p)));
    f.segments[0] = onSegment(p, a, b);
    f.segments[1] = onSegment(p, b, c);
    f.segments[2] = onSegment(p, c, a);
    return f;
}

static Formula edgeEdge(const Vec points[4]) {
    const Vec a = points[0], a1 = points[1], b = points[2], b1 = points[3];
    const Vec d = minus(a1, a), e = minus(b1, b), r = minus(b, a);
    Formula f = {.insideCount = 4, .segmentCount = 4};
    f.normal = crossed(d, e);
    f.volume = dotted(f.normal, r);
    f.isNever = canNeverBeZero(f.volume);
    if (f.isNever)
        return f;
    const Poly* size = dotted(f.normal, f.normal);
    f.inside[0] = dotted(crossed(r, e), f.normal);
    f.inside[1] = combine(size, f.inside[0], -1);
    f.inside[2] = dotted(crossed(r, d), f.normal);
    f.inside[3] = combine(size, f.inside[2], -1);
    f.segments[0] = onSegment(a, b, b1);
    f.segments[1] = onSegment(a1, b, b1);
    f.segments[2] = onSegment(b, a, a1);
    f.segments[3] = onSegment(b1, a, a1);
    return f;
}

static bool isZeroAt(Vec v, Root* root) {
    return signAtRoot(v.x[0], root) == 0 && signAtRoot(v.x[1], root) == 0 && signAtRoot(v.x[2], root) == 0;
}

// The root is one of the volume's, unless that is zero throughout or the root is an end of time.
static bool holdsAt(const Formula* f, Root* root) {
    if (root->of != f->volume && signAtRoot(f->volume, root) != 0)
        return false;
    if (!isZeroAt(f->normal, root)) {
        for (int i = 0; i < f->insideCount; ++i)
            if (signAtRoot(f->inside[i], root) < 0)
                return false;
        return true;
    }
    for (int i = 0; i < f->segmentCount; ++i)
        if (isZeroAt(f->segments[i].cross, root) && signAtRoot(f->segments[i].dot, root) <= 0)
            return true;
    return false;
}

// ---- which of two ----

static int compareTimes(const mpz_t n, mp_bitcnt_t k, const mpz_t m, mp_bitcnt_t l) {
    mpz_t one, other;
    mpz_inits(one, other, NULL);
    mpz_mul_2exp(one, n, l);
    mpz_mul_2exp(other, m, k);
    const int order = mpz_cmp(one, other);
    mpz_clears(one, other, NULL);
    return (order > 0) - (order < 0);
}

// The interval of one root is in the other's, or has nothing in common with it. Narrows both.
static int compareRoots(Root* a, Root* b) {
    for (int i = 0;; ++i) {
        const bool isEndA = isAtEnd(a), isEndB = isAtEnd(b);
        if (isEndA && isEndB)
            return compareTimes(a->next, a->k, b->next, b->k);
        if (compareTimes(a->next, a->k, b->n, b->k) <= 0)
            return -1;
        if (compareTimes(b->next, b->k, a->n, a->k) <= 0)
            return 1;
        if (i == 20 && !isEndA && !isEndB && haveRootInCommon(a->k > b->k ? b->of : a->of, a->k > b->k ? a : b))
            return 0;
        halve(a->k <= b->k ? a : b);
    }
}

// ---- the times to look at ----

// All polynomials that a change of the formula can come from; returns how many.
enum { MOST_PARTS = 32 };

static int partsOf(const Formula* f, const Poly* parts[MOST_PARTS]) {
    if (f->volume->degree >= 0) {
        parts[0] = f->volume;
        return 1;
    }
    int count = 0;
    for (int axis = 0; axis < 3; ++axis)
        parts[count++] = f->normal.x[axis];
    for (int i = 0; i < f->insideCount; ++i)
        parts[count++] = f->inside[i];
    for (int i = 0; i < f->segmentCount; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            parts[count++] = f->segments[i].cross.x[axis];
        parts[count++] = f->segments[i].dot;
    }
    return count;
}

// Looks at the roots in ]n / 2^k, (n + 1) / 2^k], in ascending order; the first one for which the formula holds goes to `first`.
static bool search(const Formula* f, const Chain* chain, const mpz_t n, mp_bitcnt_t k, Root* first) {
    bool isFound = false;
    Root root;
    rootInit(&root);
    rootSet(&root, chain->of[0], n, k);
    const int count = rootsIn(chain, &root);
    if (count == 1) {
        isFound = holdsAt(f, &root);
        if (isFound)
            rootSet(first, root.of, root.n, root.k);
    } else if (count > 1) {
        mpz_mul_2exp(root.n, n, 1);
        mpz_add_ui(root.next, root.n, 1);
        isFound = search(f, chain, root.n, k + 1, first) || search(f, chain, root.next, k + 1, first);
    }
    rootClear(&root);
    return isFound;
}

static bool lookAtEnd(const Formula* f, int end, Root* first) {
    mpz_t n;
    mpz_init_set_si(n, end - 1);
    rootSet(first, NULL, n, 0);
    mpz_clear(n);
    return holdsAt(f, first);
}

// Polynomials stay.
static bool findFirst(const grzCcdQuery* query, Root* first) {
    const int unit = unitOf(query);
    const Vec points[4] = {pointOf(query, 0, unit), pointOf(query, 1, unit), pointOf(query, 2, unit),
                           pointOf(query, 3, unit)};
    const Formula f = query->kind == grz_ccdVertexFace ? vertexFace(points) : edgeEdge(points);
    if (f.isNever)
        return false;
    if (lookAtEnd(&f, 0, first))
        return true;
    const Poly* parts[MOST_PARTS];
    const int count = partsOf(&f, parts);
    bool isFound = false;
    Root other;
    mpz_t zero;
    rootInit(&other);
    mpz_init(zero);
    for (int i = 0; i < count; ++i) {
        if (parts[i]->degree < 1)
            continue;
        const Chain chain = chainOf(squareFree(parts[i]));
        if (search(&f, &chain, zero, 0, &other) && (!isFound || compareRoots(&other, first) < 0)) {
            rootSet(first, other.of, other.n, other.k);
            isFound = true;
        }
    }
    rootClear(&other);
    mpz_clear(zero);
    return isFound || lookAtEnd(&f, 1, first);
}

static void tell(Root* root, int depth, CcdOracle* told) {
    if (isAtEnd(root)) {
        told->t1 = ldexp(mpz_get_d(root->next), -(int)root->k); // rounded towards 0 where it has many bits
        told->t0 = told->t1;
        if (mpz_sizeinbase(root->next, 2) > 53)
            told->t1 += ldexp(1, -depth);
        return;
    }
    while (root->k < (mp_bitcnt_t)depth)
        halve(root);
    mpz_fdiv_q_2exp(root->n, root->n, root->k - (mp_bitcnt_t)depth);
    told->t0 = ldexp(mpz_get_d(root->n), -depth);
    told->t1 = told->t0 + ldexp(1, -depth);
}

CcdOracle ccdOracle(const grzCcdQuery* query, int depth) {
    CcdOracle told = {false, 1, 1};
    Root first;
    rootInit(&first);
    told.touches = findFirst(query, &first);
    if (told.touches)
        tell(&first, depth, &told);
    rootClear(&first);
    polyCount = 0;
    return told;
}

int ccdOracleCompare(const grzCcdQuery* a, const grzCcdQuery* b) {
    Root firstA, firstB;
    rootInit(&firstA);
    rootInit(&firstB);
    const bool isA = findFirst(a, &firstA), isB = findFirst(b, &firstB);
    const int order = isA && isB ? compareRoots(&firstA, &firstB) : isB - isA;
    rootClear(&firstA);
    rootClear(&firstB);
    polyCount = 0;
    return order;
}

// ---- distance at a time ----

typedef struct Point {
    mpq_t x[3];
} Point;

static void pointInit(Point* p) {
    mpq_inits(p->x[0], p->x[1], p->x[2], NULL);
}

static void pointClear(Point* p) {
    mpq_clears(p->x[0], p->x[1], p->x[2], NULL);
}

static void placeAt(const grzCcdQuery* query, int i, double time, Point* p) {
    mpq_t t, end;
    mpq_inits(t, end, NULL);
    mpq_set_d(t, time);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_set_d(p->x[axis], query->points[0][i][axis]);
        mpq_set_d(end, query->points[1][i][axis]);
        mpq_sub(end, end, p->x[axis]);
        mpq_mul(end, end, t);
        mpq_add(p->x[axis], p->x[axis], end);
    }
    mpq_clears(t, end, NULL);
}

static void subtract(Point* d, const Point* a, const Point* b) {
    for (int axis = 0; axis < 3; ++axis)
        mpq_sub(d->x[axis], a->x[axis], b->x[axis]);
}

static void dotOf(mpq_t sum, const Point* a, const Point* b) {
    mpq_t term, all;
    mpq_inits(term, all, NULL);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_mul(term, a->x[axis], b->x[axis]);
        mpq_add(all, all, term);
    }
    mpq_set(sum, all);
    mpq_clears(term, all, NULL);
}

static void crossOf(Point* c, const Point* a, const Point* b) {
    mpq_t term;
    mpq_init(term);
    for (int axis = 0; axis < 3; ++axis) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        mpq_mul(c->x[axis], a->x[i], b->x[j]);
        mpq_mul(term, a->x[j], b->x[i]);
        mpq_sub(c->x[axis], c->x[axis], term);
    }
    mpq_clear(term);
}

static void takeLess(mpq_t best, const mpq_t other) {
    if (mpq_sgn(best) < 0 || mpq_cmp(other, best) < 0)
        mpq_set(best, other);
}

// The square of a point's distance to a segment, where it is less than `best` (or that is negative).
static void pointToSegment(const Point* p, const Point* a, const Point* b, mpq_t best) {
    Point d, r;
    mpq_t length, along, square;
    pointInit(&d);
    pointInit(&r);
    mpq_inits(length, along, square, NULL);
    subtract(&d, b, a);
    subtract(&r, p, a);
    dotOf(length, &d, &d);
    dotOf(along, &r, &d);
    if (mpq_sgn(length) == 0 || mpq_sgn(along) <= 0) {
        dotOf(square, &r, &r);
    } else if (mpq_cmp(along, length) >= 0) {
        subtract(&r, p, b);
        dotOf(square, &r, &r);
    } else { // r r - along^2 / length
        dotOf(square, &r, &r);
        mpq_mul(along, along, along);
        mpq_div(along, along, length);
        mpq_sub(square, square, along);
    }
    takeLess(best, square);
    mpq_clears(length, along, square, NULL);
    pointClear(&d);
    pointClear(&r);
}

// Where two planes with one normal hold the features: the square of the distance of those, (normal r)^2 / normal^2.
static void betweenPlanes(const Point* normal, const Point* r, mpq_t best) {
    mpq_t height, size;
    mpq_inits(height, size, NULL);
    dotOf(height, normal, r);
    dotOf(size, normal, normal);
    mpq_mul(height, height, height);
    mpq_div(height, height, size);
    takeLess(best, height);
    mpq_clears(height, size, NULL);
}

// normal (u x v), its sign.
static int sideOf(const Point* normal, const Point* u, const Point* v) {
    Point c;
    mpq_t dot;
    pointInit(&c);
    mpq_init(dot);
    crossOf(&c, u, v);
    dotOf(dot, normal, &c);
    const int sign = mpq_sgn(dot);
    mpq_clear(dot);
    pointClear(&c);
    return sign;
}

static bool isZero(const Point* p) {
    return mpq_sgn(p->x[0]) == 0 && mpq_sgn(p->x[1]) == 0 && mpq_sgn(p->x[2]) == 0;
}

static void faceSquare(const Point at[4], mpq_t best) {
    Point d[3], r[3], normal;
    pointInit(&normal);
    for (int k = 0; k < 3; ++k) {
        pointInit(&d[k]);
        pointInit(&r[k]);
        subtract(&d[k], &at[1 + (k + 1) % 3], &at[1 + k]);
        subtract(&r[k], &at[0], &at[1 + k]);
        pointToSegment(&at[0], &at[1 + k], &at[1 + (k + 1) % 3], best);
    }
    crossOf(&normal, &d[0], &d[1]);
    if (!isZero(&normal) && sideOf(&normal, &d[0], &r[0]) >= 0 && sideOf(&normal, &d[1], &r[1]) >= 0 &&
        sideOf(&normal, &d[2], &r[2]) >= 0)
        betweenPlanes(&normal, &r[0], best);
    for (int k = 0; k < 3; ++k) {
        pointClear(&d[k]);
        pointClear(&r[k]);
    }
    pointClear(&normal);
}

// At the nearest points of the two lines: a + s d, b + t e, with r = b - a: s = normal (r x e) / normal^2, t = normal (r x d) / normal^2.
static bool isWithin(const Point* normal, const Point* r, const Point* d) {
    Point c;
    mpq_t above, below;
    pointInit(&c);
    mpq_inits(above, below, NULL);
    crossOf(&c, r, d);
    dotOf(above, normal, &c);
    dotOf(below, normal, normal);
    const bool is = mpq_sgn(above) >= 0 && mpq_cmp(above, below) <= 0;
    mpq_clears(above, below, NULL);
    pointClear(&c);
    return is;
}

static void edgeSquare(const Point at[4], mpq_t best) {
    Point d, e, r, normal;
    pointInit(&d);
    pointInit(&e);
    pointInit(&r);
    pointInit(&normal);
    for (int k = 0; k < 2; ++k) {
        pointToSegment(&at[k], &at[2], &at[3], best);
        pointToSegment(&at[2 + k], &at[0], &at[1], best);
    }
    subtract(&d, &at[1], &at[0]);
    subtract(&e, &at[3], &at[2]);
    subtract(&r, &at[2], &at[0]);
    crossOf(&normal, &d, &e);
    if (!isZero(&normal) && isWithin(&normal, &r, &e) && isWithin(&normal, &r, &d))
        betweenPlanes(&normal, &r, best);
    pointClear(&d);
    pointClear(&e);
    pointClear(&r);
    pointClear(&normal);
}

int ccdOracleDistance(const grzCcdQuery* query, double time, double limit) {
    Point at[4];
    mpq_t best, other;
    mpq_inits(best, other, NULL);
    for (int k = 0; k < 4; ++k) {
        pointInit(&at[k]);
        placeAt(query, k, time, &at[k]);
    }
    mpq_set_si(best, -1, 1);
    if (query->kind == grz_ccdVertexFace)
        faceSquare(at, best);
    else
        edgeSquare(at, best);
    mpq_set_d(other, limit);
    mpq_mul(other, other, other);
    const int order = mpq_cmp(best, other);
    for (int k = 0; k < 4; ++k)
        pointClear(&at[k]);
    mpq_clears(best, other, NULL);
    return (order > 0) - (order < 0);
}
