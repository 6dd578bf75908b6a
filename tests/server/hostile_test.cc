// Requests that nobody means well with: each gets its code, and the server is as healthy as before.
#include <gtest/gtest.h>

#include "base/json.h"
#include "server/client.h"
#include "support/process.h"

namespace fovea::hostile_test {
namespace {

TEST(HostileRequests, AreRefusedOneByOne) {
  const TestServer server;
  const std::string host = server.host(), json = "Content-Type: application/json\r\n";
  const auto post = [&](const std::string& fields, const std::string& body = "") {
    return "POST /v1/predict HTTP/1.1\r\n" + host + fields + "\r\n" + body;
  };
  const std::string good = R"({"text":"abc"})", deep(100'000, '['), big = std::string(1 << 20, ' ');
  const struct {
    int status;
    std::string bytes;
  } cases[] = {
      // framing
      {400, "\r\n\r\n"},
      {400, "hello\r\n\r\n"},
      {400, "GET /\r\n\r\n"},
      {400, std::string("\x16\x03\x01\x00\xA5\x01\x00\x00\xA1\x03\x03", 11)},
      {400, std::string("GET /\0 HTTP/1.1\r\n", 17) + host + "\r\n"},
      {400, "GET / HTTP/1.1\nHost: localhost\n\n"},
      {505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n" + host + host + "\r\n"},
      {400, post(json + "Content-Length: 14\r\nContent-Length: 14\r\n", good)},
      {400, post(json + "Content-Length: 14\r\nTransfer-Encoding: chunked\r\n", good)},
      {501, post(json + "Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "zz\r\nabc\r\n0\r\n\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "-1\r\nabc\r\n0\r\n\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "3\r\nabcdef\r\n0\r\n\r\n")},
      {413, post(json + "Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFF\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "1;" + std::string(70'000, 'x') + "\r\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "0\r\n" + std::string(70'000, 'x'))},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "e\n" + good + "\n0\n\n")},
      {400, post(json + "Transfer-Encoding: chunked\r\n", "e\r\n" + good + "\r\n0\n\n")},
      {400, post(json + "Content-Length: 14\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", good)},
      {417, post(json + "Content-Length: 14\r\nExpect: more\r\n", good)},
      // size
      {414, "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n" + host + "\r\n"},
      {431, "GET / HTTP/1.1\r\n" + host + "A: " + std::string(20'000, 'a') + "\r\n\r\n"},
      {413, post(json + "Content-Length: 1048577\r\n")},
      {413, post(json + "Content-Length: 999999999999999999\r\n")},
      {413, post(json + "Transfer-Encoding: chunked\r\n", "80000\r\n" + big.substr(0, 0x80000) + "\r\n80001\r\n")},
      // who asks, and for what
      {421, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
      {421, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {403, server.post("/v1/predict", good, "Origin: http://evil.example\r\n")},
      {403, server.get("/v1/models", "Sec-Fetch-Site: cross-site\r\n")},
      {404, server.get("/../../etc/passwd")},
      {404, server.get("/%2e%2e/%2e%2e/etc/passwd")},
      {404, server.get("//")},
      {404, server.get("/index.html")},
      {404, server.get("/v1/predict/")},
      {404, server.get("/V1/models")},
      {404, server.get("/v1/run?model=nobody")},
      {404, server.get("/v1/run?model=../../etc")},
      {405, server.get("/v1/predict")},
      {405, server.post("/v1/models", good)},
      {405, "DELETE / HTTP/1.1\r\n" + host + "\r\n"},
      {405, "TRACE / HTTP/1.1\r\n" + host + "\r\n"},
      {415, post("Content-Length: 14\r\n", good)},
      {415, post("Content-Type: text/plain\r\nContent-Length: 14\r\n", good)},
      {415, post("Content-Type: application/jsonx\r\nContent-Length: 14\r\n", good)},
      {415, post(json + "Content-Encoding: gzip\r\nContent-Length: 14\r\n", good)},
      // what the body says
      {400, server.post("/v1/predict", "")},
      {400, server.post("/v1/predict", big)},
      {400, server.post("/v1/predict", deep)},
      {400, server.post("/v1/predict", std::string("{\"text\":\"a\0b\"}", 14))},
      {400, server.post("/v1/predict", "{\"text\":\"\xFF\xFE\"}")},
      {400, server.post("/v1/predict", R"({"text":"\ud800"})")},
      {400, server.post("/v1/predict", R"({"text":"a","beam":1e999})")},
      {400, server.post("/v1/predict", R"({"text":"a","beam":)" + std::string(5000, '9') + "}")},
      {400, server.post("/v1/predict", R"({"text":"a","word_list":"/etc/passwd"})")},
      {400, server.post("/v1/predict", R"({"text":"a","allowed":["\u0416"]})")},
      {404, server.post("/v1/predict", R"({"text":"a","model":"nobody"})")},
      {413, server.post("/v1/explain", Json{{"lines", std::vector<std::string>(17, "a")}}.dump())},
      // and what is odd but good
      {200, server.post("/v1/predict", R"({"text":"a\u0000b\n\tc"})")},
      {200, server.post("/v1/predict", R"({"text":"<script>alert(1)</script>"})")},
      {200, server.post("/v1/predict", "{\"text\":\"\xE2\x80\xAE\xF0\x9F\x98\x80\xCC\x81\"}")},
      {200, server.post("/v1/predict", R"({"text":")" + std::string((1 << 20) - 12 + 1, ' ') + R"("})")},
      {200, post(json + "Transfer-Encoding: chunked\r\n",
                 "3;a=b\r\n{\"t\r\nB\r\next\":\"abc\"}\r\n0\r\nHost: evil\r\n\r\n")},
      {200, post(json + "Content-Length: 14\r\nExpect: 100-continue\r\n", good)},
      {200, post("Content-Type: Application/JSON; charset=utf-8\r\nContent-Length: 14\r\n", good)},
      {200, server.get("/healthz", "Range: bytes=0-1,0-1,0-1\r\n")},
  };
  for (const auto& one : cases) {
    const Reply reply = server.ask(one.bytes);
    EXPECT_EQ(reply.status, one.status) << one.bytes.substr(0, 300) << "\n-> " << reply.body.substr(0, 300);
    if (reply.status >= 400) {
      const Json error = parse_json(reply.body);
      ASSERT_TRUE(error.is_object()) << reply.body;
      EXPECT_EQ(error["error"]["code"], one.status);
      EXPECT_EQ(error["error"]["message"].get<std::string>().find('\n'), std::string::npos);
    }
    if (reply.status == 405) {
      EXPECT_TRUE(reply.fields.contains("allow"));
    }
    ASSERT_TRUE(server.healthy()) << one.bytes.substr(0, 300);
  }
}

TEST(HostileRequests, ASecondRequestInABodyIsNotExecuted) {
  const TestServer server;
  const std::string hidden = server.get("/metrics");
  for (const std::string& bytes :
       {"POST /v1/predict HTTP/1.1\r\n" + server.host() + "Content-Type: application/json\r\nContent-Length: 3\r\n" +
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
        "POST /v1/predict HTTP/1.1\r\n" + server.host() + "Transfer-Encoding: chunked, identity\r\n\r\n" + hidden,
        server.post("/v1/predict", hidden)}) {
    Client client(server.port());
    client.send(bytes);
    EXPECT_GE(client.read().status, 400);
    client.seconds = 1;
    client.is_closed();
    EXPECT_EQ(client.come().find("fovea_requests_total"), std::string::npos) << bytes;
  }
  EXPECT_EQ(server.ask(server.get("/metrics")).body.find("path=\"/metrics\""), std::string::npos);
}

TEST(HostileRequests, ByteByByteIsAsGoodAsAtOnce) {
  const TestServer server;
  Client client(server.port());
  for (const char byte : server.post("/v1/predict", R"({"text":"abc"})")) client.send({&byte, 1});
  EXPECT_EQ(client.read().status, 200);
  const std::string chunked = "POST /v1/predict HTTP/1.1\r\n" + server.host() +
                              "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                              "e\r\n{\"text\":\"abc\"}\r\n0\r\n\r\n";
  for (const char byte : chunked) {
    client.send({&byte, 1});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(client.read().status, 200);
}

TEST(HostileRequests, SlowOnesAreClosedByTheirDeadlineAndHarmNobody) {
  const TestServer server({.head = 0.5, .body = 0.5, .idle = 0.5});
  const std::string post = server.post("/v1/predict", R"({"text":"abc"})");
  Client silent(server.port()), slow_head(server.port()), slow_body(server.port()), endless(server.port());
  slow_body.send(post.substr(0, post.size() - 5));
  endless.send("POST /v1/predict HTTP/1.1\r\n" + server.host() +
               "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  const auto start = std::chrono::steady_clock::now();
  bool head_taken = true, chunk_taken = true;  // a byte now and then does not help
  while ((head_taken || chunk_taken) && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    head_taken = head_taken && slow_head.send("G");
    chunk_taken = chunk_taken && endless.send("1\r\n \r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(server.healthy());
  }
  EXPECT_FALSE(head_taken);
  EXPECT_FALSE(chunk_taken);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(slow_body.is_closed());
}

TEST(HostileRequests, TooManyConnectionsMakeRoomForOneAnother) {
  const TestServer server({.connections = 20});
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(std::make_unique<Client>(server.port()));
    many.back()->send("GET / HT");
  }
  EXPECT_TRUE(server.healthy());
  EXPECT_TRUE(many.front()->is_closed());
  const std::string metrics = server.ask(server.get("/metrics")).body;
  const int open = std::atoi(metrics.c_str() + metrics.find("\nfovea_connections ") + 19);
  EXPECT_LE(open, 20);
  EXPECT_GE(open, 15);
}

TEST(HostileRequests, ThoseWhoDoNotTakeTheirRepliesMakeRoom) {
  const TestServer server({.connections = 8});
  std::string page;
  for (int i = 0; i < 100; ++i) page += server.get("/");  // far more than sockets hold by themselves
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 8; ++i) {
    many.push_back(std::make_unique<Client>(server.port()));
    many.back()->send(page);
  }
  const auto start = std::chrono::steady_clock::now();
  int refused = 0;
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    const Reply reply = server.ask(server.get("/healthz"));
    if (reply.status == 200) break;
    ++refused;
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(says(reply.body, R"("message":"too many connections; come again")")) << "as all errors are told";
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_GT(refused, 0) << "all were taking theirs";
  EXPECT_TRUE(server.healthy());
}

// Long enough to be in the way.
std::string long_question() {
  std::vector<std::string> lines;
  for (const Example& example : tiny_examples(3, 256)) lines.push_back(example.source);
  return Json{{"lines", lines}, {"beam", 64}, {"nbest", 64}, {"min_output", 16}, {"max_output", 16}}.dump();
}

TEST(HostileRequests, AFullQueueSaysWhenToComeAgain) {
  const TestServer server({}, 2);
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 6; ++i) {
    many.push_back(std::make_unique<Client>(server.port()));
    many.back()->send(server.post("/v1/predict", long_question()));
  }
  int refused = 0;
  for (int i = 0; i < 50 && refused == 0; ++i) {
    const Reply reply = server.ask(server.post("/v1/predict", R"({"text":"abc"})"));
    if (reply.status != 503) continue;
    ++refused;
    EXPECT_EQ(reply.fields.at("retry-after"), "1");
    EXPECT_EQ(server.ask(server.post("/v1/predict", "no JSON")).status, 503) << "before anything is read";
  }
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(server.healthy());
  many.clear();  // all leave: what they asked for is given up
  const auto start = std::chrono::steady_clock::now();
  int status = 0;
  while (status != 200 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    status = server.ask(server.post("/v1/predict", R"({"text":"abc"})")).status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(says(server.ask(server.get("/metrics")).body, "fovea_queue_depth 0\n"));
}

TEST(HostileRequests, AnAnswerThatTakesTooLongIsGivenUp) {
  const TestServer server({.answer = 0.05});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(server.ask(server.post("/v1/predict", long_question())).status, 504);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  int status = 0;
  for (int i = 0; i < 20 && status != 200; ++i)
    status = server.ask(server.post("/v1/predict", R"({"text":"abc"})")).status;
  EXPECT_EQ(status, 200) << "others are answered at once";
}

TEST(HostileRequests, WatchersAreCounted) {
  const auto events = std::make_shared<EventLog>();
  events->add("started", R"({"event":"started"})");
  const TestServer server({.watchers = 2}, 1, {"run", events});
  Client first(server.port()), second(server.port());
  for (Client* client : {&first, &second}) {
    client->send(server.get("/v1/events"));
    EXPECT_EQ(client->read(true).status, 200);
    EXPECT_TRUE(client->read_until("event: started"));
  }
  EXPECT_EQ(server.ask(server.get("/v1/events")).status, 503);
  EXPECT_EQ(server.ask(server.post("/v1/predict", R"({"text":"abc"})")).status, 404) << "there is no model";
  events->add("update", R"({"update":1})", true);
  EXPECT_TRUE(first.read_until("data: {\"update\":1}"));
  Client late(server.port());
  second.leave();
  events->add("update", R"({"update":2})", true);
  events->add("update", R"({"update":3})", true);
  int status = 503;
  for (int i = 0; i < 50 && status == 503; ++i) {
    events->add("update", R"({"update":4})", true);
    Client again(server.port());
    again.send(server.get("/v1/events", "Last-Event-ID: 1\r\n"));
    status = again.read(true).status;
    if (status == 200) {
      EXPECT_TRUE(again.read_until("data: {\"update\":1}"));
      EXPECT_EQ(again.come().find("event: started"), std::string::npos) << "it has that already";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(status, 200) << "whoever leaves makes room";
}

}  // namespace
}  // namespace fovea::hostile_test
