// picture: convolutions over the pixels, each followed by the largest of 2 x 2, until a region is one pixel wide; what
// is left of each region is made one vector: x_i = W max_pool(relu(W_l * ... relu(W_1 * picture))) + b. LeCun, Bottou,
// Bengio & Haffner 1998, "Gradient-based learning applied to document recognition"; a vector for each region to attend
// to as in Xu et al. 2015, "Show, attend and tell".
#include <fmt/core.h>

#include "base/as_size.h"
#include "layers/linear.h"
#include "models/input.h"

namespace fovea {

namespace {

class PictureInput : public Input {
 public:
  PictureInput(Parameters& parameters, const std::string& name, const EncoderOptions& options, SourceShape shape)
      : name_(name), size_(options.embedding), regions_(shape.regions) {
    int in = regions_.channels, out = options.channels;
    left_ = regions_;
    do {
      check_size(9 * std::int64_t(in), out);
      Pooled layer = {Linear(parameters, fmt::format("{}.convolution{}", name, layers_.size()), 9 * in, out),
                      left_.width % 2 == 0 ? 2 : 1, left_.height % 2 == 0 && left_.height > 2 ? 2 : 1};
      left_.width /= layer.across;
      left_.height /= layer.down;
      layers_.push_back(layer);
      in = out;
      out *= 2;
    } while (left_.width % 2 == 0);
    left_.channels = in;
    check_size(left_.numbers(), size_);
    vectors_ = Linear(parameters, name + ".vectors", left_.numbers(), size_);
  }

  InputVectors vectors(Pass& pass, const Side& source) const override {
    const auto columns = pass.arena().array<std::int32_t>(as_size(source.batch));
    Tensor x = assemble(pass, source, columns);
    int scale = regions_.width;  // columns of the picture to one of regions
    for (const Pooled& layer : layers_) {
      const auto real = pass.arena().array<std::int32_t>(columns.size());
      for (std::size_t b = 0; b < columns.size(); ++b) real[b] = columns[b] * scale;
      x = max_pool(relu(layer.convolution(pass, picture_windows(x, 3, real))), layer.across, layer.down);
      scale /= layer.across;
    }
    const Tensor made = vectors_(pass, by_region(pass, source, x));
    // Nothing is to be seen at what closes the picture, nor behind it.
    Tensor inside = pass.tape().make(made.shape());
    for (int row = 0; row < source.length * source.batch; ++row) {
      const bool seen = row / source.batch < columns[as_size(row % source.batch)] * regions_.rows;
      std::fill_n(inside.data() + std::ptrdiff_t(row) * size_, size_, Real(seen ? 1 : 0));
    }
    return {multiply(made, inside), name_};
  }
  int size() const override { return size_; }

 private:
  // Settings of a file may be hostile, and each for itself in its bounds.
  static void check_size(std::int64_t in, std::int64_t out) {
    constexpr std::int64_t most = std::int64_t(1) << 28;
    if (in * out <= most) return;
    throw usage_error(
        "a picture of these settings needs {} x {} weights in one layer; choose fewer encoder.channels, or "
        "a source.image.height and source.image.region that can be halved as often",
        in, out);
  }

  struct Pooled {
    Linear convolution;
    int across;
    int down;
  };

  // The regions side by side again, [columns, rows, batch, channels], and of how many columns of regions each row is.
  Tensor assemble(Pass& pass, const Side& source, std::span<std::int32_t> columns) const {
    const Regions& r = regions_;
    const int batch = source.batch, across = std::max(1, (source.length - 1) / r.rows);
    Tensor x = pass.tape().make({across * r.width, r.rows * r.height, batch, r.channels});
    std::ranges::fill(x.values(), Real(0));
    for (int b = 0; b < batch; ++b) {
      int real = 0;
      for (int i = 0; i < source.length; ++i) real += source.real[as_size(i * batch + b)];
      columns[as_size(b)] = std::max(0, real - 1) / r.rows;  // the last one closes it
      for (int i = 0; i < columns[as_size(b)] * r.rows; ++i) {
        const Real* from = source.values.data() + (std::ptrdiff_t(i) * batch + b) * r.numbers();
        for (int y = 0; y < r.height; ++y) {
          for (int c = 0; c < r.width; ++c, from += r.channels) {
            const std::ptrdiff_t pixel =
                (std::ptrdiff_t(i / r.rows * r.width + c) * r.rows * r.height + i % r.rows * r.height + y) * batch + b;
            std::copy(from, from + r.channels, x.data() + pixel * r.channels);
          }
        }
      }
    }
    return x;
  }

  // [columns, rows, batch, channels] -> [positions, batch, numbers of what is left of a region]
  Tensor by_region(Pass& pass, const Side& source, Tensor x) const {
    const int batch = source.batch, pixels = left_.width * left_.height, down = left_.height * left_.rows;
    const int most = x.shape()[0] * x.shape()[1] * batch - 1;
    const auto rows = pass.arena().array<std::int32_t>(as_size(source.length) * batch * pixels);
    std::size_t at = 0;
    for (int i = 0; i < source.length; ++i) {
      for (int b = 0; b < batch; ++b) {
        for (int pixel = 0; pixel < pixels; ++pixel) {
          const int column = i / left_.rows * left_.width + pixel % left_.width;
          const int row = i % left_.rows * left_.height + pixel / left_.width;
          rows[at++] = std::min((column * down + row) * batch + b, most);  // any, behind the last
        }
      }
    }
    const Tensor gathered = gather_rows(as_shape(x, {most + 1, left_.channels}), rows);
    return as_shape(gathered, {source.length, batch, left_.numbers()});
  }

  std::string name_;
  int size_;
  Regions regions_;
  Regions left_;  // after all layers
  std::vector<Pooled> layers_;
  Linear vectors_;
};

}  // namespace

extern const InputKind Input_picture = {"picture", "x_i = W max_pool(relu(W_l * ... max_pool(relu(W_1 * v)))) + b",
                                        "LeCun 1998", SourceShape::Form::picture, made_input<PictureInput>};

}  // namespace fovea
