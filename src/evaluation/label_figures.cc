#include "evaluation/label_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace fovea {

namespace {

constexpr const char* accuracy_name = "accuracy";
constexpr const char* f1_name = "macro_f1";

}  // namespace

double macro_f1(std::span<const Labelled> answers, std::span<const std::uint32_t> times) {
  struct Counts {
    double right = 0, all = 0;  // `all`: wanted and given
  };
  std::unordered_map<int, Counts> labels;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (times[i] == 0) continue;
    labels[answers[i].wanted].all += times[i];
    Counts& given = labels[answers[i].given];
    given.all += times[i];
    if (answers[i].given == answers[i].wanted) given.right += times[i];
  }
  double sum = 0;
  std::vector<int> order;  // so that the sum has the same bits whatever the map does
  for (const auto& [label, counts] : labels) order.push_back(label);
  std::ranges::sort(order);
  for (const int label : order) sum += 2 * labels[label].right / labels[label].all;
  return order.empty() ? 0 : sum / static_cast<double>(order.size());
}

std::vector<Figure> label_figures(std::span<const std::string> wanted, std::span<const std::string> given,
                                  bool positions, Workers& workers) {
  check(wanted.size() == given.size() && !wanted.empty(), "label_figures: {} answers to {}", given.size(),
        wanted.size());
  std::unordered_map<std::string_view, int> numbers;
  const auto number = [&](const std::string& text) {
    return numbers.emplace(text, static_cast<int>(numbers.size())).first->second;
  };
  std::vector<Labelled> answers;
  std::vector<bool> right;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const int label = number(wanted[i]);
    answers.push_back({label, number(given[i])});
    right.push_back(wanted[i] == given[i]);
  }
  std::vector<Figure> figures = {share_of_right(accuracy_name, right, workers)};
  if (positions) return figures;
  const std::size_t count = answers.size();
  const FigureOfTimes f1 = [answers = std::move(answers)](std::span<const std::uint32_t> times) {
    return macro_f1(answers, times);
  };
  figures.push_back({.name = f1_name,
                     .value = f1(std::vector<std::uint32_t>(count, 1)),
                     .better = Better::higher,
                     .interval = bootstrap_interval(count, f1, workers),
                     .answers = count,
                     .drawn = f1});
  return figures;
}

std::vector<int> known_tops() { return {2, 3, 5, 10}; }

std::string top_name(int answers) { return fmt::format("top{}", answers); }

std::vector<Figure> known_label_figures() {
  std::vector<Figure> known = {{.name = accuracy_name, .better = Better::higher},
                               {.name = f1_name, .better = Better::higher}};
  for (const int answers : known_tops()) known.push_back({.name = top_name(answers), .better = Better::higher});
  return known;
}

}  // namespace fovea
