// The module fovea._engine: the public face of the library, and errors as exceptions. What Python programs see is made
// of it in python/fovea.
#include <nanobind/nanobind.h>

#include "calls.h"
#include "parts.h"
#include "texts.h"

namespace fovea::python {

namespace {

// The exceptions are classes of fovea.errors; this module is imported after that one.
void raise(const char* name, std::string_view text) {
  const nb::object type = nb::module_::import_("fovea.errors").attr(name);
  PyErr_SetObject(type.ptr(), to_python(text).ptr());
}

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::data:
      return "DataError";
    case ErrorKind::model:
      return "ModelError";
    case ErrorKind::gate:
    case ErrorKind::failure:
      break;
  }
  return "Error";
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& e) {
    raise(class_of(e.kind()), e.what());
  } catch (const SearchStopped&) {
    raise("Error", "stopped before all was answered");
  }
}

}  // namespace

}  // namespace fovea::python

NB_MODULE(_engine, m) {
  using namespace fovea::python;
  nanobind::set_leak_warnings(false);  // a thread that rests when the interpreter ends holds what it had
  nanobind::register_exception_translator(translate);
  m.attr("version") = FOVEA_VERSION;
  m.def("end_all", &Call::end_all);
  m.def("forget_all", &Call::forget_all);
  add_model(m);
  add_runs(m);
}
