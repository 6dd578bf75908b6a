// fertility: + w' sum_{t' < t} a_{t', i-k..i+k}: a position that has been looked at enough may be left alone.
// Cohn et al. 2016 (local fertility).
#include "attention/bias/neighbours.h"

namespace fovea {

extern const Mechanism<Bias> Bias_fertility = {"fertility",
                                               "w' sum_{t' < t} a_{t', i-k..i+k}",
                                               "Cohn 2016",
                                               made<Bias, NeighboursBias<&History::total>>,
                                               {.looks_back = true}};

}  // namespace fovea
