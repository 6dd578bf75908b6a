// What a model is made of. Each option stands here once and appears as flag, TOML key and help.
#pragma once

#include <string>

#include "attention/options.h"
#include "base/options.h"
#include "data/vocabulary.h"
#include "models/objective_options.h"

namespace fovea {

struct EncoderOptions {
  std::string kind = "rnn";
  std::string cell = "lstm";
  int layers = 1;
  int size = 128;
  bool bidirectional = true;
  bool residual = false;
  int embedding = 128;
  double spread = 0.1;
  bool frozen = false;
  std::string positions = "sinusoid";
  int max_positions = 512;
  int width = 3;
  int channels = 16;
  int rows = 8;
  std::string norm = "pre";
  int feed_forward = 512;
  bool rationale = false;

  void fields(FieldVisitor& visit);
};

struct DecoderOptions {
  std::string kind = "rnn";
  std::string style = "bahdanau";
  bool feeding = true;
  std::string cell = "lstm";
  std::string bridge = "last";
  int layers = 1;
  int size = 128;
  bool residual = false;
  int embedding = 128;
  double spread = 0.1;
  bool frozen = false;
  std::string positions = "sinusoid";
  int max_positions = 512;
  std::string norm = "pre";
  int feed_forward = 512;

  void fields(FieldVisitor& visit);
};

struct GeneratorOptions {
  std::string kind = "softmax";
  int size = 128;
  bool tied = false;
  bool own_attention = false;
  double lexicon_share = 0;
  double lexicon_floor = 0.001;

  void fields(FieldVisitor& visit);
};

struct ModelOptions {
  std::string join = "flat";
  EncoderOptions encoder;
  AttentionOptions attention;
  AttentionOptions self_attention = {.score = "scaled_dot", .bias = {}, .heads = 4};
  AttentionOptions intra_attention;
  DecoderOptions decoder;
  GeneratorOptions generator;
  ObjectiveOptions objective;

  void fields(FieldVisitor& visit);
};

// Whether there is an attention to the source.
bool attends(const ModelOptions& options);

// Whether the target's symbols are actions that say where to look; the first of them is the step to the next position.
bool acts(const ModelOptions& options);
inline constexpr int step_action = Vocabulary::first_symbol;

}  // namespace fovea
