#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/completions/writers.h"
#include "cli/out.h"

namespace fovea {

namespace {

struct Shell {
  const char* name;
  std::string (*write)(const ProgramHelp& help);
};
constexpr std::array<Shell, 3> known = {
    {{"bash", bash_completions}, {"zsh", zsh_completions}, {"fish", fish_completions}}};

}  // namespace

std::vector<std::string> CompletionsCommand::shells() {
  std::vector<std::string> names;
  for (const Shell& one : known) names.emplace_back(one.name);
  return names;
}

int CompletionsCommand::run() const {
  const auto found = std::ranges::find(known, shell, &Shell::name);
  if (found == known.end()) {
    throw usage_error("no completions for \"{}\"; there are those for {}", printable(shell), fmt::join(shells(), ", "));
  }
  write_out(found->write(program_help()));
  flush_out();
  return 0;
}

}  // namespace fovea
