// What: ccd_oracle.h.
#include "ccd_oracle.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

// ---- polynomials with rational coefficients ----

enum { MOST_DEGREE = 12 };

typedef struct Poly {
    int degree, most; // degree -1: zero
    mpq_t c[];
} Poly;

static Poly* polyNew(int most) {
    Poly* p = malloc(sizeof *p + (size_t)(most + 1) * sizeof(mpq_t));
    if (p == NULL || most > MOST_DEGREE)
        abort();
    p->degree = -1;
    p->most = most;
    for (int i = 0; i <= most; ++i)
        mpq_init(p->c[i]);
    return p;
}

// Everything that a query makes is dropped at its end.
typedef struct Pool {
    Poly* polys[4096];
    int count;
} Pool;

static Pool pool;

// Room for coefficients up to a degree, of which -1 makes a place for none.
static Poly* polyTake(int most) {
    if (pool.count == 4096)
        abort();
    return pool.polys[pool.count++] = polyNew(most < 0 ? 0 : most);
}

static void poolDrop(int mark) {
    while (pool.count > mark) {
        Poly* p = pool.polys[--pool.count];
        for (int i = 0; i <= p->most; ++i)
            mpq_clear(p->c[i]);
        free(p);
    }
}

static void polyTrim(Poly* p, int from) {
    p->degree = from;
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static const Poly* combine(const Poly* a, const Poly* b, int sign) {
    const int most = a->degree > b->degree ? a->degree : b->degree;
    Poly* sum = polyTake(most);
    for (int i = 0; i <= a->degree; ++i)
        mpq_set(sum->c[i], a->c[i]);
    for (int i = 0; i <= b->degree; ++i)
        (sign > 0 ? mpq_add : mpq_sub)(sum->c[i], sum->c[i], b->c[i]);
    polyTrim(sum, most);
    return sum;
}

static const Poly* product(const Poly* a, const Poly* b) {
    Poly* p = polyTake(a->degree + b->degree);
    mpq_t term;
    mpq_init(term);
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            mpq_mul(term, a->c[i], b->c[j]);
            mpq_add(p->c[i + j], p->c[i + j], term);
        }
    mpq_clear(term);
    polyTrim(p, a->degree < 0 || b->degree < 0 ? -1 : a->degree + b->degree);
    return p;
}

static const Poly* derivative(const Poly* a) {
    Poly* p = polyTake(a->degree - 1);
    mpq_t by;
    mpq_init(by);
    for (int i = 1; i <= a->degree; ++i) {
        mpq_set_si(by, i, 1);
        mpq_mul(p->c[i - 1], a->c[i], by);
    }
    mpq_clear(by);
    polyTrim(p, a->degree - 1);
    return p;
}

// a less the multiple of b that leaves a smaller degree; and the quotient, where it is asked for.
static const Poly* divide(const Poly* a, const Poly* b, Poly* quotient) {
    Poly* rest = polyTake(a->degree);
    mpq_t by, term;
    mpq_inits(by, term, NULL);
    for (int i = 0; i <= a->degree; ++i)
        mpq_set(rest->c[i], a->c[i]);
    rest->degree = a->degree;
    for (int top = a->degree; top >= b->degree; --top) {
        mpq_div(by, rest->c[top], b->c[b->degree]);
        if (quotient != NULL)
            mpq_set(quotient->c[top - b->degree], by);
        for (int i = 0; i <= b->degree; ++i) {
            mpq_mul(term, by, b->c[i]);
            mpq_sub(rest->c[top - b->degree + i], rest->c[top - b->degree + i], term);
        }
    }
    mpq_clears(by, term, NULL);
    polyTrim(rest, a->degree);
    if (quotient != NULL)
        polyTrim(quotient, a->degree - b->degree);
    return rest;
}

// With leading coefficient 1.
static const Poly* monic(const Poly* a) {
    Poly* p = polyTake(a->degree);
    for (int i = 0; i <= a->degree; ++i)
        mpq_div(p->c[i], a->c[i], a->c[a->degree]);
    p->degree = a->degree;
    return p;
}

static const Poly* commonDivisor(const Poly* a, const Poly* b) {
    while (b->degree >= 0) {
        const Poly* rest = divide(a, b, NULL);
        a = b;
        b = rest->degree >= 0 ? monic(rest) : rest;
    }
    return a;
}

static const Poly* squareFree(const Poly* a) {
    if (a->degree < 1)
        return a;
    const Poly* common = commonDivisor(a, derivative(a));
    if (common->degree < 1)
        return monic(a);
    Poly* quotient = polyTake(a->degree);
    divide(a, common, quotient);
    return monic(quotient);
}

static int signAt(const Poly* p, const mpq_t at) {
    mpq_t sum;
    mpq_init(sum);
    for (int i = p->degree; i >= 0; --i) {
        mpq_mul(sum, sum, at);
        mpq_add(sum, sum, p->c[i]);
    }
    const int sign = mpq_sgn(sum);
    mpq_clear(sum);
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
        const Poly* zero = polyTake(0);
        const Poly* rest = divide(chain.of[chain.count - 2], chain.of[chain.count - 1], NULL);
        if (rest->degree < 0)
            break;
        chain.of[chain.count++] = combine(zero, rest, -1);
    }
    return chain;
}

static int changesAt(const Chain* chain, const mpq_t at) {
    int changes = 0, before = 0;
    for (int i = 0; i < chain->count; ++i) {
        const int sign = signAt(chain->of[i], at);
        changes += sign != 0 && before != 0 && sign != before;
        before = sign != 0 ? sign : before;
    }
    return changes;
}

// Distinct roots in ]from, to].
static int rootsIn(const Chain* chain, const mpq_t from, const mpq_t to) {
    return changesAt(chain, from) - changesAt(chain, to);
}

// ---- a root ----

// A number: the one root of `of` in ]from, to]; or `to` itself where `of` is NULL.
typedef struct Root {
    const Poly* of;
    Chain chain;
    mpq_t from, to;
} Root;

static void halve(Root* root) {
    mpq_t middle, two;
    mpq_inits(middle, two, NULL);
    mpq_set_si(two, 2, 1);
    mpq_add(middle, root->from, root->to);
    mpq_div(middle, middle, two);
    if (rootsIn(&root->chain, root->from, middle) > 0)
        mpq_set(root->to, middle);
    else
        mpq_set(root->from, middle);
    mpq_clears(middle, two, NULL);
}

static int signAtRoot(const Poly* p, const Root* root) {
    if (p->degree < 0 || root->of == NULL || signAt(root->of, root->to) == 0)
        return signAt(p, root->to);
    const int mark = pool.count;
    const Poly* common = commonDivisor(root->of, p);
    const Chain commons = chainOf(common);
    int sign = 0;
    if (common->degree < 1 || rootsIn(&commons, root->from, root->to) == 0) {
        const Chain own = chainOf(squareFree(p));
        Root copy = {.of = root->of, .chain = root->chain};
        mpq_init(copy.from);
        mpq_init(copy.to);
        mpq_set(copy.from, root->from);
        mpq_set(copy.to, root->to);
        while (rootsIn(&own, copy.from, copy.to) > 0)
            halve(&copy);
        sign = signAt(p, copy.to);
        mpq_clear(copy.from);
        mpq_clear(copy.to);
    }
    poolDrop(mark);
    return sign;
}

// ---- the features ----

typedef struct Vec {
    const Poly* x[3];
} Vec;

static Vec pointOf(const grzCcdQuery* query, int i) {
    Vec v;
    mpq_t end;
    mpq_init(end);
    for (int axis = 0; axis < 3; ++axis) {
        Poly* p = polyTake(1);
        mpq_set_d(p->c[0], query->points[0][i][axis]);
        mpq_set_d(end, query->points[1][i][axis]);
        mpq_sub(p->c[1], end, p->c[0]);
        polyTrim(p, 1);
        v.x[axis] = p;
    }
    mpq_clear(end);
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

// Not at 0, and not from there to 1.
static bool canNeverBeZero(const Poly* volume) {
    if (volume->degree < 1)
        return volume->degree == 0;
    mpq_t zero, one;
    mpq_inits(zero, one, NULL);
    mpq_set_si(one, 1, 1);
    const Chain chain = chainOf(squareFree(volume));
    const bool isNever = signAt(volume, zero) != 0 && rootsIn(&chain, zero, one) == 0;
    mpq_clears(zero, one, NULL);
    return isNever;
}

static Formula vertexFace(const Vec points[4]) {
    const Vec p = points[0], a = points[1], b = points[2], c = points[3];
    Formula f = {.insideCount = 3, .segmentCount = 3};
    f.normal = crossed(minus(b, a), minus(c, a));
    f.volume = dotted(f.normal, minus(p, a));
    if (canNeverBeZero(f.volume))
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
    if (canNeverBeZero(f.volume))
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

static bool isZeroAt(Vec v, const Root* root) {
    return signAtRoot(v.x[0], root) == 0 && signAtRoot(v.x[1], root) == 0 && signAtRoot(v.x[2], root) == 0;
}

static bool holdsAt(const Formula* f, const Root* root) {
    if (signAtRoot(f->volume, root) != 0)
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

static void tell(Root* root, int depth, CcdOracle* told) {
    told->touches = true;
    mpq_t width, most;
    mpq_inits(width, most, NULL);
    mpq_set_si(most, 1, 1);
    mpq_div_2exp(most, most, (mp_bitcnt_t)depth);
    for (;;) {
        mpq_sub(width, root->to, root->from);
        if (root->of == NULL || mpq_cmp(width, most) <= 0)
            break;
        halve(root);
    }
    told->t1 = mpq_get_d(root->to);
    told->t0 = root->of == NULL ? told->t1 : mpq_get_d(root->from);
    mpq_clears(width, most, NULL);
}

// Looks at the roots in ]from, to], in ascending order.
static bool search(const Formula* f, const Chain* chain, const mpq_t from, const mpq_t to, int depth,
                   CcdOracle* told) {
    const int count = rootsIn(chain, from, to);
    bool isFound = false;
    Root root = {.of = chain->of[0], .chain = *chain};
    mpq_inits(root.from, root.to, NULL);
    mpq_set(root.from, from);
    mpq_set(root.to, to);
    if (count == 1) {
        isFound = holdsAt(f, &root);
        if (isFound)
            tell(&root, depth, told);
    } else if (count > 1) {
        mpq_add(root.to, from, to);
        mpq_div_2exp(root.to, root.to, 1);
        isFound = search(f, chain, from, root.to, depth, told) || search(f, chain, root.to, to, depth, told);
    }
    mpq_clears(root.from, root.to, NULL);
    return isFound;
}

static bool lookAtEnd(const Formula* f, int end, int depth, CcdOracle* told) {
    Root root = {.of = NULL};
    mpq_inits(root.from, root.to, NULL);
    mpq_set_si(root.to, end, 1);
    mpq_set(root.from, root.to);
    const bool holds = holdsAt(f, &root);
    if (holds)
        tell(&root, depth, told);
    mpq_clears(root.from, root.to, NULL);
    return holds;
}

CcdOracle ccdOracle(const grzCcdQuery* query, int depth) {
    CcdOracle told = {false, 1, 1};
    const Vec points[4] = {pointOf(query, 0), pointOf(query, 1), pointOf(query, 2), pointOf(query, 3)};
    const Formula f = query->kind == grz_ccdVertexFace ? vertexFace(points) : edgeEdge(points);
    if (canNeverBeZero(f.volume)) {
        poolDrop(0);
        return told;
    }
    mpq_t zero, one;
    mpq_inits(zero, one, NULL);
    mpq_set_si(one, 1, 1);
    if (!lookAtEnd(&f, 0, depth, &told)) {
        const Poly* parts[MOST_PARTS];
        const int count = partsOf(&f, parts);
        for (int i = 0; i < count; ++i) {
            CcdOracle first = {false, 1, 1};
            if (parts[i]->degree < 1)
                continue;
            const Chain chain = chainOf(squareFree(parts[i]));
            if (search(&f, &chain, zero, one, depth, &first) && (!told.touches || first.t0 < told.t0))
                told = first;
        }
        if (!told.touches)
            lookAtEnd(&f, 1, depth, &told);
    }
    mpq_clears(zero, one, NULL);
    poolDrop(0);
    return told;
}
