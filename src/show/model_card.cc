#include "show/model_card.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/counted.h"
#include "base/shell_word.h"
#include "base/utf8.h"
#include "show/warnings.h"

namespace fovea {
namespace {

// Double-quoted, on one line. YAML allows every character that printable() leaves but these two.
std::string yaml(std::string_view text) {
  const std::string shown = printable(text);
  std::string out = "\"";
  for (std::string_view part : characters(shown)) {
    if (part == "\"" || part == "\\") out += '\\';
    if (part == "\uFFFE" || part == "\uFFFF") part = "\uFFFD";
    out += part;
  }
  return out + '"';
}

// With a point in every case: YAML 1.1 takes 1e-05 for a text.
std::string number(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{:.6f}", value);
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

// For running text and table cells.
std::string markdown(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|&~$#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A code block that its text cannot leave: the fence is longer than any run of backticks inside.
std::string code_block(std::string_view language, std::string_view text) {
  std::size_t run = 0, longest = 2;
  for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  std::string out = fmt::format("{}{}\n", fence, language);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + fence + "\n";
}

// A word that is never taken for an option.
std::string argument(std::string_view text) {
  return shell_word((text.starts_with('-') ? "./" : "") + printable(text));
}

std::string front_matter(const ModelCard& card) {
  std::string text = fmt::format("---\nlibrary_name: fovea\ntags:\n- fovea\n- {}\n", yaml(card.task));
  if (card.metrics.empty()) return text + "---\n";
  std::string values;
  text += "metrics:\n";
  for (const auto& [name, value] : card.metrics) {
    text += fmt::format("- {}\n", yaml(name));
    values += fmt::format("    - type: {}\n      value: {}\n", yaml(name), number(value));
  }
  return text + fmt::format(
                    "model-index:\n- name: {}\n  results:\n  - task:\n      type: {}\n    dataset:\n"
                    "      name: held-out lines\n      type: lines\n      revision: {}\n    metrics:\n{}---\n",
                    yaml(card.name), yaml(card.task), yaml(card.data_hash), values);
}

std::string usage(const ModelCard& card) {
  const std::string folder = argument(card.name);
  return "## Use\n\n" + code_block("sh", fmt::format("fovea predict {0} lines.txt    # one answer a line\n"
                                                     "fovea show {0} 'a line'        # what it read while answering\n",
                                                     folder));
}

std::string data(const ModelCard& card) {
  return fmt::format(
      "## Data\n\n| | |\n|---|---|\n| lines trained on | {} |\n| lines held out | {} |\n| hash of both | {} |\n",
      card.training_lines, card.held_out_lines, markdown(card.data_hash));
}

std::string results(const ModelCard& card) {
  if (card.metrics.empty()) return "## Results\n\nIt has not been measured.\n";
  std::string text =
      fmt::format("## Results\n\nOn the {} held-out lines:\n\n| metric | value |\n|---|---:|\n", card.held_out_lines);
  for (const auto& [name, value] : card.metrics) {
    text += fmt::format("| {} | {} |\n", markdown(name), std::isfinite(value) ? number(value) : "not a number");
  }
  return text;
}

std::string training(const ModelCard& card) {
  const std::string facts = fmt::format("{} in {:.1f} seconds, with Fovea {} on {}.", counted(card.updates, "update"),
                                        card.seconds, markdown(card.version), markdown(card.instruction_set));
  const std::string command = card.command.empty() ? "" : code_block("sh", printable(card.command)) + "\n";
  return fmt::format("## Training\n\n{}\n\n{}All settings:\n\n{}", facts, command,
                     code_block("toml", card.config_toml));
}

std::string limits(const ModelCard& card) {
  const char* measured =
      card.metrics.empty() ? "" : "The results hold for lines like the held-out ones, which also chose the weights. ";
  return fmt::format(
      "## Limits\n\nIt was trained on {} lines and knows nothing but what they show: on lines of another kind it still "
      "answers, and often wrongly. {}{}\n",
      card.training_lines, measured, standing_line);
}

}  // namespace

std::string draw_model_card(const ModelCard& card) {
  const std::string head = fmt::format("# {}\n\nA sequence model for the task {}, with {} weights, made with Fovea.\n",
                                       markdown(card.name), markdown(card.task), card.weights);
  std::string text = front_matter(card);
  for (const std::string& part : {head, usage(card), data(card), results(card), training(card), limits(card)}) {
    text += "\n" + part;
  }
  return text;
}

}  // namespace fovea
