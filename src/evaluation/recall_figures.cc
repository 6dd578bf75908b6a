#include "evaluation/recall_figures.h"

namespace fovea {

namespace {

constexpr const char* unseen_name = "unseen_recall";
constexpr const char* rare_name = "rare_recall";

}  // namespace

std::vector<Figure> recall_figures(const Task& task, std::span<const Referenced> questions,
                                   std::span<const Prediction> predictions, bool lowercase, Workers& workers) {
  struct Recall {
    const char* name;
    std::vector<double> rows = {};  // of each source: how many are written, and wanted
    double wanted = 0;
  } unseen = {unseen_name}, rare = {rare_name};
  for (Recall* recall : {&unseen, &rare}) recall->rows.resize(2 * questions.size());
  const int first_rare = task.learned().first_rare.value_or(task.target().size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string& answer = predictions[i].output.text;
    const std::string& target = nearest_target(questions[i], answer, lowercase);
    for (const auto& [symbol, written] : wanted_symbols(task, target, answer, lowercase)) {
      if (symbol != Vocabulary::unknown && symbol < first_rare) continue;
      Recall& recall = symbol == Vocabulary::unknown ? unseen : rare;
      recall.rows[2 * i] += written;
      recall.rows[2 * i + 1] += 1;
      recall.wanted += 1;
    }
  }
  std::vector<Figure> figures;
  for (Recall* recall : {&unseen, &rare}) {
    if (recall->wanted == 0) continue;
    figures.push_back(figure_of_sums(recall->name, Better::higher, std::move(recall->rows), share_of, workers));
  }
  return figures;
}

std::vector<Figure> known_recall_figures() {
  return {{.name = unseen_name, .better = Better::higher}, {.name = rare_name, .better = Better::higher}};
}

}  // namespace fovea
