// The region, and the work request.
#include "experiments/explain/chain_request.h"

#include <array>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/endpoint.h"
#include "rdma/worker.h"

namespace verbena::experiments {
namespace {

constexpr std::uint64_t kObject = 64;
constexpr std::uint64_t kMostRounds = 2;

}  // namespace

std::uint64_t ChainRequest::object_bytes() const {
  return std::uint64_t{cache_lines(payload_bytes_)} * kCacheLineBytes;
}

std::uint64_t ChainRequest::region_bytes() const {
  return kObject + (1 + kMostRounds) * object_bytes();
}

rdma::PageLoader ChainRequest::loader() const {
  return [bytes = std::uint64_t{payload_bytes_}](std::uint64_t offset, std::span<std::byte> page) {
    if (offset != 0) return;
    const std::array<std::uint64_t, 2> slot{kObject, bytes};
    std::memcpy(page.data(), slot.data(), sizeof slot);
  };
}

void ChainRequest::give_buffers(rdma::Endpoint& far, int rounds) const {
  const rdma::DeviceContext& device = *far.worker(0).verbs().device;
  const std::uint64_t first = kObject + object_bytes();
  const prismdv_free_list_attr attr{.mr = device.regions[0].get(),
                                    .first = first,
                                    .buffer_bytes = static_cast<std::uint32_t>(object_bytes()),
                                    .buffers = kMostRounds};
  prismdv_free_list* const list = device.table.prism->create_free_list(device.context.get(), &attr);
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t buffer = first + static_cast<std::uint64_t>(i) * object_bytes();
    device.table.prism->post_free(list, &buffer, 1);
  }
}

int ChainRequest::post(const prismdv_table& table, ibv_qp* qp,
                       const rdma::RawConnections::Target& target, std::span<std::byte> scratch,
                       std::uint32_t local_key) const {
  ibv_sge piece = {reinterpret_cast<std::uint64_t>(scratch.data()), payload_bytes_, local_key};
  prismdv_cas operands{};
  prismdv_send_wr wr{};
  wr.send_flags = unsigned{IBV_SEND_SIGNALED} | (inlined_ ? unsigned{IBV_SEND_INLINE} : 0U);
  wr.rkey = target.key;
  wr.target = {PRISMDV_MEMORY, 0};
  wr.length = payload_bytes_;
  wr.flags = unsigned{PRISMDV_TARGET_INDIRECT} | unsigned{PRISMDV_BOUNDED};
  if (operation_ == Operation::kIndirectRead) {
    wr.opcode = PRISMDV_READ;
    wr.result = piece;
  } else if (operation_ == Operation::kPrismCas) {
    wr.opcode = PRISMDV_COMPARE_AND_SWAP;
    wr.flags = 0;
    operands.mode = PRISMDV_GREATER;
    wr.cas = &operands;
    wr.result = piece;
  } else {
    wr.opcode = operation_ == Operation::kAllocate ? PRISMDV_ALLOCATE : PRISMDV_WRITE;
    wr.flags = operation_ == Operation::kAllocate ? 0 : wr.flags;
    wr.sg_list = &piece;
    wr.num_sge = 1;
  }
  prismdv_send_wr* bad = nullptr;
  return table.post_send(qp, &wr, &bad);
}

}  // namespace verbena::experiments
