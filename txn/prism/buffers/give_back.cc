// Looking from time to time.
#include "txn/prism/buffers/give_back.h"

#include "rdma/worker.h"
#include "txn/prism/buffers/buffer_stock.h"

namespace verbena::txn::prism {
namespace {

/// So long a buffer waits for others, at least.
constexpr Nanoseconds kPause = 100 * kMicrosecond;

}  // namespace

void give_back_when_due(rdma::Worker& worker, rdma::BufferReports& reports, BufferStock* stock,
                        const std::function<bool()>& over) {
  while (!over()) {
    worker.sleep_until(worker.now() + kPause);
    reports.flush();
  }
  if (stock != nullptr) stock->give_back(reports);
  reports.flush();
}

}  // namespace verbena::txn::prism
