#include "kernels/reference_product.h"

#ifndef FOVEA_DOUBLE
#include <dnnl.h>
#include <omp.h>
#endif

#include "base/error.h"

namespace fovea::kernels {

#ifdef FOVEA_DOUBLE
void add_reference_product(const Real*, const Real*, int, Real*) {
  throw Error(ErrorKind::failure, "oneDNN has no product of doubles");
}
#else
void add_reference_product(const Real* left, const Real* right, int size, Real* out) {
  thread_local const bool alone = (omp_set_num_threads(1), true);
  static_cast<void>(alone);
  const dnnl_status_t status = dnnl_sgemm('T', 'N', size, size, size, 1.0f, left, size, right, size, 1.0f, out, size);
  check(status == dnnl_success, "oneDNN refused a product of {} x {} x {} (status {})", size, size, size,
        static_cast<int>(status));
}
#endif

}  // namespace fovea::kernels
