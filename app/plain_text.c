// What: the printing behind plain_text.h.
#include "plain_text.h"

void printPlain(FILE* file, const char* text) {
    for (const unsigned char* at = (const unsigned char*)text; *at != 0; ++at)
        fputc(*at < 0x20 || *at == 0x7f ? '?' : *at, file);
}
