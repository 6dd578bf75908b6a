#include "runs/check.h"

#include "base/error.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/out.h"

namespace fovea {

int CheckCommand::run() const {
  const DataCheck check = check_data(files, input);
  write_out(json ? check_to_json(check) : with_flags(draw_check(check)));
  flush_out();
  return check.looked_over.refused() ? static_cast<int>(ErrorKind::data) : 0;
}

}  // namespace fovea
