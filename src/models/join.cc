#include "models/join.h"

namespace fovea {

#define JOIN(name) extern const JoinKind Join_##name;
#include "models/joins/joins.def"
#undef JOIN

const Registry<JoinKind>& joins() {
  static const Registry<JoinKind> list("join", {
#define JOIN(name) &Join_##name,
#include "models/joins/joins.def"
#undef JOIN
                                               });
  return list;
}

}  // namespace fovea
