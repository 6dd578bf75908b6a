#include "server/api.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <new>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "server/openapi.h"
#include "server/page.h"
#include "server/inquiry.h"

namespace fovea {

namespace {

// A reply to whatever went wrong: no one request ends the server.
HttpReply failure_reply() {
  try {
    throw;
  } catch (const HttpError& e) {
    return e.reply();
  } catch (const Error& e) {
    const bool asked_wrongly = e.kind() == ErrorKind::usage || e.kind() == ErrorKind::data;
    return HttpError(asked_wrongly ? 400 : 500, printable(e.what())).reply();
  } catch (const std::bad_alloc&) {
    return HttpError(503, "not enough memory for this; ask for less at once", {{"Retry-After", "1"}}).reply();
  } catch (const std::exception&) {
    return HttpError(500, "something went wrong inside; this is a fault of the server").reply();
  }
}

bool accepts_gzip(std::string_view encodings) {
  for (std::size_t start = 0; start < encodings.size();) {
    const std::size_t end = std::min(encodings.find(',', start), encodings.size());
    const std::string_view one = encodings.substr(start, end - start);
    const std::size_t name = one.find_first_not_of(' ');
    if (name != one.npos && one.substr(name).starts_with("gzip")) {
      return one.find("q=0") == one.npos || one.find_first_of("123456789", one.find("q=0") + 3) != one.npos;
    }
    start = end + 1;
  }
  return false;
}

bool is_json(std::string_view type) {
  const std::string_view name = type.substr(0, type.find(';'));
  return ascii_lower(name.substr(0, name.find_last_not_of(" \t") + 1)) == "application/json";
}

// What is meant by it later, whatever the program's own folder is then.
std::string folder_of(const std::string& files) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(files, failed);
  if (failed || !std::filesystem::is_directory(folder, failed)) {
    throw usage_error("`files` {}: there is no such folder", printable(files));
  }
  return folder.string();
}

}  // namespace

struct Api::Route {
  std::string_view path;
  HttpReply (Api::*get)(const HttpRequest&) const;  // null: it is asked by POST
  bool explain = false;

  std::string allowed() const { return get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"; }
};

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> all = {{"/", &Api::page},
                                         {"/v1/models", &Api::models},
                                         {"/v1/predict", nullptr},
                                         {"/v1/explain", nullptr, true},
                                         {"/v1/run", &Api::run},
                                         {"/v1/events", &Api::events},
                                         {"/healthz", &Api::health},
                                         {"/metrics", &Api::metrics_page},
                                         {"/openapi.json", &Api::openapi}};
  return all;
}

const Api::Route* Api::find_route(std::string_view path) {
  const auto found = std::ranges::find(routes(), path, &Route::path);
  return found == routes().end() ? nullptr : &*found;
}

Api::Api(std::vector<ServedModel> models, LiveRun live, std::size_t queue, const std::string& files)
    : models_(std::move(models)),
      live_(std::move(live)),
      plain_page_(fovea::plain_page()),
      opens_files_(!files.empty()) {
  const std::string folder = opens_files_ ? folder_of(files) : "";
  for (ServedModel& model : models_) {
    model.queue = std::make_unique<AnswerQueue>(model.name, *model.predictor, queue, metrics_, folder);
  }
}

Api::~Api() = default;

void Api::check_head(const HttpRequest& request) const {
  if (access_) access_->check(request);
  const Route* route = find_route(request.path);
  if (!route) throw HttpError(404, "there is nothing by this path; see /openapi.json");
  if (request.method == "OPTIONS") return;
  const bool fits = route->get ? request.method == "GET" || request.method == "HEAD" : request.method == "POST";
  if (!fits) {
    throw HttpError(405, fmt::format("{} is asked by {}", route->path, route->get ? "GET" : "POST"),
                    {{"Allow", route->allowed()}});
  }
  if (!request.field("content-encoding").empty()) throw HttpError(415, "packed bodies are not read");
  if (!route->get && !is_json(request.field("content-type"))) {
    throw HttpError(415, "Content-Type is not application/json");
  }
}

Api::Abandon Api::handle(const HttpRequest& request, Send send) {
  const auto start = std::chrono::steady_clock::now();
  const Route* route = find_route(request.path);
  const HttpFields shared = reply_fields(request);
  const std::string_view path = route ? route->path : "other";
  const Send finish = [this, start, path, shared, send = std::move(send)](HttpReply reply) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    metrics_.answered(path, reply.status, seconds.count());
    reply.fields.insert(reply.fields.end(), shared.begin(), shared.end());
    send(std::move(reply));
  };
  try {
    check_head(request);
    if (request.method == "OPTIONS") {
      HttpReply reply = {204, "", "", {{"Allow", route->allowed()}}};
      if (access_ && access_->allows_origin(request.field("origin"))) {
        reply.fields.insert(reply.fields.end(), {{"Access-Control-Allow-Methods", route->allowed()},
                                                 {"Access-Control-Allow-Headers", "Content-Type"},
                                                 {"Access-Control-Max-Age", "600"}});
      }
      finish(std::move(reply));
      return {};
    }
    if (!route->get) return ask(request, route->explain, finish);
    finish((this->*route->get)(request));
  } catch (...) {
    finish(failure_reply());
  }
  return {};
}

Api::Abandon Api::ask(const HttpRequest& request, bool explain, const Send& send) {
  // What none of them could take need not be read: refusals come at once, however large the bodies are.
  const auto full = [](const ServedModel& model) { return model.queue->full(); };
  if (!models_.empty() && std::ranges::all_of(models_, full)) throw too_many_wait();
  Inquiry inquiry = parse_inquiry(request.body, explain);
  ServedModel& model = find_model(inquiry.model);
  if (stopping_) throw HttpError(503, "the server is stopping", {{"Retry-After", "1"}});
  const std::string begun =
      fmt::format("{{\"model\":{},\"{}\":[", json_text(Json(model.name)), explain ? "explanations" : "answers");
  if (inquiry.lines.empty()) {
    send({.body = begun + "]}"});
    return {};
  }
  return model.queue->ask(std::move(inquiry),
                          [begun, send](const std::vector<std::string>& answers, const std::exception_ptr& failure) {
                            HttpReply reply;
                            try {
                              if (failure) std::rethrow_exception(failure);
                              reply.body = fmt::format("{}{}]}}", begun, fmt::join(answers, ","));
                            } catch (...) {
                              reply = failure_reply();
                            }
                            send(std::move(reply));
                          });
}

const ServedModel& Api::find_model(const std::string& name) const {
  if (models_.empty()) throw HttpError(404, "no model is served here");
  if (name.empty()) return models_.front();
  const auto found = std::ranges::find(models_, name, &ServedModel::name);
  if (found != models_.end()) return *found;
  std::vector<std::string> names;
  for (const ServedModel& model : models_) names.push_back(model.name);
  throw HttpError(404, unknown_name("model", beginning(name), names).what());
}

ServedModel& Api::find_model(const std::string& name) {
  return const_cast<ServedModel&>(std::as_const(*this).find_model(name));
}

HttpReply Api::page(const HttpRequest& request) const {
  const EmbeddedPage embedded = embedded_page();
  const bool packed = accepts_gzip(request.field("accept-encoding"));
  const std::string tag = fmt::format("\"{}{}\"", embedded.hash.substr(0, 32), packed ? "" : "-plain");
  HttpReply reply;
  reply.type = "text/html; charset=utf-8";
  reply.fields = {
      {"ETag", tag},
      {"Cache-Control", "no-cache"},
      {"Vary", "Accept-Encoding"},
      {"Content-Security-Policy",
       fmt::format("default-src 'none'; script-src{}; style-src{}; connect-src 'self'; img-src 'self' data:; "
                   "media-src data:; "
                   "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
                   embedded.script_hashes.empty() ? " 'none'" : embedded.script_hashes,
                   embedded.style_hashes.empty() ? " 'none'" : embedded.style_hashes)}};
  if (request.field("if-none-match").find(tag) != std::string_view::npos) {
    reply.status = 304;
    return reply;
  }
  if (packed) reply.fields.emplace_back("Content-Encoding", "gzip");
  reply.body = packed ? std::string(embedded.gzip) : plain_page_;
  return reply;
}

HttpReply Api::models(const HttpRequest&) const {
  std::vector<std::string_view> descriptions;
  for (const ServedModel& model : models_) descriptions.push_back(model.description);
  return {.body = fmt::format("{{\"models\":[{}],\"files\":{}}}", fmt::join(descriptions, ","), opens_files_)};
}

Api::Events Api::find_events(const HttpRequest& request) const {
  const std::string name = query_value(request.query, "model");
  if (live_.events && name.empty()) return {live_.name, live_.events, true};
  const ServedModel& model = find_model(name);
  if (!model.journal) throw HttpError(404, "this model was served without the folder of its run");
  return {model.name, model.journal->events(), false};
}

HttpReply Api::run(const HttpRequest& request) const {
  const Events found = find_events(request);
  return {.body = fmt::format("{{\"name\":{},\"live\":{},\"events\":{}}}", json_text(Json(found.name)), found.live,
                              found.log->list())};
}

HttpReply Api::events(const HttpRequest& request) const {
  HttpReply reply;
  reply.type = "text/event-stream";
  reply.events = find_events(request).log;
  const std::string_view last = request.field("last-event-id");
  std::int64_t number = 0;
  std::from_chars(last.data(), last.data() + last.size(), number);
  reply.first_event = std::clamp(number, std::int64_t{0}, std::int64_t{1} << 53) + 1;
  return reply;
}

HttpReply Api::health(const HttpRequest&) const {
  if (stopping_) return {.status = 503, .body = R"({"status":"stopping"})", .fields = {{"Retry-After", "1"}}};
  return {.body = R"({"status":"ok"})"};
}

HttpReply Api::metrics_page(const HttpRequest&) const {
  std::size_t waiting = 0;
  for (const ServedModel& model : models_) waiting += model.queue->waiting();
  const ServerMetrics::Gauge gauges[] = {
      {"fovea_queue_depth", "Requests that wait for a model.", static_cast<double>(waiting)},
      {"fovea_connections", "Open connections.", static_cast<double>(connections_)}};
  return {.type = "text/plain; version=0.0.4", .body = metrics_.text(gauges)};
}

HttpReply Api::openapi(const HttpRequest&) const { return {.body = openapi_text()}; }

}  // namespace fovea
