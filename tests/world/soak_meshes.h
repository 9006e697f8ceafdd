// Random scenes with dynamic meshes: floors, stacks, chains, poles, gears, containers, hits and crowds.
// Meshes have 12 to 20,000 triangles. Bodies measure 1 cm to 100 m, floors up to 1 km.
#ifndef GRAZE_TESTS_SOAK_MESHES_H
#define GRAZE_TESTS_SOAK_MESHES_H

#include "soak_scene.h"

enum { meshFamilyCount = 13 };

// A function of the seed; seed % meshFamilyCount is the family.
void makeMeshScene(SoakScene* scene, uint64_t seed);

#endif
