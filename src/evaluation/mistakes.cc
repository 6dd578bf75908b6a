#include "evaluation/mistakes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/as_size.h"
#include "base/utf8.h"
#include "data/normalise.h"
#include "tasks/metrics/edits.h"

namespace fovea {

namespace {

constexpr std::size_t confusions_shown = 30;

using ClassMap = std::map<std::int64_t, SourceClass>;

struct Counted {
  bool right = false;
  bool among = false;
  double chance = 0;
};

void count(ClassMap& classes, std::int64_t place, std::string name, const Counted& counted) {
  SourceClass& one = classes[place];
  one.name = std::move(name);
  ++one.sources;
  one.right += counted.right;
  one.among += counted.among;
  one.chance += counted.chance;
}

// By the place among the symbols of the training data, from 1.
void count_by_place(ClassMap& classes, std::int64_t place, const Counted& counted) {
  std::int64_t most = 10;
  while (most < place) most *= 10;
  count(classes, most, fmt::format("among the {} commonest", most), counted);
}

std::vector<SourceClass> listed(const ClassMap& classes) {
  std::vector<SourceClass> all;
  for (const auto& [place, one] : classes) all.push_back(one);
  return all;
}

// Of the first source of what was answered; what is not made of symbols has a length alone.
struct Rarity {
  int length = 0;
  bool symbols = false;
  int unseen = 0;
  int rarest = 0;  // place by falling frequency, from 1; 0: it has no known symbol
};

Rarity rarity_of(const Task& task, const Output& output) {
  Rarity rarity;
  const auto positions = std::ranges::count(output.source, 0, &SourceToken::source) - 1;  // without what closes it
  for (std::ptrdiff_t i = 0; i < positions; ++i) {
    const SourceToken& token = output.source[as_size(i)];
    ++rarity.length;
    rarity.symbols = !token.named;
    if (token.named) continue;
    const std::int32_t symbol = task.source().encode(token.text);
    if (symbol == Vocabulary::unknown) {
      ++rarity.unseen;
    } else {
      rarity.rarest = std::max(rarity.rarest, symbol - Vocabulary::first_symbol + 1);
    }
  }
  return rarity;
}

constexpr int many_symbols = 1000;  // words or pieces: of letters it says nothing how common they are

void count_wanted(const Task& task, std::span<const WantedSymbol> wanted, ClassMap& classes) {
  if (task.target().size() < many_symbols) return;
  for (const auto& [symbol, written] : wanted) {
    if (symbol == Vocabulary::unknown) {
      count(classes, std::numeric_limits<std::int64_t>::max(), "unknown to the model", {.right = written});
    } else {
      count_by_place(classes, symbol - Vocabulary::first_symbol + 1, {.right = written});
    }
  }
}

std::string formed(const std::string& text, bool lowercase) { return lowercase ? lower_case(text) : text; }

std::string mark(std::span<const Edit> path, std::string_view between) {
  std::string text;
  for (const Edit& edit : path) {
    if (!text.empty()) text += between;
    text += edit.same() ? std::string(edit.wanted) : fmt::format("[{}>{}]", edit.given, edit.wanted);
  }
  return text;
}

class Finder {
 public:
  explicit Finder(const Task& task) : tokenizer_(task.target_tokenizer()) {
    const std::vector<std::string> two = {"a", "b"};
    between_ = tokenizer_.join(two) == "a b" ? " " : "";
  }

  Mistake find(const Referenced& question, const Output& output, const std::string& answer, const std::string& target) {
    const auto wanted = tokenizer_.symbols(target), given = tokenizer_.symbols(answer);
    const std::vector<Edit> path = edit_path(wanted, given);
    confusions_.add(path);
    Mistake mistake = {.line = question.line,
                       .source = output.read_text(),
                       .answer = answer,
                       .target = target,
                       .marked = mark(path, between_) + (output.finished ? "" : "[…>]"),
                       .score = output.score,
                       .edits = edit_distance(target, answer)};
    if (mistake.source.empty()) mistake.source = question.source;
    return mistake;
  }

  const Confusions& confusions() const { return confusions_; }

 private:
  const Tokenizer& tokenizer_;
  std::string_view between_;
  Confusions confusions_;
};

double badness(const Mistake& mistake) {
  return static_cast<double>(mistake.edits) /
         static_cast<double>(std::max<std::int64_t>(1, count_characters(mistake.target)));
}

}  // namespace

std::vector<WantedSymbol> wanted_symbols(const Task& task, const std::string& target, const std::string& answer,
                                         bool lowercase) {
  const auto form = [&](std::string_view symbol) { return formed(std::string(symbol), lowercase); };
  std::map<std::string, int> given;
  for (const std::string_view symbol : task.target_tokenizer().symbols(answer)) ++given[form(symbol)];
  std::vector<WantedSymbol> wanted;
  for (const std::string_view symbol : task.target_tokenizer().symbols(target)) {
    wanted.push_back({task.target().encode(symbol), given[form(symbol)]-- > 0});
  }
  return wanted;
}

const std::string& nearest_target(const Referenced& question, const std::string& answer, bool lowercase) {
  std::vector<std::string> references;
  for (const std::string& reference : question.references) references.push_back(formed(reference, lowercase));
  const std::string& nearest = nearest_reference(references, formed(answer, lowercase));
  return question.references[as_size(&nearest - references.data())];
}

bool is_right_among(const Referenced& question, const Prediction& prediction, bool lowercase) {
  const auto form = [&](const std::string& text) { return formed(text, lowercase); };
  return std::ranges::any_of(prediction.output.nbest, [&](const Hypothesis& one) {
    return one.finished && std::ranges::any_of(question.references, [&](const std::string& reference) {
             return form(reference) == form(one.text);
           });
  });
}

std::vector<ScoredLine> scored_lines(std::span<const Example> examples, std::span<const Prediction> predictions) {
  std::vector<ScoredLine> all;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto& scored = predictions[i].scored;
    if (!scored) continue;
    Perplexity perplexity;
    perplexity.add(*scored);
    const ScoredToken& hardest = *std::ranges::min_element(scored->tokens, {}, &ScoredToken::log_probability);
    all.push_back(
        {examples[i].line, examples[i].target, perplexity.value(), hardest.token, std::exp(hardest.log_probability)});
  }
  std::ranges::stable_sort(all, std::greater(), &ScoredLine::perplexity);
  return all;
}

Mistakes find_mistakes(const Task& task, std::span<const Referenced> questions, std::span<const Prediction> predictions,
                       const MeasureOptions& options) {
  Mistakes all;
  all.sources = std::ssize(questions);
  all.positions = task.traits().positions;
  Finder finder(task);
  std::vector<Rarity> rarities;
  for (const Prediction& prediction : predictions) rarities.push_back(rarity_of(task, prediction.output));
  int longest = 0;
  for (const Rarity& rarity : rarities) longest = std::max(longest, rarity.length);
  const int width = std::max(1, (longest + 7) / 8);
  ClassMap lengths, rarest, unseen, wanted;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string& written = predictions[i].output.text;
    const std::string& nearest = nearest_target(questions[i], written, options.lowercase);
    const std::string answer = formed(written, options.lowercase), target = formed(nearest, options.lowercase);
    const bool right = target == answer && predictions[i].output.finished;
    count_wanted(task, wanted_symbols(task, nearest, written, options.lowercase), wanted);
    all.answers = std::max(all.answers, static_cast<int>(predictions[i].output.nbest.size()));
    if (!right) all.wrong.push_back(finder.find(questions[i], predictions[i].output, answer, target));
    const Rarity& rarity = rarities[i];
    if (rarity.length == 0) continue;
    const Counted counted = {right, is_right_among(questions[i], predictions[i], options.lowercase),
                             1.0 / rarity.length};
    const int first = (rarity.length - 1) / width * width + 1;
    count(lengths, first, width == 1 ? std::to_string(first) : fmt::format("{} to {}", first, first + width - 1),
          counted);
    if (!rarity.symbols) continue;
    count(unseen, std::min(rarity.unseen, 3), rarity.unseen < 3 ? std::to_string(rarity.unseen) : "3 or more", counted);
    if (rarity.rarest > 0) count_by_place(rarest, rarity.rarest, counted);
  }
  std::ranges::stable_sort(all.wrong, [](const Mistake& a, const Mistake& b) {
    return badness(a) != badness(b) ? badness(a) > badness(b) : a.score > b.score;  // sure of what is wrong: worse
  });
  all.confusions = finder.confusions().top(confusions_shown);
  all.by_length = listed(lengths);
  all.by_rarest = listed(rarest);
  all.by_unseen = listed(unseen);
  all.by_wanted = listed(wanted);
  return all;
}

}  // namespace fovea
