// The module fovea_mpi.so: ranks started by mpirun. It is loaded by base/ranks.cc when mpirun started the process, so
// that the program itself needs nothing of MPI.
#include "base/ranks.h"

#define OMPI_SKIP_MPICXX  // the old C++ interface, a library of its own
#include <mpi.h>

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

namespace {

constexpr std::size_t largest_message = std::size_t(1) << 30;  // MPI counts with int

// Errors of MPI itself end the job, with a message, in MPI's own handler.
class MpiRanks : public Ranks {
 public:
  MpiRanks(int rank, int count, bool gives_signs) : Ranks(rank, count), gives_signs_(gives_signs) {
    MPI_Comm_dup(MPI_COMM_WORLD, &signs_);
  }
  // Waits for the other ranks to end.
  ~MpiRanks() override { MPI_Finalize(); }

  void exchange(std::span<const Sending> out, std::span<const Receiving> in) override {
    std::vector<MPI_Request> requests;
    for (const auto& [from, bytes] : in) {
      for (std::size_t done = 0; done < bytes.size(); done += largest_message) {
        const std::span<std::byte> part = bytes.subspan(done, std::min(largest_message, bytes.size() - done));
        MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, 0, MPI_COMM_WORLD,
                  &requests.emplace_back());
      }
    }
    for (const auto& [to, bytes] : out) {
      for (std::size_t done = 0; done < bytes.size(); done += largest_message) {
        const std::span<const std::byte> part = bytes.subspan(done, std::min(largest_message, bytes.size() - done));
        MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  &requests.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  bool gives_signs() const override { return gives_signs_; }

  void give_sign(Sign sign) override {
    static constexpr Sign kinds[] = {Sign::lives, Sign::leaves};  // stays until the message is gone
    for (int other = 0; other < count(); ++other) {
      if (other == rank()) continue;
      MPI_Request request;
      MPI_Isend(&kinds[as_size(sign)], 1, MPI_BYTE, other, 0, signs_, &request);
      MPI_Request_free(&request);
    }
  }

  std::optional<Sign> take_sign(int from) override {
    std::optional<Sign> last;
    for (int there = 0;;) {
      MPI_Iprobe(from, 0, signs_, &there, MPI_STATUS_IGNORE);
      if (!there) return last;
      MPI_Recv(&last.emplace(), 1, MPI_BYTE, from, 0, signs_, MPI_STATUS_IGNORE);
    }
  }

  void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  MPI_Comm signs_;
  bool gives_signs_;
};

}  // namespace

extern "C" {

extern const char fovea_mpi_version[] = FOVEA_VERSION;

Ranks* fovea_join_mpi_ranks() {
  int provided = 0, rank = 0, count = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return new MpiRanks(rank, count, provided == MPI_THREAD_MULTIPLE);
}

}  // extern "C"

}  // namespace fovea
