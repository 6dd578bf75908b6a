#include "decoding/search_options.h"

namespace fovea {

void SearchOptions::fields(FieldVisitor& visit) {
  visit("beam", beam, "hypotheses kept at each step", between(1, 256));
  visit("nbest", nbest, "answers a line, tab-separated with their scores", between(1, 256));
  visit("max_output", max_output, "longest answer in symbols; 0: half as long again as in the training data",
        between(0, 1'000'000));
  visit("sample", sample, "draw answers at this temperature instead of searching; 0: search", between(0, 100));
  visit("seed", seed, "of what is drawn", between(0, 2'000'000'000));
  rules.fields(visit);
}

}  // namespace fovea
