// Processes that work on one thing together, on one machine or on several, each with a number: its rank. Rank 0 alone
// writes and speaks. A process on its own is the one rank of one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/as_size.h"

namespace fovea {

class Ranks {
 public:
  struct Sending {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Receiving {
    int from;
    std::span<std::byte> bytes;
  };

  static Ranks& alone();
  virtual ~Ranks() = default;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool first() const { return rank_ == 0; }

  // All messages at once; returns when all are there. What one rank sends another arrives in the order of the lists, so
  // both must list the same sizes. Never with itself.
  virtual void exchange(std::span<const Sending> /*out*/, std::span<const Receiving> /*in*/) {}

  // Signs of life, to be given and taken by a Watchdog while exchange() may be under way. Neither waits for anybody.
  enum class Sign : unsigned char { lives, leaves };
  virtual bool gives_signs() const { return false; }
  virtual void give_sign(Sign) {}                                     // to all others
  virtual std::optional<Sign> take_sign(int /*from*/) { return {}; }  // the last that came since

  // Ends the processes of all ranks, this one too. Alone it does nothing.
  virtual void abort(int /*exit_code*/) {}

  // The others get what rank 0 has.
  void broadcast(std::span<std::byte> bytes);
  void broadcast(std::string& text);

  // What each rank has, by rank.
  template <class Value>
  std::vector<Value> all_gather(const Value& mine) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> all(as_size(count_), mine);
    std::vector<Sending> out;
    std::vector<Receiving> in;
    for (int other = 0; other < count_; ++other) {
      if (other == rank_) continue;
      out.push_back({other, std::as_bytes(std::span(&mine, 1))});
      in.push_back({other, std::as_writable_bytes(std::span(&all[as_size(other)], 1))});
    }
    exchange(out, in);
    return all;
  }

 protected:
  Ranks(int rank, int count) : rank_(rank), count_(count) {}

 private:
  int rank_;
  int count_;
};

// Where the module that speaks MPI lies: beside the program or where it is installed; empty if it was not built.
std::string find_mpi_module();

// The ranks this process was started with by mpirun; one on its own otherwise, and then nothing of MPI is touched.
std::unique_ptr<Ranks> join_ranks();

// Worker threads for this process: as many as asked for; if 0, its share of the machine's cores.
int threads_of_rank(int asked);

}  // namespace fovea
