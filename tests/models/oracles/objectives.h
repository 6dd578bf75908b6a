// What training makes small, for one example: one oracle for each term of the loss, its weight included.
#pragma once

#include "base/as_size.h"
#include "models/oracles/decoders.h"

namespace fovea::oracle {

// What an option of a model is set to.
inline std::string text_of(const ObjectiveOptions& options, const std::string& name) {
  for (const Field& field : ConstFieldsRef(options).visit().fields()) {
    if (field.name == name) return value_text(field);
  }
  throw std::out_of_range(name);
}

using Terms = std::map<std::string, double>;

// An example taken through a model.
struct Told {
  const Model& model;
  const Example& example;
  Encoded encoded;
  Steps steps;

  double option(const std::string& name) const { return std::stod(text_of(model.options.objective, name)); }
  double log_p(std::size_t t) const { return steps[t].written.log_probabilities[as_size(example.outputs[t])]; }
  // a_t, the mean over heads
  Row a(std::size_t t) const { return steps[t].readout.attended.looked(); }
  // sum_t a_ti
  Row total() const {
    Row sums(encoded.memory.size());
    for (std::size_t t = 0; t < steps.size(); ++t) sums = plus(sums, a(t));
    return sums;
  }
};

namespace objective {

// -sum_t log p(y_t); smoothed, a share of it is that of all symbols alike, where symbols are copied too in the
// vocabulary's part alone
inline double nll(const Told& told) {
  const auto symbols = as_size(told.model.weights().rows("decoder.embedding.table"));
  double loss = 0;
  for (std::size_t t = 0; t < told.steps.size(); ++t) {
    const Written& written = told.steps[t].written;
    const double share = written.gate == 0 ? 0 : told.option("label_smoothing");
    const Row& known = written.vocabulary.empty() ? written.log_probabilities : written.vocabulary;
    const double all_alike = sum(part(known, 0, symbols)) / static_cast<double>(symbols);
    loss -= (1 - share) * told.log_p(t) + share * all_alike;
  }
  return loss;
}

// Xu et al. 2015: lambda sum_i (1 - sum_t a_ti)^2
inline double coverage(const Told& told) {
  double loss = 0;
  for (const double total : told.total()) loss += std::pow(1 - total, 2);
  return told.option("coverage") * loss;
}

// See, Liu & Manning 2017: lambda sum_ti min(a_ti, sum_{t' < t} a_t'i)
inline double repetition(const Told& told) {
  double loss = 0;
  Row before(told.encoded.memory.size());
  for (std::size_t t = 0; t < told.steps.size(); ++t) {
    const Row a = told.a(t);
    for (std::size_t i = 0; i < a.size(); ++i) loss += std::min(a[i], before[i]);
    before = plus(before, a);
  }
  return told.option("repetition") * loss;
}

// Cohn et al. 2016: lambda sum_i (f_i - sum_t a_ti)^2, f_i = softplus(w' h_i + b)
inline double fertility(const Told& told) {
  double loss = 0;
  const Row total = told.total();
  for (std::size_t i = 0; i < total.size(); ++i) {
    const double f = softplus(told.model.weights().affine("objective.fertility", told.encoded.memory[i])[0]);
    loss += std::pow(f - total[i], 2);
  }
  return told.option("fertility") * loss;
}

// Mi, Sankaran, Wang & Ittycheriah 2016: lambda sum_i |cov_i|^2, as the last step leaves them
inline double coverage_embedding(const Told& told) {
  double loss = 0;
  for (const Row& cover : told.steps.back().coverage_embeddings) loss += dot(cover, cover);
  return told.option("coverage_embedding") * loss;
}

// Lin et al. 2017: lambda |A A' - I|^2, A where the rows of a structured summary look
inline double diversity(const Told& told) {
  const Rows& rows = told.encoded.summary;
  double loss = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t s = 0; s < rows.size(); ++s) loss += std::pow(dot(rows[r], rows[s]) - (r == s ? 1 : 0), 2);
  }
  return told.option("diversity") * loss;
}

// Liu, Utiyama, Finch & Sumita 2016: -lambda sum_ti A*_ti log(a_ti + 1e-6); or squared, Mi, Wang & Ittycheriah 2016:
// lambda sum_ti (A*_ti - a_ti)^2 of the steps for which anything is wanted
inline double supervised(const Told& told) {
  double cross_entropy = 0, squares = 0;
  for (std::size_t t = 0; t < told.steps.size(); ++t) {
    const Row a = told.a(t), &wanted = told.example.alignment[t];
    for (std::size_t i = 0; i < a.size(); ++i) {
      cross_entropy -= wanted[i] * std::log(a[i] + 1e-6);
      if (sum(wanted) > 0) squares += std::pow(wanted[i] - a[i], 2);
    }
  }
  return told.option("supervised") *
         (text_of(told.model.options.objective, "supervised_form") == "squared" ? squares : cross_entropy);
}

// Xu 2015, where positions are drawn. What a step's draw earns: log p of its own and all later symbols.
inline double earned(const Told& told, std::size_t t) {
  double later = 0;
  for (; t < told.steps.size(); ++t) later += told.log_p(t);
  return later;
}
// What was to be expected of it, by who does not know what was drawn.
inline double expected(const Told& told, std::size_t t) {
  if (text_of(told.model.options.objective, "baseline") == "average")
    return static_cast<double>(told.steps.size() - t) * told.model.expected;
  return told.model.weights().affine("objective.baseline", told.steps[t].readout.asked)[0];
}

// log p(position drawn), summed over heads; nothing for examples that see the mean
inline double log_drawn(const Told& told, std::size_t t) {
  const Random own = at_name(*told.model.random, told.model.prefix + "attention").at(told.model.sample);
  if (own.uniform(0) < told.model.options.attention.soft_share) return 0;
  const Attended& attended = told.steps[t].readout.attended;
  double sum = 0;
  for (std::size_t h = 0; h < attended.scores.size(); ++h) {
    sum += std::log(softmax(attended.scores[h])[argmax(attended.weights[h])]);
  }
  return sum;
}

// Its gradient is that of the expected reward: -lambda_r sum_t (earned_t - baseline_t) log p(position drawn)
inline double reinforce(const Told& told) {
  double loss = 0;
  for (std::size_t t = 0; t < told.steps.size(); ++t) {
    loss -= (earned(told, t) - expected(told, t)) * log_drawn(told, t);
  }
  return told.option("reinforce") * loss;
}

// sum_t (earned_t - baseline_t)^2, from which the baseline alone learns
inline double baseline(const Told& told) {
  double loss = 0;
  for (std::size_t t = 0; t < told.steps.size(); ++t) loss += std::pow(earned(told, t) - expected(told, t), 2);
  return loss;
}

// -lambda_e H = lambda_e sum_ti p_ti log p_ti: entropy is to stay large
inline double entropy(const Told& told) {
  double loss = 0;
  for (const Step& step : told.steps) {
    for (const Row& scores : step.readout.attended.scores) {
      for (const double p : softmax(scores)) loss += p * std::log(p);
    }
  }
  return told.option("entropy") * loss;
}

// Cohn 2016: -gamma Tr(A_xy A_yx)
inline double agreement(const Told& told, const Told& back) {
  double loss = 0;
  for (std::size_t t = 0; t < told.steps.size(); ++t) {
    for (std::size_t i = 0; i < back.steps.size(); ++i) loss -= told.a(t)[i] * back.a(i)[t];
  }
  return told.option("agreement") * loss;
}

}  // namespace objective

inline Told tell(const Model& model, const Example& example) {
  const Encoded encoded = encode(model, example);
  return {model, example, encoded, decode(model, encoded, example)};
}

// Of every objective; those of draws and of both directions are asked for where there are any.
inline const Table<double (*)(const Told&)>& objectives() {
  static const Table<double (*)(const Told&)> all = {{"coverage", objective::coverage},
                                                     {"repetition", objective::repetition},
                                                     {"fertility", objective::fertility},
                                                     {"coverage_embedding", objective::coverage_embedding},
                                                     {"diversity", objective::diversity},
                                                     {"supervised", objective::supervised},
                                                     {"agreement", nullptr},
                                                     {"reinforce", nullptr}};
  return all;
}

// All terms but those of a rationale and of agreement.
inline Terms terms_of(const Told& told) {
  Terms terms = {{"nll", objective::nll(told)}};
  for (const auto& [name, oracle] : objectives()) {
    if (oracle && told.option(name) > 0) terms[name] = oracle(told);
  }
  if (told.model.random && told.model.options.attention.select == "hard" &&
      told.model.options.decoder.style != "plain") {
    terms["reinforce"] = objective::reinforce(told);
    if (text_of(told.model.options.objective, "baseline") == "learned") terms["baseline"] = objective::baseline(told);
    terms["entropy"] = objective::entropy(told);
  }
  return terms;
}

// Lei, Barzilay & Jaakkola 2016: the probability of choosing each symbol but the stop symbol, sigmoid(1 + w' h_i + b),
// h of a recurrent layer of its own.
inline Row chosen_probabilities(const Model& model, const std::vector<int>& source) {
  EncoderOptions options = model.options.encoder;
  options.layers = 1;
  options.bidirectional = true;
  const Weights weights = model.weights().of("rationale");
  Row all;
  for (const Row& h : encoder::recurrent(weights, options, source).memory) {
    all.push_back(sigmoid(1 + weights.affine("choice", h)[0]));
  }
  all.pop_back();
  return all;
}

// z, drawn symbol by symbol in training, in use what is more probable than not.
struct Rationale {
  Example read;  // the example with nothing but what was chosen as its source
  double log_probability = 0;
  double length = 0;  // sum_i z_i
  double jumps = 0;   // sum_i |z_i - z_{i-1}|
};
inline Rationale choose(const Model& model, const Example& example) {
  const Row p = chosen_probabilities(model, example.source);
  Rationale out = {example};
  out.read.source.clear();
  bool before = false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool z = (model.random ? at_name(*model.random, "rationale").at(model.sample).uniform(i) : 0.5) < p[i];
    out.log_probability += std::log(z ? p[i] : 1 - p[i]);
    out.length += z;
    out.jumps += z != before;
    before = z;
    if (z) out.read.source.push_back(example.source[i]);
  }
  out.read.source.push_back(example.source.back());
  return out;
}

// Nothing else is read: + l1 sum z + l2 sum |z_i - z_{i-1}|, by REINFORCE with a baseline that counts in twenties.
inline Terms terms_with_rationale(const Model& model, const Example& example) {
  const Rationale z = choose(model, example);
  const Told told = tell(model, z.read);
  const double reward = objective::earned(told, 0) - told.option("rationale_length") * z.length -
                        told.option("rationale_jumps") * z.jumps;
  const double baseline = 20 * model.weights().number("rationale.baseline");
  Terms terms = terms_of(told);
  terms["rationale"] = -told.option("reinforce") * (reward - baseline) * z.log_probability;
  terms["rationale_baseline"] = 0.01 * std::pow(reward - baseline, 2);
  return terms;
}

// Both directions together: those of the other start with "reverse_".
inline Terms terms_with_reverse(const Model& model, const Example& example, const Example& reversed) {
  ModelOptions options = model.options;
  for (const char* left_out : {"agreement=0", "supervised=0"}) set_field(options.objective, left_out);
  Model reverse = {model.parameters, options, "reverse."};
  reverse.random = model.random;
  reverse.sample = model.sample;
  reverse.expected = model.expected;
  const Told told = tell(model, example), back = tell(reverse, reversed);
  Terms terms = terms_of(told);
  for (const auto& [name, value] : terms_of(back)) terms["reverse_" + name] = value;
  terms["agreement"] = objective::agreement(told, back);
  return terms;
}

}  // namespace fovea::oracle
