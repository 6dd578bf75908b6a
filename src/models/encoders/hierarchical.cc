// hierarchical: sentences are read word by word, h_it, and each is summed up by an attention of its own,
//   u_it = tanh(W h_it + b), a_it = softmax_t(u_it' v), s_i = sum_t a_it h_it;
// what reads the sentences s_1 s_2 ... in turn gives the columns, to which the decoder attends. Yang, Yang, Dyer, He,
// Smola & Hovy 2016, "Hierarchical attention networks for document classification". A source that is not made of
// sentences is one.
#include "base/as_size.h"
#include "layers/linear.h"
#include "models/encoders/rnn.h"

namespace fovea {

namespace {

class HierarchicalEncoder : public Encoder {
 public:
  HierarchicalEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : words_(parameters, "encoder.words", options.encoder.cell, sizes(options.encoder, input.size(), false)),
        hidden_(parameters, "encoder.summary.hidden", words_.size(), options.encoder.size),
        score_(parameters, "encoder.summary.score", options.encoder.size, 1, false),
        sentences_(parameters, "encoder.sentences", options.encoder.cell, sizes(options.encoder, words_.size(), true)) {
  }

  Encoded encode(Pass& pass, const InputVectors& x, Mask mask) const override {
    const Layout layout = lay_out(pass, x.segments(), mask);
    const Tensor vectors = x.dropped(pass);
    const int size = vectors.shape()[2];
    const Tensor by_sentence =
        as_shape(gather_rows(as_shape(vectors, {mask.positions * mask.batch, size}), layout.words),
                 {layout.in_sentence.positions, layout.in_sentence.batch, size});
    const Tensor h = words_.run(pass, by_sentence, layout.in_sentence).memory.values;
    const Tensor scores = from_pairs(score_(pass, tanh(hidden_(pass, h))), 1);  // [1, sentences, words]
    const Tensor weights = masked_softmax(scores, layout.in_sentence);
    const Tensor summed = step(weighted_sum(weights, h, layout.in_sentence), 0);  // [sentences, size]
    const Mask in_document = layout.in_document;
    const Tensor by_line =
        as_shape(gather_rows(summed, layout.sentences), {in_document.positions, in_document.batch, words_.size()});
    Encoded encoded = sentences_.run(pass, pass.drop(by_line, "encoder.words"), in_document);
    encoded.column_of = layout.column_of;
    encoded.share_of = shares(pass, weights, layout, mask);
    return encoded;
  }
  int memory_size() const override { return sentences_.size(); }
  bool has_c() const override { return sentences_.has_c(); }

 private:
  static RecurrentStack::Sizes sizes(const EncoderOptions& options, int in, bool dropped) {
    return {in, options.size, options.layers, options.bidirectional, options.residual, dropped};
  }

  // Where everything stands: sentences of all lines side by side, and then the sentences of each line below each other.
  struct Layout {
    Mask in_sentence;                   // [longest sentence, sentences of all lines]
    Mask in_document;                   // [most sentences of a line, batch]
    std::span<std::int32_t> words;      // by in_sentence: the row of the source
    std::span<std::int32_t> sentences;  // by in_document: which of all sentences
    std::span<std::int32_t> column_of;  // [positions, batch]: which sentence of its line
    std::span<std::int32_t> word_of;    // [positions, batch]: which place of in_sentence; -1: none
  };

  static Layout lay_out(Pass& pass, Ids segments, Mask mask) {
    const int positions = mask.positions, batch = mask.batch;
    const auto array = [&](int count) {
      const auto made = pass.arena().array<std::int32_t>(as_size(count));
      std::ranges::fill(made, 0);
      return made;
    };
    const auto real = [&](int count) {
      const auto made = pass.arena().array<std::uint8_t>(as_size(count));
      std::ranges::fill(made, std::uint8_t(0));
      return made;
    };
    Layout layout;
    layout.column_of = array(positions * batch);
    layout.word_of = array(positions * batch);
    const auto first = array(batch), count = array(batch), place = array(positions * batch);
    int all = 0, longest = 1, most = 1;
    for (int b = 0; b < batch; ++b) {
      int sentence = -1, before = 0, words = 0;
      first[b] = all;
      for (int i = 0; i < positions; ++i) {
        const int cell = i * batch + b, segment = segments.empty() ? 0 : segments[as_size(cell)];
        if (!mask.data[cell]) continue;
        if (sentence < 0 || segment != before) ++sentence, words = 0;
        before = segment;
        layout.column_of[cell] = sentence;
        place[cell] = words++;
        longest = std::max(longest, words);
      }
      count[b] = std::max(1, sentence + 1);  // a line without a word has an empty one
      all += count[b];
      most = std::max(most, count[b]);
    }
    const auto real_words = real(longest * all), real_sentences = real(most * batch);
    layout.words = array(longest * all);
    layout.sentences = array(most * batch);
    for (int b = 0; b < batch; ++b) {
      for (int s = 0; s < most; ++s) layout.sentences[s * batch + b] = first[b] + std::min(s, count[b] - 1);
      for (int i = 0; i < positions; ++i) {
        const int cell = i * batch + b;
        layout.word_of[cell] = -1;
        if (!mask.data[cell]) continue;
        const int sentence = first[b] + layout.column_of[cell], at = place[cell] * all + sentence;
        layout.word_of[cell] = sentence * longest + place[cell];
        layout.words[at] = cell;
        real_words[at] = 1;
        real_sentences[layout.column_of[cell] * batch + b] = 1;
      }
    }
    layout.in_sentence = {real_words.data(), longest, all};
    layout.in_document = {real_sentences.data(), most, batch};
    return layout;
  }

  // [positions, batch] from weights [1, sentences, words]
  static Tensor shares(Pass& pass, Tensor weights, const Layout& layout, Mask mask) {
    Tensor out = pass.tape().make({mask.positions, mask.batch});
    for (int cell = 0; cell < mask.positions * mask.batch; ++cell) {
      const int at = layout.word_of[cell];
      out.data()[cell] = at < 0 ? Real(0) : weights.data()[at];
    }
    return out;
  }

  RecurrentStack words_;
  Linear hidden_;
  Linear score_;
  RecurrentStack sentences_;
};

}  // namespace

extern const EncoderKind Encoder_hierarchical = {
    .name = "hierarchical",
    .formula = "h = rnn(s_1 s_2 ...), s_i = sum_t softmax_t(v' tanh(W h_it + b)) h_it, h_it = rnn(words)",
    .paper = "Yang 2016",
    .make = made_encoder<HierarchicalEncoder>,
    .keeps_positions = [](const EncoderOptions&) { return false; },
    .tells_shares = true};

}  // namespace fovea
