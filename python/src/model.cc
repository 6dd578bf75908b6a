// An opened model, as Python has it.
#include "base/as_size.h"
#include "parts.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "calls.h"
#include "texts.h"

namespace fovea::python {

namespace {

// What can be asked of a prediction: the fields of a search, and what the command line has beside them.
struct Asked {
  bool explain = false;  // what is only for explanations is known only then
  SearchOptions search;
  std::string columns;
  std::string dictionary;
  int batch = 64;
  std::int64_t max_length = 0;
  bool replace_unknown = false;

  void fields(FieldVisitor& visit) {
    search.fields(visit);
    visit("columns", columns, "what each column has (default: as the model was trained)");
    visit("dictionary", dictionary, "translates what `replace_unknown` takes", a_file());
    visit("batch", batch, "lines answered together; changes nothing but the time", between(1, 4096));
    visit("max_length", max_length, "longest line in characters; 0: as the model was trained", between(0, 1'000'000));
    visit("replace_unknown", replace_unknown,
          "where the unknown symbol is written, take the source's symbol looked at most");
    if (explain) search.explain.fields(visit);
  }

  PredictOptions options(const Model& model) const {
    const Columns read = columns_for(model, columns);
    PredictOptions options = {.answer = {.search = search, .batch = batch, .replace_unknown = replace_unknown},
                              .columns = read,
                              .max_length = max_length > 0 ? max_length : model.config().max_length};
    if (replace_unknown) options.answer.search.alternatives = 1;
    return options;
  }
};

Asked asked_by(std::string_view json, bool explain = false) {
  Asked asked = {.explain = explain};
  if (json != "{}") set_fields(asked, json);  // to look at every field takes as long as all else around a short line
  if (!asked.dictionary.empty() && !asked.replace_unknown) {
    throw usage_error("dictionary: belongs to replace_unknown");
  }
  return asked;
}

// Several answers to a line, or its target's symbols, on their way through the text of a stream.
struct Packed {
  std::string text;

  void add(std::string_view token, double number, bool flag) {
    const std::uint32_t size = static_cast<std::uint32_t>(token.size());
    text.append(reinterpret_cast<const char*>(&size), sizeof size);
    text.append(token);
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
    text.push_back(flag ? 1 : 0);
  }
  template <class Take>
  static void each(std::string_view packed, Take take) {
    while (!packed.empty()) {
      std::uint32_t size = 0;
      std::memcpy(&size, packed.data(), sizeof size);
      const std::string_view token = packed.substr(sizeof size, size);
      double number = 0;
      std::memcpy(&number, packed.data() + sizeof size + size, sizeof number);
      take(token, number, packed[sizeof size + size + sizeof number] != 0);
      packed.remove_prefix(sizeof size + size + sizeof number + 1);
    }
  }
};

enum class Wanted { text, hypotheses, scores };

// The lines of a list through a predictor, and what became of each.
class ListedLines : public LineStream {
 public:
  ListedLines(std::vector<std::string> lines, Wanted wanted) : lines_(std::move(lines)), wanted_(wanted) {
    written_.reserve(lines_.size());
  }

  std::vector<std::string> read() override {
    constexpr std::size_t most = 4096;
    const std::size_t count = std::min(most, lines_.size() - read_);
    const auto first = std::make_move_iterator(lines_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  bool ready() override { return true; }
  std::string render(const Prediction& prediction) const override {
    if (wanted_ == Wanted::text) return prediction.output.text;
    Packed packed;
    if (wanted_ == Wanted::scores) {
      if (!prediction.scored) return "";
      for (const ScoredToken& token : prediction.scored->tokens) packed.add(token.token, token.log_probability, true);
    } else if (!prediction.output.abstained) {
      for (const Hypothesis& h : prediction.output.nbest) packed.add(h.text, h.score, h.finished);
    }
    return packed.text;
  }
  void write(std::span<const Written> lines) override {
    for (const Written& line : lines) {
      report_.add(line);
      written_.push_back(line.text);
      if (wanted_ == Wanted::scores) totals_.push_back(line.scored ? line.scored->log_probability : std::nan(""));
    }
  }

  const LineReport& report() const { return report_; }

  nb::list results() const {
    nb::list all;
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (wanted_ == Wanted::text) {
        all.append(to_python(written_[i]));
        continue;
      }
      nb::list parts;
      Packed::each(written_[i], [&](std::string_view text, double number, bool flag) {
        parts.append(nb::make_tuple(to_python(text), number, flag));
      });
      if (wanted_ == Wanted::scores)
        all.append(nb::make_tuple(totals_[i], parts));
      else
        all.append(parts);
    }
    return all;
  }

 private:
  std::vector<std::string> lines_;
  Wanted wanted_;
  std::size_t read_ = 0;
  std::vector<std::string> written_;
  std::vector<double> totals_;
  LineReport report_;
};

using Vector = nb::ndarray<nb::numpy, float>;

class OpenedModel {
 public:
  OpenedModel(const std::vector<std::string>& paths, int threads, bool int8)
      : predictor_(run_here([&] {
          const std::vector<std::filesystem::path> all(paths.begin(), paths.end());
          return std::make_unique<Predictor>(all, threads > 0 ? threads : Workers::default_count(),
                                             int8 ? Precision::int8 : Precision::full);
        })) {}
  OpenedModel(nb::bytes bytes, int threads, bool int8)
      : predictor_(run_here([&] {
          std::vector<std::unique_ptr<Model>> models;
          models.push_back(Model::decode(ByteSource::of({bytes.c_str(), bytes.size()}), "the bytes of a model"));
          if (int8) models.back()->parameters().use_int8();
          return std::make_unique<Predictor>(std::move(models), threads > 0 ? threads : Workers::default_count());
        })) {}

  // Answers or, of lines with targets, scores; with the warnings about them, and perplexity over so many symbols.
  nb::tuple predict(nb::list list, const std::string& json, const std::string& wanted) {
    Predictor& predictor = *predictor_;
    const Asked asked = asked_by(json);
    PredictOptions options = asked.options(predictor.model());
    options.score = wanted == "scores";
    std::optional<Lexicon> lexicon;
    if (!asked.dictionary.empty()) options.dictionary = &lexicon.emplace(asked.dictionary);
    ListedLines lines(lines_of(list), options.score            ? Wanted::scores
                                      : wanted == "hypotheses" ? Wanted::hypotheses
                                                               : Wanted::text);
    Call call;
    options.answer.search.stop_signal = &call.stop;
    const auto work = [&] { predictor.predict(lines, options); };
    constexpr std::size_t few = 16;  // lines: for them a thread would cost more than it is worth
    if (list.size() <= few) {
      const nb::gil_scoped_release released;
      work();
    } else {
      run_apart(call, work);
    }
    nb::list warnings;
    for (const std::string& text :
         lines.report().warnings("lines", *options.columns, options.max_length, options.score)) {
      warnings.append(to_python(text));
    }
    const Perplexity& perplexity = lines.report().perplexity();
    return nb::make_tuple(lines.results(), warnings, perplexity.symbols() > 0 ? perplexity.value() : 0.0,
                          perplexity.symbols());
  }

  std::pair<Output, std::vector<std::string>> look(nb::str line, nb::str target, const std::string& json, bool words,
                                                   bool drawn) {
    Predictor& predictor = *predictor_;
    const Asked asked = asked_by(json, true);
    PredictOptions options = asked.options(predictor.model());
    if (drawn) options.answer.search.limits = picture_limits;
    if (words) check_folds_words(predictor.model().config());
    const std::string text(bytes_of(line, "the line")), wanted(bytes_of(target, "target"));
    Explained explained = run_here([&] { return explain(predictor, text, wanted, options); });
    return {words ? fold_words(explained.output) : std::move(explained.output), std::move(explained.warnings)};
  }

  // One flat JSON object, and what there is to say about the lines.
  std::pair<std::string, std::vector<std::string>> evaluate(const std::string& json, nb::object rows) {
    Predictor& predictor = *predictor_;
    PairOptions files;
    std::string columns, on_bad_line = "fail";
    Asked asked;
    const auto declare = [&](FieldVisitor& visit) {
      asked.fields(visit);
      visit("file", files.file, "lines of source<TAB>target");
      visit("source_file", files.source_file, "sources, one a line");
      visit("target_file", files.target_file, "targets, one a line");
      visit("alignment_file", files.alignment_file, "links such as 0-0 1-2, one line for each pair");
      visit("on_bad_line", on_bad_line, "fail or skip", one_of({"fail", "skip"}));
    };
    struct Fields {
      decltype(declare)& declare_all;
      void fields(FieldVisitor& visit) { declare_all(visit); }
    } all{declare};
    set_fields(all, json);
    if (!asked.columns.empty()) files.columns = Columns::parse(asked.columns).names();
    files.bad_lines = parse_bad_lines(on_bad_line);
    std::vector<Example> examples;
    if (!rows.is_none()) {
      const std::vector<std::string> names =
          files.columns.empty() ? predictor.model().task().columns().names() : files.columns;
      examples = examples_of(nb::cast<nb::list>(rows), names);
      files.columns = names;
      files.max_length = asked.max_length > 0 ? asked.max_length : predictor.model().config().max_length;
    }
    Call call;
    EvaluationOptions options = {.answer = {.search = asked.search, .batch = asked.batch},
                                 .max_length = asked.max_length};
    options.answer.search.stop_signal = &call.stop;
    Evaluation evaluation;
    run_apart(call, [&] {
      evaluation = rows.is_none()
                       ? fovea::evaluate(predictor, files, options)
                       : fovea::evaluate(predictor, check_pairs(std::move(examples), "lines", files).examples, options);
    });
    std::vector<std::string> warnings = evaluation.warnings;
    if (!evaluation.notice.empty()) warnings.push_back(evaluation.notice);
    return {evaluation_to_json(evaluation), warnings};
  }

  nb::bytes bytes() const {
    const Model& model = (*predictor_).model();
    const std::string all = encode_safetensors({model.metadata(), model.arrays()});
    return nb::bytes(all.data(), all.size());
  }
  void save(const std::string& path) const {
    const Model& model = (*predictor_).model();
    Files files;
    files.write_atomically(path, encode_safetensors({model.metadata(), model.arrays()}));
  }
  std::int64_t weight_count() const { return (*predictor_).model().parameters().count(); }
  std::string config() const { return to_json((*predictor_).model().config()); }
  int threads() const { return (*predictor_).threads(); }
  std::pair<std::vector<std::string>, std::vector<std::string>> symbols() const {
    const Task& task = (*predictor_).model().task();
    const auto texts = [](const Vocabulary& vocabulary) {
      std::vector<std::string> all;
      for (int i = 0; i < vocabulary.size(); ++i) all.push_back(vocabulary.text(i));
      return all;
    };
    return {texts(task.source()), texts(task.target())};
  }
  // The numbers of a line's first source and of a target, as the network reads them, each with the stop symbol.
  std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> encode(nb::str line, nb::str target) const;

  // Copies, by name.
  nb::dict weights() const {
    const Parameters& parameters = (*predictor_).model().parameters();
    nb::dict all;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const std::span<const Real> values = parameters.values(entry);
      auto* copy = new float[values.size()];
      std::ranges::copy(values, copy);
      const nb::capsule owner(copy, [](void* it) noexcept { delete[] static_cast<float*>(it); });
      std::vector<std::size_t> shape;
      for (int i = 0; i < entry.shape.axes(); ++i) shape.push_back(as_size(entry.shape[i]));
      all[to_python(entry.name)] = nb::cast(Vector(copy, shape.size(), shape.data(), owner));
    }
    return all;
  }

 private:
  OfThisProcess<Predictor> predictor_;
};

std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> OpenedModel::encode(nb::str line,
                                                                                    nb::str target) const {
  const Task& task = (*predictor_).model().task();
  const Reading reading = task.encode_source(bytes_of(line, "the line"));
  if (reading.sources.size() != 1) throw usage_error("only a model with one source of text has its symbols numbered");
  std::vector<std::int32_t> source(reading.sources[0].symbols.begin(), reading.sources[0].symbols.end());
  const Symbols symbols = task.encode_target(bytes_of(target, "target"));
  std::vector<std::int32_t> answer(symbols.begin(), symbols.end());
  source.push_back(Vocabulary::stop);
  answer.push_back(Vocabulary::stop);
  return {std::move(source), std::move(answer)};
}

}  // namespace

void add_model(nb::module_& m) {
  nb::class_<Output>(m, "Output")
      .def("json", [](const Output& output) { return output_to_json(output); })
      .def("html", [](const Output& output) { return draw_html(maps_to_draw(output, -1, -1)); })
      .def(
          "svg",
          [](const Output& output, std::optional<std::size_t> map) {
            return map ? draw_svg(output, {.map = *map}) : draw_svg(maps_to_draw(output, -1, -1));
          },
          nb::arg("map").none())
      .def(
          "text_map",
          [](const Output& output, int width) {
            TerminalOptions options;
            options.width = width;
            if (!output.maps.empty()) options.map = 0;
            return draw_terminal(maps_to_draw(output, -1, -1), options);
          },
          nb::arg("width"));
  nb::class_<OpenedModel>(m, "Model")
      .def(nb::init<const std::vector<std::string>&, int, bool>(), nb::arg("paths"), nb::arg("threads"),
           nb::arg("int8"))
      .def(nb::init<nb::bytes, int, bool>(), nb::arg("content"), nb::arg("threads"), nb::arg("int8"))
      .def("predict", &OpenedModel::predict, nb::arg("lines"), nb::arg("options"), nb::arg("wanted"))
      .def("look", &OpenedModel::look, nb::arg("line"), nb::arg("target"), nb::arg("options"), nb::arg("words"),
           nb::arg("drawn"))
      .def("evaluate", &OpenedModel::evaluate, nb::arg("options"), nb::arg("rows").none())
      .def("bytes", &OpenedModel::bytes)
      .def("save", &OpenedModel::save, nb::arg("path"))
      .def("weight_count", &OpenedModel::weight_count)
      .def("config", &OpenedModel::config)
      .def("threads", &OpenedModel::threads)
      .def("symbols", &OpenedModel::symbols)
      .def("encode", &OpenedModel::encode, nb::arg("line"), nb::arg("target"))
      .def("weights", &OpenedModel::weights);
  m.def("search_options", [] {
    Asked asked;
    return to_json(asked);
  });
}

}  // namespace fovea::python
