#include "server/http.h"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <ctime>
#include <fmt/core.h>

#include "base/as_size.h"
#include "base/json.h"
#include "base/utf8.h"

namespace fovea {

namespace http = boost::beast::http;

namespace {

HttpError bad_request(const std::string& message) { return {400, message}; }

bool is_token(std::string_view text) {
  constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || signs.find(c) != signs.npos;
  });
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t count(const HttpRequest& request, std::string_view name) {
  return as_size(std::ranges::count_if(request.fields, [&](const auto& field) { return field.first == name; }));
}

void parse_first_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) throw bad_request("the first line is not: METHOD /path HTTP/1.1");
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!is_token(method) || method.size() > 32) throw bad_request("the method is no word");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (version.starts_with("HTTP/") && version.size() == 8) throw HttpError(505, "only HTTP/1.1 is spoken here");
    throw bad_request("the first line does not end with HTTP/1.1");
  }
  const bool plain = std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
  if (!target.starts_with('/') || !plain) throw bad_request("the path does not begin with a slash, or is not ASCII");
  request.method = method;
  request.path = target.substr(0, target.find('?'));
  request.query = request.path.size() < target.size() ? target.substr(request.path.size() + 1) : "";
  request.keep_alive = version == "HTTP/1.1";
}

void parse_field(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) {
    throw bad_request("a header field is not: Name: value");  // a space before the colon, or a folded line
  }
  request.fields.emplace_back(ascii_lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
}

// Where the body ends must be beyond doubt.
void check_framing(const HttpRequest& request) {
  for (const std::string_view name :
       {"host", "content-length", "transfer-encoding", "content-type", "origin", "expect"}) {
    if (count(request, name) > 1) throw bad_request(fmt::format("{} is given twice", name));
  }
  if (request.field("host").empty()) throw bad_request("Host is missing");
  const std::string_view length = request.field("content-length");
  if (count(request, "content-length") > 0 &&
      (length.empty() || length.size() > 18 || length.find_first_not_of("0123456789") != length.npos)) {
    throw bad_request("Content-Length is no number");
  }
  if (count(request, "transfer-encoding") > 0) {
    if (ascii_lower(request.field("transfer-encoding")) != "chunked")
      throw HttpError(501, "Transfer-Encoding is not chunked");
    if (count(request, "content-length") > 0 || !request.keep_alive) {
      throw bad_request("Transfer-Encoding beside Content-Length, or of HTTP/1.0");
    }
  }
  if (count(request, "upgrade") > 0 && ascii_lower(request.field("connection")).find("upgrade") != std::string::npos) {
    throw bad_request("nothing is upgraded here");
  }
}

HttpError not_as_said() { return bad_request("the body does not come as its header says"); }

// Of a line between the chunks of a body, CR LF included; 0: it is not complete.
std::size_t line_size(std::string_view bytes) {
  constexpr std::size_t most = 4 << 10;
  for (std::size_t at = 0; at < std::min(bytes.size(), most); ++at) {
    const bool after_cr = at > 0 && bytes[at - 1] == '\r';
    if (after_cr != (bytes[at] == '\n')) throw not_as_said();
    if (after_cr) return at + 1;
    if (is_control(bytes[at]) && bytes[at] != '\r') throw not_as_said();
  }
  if (bytes.size() >= most) throw not_as_said();
  return 0;
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (text[i] == '%' && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string_view HttpRequest::field(std::string_view name) const {
  const auto found = std::ranges::find_if(fields, [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string_view() : found->second;
}

HttpReply HttpError::reply() const {
  HttpReply reply;
  reply.status = status_;
  reply.body = json_text(Json{{"error", {{"code", status_}, {"message", what()}}}});
  reply.fields = fields_;
  return reply;
}

std::size_t head_size(std::string_view bytes, const HeadLimits& limits) {
  const std::string_view seen = bytes.substr(0, limits.bytes);
  std::size_t line = 0;  // where it begins
  for (std::size_t at = 0; at < seen.size(); ++at) {
    const char c = seen[at];
    if (c == '\n') {
      if (at == 0 || seen[at - 1] != '\r') throw bad_request("a line does not end with CR LF");
      if (at - line == 1 && line > 0) return at + 1;
      line = at + 1;
    } else if (at > 0 && seen[at - 1] == '\r') {
      throw bad_request("a CR without LF");
    } else if (is_control(c) && c != '\r') {
      throw bad_request("a control character in the header");
    }
    if (line == 0 && at >= limits.first_line && c != '\r') throw HttpError(414, "the path is too long");
  }
  if (bytes.size() >= limits.bytes)
    throw HttpError(431, fmt::format("the header has more than {} bytes", limits.bytes));
  return 0;
}

HttpRequest parse_head(std::string_view head, const HeadLimits& limits) {
  HttpRequest request;
  for (std::size_t start = 0; start + 2 < head.size();) {
    const std::size_t end = head.find("\r\n", start);
    const std::string_view line = head.substr(start, end - start);
    if (start == 0) {
      parse_first_line(line, request);
    } else {
      parse_field(line, request);
      if (request.fields.size() > limits.fields) {
        throw HttpError(431, fmt::format("there are more than {} header fields", limits.fields));
      }
    }
    start = end + 2;
  }
  check_framing(request);
  const std::string connection = ascii_lower(request.field("connection"));
  if (connection.find("close") != connection.npos) request.keep_alive = false;
  return request;
}

HttpBody::HttpBody(const HttpRequest& request, std::size_t limit)
    : limit_(limit), chunked_(!request.field("transfer-encoding").empty()) {
  if (chunked_) return;
  const std::string_view length = request.field("content-length");
  std::size_t count = 0;
  std::from_chars(length.data(), length.data() + length.size(), count);  // a number: parse_head has seen to it
  expect(count);
}

void HttpBody::expect(std::size_t count) {
  if (count > limit_ - text.size()) throw HttpError(413, fmt::format("the body has more than {} bytes", limit_));
  left_ = count;
  next_ = count > 0 ? Next::data : chunked_ ? Next::trailer : Next::nothing;
}

std::size_t HttpBody::take(std::string_view bytes) {
  std::size_t used = 0;
  while (next_ != Next::nothing && used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    if (next_ == Next::data) {
      const std::size_t count = std::min(left_, rest.size());
      text += rest.substr(0, count);
      left_ -= count;
      used += count;
      if (left_ == 0) next_ = chunked_ ? Next::end_of_data : Next::nothing;
      continue;
    }
    const std::size_t size = line_size(rest);
    if (size == 0) break;
    take_line(rest.substr(0, size - 2));
    used += size;
  }
  return used;
}

void HttpBody::take_line(std::string_view line) {
  if (next_ == Next::size) {
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count, 16);
    const std::string_view extension = line.substr(as_size(end - line.data()));  // says nothing here
    if (error != std::errc() || (!extension.empty() && extension[0] != ';')) throw not_as_said();
    expect(count);
  } else if (next_ == Next::end_of_data) {
    if (!line.empty()) throw not_as_said();
    next_ = Next::size;
  } else if (line.empty()) {
    next_ = Next::nothing;
  } else if (line.find(':') == line.npos) {
    throw not_as_said();  // fields at the end count for nothing, but must be fields
  }
}

std::string reply_head(const HttpReply& reply, bool keep_alive) {
  HttpFields fields = {{"Date", date()},
                       {"X-Content-Type-Options", "nosniff"},
                       {"Referrer-Policy", "no-referrer"},
                       {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (!reply.type.empty()) fields.emplace_back("Content-Type", reply.type);
  const bool cached = std::ranges::any_of(reply.fields, [](const auto& f) { return f.first == "Cache-Control"; });
  if (!cached) fields.emplace_back("Cache-Control", "no-store");
  if (!reply.events && reply.status != 204 && reply.status != 304) {
    fields.emplace_back("Content-Length", std::to_string(reply.body.size()));
  }
  if (!keep_alive) fields.emplace_back("Connection", "close");
  fields.insert(fields.end(), reply.fields.begin(), reply.fields.end());
  // The words behind the number mean nothing (RFC 9112, section 4), but people read them.
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(reply.status)));
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, std::string_view(reason.data(), reason.size()));
  for (const auto& [name, value] : fields) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n";
}

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    const std::size_t equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) return decoded(pair.substr(equals + 1));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

}  // namespace fovea
