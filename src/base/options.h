// Options: declared once, in a struct's `fields`, and from there read as flags, TOML and JSON, written back, and
// described in help.
//
//   struct EncoderOptions {
//     std::string kind = "rnn";
//     int layers = 1;
//     template <class Visitor>
//     void fields(Visitor& visit) {
//       visit("kind", kind, "what reads the source", one_of({"rnn", "embedding"}));
//       visit("layers", layers, "recurrent layers", between(1, 64));
//     }
//   };
//   struct Config {
//     EncoderOptions encoder;
//     template <class Visitor>
//     void fields(Visitor& visit) { visit.group("encoder", encoder, "reads the source"); }
//   };
//   Config config;
//   read_toml(config, text, "run.toml");
//   set_field(config, "encoder.layers=2");
//
// `fields` may as well be a plain `void fields(FieldVisitor& visit)` defined in a .cc file.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/periods.h"

namespace fovea {

// What a value must satisfy beyond its type.
struct Rule {
  std::vector<std::string> names;  // unless empty, all that a text, or each text of a list, may be
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // Decides instead of the names, which are then examples: throws an Error that says what is wanted.
  void (*check)(std::string_view text) = nullptr;
  bool file = false;  // a text that names one: not for whoever has no business with the files here
  bool any = false;   // a text with whatever characters, zero bytes too
};

Rule one_of(std::vector<std::string> names);
Rule like(std::vector<std::string> examples, void (*check)(std::string_view text));
Rule between(double low, double high);  // both included
Rule at_least(double low);
Rule a_file();
Rule any_text();

using FieldRef =
    std::variant<bool*, int*, std::int64_t*, double*, std::string*, std::vector<std::string>*, Period*, BatchSize*>;

struct Field {
  std::string name;  // dotted: encoder.layers
  FieldRef value;
  std::string help;
  Rule rule;
  bool used = true;  // or its group is not
};

struct FieldGroup {
  std::string name;  // dotted; empty for the outermost
  std::string help;
  bool used = true;
};

// Collects what a struct declares; its order is the order of declaration.
class FieldVisitor {
 public:
  template <class T>
  void operator()(std::string_view name, T& value, std::string_view help, Rule rule = {}) {
    add(name, &value, help, std::move(rule));
  }

  // A group that is not used can be set, but is neither written nor described.
  template <class Options>
  void group(std::string_view name, Options& options, std::string_view help, bool used = true) {
    const std::string outer = enter(name, help, used);
    const bool outer_used = std::exchange(used_, used_ && used);
    options.fields(*this);
    used_ = outer_used;
    group_ = outer;
  }

  const std::vector<Field>& fields() const& { return fields_; }
  std::vector<Field> fields() && { return std::move(fields_); }  // so that a loop may run over visit().fields()
  const std::vector<FieldGroup>& groups() const { return groups_; }

 private:
  void add(std::string_view name, FieldRef value, std::string_view help, Rule rule);
  std::string enter(std::string_view name, std::string_view help, bool used);  // returns the group around it

  std::string group_;
  bool used_ = true;
  std::vector<Field> fields_;
  std::vector<FieldGroup> groups_ = {{"", "", true}};
};

// Refers to any struct with `fields`, which must outlive it.
class FieldsRef {
 public:
  template <class Options>
    requires requires(Options& options, FieldVisitor& visitor) { options.fields(visitor); }
  FieldsRef(Options& options)
      : options_(&options),
        declare_([](void* it, FieldVisitor& visitor) { static_cast<Options*>(it)->fields(visitor); }) {}

  FieldVisitor visit() const {
    FieldVisitor visitor;
    declare_(options_, visitor);
    return visitor;
  }

 private:
  void* options_;
  void (*declare_)(void*, FieldVisitor&);
};

// The same for those that only look. `fields` is not const, yet only declares.
class ConstFieldsRef {
 public:
  ConstFieldsRef(FieldsRef ref) : ref_(ref) {}
  template <class Options>
    requires requires(Options& options, FieldVisitor& visitor) { options.fields(visitor); }
  ConstFieldsRef(const Options& options) : ref_(const_cast<Options&>(options)) {}

  FieldVisitor visit() const { return ref_.visit(); }

 private:
  FieldsRef ref_;
};

// Reading changes the struct only if all was well, and leaves alone what the text does not name.

// Throws usage_errors with file:line:column, what is allowed, and for an unknown name the nearest known one.
void read_toml(FieldsRef config, std::string_view text, std::string_view file_name);

// "encoder.layers=2"; a list as "a+b+c" or "a,b,c". Throws usage_errors like read_toml, which name the input that the
// assignment came by, if that is given.
void set_field(FieldsRef config, std::string_view assignment, std::string_view input = {});

// The values of a JSON object, as a program gives them. Throws usage_errors like read_toml, which name each by its
// name.
void set_fields(FieldsRef config, std::string_view json);

// For text that comes with a model, or from whoever asks, and may be hostile: throws errors that start with `where`,
// of that kind, or model_errors where it is no JSON.
void read_json(FieldsRef config, std::string_view json, std::string_view where, ErrorKind kind = ErrorKind::model);

// Complete; each setting has its help as a comment.
std::string to_toml(ConstFieldsRef config);

// Compact, the same bytes for the same values.
std::string to_json(ConstFieldsRef config);

// A table of every dotted name, its value, its help and what is allowed.
std::string describe(ConstFieldsRef config);

std::vector<std::string> names(ConstFieldsRef config);

// The value as set_field reads it. A list text with a comma or a plus inside has no such form; TOML and JSON have no
// such limit.
std::string value_text(const Field& field);

}  // namespace fovea
