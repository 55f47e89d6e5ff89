// Return of collected buffers that are too few for a report by themselves.
#pragma once

#include <functional>

#include "rdma/prism/buffer_reports.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

class BufferStock;

/// Body of a background fiber of a worker whose transactions collect buffers in `reports`. It
/// reports waiting buffers to servers now and then, and the rest, with those of `stock` if there is
/// one, once `over` returns true, which it then always does.
void give_back_when_due(rdma::Worker& worker, rdma::BufferReports& reports, BufferStock* stock,
                        const std::function<bool()>& over);

}  // namespace verbena::txn::prism
