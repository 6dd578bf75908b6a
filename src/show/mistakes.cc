#include "show/mistakes.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/counted.h"
#include "base/utf8.h"

namespace fovea {

namespace {

// What more there is to say of a class than how many are right: of several answers, and beside guessing.
struct MoreColumns {
  int answers = 1;
  bool chance = false;
};

double per_hundred(double part, std::int64_t all) { return 100 * part / static_cast<double>(all); }

void draw_classes(std::string_view title, std::string_view counted, std::span<const SourceClass> classes,
                  const MoreColumns& more, std::string& text) {
  if (classes.empty()) return;
  text += fmt::format("#\n# {:<28} {:>8} {:>8} {:>7}", title, counted, "right", "share");
  if (more.answers > 1) text += fmt::format(" {:>7}", fmt::format("top{}", more.answers));
  if (more.chance) text += fmt::format(" {:>7}", "chance");
  for (const SourceClass& one : classes) {
    text += fmt::format("\n# {:<28} {:>8} {:>8} {:>6.1f}%", one.name, one.sources, one.right,
                        per_hundred(static_cast<double>(one.right), one.sources));
    if (more.answers > 1) text += fmt::format(" {:>6.1f}%", per_hundred(static_cast<double>(one.among), one.sources));
    if (more.chance) text += fmt::format(" {:>6.1f}%", per_hundred(one.chance, one.sources));
  }
  text += "\n";
}

std::string draw_scored(std::span<const ScoredLine> lines) {
  std::string text = fmt::format("{}nothing is answered, {} by how badly they are foreseen\n", mistakes_beginning,
                                 counted(lines.size(), "line"));
  text += "#\n# line\tperplexity\ttext\tits least probable symbol\tprobability\n";
  for (const ScoredLine& one : lines) {
    text += fmt::format("{}\t{:.4g}\t{}\t{}\t{:.3g}\n", one.line, one.perplexity, printable(one.text),
                        printable(one.hardest), one.probability);
  }
  return text;
}

std::string shown(std::string_view symbol) { return symbol.empty() ? "nothing" : "\"" + printable(symbol) + "\""; }

}  // namespace

std::string draw_mistakes(const Mistakes& mistakes) {
  if (!mistakes.scored.empty()) return draw_scored(mistakes.scored);
  std::string text = fmt::format("{}{} of {} sources\n", mistakes_beginning, mistakes.wrong.size(), mistakes.sources);
  const MoreColumns more = {mistakes.answers, mistakes.positions};
  draw_classes("length of the source", "sources", mistakes.by_length, more, text);
  draw_classes("its rarest symbol", "sources", mistakes.by_rarest, more, text);
  draw_classes("symbols not in training data", "sources", mistakes.by_unseen, more, text);
  draw_classes("symbols of the targets", "wanted", mistakes.by_wanted, {}, text);
  if (!mistakes.confusions.empty()) text += "#\n# times  instead of what: what was written\n";
  for (const Confusion& one : mistakes.confusions) {
    text += fmt::format("# {:>5}  {}: {}\n", one.count, shown(one.wanted), shown(one.written));
  }
  text += "#\n# line\tsource\tanswer\ttarget\tscore\tedits\tmarked: [written>wanted]\n";
  for (const Mistake& one : mistakes.wrong) {
    text += fmt::format("{}\t{}\t{}\t{}\t{:.4f}\t{}\t{}\n", one.line, printable(one.source), printable(one.answer),
                        printable(one.target), one.score, one.edits, printable(one.marked));
  }
  return text;
}

}  // namespace fovea
