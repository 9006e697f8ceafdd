// The worlds that write to a profile.
#ifndef GRAZE_BASE_PROFILE_USES_H
#define GRAZE_BASE_PROFILE_USES_H

#include "graze/profile.h"
#include "uses.h"

// NULL for NULL.
grzUses* grzProfile_Uses(grzProfile* profile);

#endif
