#include "runs/film.h"

#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "runs/embedding_points.h"
#include "runs/run_folder.h"

namespace fovea {

namespace {

constexpr int max_frames = 64;
constexpr int max_tokens = 100;
constexpr std::size_t max_steps = 40, max_positions = 40, max_samples = 2;
constexpr std::uint64_t max_film_bytes = std::uint64_t(1) << 28;

// So many digits are enough for a picture, and what is read back is what was written.
double rounded(double value) { return std::round(value * 1e4) / 1e4 + 0.0; }

// The vectors of the source's symbols, or of the target's if the source has none.
struct Table {
  const Parameters::Entry* entry = nullptr;
  const Vocabulary* symbols = nullptr;
};
Table find_table(const Model& model) {
  const bool reads_symbols = !model.task().sources().empty() && model.task().source().size() > Vocabulary::first_symbol;
  const std::string_view name = reads_symbols ? "encoder.embedding.table" : "decoder.embedding.table";
  for (const Parameters::Entry& entry : model.parameters().entries()) {
    if (entry.name == name) return {&entry, reads_symbols ? &model.task().source() : &model.task().target()};
  }
  return {};
}

void add_embeddings(const Model& model, std::span<const FilmPoint> before, FilmFrame& frame) {
  const Table table = find_table(model);
  if (!table.entry || table.entry->shape[0] < table.symbols->size()) return;
  const int count = std::min(max_tokens, table.symbols->size() - Vocabulary::first_symbol);
  if (count < 3) return;
  for (int i = 0; i < count; ++i) frame.tokens.push_back(table.symbols->text(Vocabulary::first_symbol + i));
  const auto size = as_size(table.entry->shape[1]), tokens = as_size(count);
  frame.points = principal_points(
      model.parameters().values(*table.entry).subspan(Vocabulary::first_symbol * size, tokens * size), tokens, size);
  turn_towards(before, frame.points);
  for (FilmPoint& point : frame.points) point = {rounded(point.x), rounded(point.y)};
}

// What a picture of it shows: one map, a few steps and positions.
Output cut(const Output& output) {
  Output kept = output;
  const auto shorten_to = [](auto& list, std::size_t most, std::size_t& left_out) {
    if (list.size() <= most) return;
    left_out += list.size() - most;
    list.resize(most);
  };
  std::size_t positions = 0;
  shorten_to(kept.maps, 1, kept.left_out.maps);
  shorten_to(kept.steps, max_steps, kept.left_out.steps);
  shorten_to(kept.source, max_positions, kept.left_out.positions);
  kept.nbest.resize(std::min<std::size_t>(kept.nbest.size(), 1));
  for (OutputStep& step : kept.steps) {
    step.alternatives.resize(std::min<std::size_t>(step.alternatives.size(), 3));
    step.looks.resize(std::min<std::size_t>(step.looks.size(), 1));
    for (AttentionRow& look : step.looks) {
      shorten_to(look.weights, max_positions, positions);
      shorten_to(look.scores, max_positions, positions);
      for (float& weight : look.weights) weight = static_cast<float>(rounded(static_cast<double>(weight)));
      for (float& score : look.scores) score = static_cast<float>(rounded(static_cast<double>(score)));
    }
  }
  return kept;
}

template <class Use>
void for_each_line(const std::string& text, const Use& use) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    use(std::string_view(text).substr(start, end - start), end < text.size());
    start = end + 1;
  }
}

}  // namespace

int film_stride(int validations) {
  int stride = 1;
  while (validations / stride > max_frames) stride *= 2;
  return stride;
}

Film::Film(Files& files, std::filesystem::path folder, const Progress& progress)
    : files_(files), path_(std::move(folder) / film_file_name) {
  if (progress.update > 0 && files_.exists(path_)) {
    const int stride = film_stride(progress.validations);
    for_each_line(files_.read(path_, max_film_bytes), [&](std::string_view line, bool whole) {
      if (!whole) return;
      try {
        const FilmFrame frame = frame_from_json(line);
        if (frame.validation > progress.validations || frame.validation % stride != 0) return;
        frames_.push_back({frame.validation, std::string(line)});
        last_ = frame.points;
      } catch (const Error&) {  // of a killed run; made again, or never part of it
      }
    });
  }
  if (frames_.empty()) files_.remove_file(path_);
}

const std::string* Film::add(const ValidationReport& report, int validation, const Model& model) {
  const int stride = film_stride(validation);
  std::erase_if(frames_, [&](const Kept& frame) { return frame.validation % stride != 0; });
  const bool kept = validation % stride == 0;
  if (kept) {
    FilmFrame frame;
    frame.update = report.update;
    frame.validation = validation;
    add_embeddings(model, last_, frame);
    for (std::size_t i = 0; i < std::min(report.samples.size(), max_samples); ++i) {
      // The longer ones are worth more.
      frame.samples.push_back(cut(report.samples[report.samples.size() - 1 - i].answer));
    }
    last_ = frame.points;
    frames_.push_back({validation, frame_to_json(frame)});
  }
  write();
  return kept ? &frames_.back().line : nullptr;
}

void Film::write() {
  std::string text;
  for (const Kept& frame : frames_) text += frame.line + "\n";
  files_.write_atomically(path_, text);
}

std::vector<FilmFrame> read_film(Files& files, const std::filesystem::path& folder) {
  std::vector<FilmFrame> frames;
  if (!files.exists(folder / film_file_name)) {
    throw usage_error(
        "{} has no {}: give the folder of a run that came to a validation of training.validate_every; the one when a "
        "run "
        "stops leaves no frame: train on, or anew with a smaller training.validate_every",
        printable(folder.string()), film_file_name);
  }
  for_each_line(files.read(folder / film_file_name, max_film_bytes), [&](std::string_view line, bool whole) {
    if (whole) frames.push_back(frame_from_json(line));
  });
  if (frames.empty()) throw data_error("{} has no frames yet", printable((folder / film_file_name).string()));
  return frames;
}

}  // namespace fovea
