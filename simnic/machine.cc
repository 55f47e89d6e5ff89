// One kind of node, made of the constants of its NICs and CPU.
#include "simnic/machine.h"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "simnic/sim_core.h"

namespace verbena::simnic {
namespace {

unsigned log2_of(std::int64_t value) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

}  // namespace

Machine::Machine(NicProfile nic_profile, CpuProfile cpu_profile)
    : nic(std::move(nic_profile)),
      cpu(cpu_profile),
      service{},
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
  const ServiceTimes write = {nic.requester_write, nic.responder_write};
  const ServiceTimes send = {nic.requester_send, nic.responder_send};
  const ServiceTimes read = {nic.requester_read, nic.responder_read};
  const ServiceTimes atomic = {nic.requester_atomic, nic.responder_atomic};
  service[IBV_WR_RDMA_WRITE] = service[IBV_WR_RDMA_WRITE_WITH_IMM] = write;
  service[IBV_WR_SEND] = service[IBV_WR_SEND_WITH_IMM] = send;
  service[IBV_WR_RDMA_READ] = read;
  service[IBV_WR_ATOMIC_CMP_AND_SWP] = service[IBV_WR_ATOMIC_FETCH_AND_ADD] = atomic;
}

}  // namespace verbena::simnic
