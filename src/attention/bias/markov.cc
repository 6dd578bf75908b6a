// markov: + w' a_{t-1, i-k..i+k}: where the step before looked says where this one looks.
// Cohn et al. 2016, "Incorporating structural alignment biases into an attentional neural translation model".
#include "attention/bias/neighbours.h"

namespace fovea {

extern const Mechanism<Bias> Bias_markov = {
    "markov", "w' a_{t-1, i-k..i+k}", "Cohn 2016", made<Bias, NeighboursBias<&History::last>>, {.looks_back = true}};

}  // namespace fovea
