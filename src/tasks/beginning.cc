#include "tasks/beginning.h"

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

// The numbers of an array from axis `axis` on, into one of the same axes that are at least as long.
void copy_part(const Shape& from, std::span<const Real> values, const Shape& to, std::span<Real> places, int axis) {
  if (axis + 1 == from.axes()) {
    std::ranges::copy(values, places.begin());
    return;
  }
  const auto rows = as_size(from[axis]);
  const std::size_t read = values.size() / rows, written = places.size() / as_size(to[axis]);
  for (std::size_t row = 0; row < rows; ++row) {
    copy_part(from, values.subspan(row * read, read), to, places.subspan(row * written, written), axis + 1);
  }
}

bool fits(const Shape& from, const Shape& to) {
  if (from.axes() != to.axes()) return false;
  for (int i = 0; i < from.axes(); ++i) {
    if (from[i] > to[i]) return false;
  }
  return true;
}

bool may_differ(std::string_view setting) {
  return setting.starts_with("training.") || setting.starts_with("objective.") || setting == "columns" ||
         setting == "max_length" || setting.ends_with(".folder") || setting.ends_with(".min_count") ||
         setting.ends_with(".max_symbols") || setting.ends_with(".vectors");
}

}  // namespace

void take_weights(Model& model, const Model& from) {
  const auto& known = from.parameters().entries();
  for (const Parameters::Entry& entry : model.parameters().entries()) {
    const auto found = std::ranges::find(known, entry.name, &Parameters::Entry::name);
    if (found == known.end() || !fits(found->shape, entry.shape)) {
      throw usage_error(
          "the model to begin from has no weight {} {}, which these settings ask for; leave out what it "
          "was not trained with",
          entry.name, entry.shape.text());
    }
    copy_part(found->shape, from.parameters().values(*found), entry.shape, model.parameters().values(entry), 0);
  }
  model.parameters().invalidate_packed();
}

void check_settings_kept(const Config& model, const Config& asked) {
  const auto theirs = ConstFieldsRef(model).visit().fields(), mine = ConstFieldsRef(asked).visit().fields();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (may_differ(mine[i].name) || value_text(mine[i]) == value_text(theirs[i])) continue;
    throw usage_error(
        "{} = {}, but the model given by `from` has {}, which stays; leave the setting out, or train a "
        "new model",
        mine[i].name, value_text(mine[i]), value_text(theirs[i]));
  }
}

}  // namespace fovea
