#include "models/options.h"

#include "layers/cell.h"
#include "models/decoders/bridge.h"

namespace fovea {

void EncoderOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what reads the source", one_of({"rnn"}));
  visit("cell", cell, "recurrent cell", one_of(cell_names()));
  visit("layers", layers, "layers, each reading the one below", between(1, 32));
  visit("size", size, "units of a cell in each direction", between(1, 16384));
  visit("bidirectional", bidirectional, "reads from both ends");
  visit("embedding", embedding, "size of a source symbol's vector", between(1, 16384));
}

void DecoderOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what writes the target", one_of({"rnn"}));
  visit("style", style, "bahdanau: the state before a step asks the attention; plain: no attention, one fixed vector",
        one_of({"bahdanau", "plain"}));
  visit("cell", cell, "recurrent cell", one_of(cell_names()));
  visit("bridge", bridge, "where the first state comes from", one_of(bridge_names()));
  visit("layers", layers, "layers, each reading the one below", between(1, 32));
  visit("size", size, "units of a cell", between(1, 16384));
  visit("embedding", embedding, "size of a target symbol's vector", between(1, 16384));
}

void OutputOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "how a symbol is chosen", one_of({"generate"}));
  visit("size", size, "units of the layer before the choice", between(1, 16384));
}

void ObjectiveOptions::fields(FieldVisitor& visit) {
  visit("label_smoothing", label_smoothing, "share of the probability spread over all symbols", between(0, 0.9));
}

void ModelOptions::fields(FieldVisitor& visit) {
  visit.group("encoder", encoder, "reads the source");
  visit.group("attention", attention, "looks at the source");
  visit.group("decoder", decoder, "writes the target");
  visit.group("output", output, "chooses symbols");
  visit.group("objective", objective, "what training makes small");
}

}  // namespace fovea
