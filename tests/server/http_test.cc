// Heads and bodies of requests: what is one, what two programs could read differently, and both sides of every limit.
#include "server/http.h"

#include <gtest/gtest.h>

namespace fovea::http_test {
namespace {

constexpr const char* host = "Host: localhost:8000\r\n";

// The status it is refused with; 0: it is taken; -1: more is waited for.
int status_of(const std::string& bytes) {
  try {
    const std::size_t size = head_size(bytes);
    if (size == 0) return -1;
    parse_head(std::string_view(bytes).substr(0, size));
    return 0;
  } catch (const HttpError& e) {
    EXPECT_STRNE(e.what(), "");
    return e.status();
  }
}

std::string get(const std::string& fields, const std::string& first = "GET / HTTP/1.1\r\n") {
  return first + fields + "\r\n";
}

TEST(HttpHead, SaysWhatWasSent) {
  const std::string head =
      get("HOST: a\r\nX-Odd:  \t v w \t\r\nempty:\r\n", "POST /v1/run?model=a%20b+c&x=%zz HTTP/1.1\r\n");
  EXPECT_EQ(head_size(head + "body"), head.size());
  const HttpRequest request = parse_head(head);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/run");
  EXPECT_EQ(query_value(request.query, "model"), "a b c");
  EXPECT_EQ(query_value(request.query, "x"), "%zz");
  EXPECT_EQ(query_value(request.query, "y"), "");
  EXPECT_EQ(request.field("host"), "a");
  EXPECT_EQ(request.field("x-odd"), "v w");
  EXPECT_EQ(request.field("empty"), "");
  EXPECT_TRUE(request.keep_alive);
  EXPECT_FALSE(parse_head(get("Host: a\r\nConnection: Close\r\n")).keep_alive);
  EXPECT_FALSE(parse_head(get("Host: a\r\n", "GET / HTTP/1.0\r\n")).keep_alive);
}

TEST(HttpHead, EveryCutOfAGoodOneIsWaitedFor) {
  const std::string good = get(std::string(host) + "Content-Length: 3\r\n");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_EQ(status_of(good.substr(0, length)), -1) << length;
  EXPECT_EQ(status_of(good), 0);
}

TEST(HttpHead, RefusesWhatCouldBeReadInTwoWays) {
  const std::pair<int, std::string> cases[] = {
      {400, get("")},                        // no Host
      {400, get("Host:\r\n")},               // empty
      {400, get("Host: a\r\nHost: a\r\n")},  // twice
      {400, get(host + std::string("Content-Length: 1\r\nContent-Length: 1\r\n"))},
      {400, get(host + std::string("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"))},
      {400, get(host + std::string("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"))},
      {400, get(host + std::string("Content-Length: +5\r\n"))},
      {400, get(host + std::string("Content-Length: -5\r\n"))},
      {400, get(host + std::string("Content-Length: 0x5\r\n"))},
      {400, get(host + std::string("Content-Length: 5, 5\r\n"))},
      {400, get(host + std::string("Content-Length: \r\n"))},
      {400, get(host + std::string("Content-Length: 99999999999999999999\r\n"))},
      {501, get(host + std::string("Transfer-Encoding: chunked, gzip\r\n"))},
      {501, get(host + std::string("Transfer-Encoding: gzip, chunked\r\n"))},
      {501, get(host + std::string("Transfer-Encoding: xchunked\r\n"))},
      {501, get(host + std::string("Transfer-Encoding: identity\r\n"))},
      {501, get(host + std::string("Transfer-Encoding: \"chunked\"\r\n"))},
      {400, get(host + std::string("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"))},
      {400, get(host + std::string("Transfer-Encoding: chunked\r\n"), "POST / HTTP/1.0\r\n")},
      {400, get(host + std::string("Content-Length : 5\r\n"))},  // a space before the colon
      {400, get(host + std::string("A: b\r\n c\r\n"))},          // folded
      {400, get(" A: b\r\n" + std::string(host))},
      {400, get(host + std::string("no colon\r\n"))},
      {400, get(host + std::string(": no name\r\n"))},
      {400, get(host + std::string("n\xC3\xA4me: v\r\n"))},
      {400, get(host + std::string("A: b\nC: d\r\n"))},  // LF alone
      {400, get(host + std::string("A: b\rC: d\r\n"))},  // CR alone
      {400, get(host + std::string("A: \0b\r\n", 8))},   // a zero byte
      {400, get(host + std::string("A: \x1b[2J\r\n"))},  // what steers a terminal
      {400, get(host + std::string("A: \x7f\r\n"))},
      {400, get(host, "GET /\r\n")},  // HTTP/0.9
      {400, get(host, "GET  / HTTP/1.1\r\n")},
      {400, get(host, "GET / HTTP/1.1 \r\n")},
      {400, get(host, "GET / http/1.1\r\n")},
      {505, get(host, "GET / HTTP/2.0\r\n")},
      {505, get(host, "GET / HTTP/1.2\r\n")},
      {400, get(host, "GET / HTTP/1.10\r\n")},
      {400, get(host, "GET http://localhost:8000/ HTTP/1.1\r\n")},
      {400, get(host, "OPTIONS * HTTP/1.1\r\n")},
      {400, get(host, "CONNECT localhost:22 HTTP/1.1\r\n")},
      {400, get(host, "GET /\xC3\xA4 HTTP/1.1\r\n")},
      {400, get(host, "GET /a b HTTP/1.1\r\n")},
      {400, get(host, "GET /#a HTTP/1.1\r\n")},
      {400, get(host, "G(T / HTTP/1.1\r\n")},
      {400, get(host, " GET / HTTP/1.1\r\n")},
      {400, get(host + std::string("Connection: upgrade\r\nUpgrade: h2c\r\n"))},
      {400, "\x16\x03\x01\x02"},  // TLS
      {400, "\n"},
      {400, std::string("\0", 1)},
      {505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
  };
  for (const auto& [status, bytes] : cases) EXPECT_EQ(status_of(bytes), status) << bytes;
  EXPECT_EQ(status_of("\r\n" + get(host)), 400) << "an empty line first";
}

TEST(HttpHead, LimitsAreWhatTheyAreSaidToBe) {
  const HeadLimits limits;
  const auto first_line = [&](std::size_t bytes) {
    return get(host, "GET /" + std::string(bytes - std::string("GET / HTTP/1.1").size(), 'a') + " HTTP/1.1\r\n");
  };
  EXPECT_EQ(status_of(first_line(limits.first_line)), 0);
  EXPECT_EQ(status_of(first_line(limits.first_line + 1)), 414);
  EXPECT_EQ(status_of("GET /" + std::string(limits.first_line, 'a')), 414) << "at once, without its end";
  const auto fields = [&](std::size_t count) {
    std::string text = host;
    for (std::size_t i = 1; i < count; ++i) text += "a: b\r\n";
    return get(text);
  };
  EXPECT_EQ(status_of(fields(limits.fields)), 0);
  EXPECT_EQ(status_of(fields(limits.fields + 1)), 431);
  const auto head = [&](std::size_t bytes) {
    const std::string short_one = get(host + std::string("A: \r\n"));
    return get(host + std::string("A: ") + std::string(bytes - short_one.size(), 'b') + "\r\n");
  };
  EXPECT_EQ(head(limits.bytes).size(), limits.bytes);
  EXPECT_EQ(status_of(head(limits.bytes)), 0);
  EXPECT_EQ(status_of(head(limits.bytes + 1)), 431);
}

// The body, or the status it is refused with, or "..." if more is waited for; wherever it is cut in two.
std::string body_of(const std::string& bytes, const std::string& fields = "Transfer-Encoding: chunked\r\n") {
  const HttpRequest request = parse_head("POST / HTTP/1.1\r\n" + std::string(host) + fields + "\r\n");
  std::string first;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    std::string found = "...";
    try {
      HttpBody body(request, 16);
      const std::size_t used = body.take(std::string_view(bytes).substr(0, cut));
      body.take(std::string_view(bytes).substr(used));
      if (body.complete()) found = body.text;
    } catch (const HttpError& e) {
      found = std::to_string(e.status());
    }
    EXPECT_TRUE(cut == 0 || found == first) << found << ", not " << first << ", cut at " << cut << ": " << bytes;
    first = found;
  }
  return first;
}

TEST(HttpBody, ComesByItsLengthOrInChunks) {
  EXPECT_EQ(body_of("", ""), "");
  EXPECT_EQ(body_of("a\nbc", "Content-Length: 3\r\n"), "a\nb") << "what follows is of the next request";
  EXPECT_EQ(body_of("ab", "Content-Length: 3\r\n"), "...");
  EXPECT_EQ(body_of("0\r\n\r\n"), "");
  EXPECT_EQ(body_of("3\r\na\nb\r\n0A;name=\"a b\"\r\n0123456789\r\n0\r\nHost: other\r\n\r\n"), "a\nb0123456789");
  EXPECT_EQ(body_of("3\r\nabc\r\n0\r\n"), "...");
  EXPECT_EQ(body_of(std::string(16, 'a'), "Content-Length: 16\r\n"), std::string(16, 'a'));
  EXPECT_EQ(body_of("10\r\n0123456789abcdef\r\n0\r\n\r\n"), "0123456789abcdef");
  EXPECT_EQ(body_of("", "Content-Length: 17\r\n"), "413");
  EXPECT_EQ(body_of("9\r\n012345678\r\n8\r\n"), "413");
}

TEST(HttpBody, ChunksThatCouldBeReadInTwoWaysAreRefused) {
  for (const char* bytes : {
           // lines that end with LF alone, each of them
           "3\nabc\r\n0\r\n\r\n",
           "3\r\nabc\n0\r\n\r\n",
           "3\r\nabc\r\n0\n\r\n",
           "3\r\nabc\r\n0\r\n\n",
           "3\r\nabc\r\n0\r\nA: b\n\r\n",
           "3\nabc\n0\n\n",
           "3;a=b\nabc\r\n0\r\n\r\n",
           "3;a=\"b\nc\"\r\nabc\r\n0\r\n\r\n",
           // with CR alone
           "3\rabc\r\n0\r\n\r\n",
           "3;a\rb\r\nabc\r\n0\r\n\r\n",
           "3\r\r\nabc\r\n0\r\n\r\n",
           // numbers that are none, data of another length
           "\r\n",
           "x\r\n",
           "-1\r\n",
           "+1\r\n",
           "0x1\r\n",
           " 1\r\n",
           "1 \r\n",
           "1,\r\n",
           "11111111111111111\r\n",
           "3\r\nabcd\r\n0\r\n\r\n",
           "3\r\nab\r\n0\r\n\r\n",
           "0\r\nno field\r\n\r\n",
           "0\r\n\x7F: a\r\n\r\n",
       }) {
    EXPECT_EQ(body_of(bytes), "400") << bytes;
  }
  EXPECT_EQ(body_of("1;" + std::string(5000, 'a')), "400") << "lines have an end";
}

TEST(HttpReplies, HaveTheUsualWords) {
  const std::pair<int, std::string> cases[] = {
      {200, "200 OK"}, {204, "204 No Content"}, {404, "404 Not Found"}, {503, "503 Service Unavailable"}};
  for (const auto& [status, words] : cases) {
    EXPECT_TRUE(reply_head({.status = status}, true).starts_with("HTTP/1.1 " + words + "\r\n")) << status;
  }
}

}  // namespace
}  // namespace fovea::http_test
