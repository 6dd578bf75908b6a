#include "data/makers/maker.h"

namespace fovea {

#define MAKER(name) extern const Maker Maker_##name;
#include "data/makers/makers.def"
#undef MAKER

const Registry<Maker>& makers() {
  static const Registry<Maker> list("maker", {
#define MAKER(name) &Maker_##name,
#include "data/makers/makers.def"
#undef MAKER
                                             });
  return list;
}

}  // namespace fovea
