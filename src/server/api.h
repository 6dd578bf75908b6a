// The routes: what each path answers (docs/http.md). Knows no sockets.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/access.h"
#include "server/events.h"
#include "server/http.h"
#include "server/metrics.h"
#include "server/served_model.h"

namespace fovea {

// Training that is watched while it goes on.
struct LiveRun {
  std::string name;
  std::shared_ptr<EventLog> events;
};

class Api {
 public:
  // `queue` requests may wait for each model. `files` is the one folder whose files are opened where lines name them;
  // empty: none is. Throws a usage_error if there is no such folder.
  Api(std::vector<ServedModel> models, LiveRun live, std::size_t queue, const std::string& files = {});
  ~Api();

  void set_access(Access access) { access_.emplace(std::move(access)); }  // once the port is known

  // The reply comes at once, or later from another thread. What is returned, if anything, says when it is called that
  // nobody waits for it any more.
  using Send = std::function<void(HttpReply reply)>;
  using Abandon = std::function<void()>;
  Abandon handle(const HttpRequest& request, Send send);

  // Before the body is waited for: throws an HttpError if the head alone says that it will be refused.
  void check_head(const HttpRequest& request) const;

  // Those of every reply to it, refusals too.
  HttpFields reply_fields(const HttpRequest& request) const {
    return access_ ? access_->reply_fields(request) : HttpFields();
  }

  // From now on /healthz says so, and nothing new is asked of a model.
  void stop() { stopping_ = true; }
  ServerMetrics& metrics() { return metrics_; }
  void count_connections(int now) { connections_ = now; }

 private:
  struct Route;
  static const std::vector<Route>& routes();
  static const Route* find_route(std::string_view path);
  Abandon ask(const HttpRequest& request, bool explain, const Send& send);
  HttpReply page(const HttpRequest& request) const;
  HttpReply models(const HttpRequest& request) const;
  HttpReply run(const HttpRequest& request) const;
  HttpReply events(const HttpRequest& request) const;
  HttpReply health(const HttpRequest& request) const;
  HttpReply metrics_page(const HttpRequest& request) const;
  HttpReply openapi(const HttpRequest& request) const;
  ServedModel& find_model(const std::string& name);
  const ServedModel& find_model(const std::string& name) const;
  struct Events {
    std::string name;
    std::shared_ptr<EventLog> log;
    bool live;
  };
  Events find_events(const HttpRequest& request) const;

  ServerMetrics metrics_;
  std::vector<ServedModel> models_;
  LiveRun live_;
  std::optional<Access> access_;
  std::string plain_page_;
  bool opens_files_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
};

}  // namespace fovea
