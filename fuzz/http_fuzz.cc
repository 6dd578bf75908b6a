// A request as it comes: its head, taken only if Boost.Beast reads the same in it, and what follows as a question to a
// model. Wherever the bytes are cut, a head that will be taken is waited for.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/as_size.h"
#include "fuzz.h"
#include "server/access.h"
#include "server/http.h"
#include "server/inquiry.h"

using namespace fovea;

namespace {

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

// The body that the library finds, fed in two parts; false if it refuses the request.
bool read_by_library(std::string_view bytes, std::size_t cut, std::size_t fields) {
  namespace http = boost::beast::http;
  http::request_parser<http::string_body> parser;
  parser.eager(true);
  parser.header_limit(1 << 16);
  parser.body_limit(1 << 20);
  boost::system::error_code error;
  std::size_t used = 0;
  for (const std::size_t end : {std::min(cut, bytes.size()), bytes.size()}) {
    while (end - used >= 5 && !parser.is_done() && !error) {  // as server/listener.cc does
      used += parser.put(boost::asio::buffer(bytes.data() + used, end - used), error);
    }
    if (error && error != http::error::need_more) return false;
    error = {};
  }
  if (!parser.is_header_done()) return true;  // bodies need not be complete
  const auto there = std::distance(parser.get().begin(), parser.get().end());
  must(as_size(there) >= fields);  // and what a chunked body has at its end
  return true;
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
  read_by_library(bytes, head + (size - head) / 2, request.fields.size());
  return 0;
}
