// Giving back the buffers that few were collected of.
#pragma once

#include <functional>

#include "rdma/prism/buffer_reports.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

/// The body of a fiber in the background, of a worker whose transactions collect buffers in
/// `reports`: tells servers now and then of what waits there, and once it is `over`, which says so
/// for good, of the rest.
void give_back_when_due(rdma::Worker& worker, rdma::BufferReports& reports,
                        const std::function<bool()>& over);

}  // namespace verbena::txn::prism
