// The receive queue of one UD queue pair, refilled in batches.
#include "rdma/rpc/transport/receive_ring.h"

namespace verbena::rdma {

ReceiveRing::ReceiveRing(WorkerMemory& memory, std::uint32_t depth, std::uint32_t batch)
    : memory_(memory), depth_(depth), requests_(batch), elements_(batch) {}

int ReceiveRing::start(ibv_qp* qp, std::uint32_t local_key) {
  qp_ = qp;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    elements_[i].length = static_cast<std::uint32_t>(memory_.receive_bytes());
    elements_[i].lkey = local_key;
    requests_[i].sg_list = &elements_[i];
    requests_[i].num_sge = 1;
    requests_[i].next = i + 1 == requests_.size() ? nullptr : &requests_[i + 1];
  }
  for (std::size_t posted = 0; posted < depth_; posted += requests_.size()) {
    if (const int error = refill(); error != 0) return error;
  }
  return 0;
}

int ReceiveRing::refill() {
  empty(static_cast<std::uint32_t>(requests_.size()));
  emptied_ = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    requests_[i].wr_id = next_ + i;
    elements_[i].addr =
        reinterpret_cast<std::uint64_t>(memory_.receive_buffers().address(next_ + i));
  }
  ibv_recv_wr* bad = nullptr;
  const int error = ibv_post_recv(qp_, requests_.data(), &bad);
  next_ += static_cast<std::uint32_t>(requests_.size());
  if (next_ == depth_) next_ = 0;
  return error;
}

}  // namespace verbena::rdma
