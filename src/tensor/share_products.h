// While one lives, the products of this thread are shared out by columns: the same bits, sooner. For a batch
// that is alone: the workers must have no other work meanwhile.
#pragma once

#include "base/threads.h"

namespace fovea {

class ShareProducts {
 public:
  explicit ShareProducts(Workers& workers) : before_(workers_) { workers_ = &workers; }
  ~ShareProducts() { workers_ = before_; }
  ShareProducts(const ShareProducts&) = delete;
  ShareProducts& operator=(const ShareProducts&) = delete;

  // Whom this thread shares with: null if nobody.
  static Workers* workers() { return workers_; }

 private:
  static inline thread_local Workers* workers_ = nullptr;
  Workers* before_;
};

}  // namespace fovea
