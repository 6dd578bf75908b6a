#include "models/options.h"

#include "attention/mechanism.h"
#include "layers/cell.h"
#include "models/decoders/bridge.h"
#include "models/decoder.h"
#include "models/generator.h"
#include "models/join.h"
#include "models/positions.h"

namespace fovea {

bool attends(const ModelOptions& options) {
  return !decoders().find(options.decoder.kind).recurrent || options.decoder.style != "plain";
}

bool acts(const ModelOptions& options) {
  return attends(options) && selects().find(options.attention.select).traits.acts;
}

void EncoderOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what reads the source", one_of(encoders().names()));
  visit("cell", cell, "recurrent cell", one_of(cell_names()));
  visit("layers", layers, "layers, each reading the one below", between(1, 32));
  visit("size", size, "units of a layer, of a recurrent one in each direction", between(1, 16384));
  visit("bidirectional", bidirectional, "recurrent layers read from both ends");
  visit("residual", residual, "recurrent layers from the second on add what they read to what they make");
  visit("embedding", embedding, "size of a source symbol's vector", between(1, 16384));
  visit("spread", spread, "vectors of source symbols begin between minus and plus this", between(0.0001, 10));
  visit("frozen", frozen, "the vectors of source symbols stay as they are");
  visit("positions", positions, "how embedding, convolution and transformer know where a symbol stands",
        one_of(position_names()));
  visit("max_positions", max_positions, "learned positions; what stands further on shares the last", between(1, 65536));
  visit("width", width, "positions a convolution sees at once", between(1, 255));
  visit("channels", channels, "of the first convolution over a picture; each further one has twice as many",
        between(1, 1024));
  visit("rows", rows, "rows of a structured summary", between(1, 1024));
  visit("norm", norm, "of a transformer: before each part, or after it", one_of({"pre", "post"}));
  visit("feed_forward", feed_forward, "hidden units between the attentions of a transformer", between(1, 65536));
  visit("rationale", rationale, "reads only the symbols it has chosen as its reasons (Lei 2016)");
}

void DecoderOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "what writes the target", one_of(decoders().names()));
  visit("style", style,
        "of an rnn: bahdanau, the state before a step asks the attention; luong, the state after it; plain, no "
        "attention, one fixed vector",
        one_of({"bahdanau", "luong", "plain"}));
  visit("feeding", feeding, "in the style of luong, a step also reads what the one before saw (input feeding)");
  visit("cell", cell, "recurrent cell", one_of(cell_names()));
  visit("bridge", bridge, "where the first state comes from", one_of(bridge_names()));
  visit("layers", layers, "layers, each reading the one below", between(1, 32));
  visit("size", size, "units of a layer", between(1, 16384));
  visit("residual", residual, "recurrent layers from the second on add what they read to what they make");
  visit("embedding", embedding, "size of a target symbol's vector", between(1, 16384));
  visit("spread", spread, "vectors of target symbols begin between minus and plus this", between(0.0001, 10));
  visit("frozen", frozen, "the vectors of target symbols stay as they are");
  visit("positions", positions, "how a transformer knows where a symbol stands", one_of(position_names()));
  visit("max_positions", max_positions, "learned positions; what stands further on shares the last", between(1, 65536));
  visit("norm", norm, "of a transformer: before each part, or after it", one_of({"pre", "post"}));
  visit("feed_forward", feed_forward, "hidden units between the attentions of a transformer", between(1, 65536));
}

void GeneratorOptions::fields(FieldVisitor& visit) {
  visit("kind", kind, "how a symbol is chosen", one_of(generators().names()));
  visit("size", size, "units of the layer before the choice, of a recurrent decoder", between(1, 16384));
  visit("tied", tied, "the vectors of target symbols are also the weights of the choice");
  visit("own_attention", own_attention, "pointer_generator copies with an attention of its own (Allamanis 2016)");
  visit("lexicon_share", lexicon_share, "of lexicon_mix, the lexicon's part; 0: learned", between(0, 1));
  visit("lexicon_floor", lexicon_floor, "of lexicon_bias, added to every probability", between(1e-12, 1));
}

void ModelOptions::fields(FieldVisitor& visit) {
  visit("join", join, "how several sources serve one decoder", one_of(joins().names()));
  visit.group("encoder", encoder, "reads the source");
  visit.group("attention", attention, "looks at the source");
  visit.group("self_attention", self_attention, "of a transformer: looks at itself");
  visit.group("intra_attention", intra_attention, "of an lstmn: looks at its own past");
  visit.group("decoder", decoder, "writes the target");
  visit.group("generator", generator, "chooses symbols");
  visit.group("objective", objective, "what training makes small");
}

}  // namespace fovea
