// frames: rows of numbers that follow each other in time, read with their neighbours by two convolutions, so that each
// keeps its place: x_i = relu(W2 h_{i-k..i+k} + b2), h_i = relu(W1 v_{i-k..i+k} + b1). After Abdel-Hamid, Mohamed,
// Jiang & Penn 2012, "Applying convolutional neural networks concepts to hybrid NN-HMM model for speech recognition".
#include "layers/linear.h"
#include "models/input.h"

namespace fovea {

namespace {

class FramesInput : public Input {
 public:
  FramesInput(Parameters& parameters, const std::string& name, const EncoderOptions& options, SourceShape shape)
      : name_(name),
        size_(options.embedding),
        width_(options.width),
        first_(parameters, name + ".first", checked(std::int64_t(width_) * shape.width), size_),
        second_(parameters, name + ".second", width_ * size_, size_) {}

  InputVectors vectors(Pass& pass, const Side& source) const override {
    Tensor rows = pass.tape().make({source.length, source.batch, source.width});
    std::ranges::copy(source.values, rows.data());
    const Tensor hidden = relu(first_(pass, windows(rows, width_, source.mask())));
    return {relu(second_(pass, windows(hidden, width_, source.mask()))), name_};
  }
  int size() const override { return size_; }

 private:
  // Settings of a file may be hostile, and each for itself in its bounds.
  static int checked(std::int64_t numbers) {
    constexpr std::int64_t most = 1 << 16;
    if (numbers <= most) return static_cast<int>(numbers);
    throw usage_error(
        "encoder.width positions have {} numbers, more than {}; choose a smaller one, or fewer "
        "source.audio.mels or source.audio.stack",
        numbers, most);
  }

  std::string name_;
  int size_;
  int width_;  // positions that a convolution sees at once
  Linear first_;
  Linear second_;
};

}  // namespace

extern const InputKind Input_frames = {"frames", "x_i = relu(W2 h_{i-k..i+k} + b2), h_i = relu(W1 v_{i-k..i+k} + b1)",
                                       "Abdel-Hamid 2012", SourceShape::Form::frames, made_input<FramesInput>};

}  // namespace fovea
