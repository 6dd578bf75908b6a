#include "models/encoder.h"

namespace fovea {

#define ENCODER(name) extern const EncoderKind Encoder_##name;
#include "models/encoders/encoders.def"
#undef ENCODER

const Registry<EncoderKind>& encoders() {
  static const Registry<EncoderKind> list("encoder", {
#define ENCODER(name) &Encoder_##name,
#include "models/encoders/encoders.def"
#undef ENCODER
                                                     });
  return list;
}

bool keeps_positions(const EncoderOptions& options) {
  const EncoderKind& kind = encoders().find(options.kind);
  return !kind.keeps_positions || kind.keeps_positions(options);
}

bool shows_positions(const EncoderOptions& options) {
  return keeps_positions(options) || encoders().find(options.kind).tells_shares;
}

std::unique_ptr<Encoder> make_encoder(Parameters& parameters, const ModelOptions& options, const Input& input) {
  return encoders().find(options.encoder.kind).make(parameters, options, input);
}

}  // namespace fovea
