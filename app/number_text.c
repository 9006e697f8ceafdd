// What: decimal text to binary numbers, correctly rounded, and back by the fewest digits.
// Idea: short numbers are one exact integer and one exact power of ten, so that a single division or multiplication
// rounds once ([Clinger 1990]). All others go to the C library as "digits e exponent" without a point: that text
// means the same in every locale, and strtod and strtof round it correctly in all libraries of today. Limits: the
// rounding mode is taken to be nearest even, the default. Based on: [Clinger, How to Read Floating Point Numbers
// Accurately, PLDI 1990].
#include "number_text.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // 767 digits decide every double; one more that is not 0 stands for all that follow.
    digitLimit = 768,
    canonicalCapacity = digitLimit + 32,
    // Beyond these powers of ten every double is an infinity or 0.
    hugePower = 400,
};

// A number as it stands in the text: mantissa * 10^exponent where isExact, else the digits in [first, last).
typedef struct Decimal {
    uint64_t mantissa; // the first 19 significant digits
    bool isExact;      // no further digits
    bool isNegative;
    int64_t exponent;   // of the last digit in [first, last)
    int64_t digitCount; // significant ones
    const char* first;  // the first significant digit
    const char* last;   // behind the last digit
} Decimal;

static bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// The digits and the point; returns behind them, NULL where there is no digit.
static const char* scanDigits(const char* at, const char* end, Decimal* decimal) {
    bool hasPoint = false, hasDigit = false;
    for (; at < end; ++at) {
        if (*at == '.' && !hasPoint) {
            hasPoint = true;
            continue;
        }
        if (!isDigit(*at))
            break;
        hasDigit = true;
        decimal->exponent -= hasPoint;
        if (decimal->digitCount == 0 && *at == '0')
            continue;
        if (decimal->digitCount == 0)
            decimal->first = at;
        if (decimal->digitCount++ < 19)
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*at - '0');
    }
    decimal->last = at;
    decimal->isExact = decimal->digitCount <= 19;
    return hasDigit ? at : NULL;
}

// An exponent is read only where a digit follows; else the text ends before the letter.
static const char* scanExponent(const char* at, const char* end, Decimal* decimal) {
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char* digits = at + 1;
    bool isNegative = digits < end && *digits == '-';
    if (digits < end && (*digits == '-' || *digits == '+'))
        digits++;
    if (digits == end || !isDigit(*digits))
        return at;
    int64_t exponent = 0;
    for (; digits < end && isDigit(*digits); ++digits)
        if (exponent < INT64_MAX / 100)
            exponent = exponent * 10 + (*digits - '0');
    decimal->exponent += isNegative ? -exponent : exponent;
    return digits;
}

static const char* scanWord(const char* at, const char* end, const char* word) {
    for (; *word != 0; ++word, ++at)
        if (at == end || (*at | 0x20) != *word)
            return NULL;
    return at;
}

static const char* scanNotFinite(const char* at, const char* end, double* number) {
    const char* behind = scanWord(at, end, "nan");
    *number = behind != NULL ? (double)NAN : (double)INFINITY;
    if (behind == NULL)
        behind = scanWord(at, end, "infinity");
    return behind != NULL ? behind : scanWord(at, end, "inf");
}

// "digits e exponent" for strtod. A digit behind the limit matters only in not being 0.
static void makeCanonical(const Decimal* decimal, char text[canonicalCapacity]) {
    size_t used = 0;
    int64_t dropped = 0;
    bool isSticky = false;
    for (const char* at = decimal->first; at < decimal->last; ++at) {
        if (*at == '.')
            continue;
        if (used < digitLimit)
            text[used++] = *at;
        else
            dropped++, isSticky |= *at != '0';
    }
    if (isSticky)
        text[used++] = '1', dropped--;
    snprintf(text + used, canonicalCapacity - used, "e%lld", (long long)(decimal->exponent + dropped));
}

// True where the value is 0 or an infinity by its size alone, so that exponents of any length stay out of the rest.
static bool isExtreme(const Decimal* decimal, double* number) {
    int64_t power = decimal->digitCount + decimal->exponent;
    if (decimal->digitCount != 0 && power >= -hugePower && power <= hugePower)
        return false;
    *number = decimal->digitCount != 0 && power > 0 ? (double)INFINITY : 0.0;
    return true;
}

static bool isShort(const Decimal* decimal) {
    return decimal->isExact && decimal->mantissa <= (UINT64_C(1) << 53) && decimal->exponent >= -22 &&
           decimal->exponent <= 22;
}

// Both operands are exact, so the one operation rounds correctly. [Clinger 1990] section 3
static double shortValue(const Decimal* decimal) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double mantissa = (double)decimal->mantissa;
    return decimal->exponent < 0 ? mantissa / powers[-decimal->exponent] : mantissa * powers[decimal->exponent];
}

static double decimalToDouble(const Decimal* decimal) {
    double number;
    if (isExtreme(decimal, &number))
        return number;
    if (isShort(decimal))
        return shortValue(decimal);
    char text[canonicalCapacity];
    makeCanonical(decimal, text);
    return strtod(text, NULL);
}

// A correctly rounded double rounds on to the correct float, unless it stands exactly between two floats (it may
// have been moved there by its own rounding) or in the range of denormal floats.
static bool roundsOnSafely(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits & 0x1fffffff) != 0x10000000 && number >= 0x1p-126 && number <= 0x1p127;
}

static float decimalToFloat(const Decimal* decimal) {
    double number;
    if (isExtreme(decimal, &number))
        return (float)number;
    if (isShort(decimal)) {
        number = shortValue(decimal);
        if (roundsOnSafely(number))
            return (float)number;
    }
    char text[canonicalCapacity];
    makeCanonical(decimal, text);
    return strtof(text, NULL);
}

static const char* scanDecimal(const char* begin, const char* end, Decimal* decimal) {
    const char* at = scanDigits(begin, end, decimal);
    return at != NULL ? scanExponent(at, end, decimal) : NULL;
}

static const char* skipSign(const char* begin, const char* end, bool* isNegative) {
    *isNegative = begin < end && *begin == '-';
    return begin < end && (*begin == '-' || *begin == '+') ? begin + 1 : begin;
}

const char* parseDouble(const char* begin, const char* end, double* number) {
    Decimal decimal = {0};
    const char* at = skipSign(begin, end, &decimal.isNegative);
    const char* behind = scanDecimal(at, end, &decimal);
    double size = 0;
    if (behind != NULL)
        size = decimalToDouble(&decimal);
    else
        behind = scanNotFinite(at, end, &size);
    *number = decimal.isNegative ? -size : size;
    return behind;
}

const char* parseFloat(const char* begin, const char* end, float* number) {
    Decimal decimal = {0};
    const char* at = skipSign(begin, end, &decimal.isNegative);
    const char* behind = scanDecimal(at, end, &decimal);
    double special = 0;
    float size = 0;
    if (behind != NULL)
        size = decimalToFloat(&decimal);
    else {
        behind = scanNotFinite(at, end, &special);
        size = (float)special;
    }
    *number = decimal.isNegative ? -size : size;
    return behind;
}

// The digits of "d.ddde+xx" without the point (which is the locale's) and without closing zeros.
typedef struct Digits {
    char text[20];
    int count;
    int power; // the number is 0.ddd * 10^power
} Digits;

static Digits digitsOf(double number, int precision) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", precision - 1, number);
    Digits digits = {.count = 0};
    const char* at = text;
    for (; *at != 'e'; ++at)
        if (isDigit(*at))
            digits.text[digits.count++] = *at;
    digits.power = atoi(at + 1) + 1;
    while (digits.count > 1 && digits.text[digits.count - 1] == '0')
        digits.count--;
    return digits;
}

// Plain notation while it is short, else d.ddde-x.
static size_t putDigits(const Digits* digits, bool isNegative, char text[NUMBER_TEXT_CAPACITY]) {
    size_t used = 0;
    bool isPlain = digits->power > -4 && digits->power <= 17;
    int point = isPlain ? digits->power : 1;
    if (isNegative)
        text[used++] = '-';
    if (point <= 0)
        text[used++] = '0', text[used++] = '.';
    for (int i = point; i < 0; ++i)
        text[used++] = '0';
    for (int i = 0; i < digits->count; ++i) {
        if (i != 0 && i == point)
            text[used++] = '.';
        text[used++] = digits->text[i];
    }
    for (int i = digits->count; i < point; ++i)
        text[used++] = '0';
    text[used] = 0;
    if (!isPlain)
        used += (size_t)snprintf(text + used, NUMBER_TEXT_CAPACITY - used, "e%d", digits->power - 1);
    return used;
}

// Every decimal of up to 15 digits survives a double that is not denormal, so that fewer need not be tried, and 17
// tell all doubles apart; 6 and 9 for floats.
size_t formatDouble(double number, char text[NUMBER_TEXT_CAPACITY]) {
    size_t length = 0;
    for (int precision = fabs(number) < DBL_MIN ? 1 : 15; precision <= 17; ++precision) {
        Digits digits = digitsOf(fabs(number), precision);
        length = putDigits(&digits, signbit(number) != 0, text);
        double back;
        parseDouble(text, text + length, &back);
        if (memcmp(&back, &number, sizeof back) == 0)
            break;
    }
    return length;
}

size_t formatFloat(float number, char text[NUMBER_TEXT_CAPACITY]) {
    size_t length = 0;
    for (int precision = fabsf(number) < FLT_MIN ? 1 : 6; precision <= 9; ++precision) {
        Digits digits = digitsOf((double)fabsf(number), precision);
        length = putDigits(&digits, signbit(number) != 0, text);
        float back;
        double wide;
        parseFloat(text, text + length, &back);
        parseDouble(text, text + length, &wide);
        if (memcmp(&back, &number, sizeof back) == 0 && (float)wide == number)
            break;
    }
    return length;
}
