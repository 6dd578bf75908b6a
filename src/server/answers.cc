#include "server/answers.h"

#include "base/json.h"
#include "base/utf8.h"
#include "inference/explain.h"
#include "show/heat_map.h"
#include "show/json.h"
#include "show/picture.h"
#include "tasks/fold_words.h"

namespace fovea {

namespace {

std::string_view status_name(LineStatus status) {
  switch (status) {
    case LineStatus::empty:
      return "empty";
    case LineStatus::too_long:
      return "too_long";
    case LineStatus::too_few_columns:
      return "too_few_columns";
    case LineStatus::unreadable:
      return "unreadable";
    case LineStatus::answered:
    case LineStatus::repaired:  // JSON is UTF-8: there is nothing to repair
      break;
  }
  return "answered";
}

void add_status(const Prediction& prediction, OrderedJson& object) {
  object["status"] = status_name(prediction.status);
  if (!prediction.problem.empty()) object["problem"] = printable(prediction.problem);
  if (!prediction.unknown_feature.empty()) object["unknown_feature"] = prediction.unknown_feature;
  if (prediction.scored && !prediction.scored->unknown.empty()) object["unknown_symbols"] = prediction.scored->unknown;
}

std::string answer_text(const Prediction& prediction, bool nbest) {
  const Output& output = prediction.output;
  OrderedJson object = {{"text", output.text}, {"score", output.score}, {"finished", output.finished}};
  if (output.abstained) object["abstained"] = true;
  add_status(prediction, object);
  if (nbest) {
    auto& list = object["nbest"] = OrderedJson::array();
    for (const Hypothesis& h : output.nbest) {
      list.push_back({{"text", h.text}, {"score", h.score}, {"finished", h.finished}});
    }
  }
  return json_text(object);
}

std::string explanation_text(const Prediction& prediction, const AskedOptions& asked) {
  const Output output = asked.words ? fold_words(prediction.output) : prediction.output;
  OrderedJson status;
  if (asked.svg) {
    if (prediction.status == LineStatus::answered) {
      status["svg"] = draw_picture(std::vector{maps_to_draw(output, asked.layer, asked.head)});
    }
    add_status(prediction, status);
    return json_text(status);
  }
  std::string text = output_to_json(output);
  add_status(prediction, status);
  text.back() = ',';
  return text + json_text(status).substr(1);
}

}  // namespace

std::vector<std::string> answer_lines(Predictor& predictor, std::span<const std::string> lines,
                                      const AskedOptions& asked, const PredictOptions& options) {
  const std::vector<Prediction> predictions =
      asked.target.empty() ? predictor.predict(lines, options)
                           : std::vector{predict_target(predictor, lines[0], asked.target, options)};
  std::vector<std::string> texts;
  for (const Prediction& prediction : predictions) {
    texts.push_back(asked.explain ? explanation_text(prediction, asked)
                                  : answer_text(prediction, asked.search.nbest > 1));
  }
  return texts;
}

}  // namespace fovea
