// What an Error says.
#pragma once

#include <string>

#include "base/error.h"

namespace fovea {

// Of a call that is to be refused.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace fovea
