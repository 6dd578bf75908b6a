#include <fmt/core.h>

#include "base/as_size.h"
#include "base/streams.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/signals.h"
#include "server/listener.h"

namespace fovea {

int ServeCommand::run() const {
  const int asked = threads > 0 ? threads : Workers::default_count();
  Api api(open_models({models.begin(), models.end()}, asked, int8 ? Precision::int8 : Precision::full), {},
          as_size(queue), files);
  Listener listener(options, api);
  catch_stop_signals();
  all_is_saved();  // there is nothing to save
  say(fmt::format("serving on {}\n", listener.url()));
  if (!listener.is_local()) {
    say("warning: whoever can reach this address can ask; there is no password (docs/http.md)\n");
  }
  listener.run(stop_signal());
  say("stopped\n");
  return 128 + stop_signal().load();
}

}  // namespace fovea
