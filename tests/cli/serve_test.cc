// fovea serve and fovea train --watch, as programs: what they say, how they end.
#include <gtest/gtest.h>

#include "base/json.h"
#include "server/client.h"
#include "support/process.h"

namespace fovea::serve_test {
namespace {

// The port in the line that says where it is.
int port_of(const std::optional<std::string>& line) {
  if (!line || line->find("http://127.0.0.1:") == std::string::npos) return 0;
  return std::atoi(line->c_str() + line->find("http://127.0.0.1:") + 17);
}

Reply get(int port, const std::string& path) {
  Client client(port);
  client.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", path, port));
  return client.read();
}

TEST(Serve, AnswersUntilItIsToldToStop) {
  for (const auto& [signal, code] : {std::pair(SIGTERM, 143), std::pair(SIGINT, 130)}) {
    Process server(fovea({"serve", tiny_model_folder().string(), tiny_model_folder().string(), "--port", "0"}));
    const int port = port_of(server.read_error_line());
    ASSERT_GT(port, 0);
    const Json models = Json::parse(get(port, "/v1/models").body)["models"];
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0]["name"], "tiny");
    EXPECT_EQ(models[1]["name"], "tiny-2");
    const Outcome taken = run(fovea({"serve", tiny_model_folder().string(), "--port", std::to_string(port)}));
    EXPECT_EQ(taken.code, 1);
    EXPECT_TRUE(says(taken.err, "is taken by another program; choose another"));
    EXPECT_TRUE(is_one_line(taken.err));
    server.kill(signal);
    const Outcome outcome = server.finish();
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Serve, RefusesWhatIsNoModelOrAddress) {
  TemporaryFolder folder;
  EXPECT_EQ(run(fovea({"serve", (folder / "nothing").string()})).code, 4);
  EXPECT_EQ(run(fovea({"serve", tiny_model_folder().string(), "--host", "nowhere"})).code, 2);
  EXPECT_EQ(run(fovea({"serve", tiny_model_folder().string(), "--port", "65536"})).code, 2);
  EXPECT_EQ(run(fovea({"serve"})).code, 2);
  const Outcome none = run(fovea({"serve", tiny_model_folder().string(), "--files", (folder / "nothing").string()}));
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(says(none.err, "--files"));
  EXPECT_TRUE(is_one_line(none.err));
}

TEST(Serve, OnAllAddressesItWarnsAndHasNamesOfItsOwnStill) {
  Process server(fovea({"serve", tiny_model_folder().string(), "--host", "0.0.0.0", "--port", "0"}));
  const std::string url = server.read_error_line().value_or("");
  const std::size_t at = url.find("http://localhost:");
  ASSERT_NE(at, url.npos) << url;
  const int port = std::atoi(url.c_str() + at + 17);
  EXPECT_TRUE(says(server.read_error_line().value_or(""), "warning: whoever can reach this address can ask"));
  const auto status = [&](const std::string& host) {
    Client client(port);
    client.send(fmt::format("GET /v1/models HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host));
    return client.read().status;
  };
  EXPECT_EQ(status(fmt::format("localhost:{}", port)), 200);
  EXPECT_EQ(status(fmt::format("192.168.1.2:{}", port)), 200) << "no page elsewhere can have that name";
  EXPECT_EQ(status(fmt::format("evil.example:{}", port)), 421);
  EXPECT_EQ(status("evil.example"), 421);
  server.kill(SIGTERM);
  EXPECT_EQ(server.finish().code, 143);
}

// Whatever becomes of the server, the program that loads it ends.
TEST(ServeLoad, EndsWhenTheServerDoes) {
  if (run({.words = {"/usr/bin/env", "python3", "--version"}}).code != 0) GTEST_SKIP() << "python3 is not installed";
  const auto load = [](int port) {
    return Command{.words = {"/usr/bin/env", "python3", FOVEA_SOURCE_DIR "/bench/serve_load.py", "--port",
                             std::to_string(port), "--seconds", "1", "--clients", "2", "--times"}};
  };
  Process server(fovea({"serve", tiny_model_folder().string(), "--port", "0"}));
  const int port = port_of(server.read_error_line());
  ASSERT_GT(port, 0);
  const Outcome good = run(load(port));
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(says(good.out, "answers/s"));
  Process loading(load(port));
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  server.kill(SIGKILL);
  const Outcome outcome = loading.finish();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.err, "serve_load.py: ")) << outcome.err;
  EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
}

TEST(Serve, TrainingCanBeWatched) {
  TemporaryFolder folder;
  folder.write("data.tsv", to_tsv(tiny_examples(1, 300)));
  Command command = fovea({"train", "data.tsv", "-o", "run", "--watch=0", "--stop-after", "20s", "--progress", "none"});
  command.folder = folder.path();
  for (const std::string& setting : tiny_settings()) {
    command.words.emplace_back("--set");
    command.words.push_back(setting);
  }
  Process training(command);
  const int port = port_of(training.read_error_line());
  ASSERT_GT(port, 0);
  Client watcher(port);
  watcher.send(fmt::format("GET /v1/events HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", port));
  EXPECT_TRUE(watcher.read_until("event: started"));
  EXPECT_TRUE(watcher.read_until("event: film"));
  EXPECT_TRUE(watcher.read_until("event: validation"));
  EXPECT_TRUE(watcher.read_until("event: update"));
  const Json run = Json::parse(get(port, "/v1/run").body);
  EXPECT_EQ(run["name"], "run");
  EXPECT_EQ(run["live"], true);
  training.kill(SIGTERM);
  EXPECT_TRUE(watcher.read_until("event: ended"));
  EXPECT_TRUE(watcher.is_closed());
  EXPECT_EQ(training.finish().code, 143);
}

}  // namespace
}  // namespace fovea::serve_test
