// HTTP as the routes see it: requests that have come in full, replies, refusals. How a request's head is read,
// strictly: what two programs could read in two ways is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string path;   // as it was sent
  std::string query;  // behind the question mark
  HttpFields fields;  // names in lower case
  bool keep_alive = true;
  std::string body = {};

  // The value of a field; empty: there is none.
  std::string_view field(std::string_view name) const;
};

class EventLog;

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  HttpFields fields = {};
  // Instead of the body: events from that number on, for as long as they come.
  std::shared_ptr<EventLog> events = {};
  std::int64_t first_event = 0;
};

// What a request is refused with.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message, HttpFields fields = {})
      : std::runtime_error(message), status_(status), fields_(std::move(fields)) {}
  int status() const { return status_; }
  HttpReply reply() const;

 private:
  int status_;
  HttpFields fields_;
};

struct HeadLimits {
  std::size_t bytes = 16 << 10;
  std::size_t first_line = 8 << 10;
  std::size_t fields = 64;
};

// How many of the bytes that have come are the head, its empty line included; 0: it is not complete. Throws an
// HttpError as soon as it cannot become one.
std::size_t head_size(std::string_view bytes, const HeadLimits& limits = {});

// A complete one. Throws an HttpError.
HttpRequest parse_head(std::string_view head, const HeadLimits& limits = {});

// What follows a head: as many bytes as it says, or chunks, as strictly as the head is read.
class HttpBody {
 public:
  HttpBody(const HttpRequest& request, std::size_t limit);

  // Takes what has come of it and says how many bytes that is; the rest is to come again with more behind it. Throws an
  // HttpError.
  std::size_t take(std::string_view bytes);
  bool complete() const { return next_ == Next::nothing; }
  std::string text = {};

 private:
  enum class Next { size, data, end_of_data, trailer, nothing };

  void expect(std::size_t count);
  void take_line(std::string_view line);

  std::size_t limit_;
  std::size_t left_ = 0;  // of the data
  bool chunked_;
  Next next_ = Next::size;
};

// What comes before the body, the empty line included.
std::string reply_head(const HttpReply& reply, bool keep_alive);

// The value that a query has for a name, percent signs decoded; empty: none.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace fovea
