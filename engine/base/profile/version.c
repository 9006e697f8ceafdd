// What: the version of the library that a program meets at run time.
#include "graze/config.h"

grzVersion grzGetVersion(void) {
    grzVersion version = {GRZ_VERSION_MAJOR, GRZ_VERSION_MINOR, GRZ_VERSION_PATCH};
    return version;
}
