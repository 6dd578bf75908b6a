// Answers as people see them.
#pragma once

#include <span>
#include <string>

#include "tasks/output.h"
#include "tasks/task.h"

namespace fovea {

// What was read, as it was written.
struct SourceText {
  std::string text;
  std::string features = {};
  std::vector<std::string> others = {};  // further sources
  std::string target = {};               // to be scored, or gone on with
  std::string folder = {};               // where files that it names are looked for; empty: where the program runs
  std::string begun = {};                // what is gone on with, as it was given: `target` may have another form
};

// Answers, best first, as text with what the model looked at. An unknown symbol is what the target has in its place, if
// one was given, else it is replaced by the source's most attended one, or what `dictionary` has for it. What was gone
// on with stands in the text as it was given.
Output make_output(const Task& task, const SourceText& text, const Reading& source, std::span<const Answer> answers,
                   const Lexicon* dictionary = nullptr);

// What can be seen or heard of the sources; none where a file is gone or forbidden.
std::vector<SourceMedia> media_of(const Task& task, const SourceText& text, OpenFiles open);

}  // namespace fovea
