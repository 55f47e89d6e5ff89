// A chain of one operation that the responder's NIC carries out, for explaining it.
#pragma once

#include <cstdint>
#include <span>

#include "experiments/bench/bench_options.h"
#include "rdma/one_sided/raw_connections.h"
#include "rdma/seam/first_touch_memory.h"
#include "rdma/seam/prismdv.h"

namespace verbena::rdma {
class Endpoint;
}  // namespace verbena::rdma

namespace verbena::experiments {

/// One operation on a region that has a slot, the object that it points to, and a free buffer.
class ChainRequest {
 public:
  ChainRequest(Operation operation, std::uint32_t payload_bytes, bool inlined)
      : operation_(operation), payload_bytes_(payload_bytes), inlined_(inlined) {}

  std::uint64_t region_bytes() const;
  rdma::PageLoader loader() const;

  /// Gives the NIC of `far` free buffers in its region 0, for `rounds` requests. After its memory
  /// was registered.
  void give_buffers(rdma::Endpoint& far, int rounds) const;

  /// Posts the operation to `qp`, for memory `target`; `scratch` is local memory of the payload's
  /// length. Returns errno.
  int post(const prismdv_table& table, ibv_qp* qp, const rdma::RawConnections::Target& target,
           std::span<std::byte> scratch, std::uint32_t local_key) const;

 private:
  std::uint64_t object_bytes() const;

  Operation operation_;
  std::uint32_t payload_bytes_;
  bool inlined_;
};

}  // namespace verbena::experiments
