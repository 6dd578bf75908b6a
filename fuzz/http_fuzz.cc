// A request as it comes: its head, its body, in which Boost.Beast finds the same unless it refuses it, and what follows
// as a question to a model. Wherever the bytes are cut, what will be taken is waited for.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "base/as_size.h"
#include "fuzz.h"
#include "server/access.h"
#include "server/http.h"
#include "server/inquiry.h"

using namespace fovea;

namespace {

constexpr std::size_t body_limit = 1 << 20;

// Whether it was taken; a refusal is one line that is safe to print.
template <class Parse>
bool answered(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const HttpError& error) {
    const std::string_view message = error.what();
    must(error.status() >= 400 && error.status() < 600);
    must(!message.empty() && message.size() < 10'000 && !find_control(message) && !find_invalid_utf8(message));
    return false;
  }
}

// Holds a complete body against the one that the library finds; what that refuses need not be refused here.
void compare_with_library(std::string_view bytes, const HttpRequest& request, std::string_view body) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.eager(true);
  parser.header_limit(1 << 16);
  parser.body_limit(body_limit);
  boost::system::error_code error;
  // Given less than the end of a chunked body has, "0\r\n\r\n", a second time, the parser's assertions fail.
  while (bytes.size() >= 5 && !parser.is_done() && !error) {
    bytes.remove_prefix(parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error));
  }
  if (!parser.is_done()) return;
  must(parser.get().body() == body);
  const auto there = std::distance(parser.get().begin(), parser.get().end());
  must(as_size(there) >= request.fields.size());  // and what a chunked body has at its end
}

// The body, its bytes come in two parts; nothing if it is refused or not complete.
std::optional<std::string> read_body(const HttpRequest& request, std::string_view bytes, std::size_t cut) {
  std::optional<std::string> text;
  answered([&] {
    HttpBody body(request, body_limit);
    std::size_t used = body.take(bytes.substr(0, cut));
    must(used <= cut);
    used += body.take(bytes.substr(used));
    must(used <= bytes.size() && body.text.size() <= body_limit);
    if (body.complete()) text = body.text;
  });
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = as_text(data, size);
  for (const bool explain : {false, true}) {
    answered([&] {
      const Inquiry inquiry = parse_inquiry(bytes, explain);
      must(inquiry.lines.size() <= InquiryLimits().lines);
      must(inquiry.options.predict_options().open_files == OpenFiles::none);
      must(!inquiry.key().empty());
    });
  }
  std::size_t head = 0;
  HttpRequest request;
  if (!answered([&] { head = head_size(bytes); })) return 0;
  if (head == 0) return 0;
  for (std::size_t cut = head / 2; cut < head; cut += std::max<std::size_t>(1, head / 8)) {
    must(head_size(bytes.substr(0, cut)) == 0);
  }
  if (!answered([&] { request = parse_head(bytes.substr(0, head)); })) return 0;
  must(!request.field("host").empty() && request.path.starts_with('/'));
  query_value(request.query, "model");
  const Access access("127.0.0.1", 8000, {"example.org"}, {"https://example.org"});
  answered([&] { access.check(request); });
  access.reply_fields(request);
  const std::string_view behind = bytes.substr(head);
  const std::optional<std::string> body = read_body(request, behind, behind.size());
  must(read_body(request, behind, behind.size() / 2) == body);
  if (body) compare_with_library(bytes, request, *body);
  return 0;
}
