// The receive queue of one UD queue pair, refilled in batches.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma/memory/worker_memory.h"

namespace verbena::rdma {

/// Datagrams arrive in the order of the buffers. So a batch is a run of neighbours, and a refill is
/// one call with requests that stay chained for good, of which only the buffers differ.
class ReceiveRing {
 public:
  /// `depth` is a multiple of `batch`.
  ReceiveRing(WorkerMemory& memory, std::uint32_t depth, std::uint32_t batch);

  /// Posts all buffers. Returns errno.
  int start(ibv_qp* qp, std::uint32_t local_key);

  /// Returns the content of the buffer of completion `wr_id`.
  const std::byte* content(std::uint64_t wr_id) { return memory_.receive_buffers().content(wr_id); }

  /// Tells that the `handled` oldest buffers, counted since the last refill, are needed no more.
  void empty(std::uint32_t handled) {
    for (; emptied_ < handled; ++emptied_) memory_.receive_buffers().empty(next_ + emptied_);
  }

  /// Posts the oldest `batch` buffers, which have been handled, again. Returns errno.
  int refill();

 private:
  WorkerMemory& memory_;
  ibv_qp* qp_ = nullptr;
  std::uint32_t depth_;
  std::uint32_t next_ = 0;     // first buffer of the next refill
  std::uint32_t emptied_ = 0;  // buffers from there on that are empty
  // One batch.
  std::vector<ibv_recv_wr> requests_;
  std::vector<ibv_sge> elements_;
};

}  // namespace verbena::rdma
