// The options of every member of a list (base/registry.h), where each member declares its own.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/options.h"

namespace fovea {

// Settings have `fields`, and `copy` (see Copied).
template <class Settings>
class MemberOptions {
 public:
  explicit MemberOptions(std::vector<std::unique_ptr<Settings>> members) : members_(std::move(members)) {}
  MemberOptions(const MemberOptions& other) { *this = other; }
  MemberOptions& operator=(const MemberOptions& other) {
    std::vector<std::unique_ptr<Settings>> copies;
    for (const auto& settings : other.members_) copies.push_back(settings->copy());
    members_ = std::move(copies);
    return *this;
  }
  ~MemberOptions() = default;

  void fields(FieldVisitor& visit) {
    for (const auto& settings : members_) settings->fields(visit);
  }
  const std::vector<std::unique_ptr<Settings>>& members() const { return members_; }

 private:
  std::vector<std::unique_ptr<Settings>> members_;
};

// What settings are derived from so that they can be copied.
template <class Settings, class Base>
class Copied : public Base {
 public:
  using Base::Base;
  std::unique_ptr<Base> copy() const override {
    return std::make_unique<Settings>(static_cast<const Settings&>(*this));
  }
};

}  // namespace fovea
