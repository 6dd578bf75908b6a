// What every model is tried with: the lists gone through with each decoder they go with; what the parts refuse is not
// made. No encoder, output or attention is named here.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "attention/mechanism.h"
#include "models/decoders/bridge.h"
#include "models/tiny_model.h"

namespace fovea {

struct Case {
  std::string name;
  ModelOptions options;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

struct Change {
  std::string name;
  std::function<void(ModelOptions&)> apply;
};

inline std::vector<Change> decoder_changes() {
  return {{"bahdanau", [](ModelOptions& o) { o.decoder.style = "bahdanau"; }},
          {"feeding", [](ModelOptions& o) { o.decoder.style = "luong"; }},
          {"at_once", [](ModelOptions& o) { o.decoder.style = "luong", o.decoder.feeding = false; }},
          {"plain", [](ModelOptions& o) { o.decoder.style = "plain"; }},
          {"transformer", [](ModelOptions& o) { o.decoder.kind = "transformer"; }}};
}

class Cases {
 public:
  // With every decoder that accepts it.
  void add(const Change& change) {
    for (const Change& decoder : decoder_changes()) {
      Case c = {decoder.name + "_" + change.name, tiny_options()};
      decoder.apply(c.options);
      change.apply(c.options);
      add(c);
    }
  }
  void add(const Case& c) {
    try {
      TinyModel model(c.options);
      all.push_back(c);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::usage) throw;
    }
  }

  std::vector<Case> all;
};

inline void add_encoders(Cases& cases) {
  for (const std::string& kind : encoders().names()) {
    cases.add({kind, [&](ModelOptions& o) { o.encoder.kind = kind; }});
    cases.add({kind + "_deep", [&](ModelOptions& o) {
                 o.encoder.kind = kind;
                 o.encoder.layers = o.decoder.layers = 2;
                 o.encoder.residual = o.decoder.residual = true;
                 o.encoder.cell = o.decoder.cell = "gru";
                 o.encoder.embedding = o.decoder.embedding = 3;
                 o.encoder.width = 4;  // one more position behind than before
               }});
    for (const std::string positions : {"none", "learned"}) {
      cases.add({kind + "_" + positions, [&](ModelOptions& o) {
                   o.encoder.kind = kind;
                   o.encoder.positions = positions;
                   o.encoder.bidirectional = positions == "none";
                 }});
    }
  }
  for (const std::string& bridge : bridge_names()) {
    cases.add({"bridge_" + bridge, [&](ModelOptions& o) { o.decoder.bridge = bridge; }});
  }
}

inline void add_generators(Cases& cases) {
  for (const std::string& kind : generators().names()) {
    cases.add({kind + "_alone", [&](ModelOptions& o) { o.generator.kind = kind; }});  // a selection has that name, too
    cases.add({kind + "_smoothed", [&](ModelOptions& o) {
                 o.generator.kind = kind;
                 o.objective.label_smoothing = 0.2;
                 o.attention.heads = 2;
               }});
    cases.add({kind + "_own", [&](ModelOptions& o) { o.generator.kind = kind, o.generator.own_attention = true; }});
    cases.add({kind + "_tied", [&](ModelOptions& o) {
                 o.generator.kind = kind;
                 o.generator.tied = true;
                 o.decoder.embedding = 3;
                 o.generator.lexicon_share = 0.3;
                 o.generator.lexicon_floor = 0.1;
               }});
  }
  cases.add({"tied", [](ModelOptions& o) { o.generator.tied = true; }});
  cases.add({"frozen", [](ModelOptions& o) { o.encoder.frozen = o.decoder.frozen = true; }});
}

// Each attention mechanism where it is asked at every step, and where all steps ask at once.
inline void add_attentions(Cases& cases) {
  const auto heads = [](ModelOptions& o) { o.attention.heads = 2; };
  cases.add({"heads", heads});
  for (const std::string& bias : biases().names()) {
    cases.add({bias, [&](ModelOptions& o) { o.attention.bias = {bias}; }});
    cases.add({bias + "_heads", [&](ModelOptions& o) { o.attention.bias = {bias}, heads(o); }});
  }
  for (const Mechanism<Score>* score : scores()) {
    if (!score->traits.looks_back) continue;
    cases.add({std::string(score->name), [&](ModelOptions& o) { o.attention.score = score->name; }});
  }
  for (const std::string& select : selects().names()) {
    cases.add({"select_" + select, [&](ModelOptions& o) { o.attention.select = select; }});
  }
  cases.add({"rotary", [](ModelOptions& o) { o.attention.rotary = true, o.attention.projections = true; }});
}

inline void add_transformers(Cases& cases) {
  for (const std::string norm : {"pre", "post"}) {
    const auto add = [&](const std::string& name, const std::string& positions, auto change) {
      Case c = {"both_" + norm + "_" + name, tiny_options()};
      c.options.encoder.kind = c.options.decoder.kind = "transformer";
      c.options.encoder.norm = c.options.decoder.norm = norm;
      c.options.encoder.layers = c.options.decoder.layers = 2;
      c.options.encoder.positions = c.options.decoder.positions = positions;
      change(c.options);
      cases.add(c);
    };
    add("sinusoid", "sinusoid", [](ModelOptions&) {});
    add("learned", "learned", [](ModelOptions&) {});
    add("rotary", "none", [](ModelOptions& o) { o.self_attention.rotary = true; });
    add("relative", "none", [](ModelOptions& o) { o.self_attention.bias = {"relative"}, o.attention.heads = 2; });
    add("narrow_tied", "sinusoid", [](ModelOptions& o) { o.decoder.embedding = 3, o.generator.tied = true; });
  }
}

inline void add_objectives(Cases& cases) {
  std::vector<std::string> weights = objectives().names();
  std::erase(weights, "diversity");  // of another encoder: see below
  std::erase(weights, "reinforce");  // where something is drawn: see below
  weights.emplace_back("label_smoothing");
  for (const std::string& name : weights) {
    const bool embeds = name == "coverage_embedding";
    cases.add({"held_by_" + name, [&](ModelOptions& o) {
                 set_field(o.objective, name + "=0.3");
                 if (embeds) o.attention.bias = {"coverage_embedding"};
               }});
    cases.add({"held_by_" + name + "_squared", [&](ModelOptions& o) {
                 set_field(o.objective, name + "=0.3");
                 set_field(o.objective, "supervised_form=squared");
                 o.attention.heads = 2;
                 if (embeds) o.attention.bias = {"position", "coverage_embedding"};
               }});
  }
  cases.add({"held_by_diversity",
             [](ModelOptions& o) { o.encoder.kind = "structured", set_field(o.objective, "diversity=0.3"); }});
  cases.add({"rationale", [](ModelOptions& o) { o.encoder.rationale = true; }});
  cases.add({"dear_rationale", [](ModelOptions& o) {
               o.encoder.rationale = true;
               set_field(o.objective, "rationale_length=0.3");
               set_field(o.objective, "rationale_jumps=0.2");
               set_field(o.objective, "reinforce=0.7");
             }});
  // Where positions are drawn.
  for (const Mechanism<Select>* select : selects()) {
    if (!select->traits.draws) continue;
    cases.add({std::string(select->name) + "_weighed", [&](ModelOptions& o) {
                 o.attention.select = select->name;
                 o.attention.heads = 2;
                 o.attention.soft_share = 0.4;
                 set_field(o.objective, "reinforce=0.7");
                 set_field(o.objective, "entropy=0.3");
               }});
    cases.add({std::string(select->name) + "_on_average", [&](ModelOptions& o) {
                 o.attention.select = select->name, set_field(o.objective, "baseline=average");
               }});
    cases.add({std::string(select->name) + "_after_the_state",
               [&](ModelOptions& o) { o.attention.select = select->name, o.decoder.style = "luong"; }});
  }
  // Where a sum over positions takes the place of a look.
  for (const Mechanism<Select>* select : selects()) {
    if (!select->traits.marginal) continue;
    cases.add({std::string(select->name) + "_rationale",
               [&](ModelOptions& o) { o.attention.select = select->name, o.encoder.rationale = true; }});
    cases.add({std::string(select->name) + "_held_by_coverage", [&](ModelOptions& o) {
                 o.attention.select = select->name;
                 set_field(o.objective, "coverage=0.3"), set_field(o.objective, "supervised=0.3");
               }});
  }
}

// Found once: every process of the tests asks for them before it runs its first.
inline const std::vector<Case>& all_cases() {
  static const std::vector<Case> all = [] {
    Cases cases;
    add_encoders(cases);
    add_generators(cases);
    add_attentions(cases);
    add_transformers(cases);
    add_objectives(cases);
    return cases.all;
  }();
  return all;
}

}  // namespace fovea
