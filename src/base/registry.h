// A list whose members are files of their own: each file defines an entry with a name, and one line of a .def file adds
// it to the list. Options, help, listings and tests read the lists.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"

namespace fovea {

template <class Entry>
class Registry {
 public:
  // `what` is what one of them is called: "encoder".
  Registry(std::string_view what, std::vector<const Entry*> entries) : what_(what), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry* entry : entries_) names.emplace_back(entry->name);
    return names;
  }

  // A usage_error if there is none of that name.
  const Entry& find(std::string_view name) const {
    for (const Entry* entry : entries_) {
      if (entry->name == name) return *entry;
    }
    throw unknown_name(what_, name, names());
  }

 private:
  std::string_view what_;
  std::vector<const Entry*> entries_;
};

}  // namespace fovea
