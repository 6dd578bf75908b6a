// Who may ask: by the name that was asked for, and by the page that asks.
#include "server/access.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fovea::access_test {
namespace {

int status_of(const Access& access, const std::string& host, HttpFields more = {}, const std::string& method = "POST") {
  HttpRequest request;
  request.method = method;
  request.fields = std::move(more);
  request.fields.emplace_back("host", host);
  try {
    access.check(request);
    return 0;
  } catch (const HttpError& e) {
    return e.status();
  }
}

TEST(Access, OnlyItsOwnNames) {
  const Access access("127.0.0.1", 8000, {}, {});
  for (const char* host : {"localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LocalHost:8000"}) {
    EXPECT_EQ(status_of(access, host), 0) << host;
  }
  for (const char* host : {"evil.example:8000", "evil.example", "localhost", "127.0.0.1", "localhost:80",
                           "localhost:8001", "localhost.evil.example:8000", "127.0.0.1.evil.example:8000",
                           "localhost:8000.evil.example", "192.168.1.2:8000", "0.0.0.0:8000", "localhost:", ":8000",
                           "[::1", "user@localhost:8000", "localhost:8000,evil.example", "127.1:8000"}) {
    EXPECT_EQ(status_of(access, host), 421) << host;
  }
}

TEST(Access, NamesThatWereAdded) {
  const Access access("192.168.1.2", 8000, {"Fovea.example", "other.example:443"}, {});
  for (const char* host : {"192.168.1.2:8000", "fovea.example", "fovea.example:443", "other.example:443"}) {
    EXPECT_EQ(status_of(access, host), 0) << host;
  }
  EXPECT_EQ(status_of(access, "other.example"), 421);
  EXPECT_EQ(status_of(access, "192.168.1.3:8000"), 421);
}

TEST(Access, OfAServerOnAllAddressesAnyOfThem) {
  const Access access("0.0.0.0", 8000, {}, {});
  EXPECT_EQ(status_of(access, "192.168.1.2:8000"), 0);
  EXPECT_EQ(status_of(access, "[fe80::1]:8000"), 0);
  EXPECT_EQ(status_of(access, "evil.example:8000"), 421);
  EXPECT_EQ(status_of(access, "[evil.example:8000"), 421);
}

TEST(Access, PagesOfOtherSites) {
  const Access access("127.0.0.1", 8000, {}, {"https://friend.example"});
  const std::string here = "localhost:8000";
  EXPECT_EQ(status_of(access, here, {{"origin", "http://localhost:8000"}}), 0);
  EXPECT_EQ(status_of(access, here, {{"origin", "http://127.0.0.1:8000"}}), 0);
  EXPECT_EQ(status_of(access, here, {{"origin", "https://friend.example"}, {"sec-fetch-site", "cross-site"}}), 0);
  for (const char* origin :
       {"http://evil.example", "null", "http://localhost:3000", "https://friend.example.evil", "file://"}) {
    EXPECT_EQ(status_of(access, here, {{"origin", origin}}), 403) << origin;
  }
  EXPECT_EQ(status_of(access, here, {{"sec-fetch-site", "cross-site"}}), 403);
  EXPECT_EQ(status_of(access, here, {{"sec-fetch-site", "same-site"}}), 403) << "another port of this machine";
  EXPECT_EQ(status_of(access, here, {{"sec-fetch-site", "same-origin"}}), 0);
  EXPECT_EQ(status_of(access, here, {{"sec-fetch-site", "none"}}), 0);
  const HttpFields link = {{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}};
  EXPECT_EQ(status_of(access, here, link, "GET"), 0) << "a link leads to the page";
  EXPECT_EQ(status_of(access, here, link, "POST"), 403) << "a form does not";
}

TEST(Access, FriendsAreNamedAsBrowsersNameThem) {
  for (const char* origin : {"https://friend.example", "HTTPS://Friend.example:8443", "http://[::1]:3000",
                             "http://127.0.0.1:3000", "moz-extension://0a1b"}) {
    EXPECT_NO_THROW(Access("127.0.0.1", 1, {}, {origin})) << origin;
  }
  EXPECT_TRUE(Access("127.0.0.1", 1, {}, {"HTTPS://Friend.example"}).allows_origin("https://friend.example"));
  for (const char* origin : {"foo", "friend.example", "", "*", "null", "https://", "://friend.example",
                             "https://friend.example/", "https://friend.example/page", "https://friend.example:",
                             "https://friend.example:x", "https://a@friend.example", "https://*.friend.example"}) {
    EXPECT_THROW(Access("127.0.0.1", 1, {}, {origin}), Error) << origin;
  }
}

TEST(Access, RepliesNameOnlyFriends) {
  HttpRequest request;
  request.fields = {{"origin", "https://friend.example"}};
  EXPECT_EQ(Access("127.0.0.1", 1, {}, {}).reply_fields(request), HttpFields());
  const Access access("127.0.0.1", 1, {}, {"https://friend.example"});
  EXPECT_EQ(access.reply_fields(request),
            (HttpFields{{"Vary", "Origin"}, {"Access-Control-Allow-Origin", "https://friend.example"}}));
  request.fields = {{"origin", "https://evil.example"}};
  EXPECT_EQ(access.reply_fields(request), (HttpFields{{"Vary", "Origin"}}));
}

}  // namespace
}  // namespace fovea::access_test
