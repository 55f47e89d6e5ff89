// One kind of node, made of the constants of its NICs and CPU.
#include "simnic/nic/machine.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "simnic/engine/sim_core.h"

namespace verbena::simnic {
namespace {

unsigned log2_of(std::int64_t value) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

std::int64_t total(const NicProfile& nic, const std::array<NicBytes, 2>& headers) {
  std::int64_t bytes = 0;
  for (const NicBytes header : headers) {
    if (header != nullptr) bytes += nic.*header;
  }
  return bytes;
}

}  // namespace

Machine::Machine(NicProfile nic_profile, CpuProfile cpu_profile)
    : nic(std::move(nic_profile)),
      cpu(cpu_profile),
      costs{},
      pcie_rate(pcie_link(nic, cpu).rate()),
      ports_rate(nic.port_rate / nic.ports),
      qp_fetch_time(cpu.dma_read_latency / nic.qp_fetches),
      page_shift(log2_of(nic.page_bytes)),
      doorbell_lock{cpu.doorbell_lock, cpu.doorbell_waiter, kSockets * cpu.cores_per_socket},
      queue_pair_lock{cpu.queue_pair_lock, cpu.queue_pair_waiter, kSockets * cpu.cores_per_socket} {
  if (nic.scatter_to_cqe > nic.cqe_bytes / 2) {
    throw ConfigurationError("nic.scatter_to_cqe_bytes is " + std::to_string(nic.scatter_to_cqe) +
                             ", it must be at most half of nic.cqe_bytes, " +
                             std::to_string(nic.cqe_bytes));
  }
  for (const Operation& operation : kOperations) {
    costs[number_of(operation)] = {.requester = nic.*operation.requester_service,
                                   .responder = nic.*operation.responder_service,
                                   .request_headers = total(nic, operation.request_headers),
                                   .response_headers = total(nic, operation.response_headers)};
  }
}

}  // namespace verbena::simnic
