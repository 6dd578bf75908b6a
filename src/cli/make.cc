#include "cli/commands.h"
#include "cli/out.h"
#include "data/makers/maker.h"

namespace fovea {

int MakeCommand::run() const {
  const Maker& maker = makers().find(name);
  for (std::int64_t i = 0; i < count; ++i) {
    const Example example = maker.make(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(i));
    write_out(example.source + "\t" + example.target + "\n");
  }
  flush_out();
  return 0;
}

}  // namespace fovea
