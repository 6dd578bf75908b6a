// What is measured: models and batches of four sizes, made from nothing but their numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tasks/model.h"

namespace fovea {

struct BenchShape {
  std::string name;
  bool transformer;
  int size;  // of embeddings and states
  int batch;
  int source;  // positions, the stop symbol counted
  int target;
  int symbols;
};

const std::vector<BenchShape>& bench_shapes();
// Throws a usage_error that names those there are.
BenchShape find_bench_shape(const std::string& name);

std::unique_ptr<Model> made_model(const BenchShape& shape);
std::vector<Encoding> made_examples(const BenchShape& shape);

// Operations of the matrix products alone, two for each weight and row; in a Transformer also those between queries,
// keys and values. Training adds twice as many on the way back. What is done leaves out products of symbols that come
// again; the whole is what a program does that multiplies every position.
enum class Counted { done, whole };
double training_flops(const Parameters& parameters, const BenchShape& shape, Counted counted);
double answering_flops(const Parameters& parameters, const BenchShape& shape, int sources, int beam, Counted counted);

}  // namespace fovea
