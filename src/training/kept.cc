#include "training/kept.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/utf8.h"

namespace fovea {

namespace {

constexpr std::string_view kept_prefix = "kept-";

std::string name_of(std::int64_t update, std::string_view file) {
  return fmt::format("{}{}.{}", kept_prefix, update, file);
}

std::optional<std::int64_t> update_of(std::string_view name) {
  if (!name.starts_with(kept_prefix)) return {};
  const std::string_view rest = name.substr(kept_prefix.size());
  std::int64_t update = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), update);
  if (problem != std::errc() || update < 0) return {};
  for (const char* file : {model_file_name, reverse_file_name}) {
    if (name == name_of(update, file)) return update;
  }
  return {};
}

// By update; of two that were trained together there are two names.
std::map<std::int64_t, std::vector<std::string>> all_kept(Files& files, const std::filesystem::path& folder) {
  std::map<std::int64_t, std::vector<std::string>> all;
  for (const std::string& name : files.names_in(folder)) {
    if (const auto update = update_of(name)) all[*update].push_back(name);
  }
  return all;
}

}  // namespace

bool is_kept_name(std::string_view name) { return update_of(name).has_value(); }

void keep_model(Files& files, const std::filesystem::path& folder, std::int64_t update, const ModelFiles& model) {
  for (const auto& [name, bytes] : model) files.write_atomically(folder / name_of(update, name), bytes);
}

void remove_older_kept(Files& files, const std::filesystem::path& folder, int most) {
  const auto all = all_kept(files, folder);
  std::size_t left = all.size();
  for (const auto& [update, names] : all) {
    if (left-- <= as_size(most)) return;
    for (const std::string& name : names) files.remove_file(folder / name);
  }
}

void remove_kept_after(Files& files, const std::filesystem::path& folder, std::int64_t update) {
  for (const auto& [kept, names] : all_kept(files, folder)) {
    for (const std::string& name : names) {
      if (kept > update) files.remove_file(folder / name);
    }
  }
}

std::vector<std::filesystem::path> last_kept_models(Files& files, const std::filesystem::path& folder, int count) {
  std::vector<std::filesystem::path> models;
  for (const auto& [update, names] : all_kept(files, folder)) {
    const std::string name = name_of(update, model_file_name);
    if (std::ranges::count(names, name) > 0) models.push_back(folder / name);
  }
  if (models.size() < as_size(count)) {
    throw usage_error("{} has {}, not {}; train with `keep` {}, and until there are so many",
                      printable(folder.string()), counted(models.size(), "kept model"), count, count);
  }
  models.erase(models.begin(), models.end() - count);
  return models;
}

}  // namespace fovea
