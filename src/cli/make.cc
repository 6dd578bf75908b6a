#include "cli/commands.h"
#include "cli/out.h"
#include "data/makers/maker.h"

namespace fovea {

int MakeCommand::run() const {
  const MakeLine make = makers().find(name).start(options, static_cast<std::uint64_t>(seed));
  for (std::int64_t i = 0; i < count; ++i) {
    const Example example = make(static_cast<std::uint64_t>(i));
    std::string line = example.source;
    for (const std::string& other : example.others) line += "\t" + other;
    write_out(line + "\t" + example.target + "\n");
  }
  flush_out();
  return 0;
}

}  // namespace fovea
