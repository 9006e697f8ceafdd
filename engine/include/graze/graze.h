// All of graze's public headers.
#ifndef GRAZE_GRAZE_H
#define GRAZE_GRAZE_H

#include "graze/bvh.h"
#include "graze/camera.h"
#include "graze/config.h"
#include "graze/depth_pyramid.h"
#include "graze/host.h"
#include "graze/lanes.h"
#include "graze/linmath.h"
#include "graze/manifold.h"
#include "graze/mesh.h"
#include "graze/model.h"
#include "graze/model_pair.h"
#include "graze/pair_cache.h"
#include "graze/plane.h"
#include "graze/profile.h"
#include "graze/records.h"
#include "graze/result.h"
#include "graze/simd_level.h"
#include "graze/sort_key.h"
#include "graze/task_graph.h"
#include "graze/tasks.h"
#include "graze/tree.h"
#include "graze/tree_advise.h"
#include "graze/tree_nest.h"
#include "graze/tree_pairs.h"
#include "graze/tree_query.h"
#include "graze/tri_pairs.h"
#include "graze/tri_tri.h"
#include "graze/visibility.h"

#endif
