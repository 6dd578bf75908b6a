// Text between Python and the library. What is no text is a data_error that says where.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "fovea.h"

namespace fovea::python {

namespace nb = nanobind;

// The bytes of a str, which belong to it; nothing if it is none, or none that UTF-8 can hold.
inline std::optional<std::string_view> utf8_of(nb::handle text) {
  if (!PyUnicode_Check(text.ptr())) return {};
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data) return std::string_view(data, as_size(size));
  PyErr_Clear();
  return {};
}

inline std::string_view bytes_of(nb::handle text, const std::string& what) {
  if (const auto bytes = utf8_of(text)) return *bytes;
  if (PyUnicode_Check(text.ptr())) throw data_error("{}: has half a surrogate pair, which no UTF-8 can hold", what);
  throw data_error("{}: wants text, got {}", what, nb::type_name(text.type()).c_str());
}

inline std::vector<std::string> lines_of(nb::list list) {
  std::vector<std::string> lines;
  lines.reserve(list.size());
  for (nb::handle line : list) {
    const auto bytes = utf8_of(line);
    lines.emplace_back(bytes ? *bytes : bytes_of(line, fmt::format("line {}", lines.size() + 1)));
  }
  return lines;
}

// Rows of as many texts as there are names of columns (data/columns.h).
inline std::vector<Example> examples_of(nb::list rows, const std::vector<std::string>& names) {
  std::vector<Example> examples;
  examples.reserve(rows.size());
  const std::vector<std::string> columns = names.empty() ? std::vector<std::string>{"source", "target"} : names;
  for (nb::handle row : rows) {
    const std::string where = fmt::format("line {}", examples.size() + 1);
    const bool fits = PyTuple_Check(row.ptr()) && PyTuple_Size(row.ptr()) == std::ssize(columns);
    if (!fits) throw data_error("{}: wants a tuple of {} texts: {}", where, columns.size(), Columns(columns).text());
    Example example;
    example.line = std::ssize(examples) + 1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string text(bytes_of(nb::borrow<nb::tuple>(row)[i], where));
      if (columns[i] == "source")
        example.source = text;
      else if (columns[i] == "target")
        example.target = text;
      else if (columns[i] == "features")
        example.features = text;
      else if (columns[i] == "alignment")
        example.alignment = text;
      else if (columns[i] != "skip")
        example.others.push_back(text);
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

// U+FFFD for what is not UTF-8, though nothing of the library should be.
inline nb::object to_python(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace fovea::python
