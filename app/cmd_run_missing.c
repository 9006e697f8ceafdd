// `graze run` where the build has no reader for scenes.
#include "commands.h"

int runRun(Arguments arguments) {
    (void)arguments;
    return refuse("run", "this build reads no scenes: it was made without cJSON (Debian: libcjson-dev)");
}
