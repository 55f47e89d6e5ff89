// The receive queue of one UD queue pair, refilled in batches.
#include "rdma/rpc/transport/receive_ring.h"

namespace verbena::rdma {

ReceiveRing::ReceiveRing(WorkerMemory& memory, std::uint32_t depth, std::uint32_t batch)
    : memory_(memory), batch_(batch), requests_(depth), elements_(depth) {}

int ReceiveRing::start(ibv_qp* qp, std::uint32_t local_key) {
  qp_ = qp;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    elements_[i] = {reinterpret_cast<std::uint64_t>(memory_.receive_buffer(i)),
                    static_cast<std::uint32_t>(memory_.receive_bytes()), local_key};
    requests_[i].wr_id = i;
    requests_[i].sg_list = &elements_[i];
    requests_[i].num_sge = 1;
    requests_[i].next = (i + 1) % batch_ == 0 ? nullptr : &requests_[i + 1];
  }
  for (std::size_t posted = 0; posted < requests_.size(); posted += batch_) {
    if (const int error = refill(); error != 0) return error;
  }
  return 0;
}

int ReceiveRing::refill() {
  ibv_recv_wr* bad = nullptr;
  const int error = ibv_post_recv(qp_, &requests_[next_], &bad);
  next_ = next_ + batch_ == requests_.size() ? 0 : next_ + batch_;
  return error;
}

}  // namespace verbena::rdma
