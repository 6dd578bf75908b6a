#include "tensor/shape.h"

#include <fmt/format.h>

// What Shape::Text is formatted by. fmt/core.h, which all files read, only declares it: it is compiled here, once.
template auto fmt::formatter<fmt::string_view>::format<fmt::format_context>(const fmt::string_view& text,
                                                                            fmt::format_context& context) const
    -> decltype(context.out());
