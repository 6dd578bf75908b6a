// What a model is made of. Each option stands here once and appears as flag, TOML key and help.
#pragma once

#include <string>

#include "attention/attention.h"
#include "base/options.h"

namespace fovea {

struct EncoderOptions {
  std::string kind = "rnn";
  std::string cell = "lstm";
  int layers = 1;
  int size = 128;
  bool bidirectional = true;
  int embedding = 128;

  void fields(FieldVisitor& visit);
};

struct DecoderOptions {
  std::string kind = "rnn";
  std::string style = "bahdanau";
  std::string cell = "lstm";
  std::string bridge = "last";
  int layers = 1;
  int size = 128;
  int embedding = 128;

  void fields(FieldVisitor& visit);
};

struct OutputOptions {
  std::string kind = "generate";
  int size = 128;

  void fields(FieldVisitor& visit);
};

struct ObjectiveOptions {
  double label_smoothing = 0;

  void fields(FieldVisitor& visit);
};

struct ModelOptions {
  EncoderOptions encoder;
  AttentionOptions attention;
  DecoderOptions decoder;
  OutputOptions output;
  ObjectiveOptions objective;

  void fields(FieldVisitor& visit);
};

}  // namespace fovea
