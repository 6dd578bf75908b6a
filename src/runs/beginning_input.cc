#include "runs/beginning_input.h"

#include "base/json.h"
#include "base/utf8.h"
#include "training/checkpoint.h"

namespace fovea {

namespace {

// The same of runs/a, runs/a/ and ./runs/a.
std::string name_of(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.lexically_normal();
  return printable((plain.has_filename() ? plain : plain.parent_path()).string());
}

TensorHeader read_header(Files& files, const std::filesystem::path& path) {
  TensorHeader header;
  read_safetensors(files.open(path), path.string(), [&](const TensorHeader& read) {
    header = read;
    return [](std::size_t, std::size_t, std::span<const float>) {};
  });
  return header;
}

}  // namespace

std::shared_ptr<const Beginning> find_beginning(Files& files, const std::filesystem::path& from,
                                                const std::filesystem::path& folder, bool fresh, Ranks& ranks) {
  if (from.empty()) return {};
  auto beginning = std::make_shared<Beginning>();
  beginning->name = name_of(from);
  TensorHeader told;
  if (ranks.first()) {
    if (resumes(files, folder, fresh)) {
      const std::filesystem::path checkpoint = folder / checkpoint_file_name;
      told = read_header(files, checkpoint);
      check_same_beginning(told, beginning->name, folder);
      beginning->model = Model::described_by(told, checkpoint.string());
    } else {
      beginning->model = load_model(files, from);
      told.metadata = beginning->model->metadata();
    }
  }
  if (ranks.count() > 1) {
    std::string text = json_text(Json(told.metadata));
    ranks.broadcast(text);
    if (!ranks.first()) {
      told.metadata = parse_json(text).get<std::map<std::string, std::string>>();
      beginning->model = Model::described_by(told, beginning->name);
    }
  }
  return beginning;
}

}  // namespace fovea
