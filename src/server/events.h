// What happened in a run, for those who watch it: kept for whoever comes late, within bounds. Written by the thread
// that trains, read by the one that sends.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

class EventLog {
 public:
  // `json` is an object in one line. When there is too much, every second of those that may be thinned is forgotten, of
  // the name that takes most room; what is left is spread evenly over the past.
  void add(std::string_view name, std::string json, bool may_be_thinned = false);
  void end();  // nothing will follow

  // What server-sent events are made of: those from the number `next` on, as text, some at a time; moves `next` behind
  // them.
  std::string text_from(std::int64_t& next) const;
  bool ended_at(std::int64_t next) const;
  // All there are, as a JSON list.
  std::string list() const;

  struct Bounds {
    std::size_t bytes = 16 << 20;
    std::size_t events = 4000;
  };
  explicit EventLog(Bounds bounds) : bounds_(bounds) {}
  EventLog() : EventLog(Bounds{}) {}

 private:
  struct Event {
    std::int64_t number;
    std::string name;
    std::string json;
    bool may_be_thinned;
    std::int64_t place;  // among those of its name
  };
  struct Thinning {
    std::int64_t count = 0;
    std::int64_t every = 1;  // so many of them one is kept
    std::size_t bytes = 0;
    std::size_t kept = 0;
  };
  void thin();
  void forget(const Event& event);

  Bounds bounds_;
  mutable std::mutex mutex_;
  std::deque<Event> events_;
  std::map<std::string, Thinning, std::less<>> names_;
  std::size_t bytes_ = 0;
  std::int64_t next_ = 1;
  bool ended_ = false;
};

}  // namespace fovea
