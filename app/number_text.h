// Decimal text to numbers and back, the same under every locale.
#ifndef GRAZE_APP_NUMBER_TEXT_H
#define GRAZE_APP_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Reads the number that starts at `begin`, rounded to nearest even however many digits it has: an optional sign,
// digits with at most one point, an optional exponent; or nan, inf, infinity in any case. Too large becomes an
// infinity, too small a zero. Returns the byte behind it, or NULL where no number starts. Hexadecimal is not read.
// parseFloat rounds the text to float at once, never by way of double.
const char* parseDouble(const char* begin, const char* end, double* number);
const char* parseFloat(const char* begin, const char* end, float* number);

// The longest text that the two below write, with the closing 0.
#define NUMBER_TEXT_CAPACITY 32

// Write the fewest correctly rounded digits that read back as the same bits, with a point as decimal mark and a
// closing 0. Return the length. The number must be finite.
size_t formatDouble(double number, char text[NUMBER_TEXT_CAPACITY]);
size_t formatFloat(float number, char text[NUMBER_TEXT_CAPACITY]);

#endif
