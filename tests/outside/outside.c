// A project of its own that uses an installed graze: headers, linkage and one call each of two of its files.
#include <graze/graze.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    grzVersion version = grzGetVersion();
    char text[128];
    grzResult result = {grz_ok, grz_noPart, 0, 0, NULL};
    printf("graze %d.%d.%d\n", version.major, version.minor, version.patch);
    return strcmp(grzResult_Text(result, text, sizeof text), "ok") == 0 ? 0 : 1;
}
