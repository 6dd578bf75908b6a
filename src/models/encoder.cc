#include "models/encoder.h"

namespace fovea {

#define ENCODER(name) extern const EncoderKind Encoder_##name;
#include "models/encoders/encoders.def"
#undef ENCODER

std::span<const EncoderKind* const> encoders() {
  static const std::vector<const EncoderKind*> list = {
#define ENCODER(name) &Encoder_##name,
#include "models/encoders/encoders.def"
#undef ENCODER
  };
  return list;
}

std::vector<std::string> encoder_names() {
  std::vector<std::string> names;
  for (const EncoderKind* kind : encoders()) names.emplace_back(kind->name);
  return names;
}

bool keeps_positions(const EncoderOptions& options) {
  return options.kind != "structured" && (options.kind != "pyramid" || options.layers == 1);
}

std::unique_ptr<Encoder> make_encoder(Parameters& parameters, const ModelOptions& options, int symbols) {
  for (const EncoderKind* kind : encoders()) {
    if (kind->name == options.encoder.kind) return kind->make(parameters, options, symbols);
  }
  throw usage_error("no encoder \"{}\"; see fovea list encoders", options.encoder.kind);
}

}  // namespace fovea
