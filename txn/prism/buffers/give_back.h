// Return of collected buffers that are too few for a report by themselves.
#pragma once

#include <functional>

#include "rdma/prism/buffer_reports.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

/// Body of a background fiber of a worker whose transactions collect buffers in `reports`. It
/// reports waiting buffers to servers now and then, and the rest once `over` returns true, which it
/// then always does.
void give_back_when_due(rdma::Worker& worker, rdma::BufferReports& reports,
                        const std::function<bool()>& over);

}  // namespace verbena::txn::prism
