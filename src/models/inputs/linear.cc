// linear: rows of numbers, each made a vector of the size an encoder reads, x_i = W v_i + b.
#include "layers/linear.h"
#include "models/input.h"

namespace fovea {

namespace {

class LinearInput : public Input {
 public:
  LinearInput(Parameters& parameters, const std::string& name, const EncoderOptions& options, SourceShape shape)
      : name_(name), size_(options.embedding), linear_(parameters, name, shape.width, size_) {}

  InputVectors vectors(Pass& pass, const Side& source) const override {
    Tensor rows = pass.tape().make({source.length, source.batch, source.width});
    std::ranges::copy(source.values, rows.data());
    return {linear_(pass, rows), name_};
  }
  int size() const override { return size_; }

 private:
  std::string name_;
  int size_;
  Linear linear_;
};

}  // namespace

extern const InputKind Input_linear = {"linear", "x_i = W v_i + b", "", SourceShape::Form::rows,
                                       made_input<LinearInput>};

}  // namespace fovea
