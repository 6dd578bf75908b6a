#include <fmt/core.h>

#include "base/counted.h"
#include "cli/commands.h"
#include "base/json.h"
#include "cli/out.h"
#include "tasks/model.h"

namespace fovea {

int InspectCommand::run() const {
  Files files;
  const std::unique_ptr<Model> opened = load_model(files, model);
  const Parameters& parameters = opened->parameters();
  if (json) {
    Json object;
    object["weights"] = parameters.count();
    object["source_symbols"] = opened->task().source().size();
    object["target_symbols"] = opened->task().target().size();
    object["config"] = parse_json(to_json(opened->config()));
    for (const Parameters::Entry& entry : parameters.entries()) {
      auto& shape = object["arrays"][entry.name] = Json::array();
      for (int i = 0; i < entry.shape.axes(); ++i) shape.push_back(entry.shape[i]);
    }
    write_out(json_text(object) + "\n");
  } else {
    write_out(fmt::format("{}, {} source and {} target symbols\n\n", counted(parameters.count(), "weight"),
                          opened->task().source().size(), opened->task().target().size()));
    for (const Parameters::Entry& entry : parameters.entries()) {
      write_out(fmt::format("{:<36} {:<16} {:>10}\n", entry.name, entry.shape.text(), entry.shape.count()));
    }
    write_out("\n" + to_toml(opened->config()));
  }
  flush_out();
  return 0;
}

}  // namespace fovea
