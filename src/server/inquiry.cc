#include "server/inquiry.h"

#include <algorithm>
#include <fmt/core.h>

#include "base/as_size.h"
#include "base/error.h"
#include "base/json.h"
#include "server/http.h"

namespace fovea {

namespace {

const std::string not_given = "\xFF";  // no text that came as JSON

struct Body {
  std::string model;
  std::string text = not_given;
  std::vector<std::string> lines = {not_given};
  AskedOptions options;

  void fields(FieldVisitor& visit) {
    visit("model", model, "which of several", any_text());
    visit("text", text, "one line", any_text());
    visit("lines", lines, "lines", any_text());
    options.fields(visit);
  }
};

// Edits are a list to whoever asks, and a text to the option that has them.
std::string with_edits_as_text(std::string_view body) {
  Json json = parse_json(body);
  if (json.is_object() && json.contains("edits") && json["edits"].is_array()) {
    json["edits"] = json_text(json["edits"]);
    return json_text(json);
  }
  return std::string(body);
}

HttpError refused(const std::string& message) { return {400, message}; }

bool is_length(const Field& field) { return field.name == "max_output" || field.name == "min_output"; }

// One request must not keep the model from all others: so many symbols may be looked for.
void check_work(const Inquiry& inquiry, const InquiryLimits& limits) {
  int symbols = 0;  // where nothing is said of them, the training data do
  for (const Field& field : ConstFieldsRef(inquiry.options).visit().fields()) {
    if (is_length(field)) symbols = std::max(symbols, *std::get<int*>(field.value));
  }
  const std::size_t work = inquiry.lines.size() * as_size(inquiry.options.search.beam) * as_size(symbols);
  if (work <= limits.work) return;
  throw HttpError(413, fmt::format("lines x beam x max_output: {} here at most, and this is {}; ask for less at once",
                                   limits.work, work));
}

void check_options(const AskedOptions& options) {
  const SearchOptions& search = options.search;
  if (search.nbest > search.beam) throw refused(fmt::format("nbest: {0} needs a beam of {0} or more", search.nbest));
  AskedOptions plain;
  plain.explain = options.explain;
  const auto usual = ConstFieldsRef(plain).visit().fields();
  const auto given = ConstFieldsRef(options).visit().fields();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].rule.file || value_text(given[i]) == value_text(usual[i])) continue;
    throw refused(fmt::format("{}: names a file, and none is opened for whoever asks", given[i].name));
  }
}

}  // namespace

void AskedOptions::fields(FieldVisitor& visit) {
  const InquiryLimits limits;
  for (Field& field : FieldsRef(search).visit().fields()) {
    if (field.name == "beam" || field.name == "nbest") field.rule.high = limits.beam;
    if (is_length(field)) field.rule.high = limits.max_output;
    std::visit([&](auto* value) { visit(field.name, *value, field.help, field.rule); }, field.value);
  }
  visit("replace_unknown", replace_unknown, "where the unknown symbol is written, take the source's looked at most");
  if (!explain) return;
  visit("alternatives", alternatives, "best symbols of each step", between(1, 20));
  visit("words", words, "by words, of a model whose symbols are pieces of them");
  search.explain.fields(visit);
  visit("svg", svg, "the picture that fovea show draws, instead of the numbers");
  visit("layer", layer, "of the map in that picture; -1: the last", between(-1, 1000));
  visit("head", head, "likewise; -1: the mean of all", between(-1, 1000));
  visit("target", target, "look at how this would be written, instead of the model's own answer", any_text());
}

PredictOptions AskedOptions::predict_options() const {
  PredictOptions options;
  options.answer.search = search;
  options.answer.replace_unknown = replace_unknown;
  options.answer.search.alternatives = explain ? alternatives : replace_unknown ? 1 : 0;
  options.score = !target.empty();
  options.open_files = OpenFiles::none;
  if (svg) options.answer.search.explain.media = true;  // it is in the picture
  return options;
}

std::string Inquiry::key() const { return fmt::format("{}{}", options.explain, to_json(options)); }

Inquiry parse_inquiry(std::string_view body, bool explain, const InquiryLimits& limits) {
  Body read;
  read.options.explain = explain;
  if (explain) read.options.search.nbest = 0;  // as many as the beam has, unless it is given
  try {
    read_json(read, explain ? with_edits_as_text(body) : body, "the body", ErrorKind::usage);
  } catch (const Error& e) {
    throw refused(e.what());
  }
  if (read.options.search.nbest == 0) read.options.search.nbest = read.options.search.beam;
  Inquiry inquiry = {read.model, std::move(read.lines), std::move(read.options)};
  const bool has_lines = inquiry.lines != std::vector{not_given}, has_text = read.text != not_given;
  if (has_lines == has_text)
    throw refused("the body wants either \"lines\", a list of texts, or \"text\", one of them");
  if (has_text) inquiry.lines = {read.text};
  const std::size_t most = explain ? limits.explained : limits.lines;
  if (inquiry.lines.size() > most) throw HttpError(413, fmt::format("lines: {} here at most", most));
  if (!inquiry.options.target.empty() && inquiry.lines.size() != 1) throw refused("target: goes with one line");
  if (inquiry.options.search.explain.media && inquiry.lines.size() != 1) throw refused("media: goes with one line");
  if (inquiry.options.svg && inquiry.lines.size() != 1) throw refused("svg: goes with one line");
  check_options(inquiry.options);
  check_work(inquiry, limits);
  inquiry.options.search.limits = inquiry.options.svg ? picture_limits : limits.explanation;
  return inquiry;
}

std::vector<Field> asked_fields(AskedOptions& options) {
  std::vector<Field> fields = FieldsRef(options).visit().fields();
  std::erase_if(fields, [](const Field& field) { return field.rule.file; });
  return fields;
}

}  // namespace fovea
