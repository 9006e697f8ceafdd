// All of graze's public headers.
#ifndef GRAZE_GRAZE_H
#define GRAZE_GRAZE_H

#include "graze/config.h"
#include "graze/host.h"
#include "graze/result.h"
#include "graze/task_graph.h"
#include "graze/tasks.h"

#endif
