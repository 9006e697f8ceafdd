#include "cloth_search.h"
#include "result_make.h"
grzResult grzCloth_HuntMesh(const ClothHunt* hunt) {
    (void)hunt;
    return grzOk();
}
