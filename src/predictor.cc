#include "predictor.h"

#include "base/utf8.h"

namespace fovea {

namespace {

std::unique_ptr<Model> open(const std::filesystem::path& path, Precision precision) {
  Files files;
  std::unique_ptr<Model> model = load_model(files, path);
  if (precision == Precision::int8) model->parameters().use_int8();
  return model;
}

}  // namespace

Predictor::Predictor(const std::filesystem::path& model, int threads, Precision precision)
    : model_(open(model, precision)), workers_(threads), answering_(*model_, workers_) {}

std::vector<Prediction> Predictor::predict(std::span<const std::string> lines, const PredictOptions& options) {
  std::vector<Prediction> predictions(lines.size());
  std::vector<SourceIds> encoded(lines.size());
  std::vector<const SourceIds*> sources;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Prediction& p = predictions[i];
    const bool sound = !find_invalid_utf8(lines[i]);
    const std::string text = sound ? lines[i] : repair_utf8(lines[i]);
    p.fate = text.empty()                                  ? LineFate::empty
             : count_characters(text) > options.max_length ? LineFate::too_long
             : sound                                       ? LineFate::answered
                                                           : LineFate::repaired;
    if (p.fate == LineFate::answered || p.fate == LineFate::repaired) {
      p.output.source_text = text;
      const auto [source, features] = model_->task().split(text);
      encoded[i] = model_->task().encode_source(source, features);
      if (const int most = model_->task().most_source_symbols(); most > 0 && encoded[i].size() > most) {
        encoded[i] = {};
        p = {{}, LineFate::too_long};
      }
    }
    sources.push_back(&encoded[i]);
  }
  const auto answers = answering_.answer(sources, options.answer);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (encoded[i].empty()) continue;
    predictions[i].output =
        model_->task().output(predictions[i].output.source_text, encoded[i], answers[i], options.dictionary);
  }
  return predictions;
}

}  // namespace fovea
