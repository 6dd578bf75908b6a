// The server by its sockets: what each path answers, as many clients get it, and how it stops.
#include <gtest/gtest.h>

#include <future>

#include "base/json.h"
#include "inference/explain.h"
#include "server/client.h"
#include "server/page.h"
#include "show/heat_map.h"
#include "show/json.h"
#include "show/picture.h"
#include "support/process.h"

namespace fovea::server_test {
namespace {

std::vector<std::string> sources(std::uint64_t seed, int count) {
  std::vector<std::string> lines;
  for (const Example& example : tiny_examples(seed, count)) lines.push_back(example.source);
  return lines;
}

TEST(Server, AnswersAsThePredictorDoes) {
  const TestServer server;
  Predictor predictor(tiny_model_folder(), 1);
  std::vector<std::string> lines = sources(7, 100);
  lines[3] = "";
  const auto reply = server.ask_json("/v1/predict", Json{{"lines", lines}, {"beam", 3}, {"nbest", 2}}.dump());
  EXPECT_EQ(reply["model"], "tiny");
  const auto expected = predictor.predict(lines, {.answer = {.search = {.beam = 3, .nbest = 2}}});
  ASSERT_EQ(reply["answers"].size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& answer = reply["answers"][i];
    EXPECT_EQ(answer["text"], expected[i].output.text);
    EXPECT_EQ(answer["score"].get<double>(), expected[i].output.score) << "to the last bit";
    EXPECT_EQ(answer["finished"], expected[i].output.finished);
    EXPECT_EQ(answer["status"], i == 3 ? "empty" : "answered");
    EXPECT_EQ(answer["nbest"].size(), expected[i].output.nbest.size());
  }
  const auto one = server.ask_json("/v1/predict", R"({"text":"abc","model":"tiny"})");
  EXPECT_FALSE(one["answers"][0].contains("nbest"));
  EXPECT_EQ(server.ask_json("/v1/predict", R"({"lines":[]})")["answers"].size(), 0u);
  EXPECT_EQ(server.ask_json("/v1/predict", Json{{"text", std::string(2000, 'a')}}.dump())["answers"][0]["status"],
            "too_long");
}

TEST(Server, DrawsAreThoseOfTheCommandLine) {
  const TestServer server;
  Predictor predictor(tiny_model_folder(), 1);
  const std::vector<std::string> lines = sources(8, 150);  // more than are answered at once
  const auto reply = server.ask_json("/v1/predict", Json{{"lines", lines}, {"sample", 1}, {"seed", 5}}.dump());
  const auto expected = predictor.predict(lines, {.answer = {.search = {.sample = 1, .seed = 5}}});
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(reply["answers"][i]["text"], expected[i].output.text) << i;
}

TEST(Server, ExplainsAsShowDoes) {
  const TestServer server;
  Predictor predictor(tiny_model_folder(), 1);
  const std::vector<std::string> lines = {"kayak"};
  const auto reply = server.ask_json("/v1/explain", R"({"text":"kayak","beam":2})");
  SearchOptions search = {.beam = 2, .nbest = 2};
  search.alternatives = 5;
  auto expected = Json::parse(output_to_json(predictor.predict(lines, {.answer = {.search = search}})[0].output));
  expected["status"] = "answered";
  EXPECT_EQ(reply["explanations"][0], expected);
  const auto given = server.ask_json("/v1/explain", R"({"text":"kayak","target":"yy"})");
  EXPECT_EQ(given["explanations"][0]["text"], "yy");
  EXPECT_EQ(given["explanations"][0]["steps"].size(), 3u);
  EXPECT_EQ(server.ask_json("/v1/explain", R"({"text":""})")["explanations"][0]["status"], "empty");
}

TEST(Server, DrawsAsShowDoes) {
  const TestServer server;
  Predictor predictor(tiny_model_folder(), 1);
  const auto drawn = [&](const std::string& line, const std::string& target, int head) {
    PredictOptions options;
    options.answer.search.limits = picture_limits;
    return draw_picture(std::vector{maps_to_draw(explain(predictor, line, target, options).output, -1, head)});
  };
  const auto asked = [&](std::string_view body) { return server.ask_json("/v1/explain", body)["explanations"][0]; };
  const auto reply = asked(R"({"text":"kayak","svg":true})");
  EXPECT_EQ(reply["svg"], drawn("kayak", "", -1));
  EXPECT_EQ(reply.size(), 2u) << "and its status, but no numbers";
  EXPECT_EQ(asked(R"({"text":"kayak","svg":true,"head":0,"target":"yy"})")["svg"], drawn("kayak", "yy", 0));
  const std::string longest(500, 'a');
  EXPECT_EQ(asked(Json{{"text", longest}, {"svg", true}}.dump())["svg"], drawn(longest, "", -1));
  EXPECT_EQ(asked(R"({"text":"","svg":true})"), Json({{"status", "empty"}}));
  const Reply none = server.ask(server.post("/v1/explain", R"({"text":"kayak","svg":true,"head":7})"));
  EXPECT_EQ(none.status, 400);
  EXPECT_TRUE(says(none.body, "no map of this model is of that layer and head"));
  EXPECT_EQ(server.ask(server.post("/v1/explain", R"({"lines":["a","b"],"svg":true})")).status, 400);
  EXPECT_EQ(server.ask(server.post("/v1/predict", R"({"text":"a","svg":true})")).status, 400);
}

TEST(Server, TellsOfItsModels) {
  const TestServer server;
  const Json model = Json::parse(server.ask(server.get("/v1/models")).body)["models"][0];
  EXPECT_EQ(model["name"], "tiny");
  EXPECT_EQ(model["path"], tiny_model_folder().string());
  EXPECT_EQ(model["task"], "transduce");
  EXPECT_GT(model["weights"], 100);
  EXPECT_EQ(model["sources"][0]["tokenizer"], "char");
  EXPECT_GT(model["sources"][0]["symbols"], 10);
  EXPECT_EQ(model["attention"]["score"]["name"], "additive");
  EXPECT_NE(model["attention"]["score"]["formula"], "");
  EXPECT_EQ(model["settings"]["encoder"]["size"], 8);
  EXPECT_EQ(model["run"], true);
  const Json run = Json::parse(server.ask(server.get("/v1/run?model=tiny")).body);
  EXPECT_EQ(run["live"], false);
  EXPECT_GT(run["events"].size(), 0u);
  Client watcher(server.port());
  watcher.send(server.get("/v1/events"));
  EXPECT_EQ(watcher.read(true).fields["content-type"], "text/event-stream");
  EXPECT_TRUE(watcher.read_until("event: update\n"));
  EXPECT_TRUE(watcher.is_closed()) << "nothing will follow";
}

TEST(Server, HasThePage) {
  const TestServer server;
  const Reply packed = server.ask(server.get("/", "Accept-Encoding: br, gzip\r\n"));
  EXPECT_EQ(packed.status, 200);
  EXPECT_EQ(packed.fields.at("content-encoding"), "gzip");
  EXPECT_EQ(packed.body, embedded_page().gzip);
  const std::string policy = packed.fields.at("content-security-policy");
  for (const char* part : {"default-src 'none'", "script-src 'sha256-", "connect-src 'self'", "media-src data:;",
                           "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"}) {
    EXPECT_TRUE(says(policy, part));
  }
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  EXPECT_EQ(packed.fields.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(packed.fields.at("referrer-policy"), "no-referrer");
  EXPECT_FALSE(packed.fields.contains("set-cookie"));
  const Reply plain = server.ask(server.get("/", "Accept-Encoding: gzip;q=0\r\n"));
  EXPECT_FALSE(plain.fields.contains("content-encoding"));
  EXPECT_TRUE(says(plain.body, "<!doctype html>"));
  EXPECT_NE(plain.fields.at("etag"), packed.fields.at("etag"));
  const Reply again =
      server.ask(server.get("/", "Accept-Encoding: gzip\r\nIf-None-Match: " + packed.fields.at("etag") + "\r\n"));
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

TEST(Server, TellsOfItself) {
  const TestServer server;
  EXPECT_TRUE(server.healthy());
  server.ask(server.post("/v1/predict", R"({"lines":["abc","def"]})"));
  server.ask(server.get("/no/such/path"));
  const std::string metrics = server.ask(server.get("/metrics")).body;
  for (const char* line : {"fovea_requests_total{path=\"/v1/predict\",code=\"200\"} 1\n",
                           "fovea_requests_total{path=\"other\",code=\"404\"} 1\n",
                           "fovea_request_seconds_count{path=\"/v1/predict\"} 1\n",
                           "fovea_lines_total{model=\"tiny\"} 2\n", "fovea_batch_lines_bucket{le=\"1\"} 0\n",
                           "fovea_batch_lines_bucket{le=\"2\"} 1\n", "fovea_queue_depth 0\n", "fovea_connections "}) {
    EXPECT_TRUE(says(metrics, line));
  }
  const Reply head = server.ask("HEAD /healthz HTTP/1.1\r\n" + server.host() + "\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("content-length"), "15");
  EXPECT_EQ(Json::parse(server.ask(server.get("/openapi.json")).body)["openapi"], "3.1.0");
}

TEST(Server, ManyClientsGetWhatEachWouldGetAlone) {
  const TestServer server;
  Predictor predictor(tiny_model_folder(), 1);
  constexpr int clients = 8, requests = 12;
  std::atomic<int> wrong = 0, answered = 0;
  const auto client = [&](int number) {
    Client connection(server.port());
    for (int i = 0; i < requests; ++i) {
      const int beam = 1 + (number + i) % 3;
      const std::vector<std::string> lines = sources(static_cast<std::uint64_t>(100 * number + i), 1 + (i * 7) % 90);
      connection.send(server.post("/v1/predict", Json{{"lines", lines}, {"beam", beam}, {"nbest", beam}}.dump()));
      const Json reply = Json::parse(connection.read().body);
      for (std::size_t at = 0; at < lines.size(); ++at) {
        const std::vector<std::string> one = {lines[at]};
        const Output expected = predictor.predict(one, {.answer = {.search = {.beam = beam, .nbest = beam}}})[0].output;
        const Json& got = reply["answers"][at];
        if (got["text"] != expected.text || got["score"].get<double>() != expected.score) ++wrong;
        ++answered;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) threads.emplace_back(client, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(answered, 1000);
}

TEST(Server, OneConnectionAsksAgainAndAgain) {
  const TestServer server;
  Client client(server.port());
  for (int i = 0; i < 5; ++i) {
    client.send(server.get("/healthz"));
    EXPECT_EQ(client.read().status, 200);
  }
  // Several at once, in order.
  client.send(server.get("/healthz") + server.post("/v1/predict", R"({"text":"abc"})") + server.get("/nowhere") +
              server.get("/healthz"));
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(says(client.read().body, "answers"));
  EXPECT_EQ(client.read().status, 404);
  EXPECT_EQ(client.read().status, 200);
  client.send(server.get("/healthz", "Connection: close\r\n"));
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(client.is_closed());
}

TEST(Server, FriendsOfItsOwn) {
  const TestServer server({.allow_origins = {"https://friend.example"}});
  const Reply asked = server.ask("OPTIONS /v1/predict HTTP/1.1\r\n" + server.host() +
                                 "Origin: https://friend.example\r\nAccess-Control-Request-Method: POST\r\n\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(asked.fields.at("access-control-allow-origin"), "https://friend.example");
  EXPECT_EQ(asked.fields.at("access-control-allow-headers"), "Content-Type");
  const Reply stranger =
      server.ask(server.post("/v1/predict", R"({"text":"a"})", "Origin: https://stranger.example\r\n"));
  EXPECT_EQ(stranger.status, 403);
  EXPECT_FALSE(stranger.fields.contains("access-control-allow-origin"));
  EXPECT_FALSE(server.ask(server.get("/healthz")).fields.contains("access-control-allow-origin"));
  const std::string friendly = "Origin: https://friend.example\r\n";
  for (const auto& [status, bytes] :
       {std::pair(405, server.post("/v1/models", "{}", friendly)),  // before the body is read, as is the next
        std::pair(413, server.post("/v1/predict", std::string((1 << 20) + 1, ' '), friendly))}) {
    const Reply refused = server.ask(bytes);
    EXPECT_EQ(refused.status, status);
    EXPECT_EQ(refused.fields.at("access-control-allow-origin"), "https://friend.example") << "its page can read why";
  }
}

TEST(Server, StopsWhenWhatWasBegunIsDone) {
  TestServer server({.drain = 5});
  Client idle(server.port()), busy(server.port()), half(server.port());
  idle.send(server.get("/healthz"));
  idle.read();
  half.send("POST /v1/predict HTTP/1.1\r\n");
  const std::vector<std::string> lines = sources(9, 256);
  busy.send(
      server.post("/v1/predict", Json{{"lines", lines}, {"beam", 16}, {"min_output", 60}, {"max_output", 60}}.dump()));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server.tell_to_stop();
  const Reply reply = busy.read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Json::parse(reply.body)["answers"].size(), lines.size());
  EXPECT_EQ(reply.fields.at("connection"), "close");
  EXPECT_TRUE(idle.is_closed());
  EXPECT_THROW(Client another(server.port()), std::runtime_error) << "nothing new is taken";
  half.leave();
  const auto start = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST(Server, DoesNotWaitForEverWhenItStops) {
  TestServer server({.drain = 0.2});
  Client slow(server.port());
  slow.send("GET /");
  const auto start = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Server, APortThatIsTakenIsSaid) {
  const TestServer server;
  Api api({}, {}, 1);
  try {
    Listener second({.port = server.port()}, api);
    FAIL();
  } catch (const Error& e) {
    EXPECT_TRUE(says(e.what(), fmt::format("port {} is taken", server.port())));
  }
  EXPECT_THROW(Listener({.host = "nowhere"}, api), Error);
}

}  // namespace
}  // namespace fovea::server_test
