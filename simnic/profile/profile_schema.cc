// Tables of all profile constants.
#include "simnic/profile/profile_schema.h"

#include <array>

namespace verbena::simnic {
namespace {

template <typename Profile>
ConstantSchema<Profile> constant(const char* key, const char* help, const char* unit, Unit kind,
                                 Range range, std::int64_t Profile::*member) {
  return {key,
          help,
          unit,
          kind,
          range,
          [member](const Profile& profile) { return profile.*member; },
          [member](Profile& profile, std::int64_t value) { profile.*member = value; }};
}

template <typename Profile>
ConstantSchema<Profile> time(const char* key, const char* help, Picoseconds Profile::*member,
                             double maximum = 100'000) {
  return {key,
          help,
          "ns",
          Unit::kNanoseconds,
          {0, maximum},
          [member](const Profile& profile) { return (profile.*member).count(); },
          [member](Profile& profile, std::int64_t value) { profile.*member = Picoseconds(value); }};
}

template <typename Profile>
ConstantSchema<Profile> rate(const char* key, const char* help, double minimum, double maximum,
                             std::int64_t Profile::*member) {
  return constant(key, help, "Gb/s", Unit::kGigabitsPerSecond, {minimum, maximum}, member);
}

template <typename Profile>
ConstantSchema<Profile> count(const char* key, const char* help, const char* unit, double minimum,
                              double maximum, std::int64_t Profile::*member,
                              Values values = Values::kWhole) {
  return constant(key, help, unit, Unit::kCount, {minimum, maximum, values}, member);
}

template <typename Profile>
ConstantSchema<Profile> bytes(const char* key, const char* help, double minimum, double maximum,
                              std::int64_t Profile::*member, Values values = Values::kWhole) {
  return count(key, help, "bytes", minimum, maximum, member, values);
}

template <typename Profile>
ConstantSchema<Profile> flag(const char* key, const char* help, std::int64_t Profile::*member) {
  return count(key, help, "0 or 1", 0, 1, member);
}

template <typename Profile>
ConstantSchema<Profile> cache(const char* key, const char* help, std::int64_t Profile::*member) {
  return count(key, help, "entries", 4, 1e8, member, Values::kWaysOfFour);
}

template <typename Profile>
ConstantSchema<Profile> probability(const char* key, const char* help,
                                    std::int64_t Profile::*member) {
  return constant(key, help, "probability", Unit::kProbability, {0, 1}, member);
}

// Constants that both a NIC and its slot have.
template <typename Profile>
ConstantSchema<Profile> pcie_lanes(const char* help) {
  auto schema = count("pcie_lanes", help, "lanes", 1, 32, &Profile::pcie_lanes);
  schema.capability = true;
  return schema;
}

template <typename Profile>
ConstantSchema<Profile> pcie_lane_rate(const char* help) {
  auto schema = constant("pcie_lane_mbps", help, "MB/s", Unit::kMegabytesPerSecond, {100, 64'000},
                         &Profile::pcie_lane_rate);
  schema.capability = true;
  return schema;
}

using NicSchema = std::vector<ConstantSchema<NicProfile>>;

NicSchema port_and_pcie_constants() {
  using P = NicProfile;
  return {
      rate("port_gbps", "rate of one port", 1, 1600, &P::port_rate),
      count("ports", "ports of a NIC", "ports", 1, 4, &P::ports),
      bytes("path_mtu_bytes", "largest payload of a packet", 256, 4096, &P::path_mtu,
            Values::kPowersOfTwo),
      flag("ethernet", "1: ports are Ethernet (RoCE), 0: InfiniBand", &P::ethernet),
      pcie_lanes<P>(
          "lanes of PCIe that the NIC has; the link has the lesser of this and the slot's"),
      pcie_lane_rate<P>(
          "rate at which the NIC can run one lane of PCIe, to either side; the link runs at the "
          "lesser of this and the slot's"),
  };
}

NicSchema processing_constants() {
  using P = NicProfile;
  return {
      count("processing_units",
            "units that serve what queue pairs send and receive, each queue pair always by one",
            "units", 1, kMostProcessingUnits, &P::processing_units),
      bytes("processing_chunk_bytes", "payload up to which a message costs its unit no more", 64,
            1 << 30, &P::processing_chunk),
      time("processing_chunk_ns", "what each further chunk of a message's payload costs a unit",
           &P::processing_chunk_time),
      rate("processing_gbps", "rate at which a unit passes payload on", 1, 100'000,
           &P::processing_rate),
      time("requester_read_ns", "time of a unit for a READ that its NIC requests",
           &P::requester_read),
      time("requester_write_ns", "time of a unit for a WRITE that its NIC requests",
           &P::requester_write),
      time("requester_send_ns", "time of a unit for a SEND that its NIC requests",
           &P::requester_send),
      time("requester_atomic_ns", "time of a unit for an atomic operation that its NIC requests",
           &P::requester_atomic),
      time("requester_latency_ns",
           "delay of a request inside the requester's NIC, which keeps no unit busy",
           &P::requester_latency),
      time("busy_queue_ns", "further delay of a request whose queue pair has others in flight",
           &P::busy_queue_latency),
      time("response_latency_ns",
           "delay of a response inside the requester's NIC, which keeps no unit busy",
           &P::response_latency),
      time("receive_latency_ns",
           "further delay of a message until its completion, in the NIC and in the software above "
           "it, which keeps neither busy",
           &P::receive_latency),
      time("completion_ns", "time of a unit for a completion that it writes", &P::completion_time),
      time("result_write_ns",
           "time of a unit for the result of a READ or atomic that it writes to host memory",
           &P::result_write_time),
      bytes("scatter_to_cqe_bytes", "results up to this size are part of the completion", 0, 64,
            &P::scatter_to_cqe),
      time("responder_read_ns", "time of a unit for a READ that its NIC answers",
           &P::responder_read),
      time("responder_write_ns", "time of a unit for a WRITE that its NIC answers",
           &P::responder_write),
      time("responder_send_ns", "time of a unit for a SEND that its NIC receives",
           &P::responder_send),
      time("responder_atomic_ns", "time of a unit for an atomic operation that its NIC answers",
           &P::responder_atomic),
      time("responder_latency_ns",
           "delay of a request inside the responder's NIC, which keeps no unit busy",
           &P::responder_latency),
  };
}

NicSchema state_constants() {
  using P = NicProfile;
  return {
      cache("qp_cache_entries", "queue pairs whose state the NIC keeps", &P::qp_cache_entries),
      bytes("qp_state_bytes", "bytes of a queue pair's state that a miss fetches", 1, 4096,
            &P::qp_state_bytes),
      time("qp_miss_stall_ns", "time of a unit that waits for a queue pair's state",
           &P::qp_miss_stall),
      count("qp_fetches", "misses of queue pairs' state that are fetched at once", "fetches", 1,
            1e6, &P::qp_fetches),
      cache("mpt_cache_entries", "memory regions whose protection the NIC keeps",
            &P::mpt_cache_entries),
      cache("mtt_cache_entries", "pages whose address translation the NIC keeps",
            &P::mtt_cache_entries),
      time("mtt_miss_stall_ns", "time of a unit that waits for a region's or page's entry",
           &P::mtt_miss_stall),
      bytes("page_bytes", "size of a page of registered memory", 4096, 1 << 30, &P::page_bytes,
            Values::kPowersOfTwo),
      count("wqe_cache_entries",
            "younger requests that drive one out of the NIC, half of them to half as many more",
            "entries", 1, 1e8, &P::wqe_cache_entries),
      time("wqe_miss_stall_ns", "time of a unit that fetches a work request again",
           &P::wqe_miss_stall),
      count("wqe_fetch_burst", "lines of 64 B of work requests that one read fetches", "lines", 1,
            64, &P::wqe_fetch_burst),
      count("atomic_slots",
            "locks among which atomic operations spread by the low bits of their address", "slots",
            1, 1 << 20, &P::atomic_slots),
      time("atomic_hold_ns", "how long an atomic operation holds its lock", &P::atomic_hold),
      flag("atomic_blocks",
           "1: an atomic operation that waits for its lock blocks its unit, 0: others go on",
           &P::atomic_blocks),
      count("doorbell_registers", "doorbell registers of a verbs context", "registers", 1, 65'536,
            &P::doorbell_registers),
      count("private_doorbell_registers",
            "doorbell registers of a context that only one queue pair has", "registers", 0, 65'536,
            &P::private_doorbell_registers),
      count("thread_doorbell_registers",
            "doorbell registers for thread domains, beside those of the context", "registers", 0,
            65'536, &P::thread_doorbell_registers),
      bytes("blueflame_bytes",
            "work requests up to this size are written to the doorbell register itself", 0, 4096,
            &P::blueflame_bytes),
  };
}

NicSchema format_constants() {
  using P = NicProfile;
  return {
      bytes("packet_header_bytes", "bytes of headers and checks of every packet", 0, 256,
            &P::packet_header),
      bytes("packet_framing_bytes", "bytes of a port's time beside those of a packet", 0, 256,
            &P::packet_framing),
      bytes("reth_bytes", "further header of READ and WRITE requests", 0, 64, &P::reth),
      bytes("aeth_bytes", "further header of responses and acknowledgements", 0, 64, &P::aeth),
      bytes("deth_bytes", "further header of datagrams", 0, 64, &P::deth),
      bytes("atomic_eth_bytes", "further header of atomic requests", 0, 64, &P::atomic_eth),
      bytes("atomic_ack_eth_bytes", "further header of atomic responses", 0, 64,
            &P::atomic_ack_eth),
      bytes("immediate_bytes", "bytes of immediate data", 0, 64, &P::immediate),
      bytes("cqe_bytes", "size of a completion in host memory", 16, 256, &P::cqe_bytes),
      bytes("recv_wqe_bytes", "size of a receive request in host memory", 16, 256,
            &P::recv_wqe_bytes),
  };
}

NicSchema limit_constants() {
  using P = NicProfile;
  return {
      bytes("max_inline_bytes", "largest inline data that a queue pair is granted", 0, 4096,
            &P::max_inline),
      count("max_qp", "queue pairs of a device", "queue pairs", 1, 1 << 23, &P::max_qp),
      count("max_qp_wr", "requests in flight of a queue pair", "requests", 1, 1 << 20,
            &P::max_qp_wr),
      count("max_sge", "pieces of memory of a request", "entries", 1, 255, &P::max_sge),
      count("max_cqe", "entries of a completion queue", "entries", 1, 1 << 24, &P::max_cqe),
      count("max_mr", "memory regions of a device", "regions", 1, 1 << 24, &P::max_mr),
      count("max_rd_atomic", "READs and atomics in flight of a queue pair", "requests", 1, 255,
            &P::max_rd_atomic),
      count("max_srq_wr", "receive requests of a shared receive queue", "requests", 1, 1 << 20,
            &P::max_srq_wr),
  };
}

NicSchema prism_constants() {
  using P = NicProfile;
  NicSchema schema = {
      bytes("prism_scratch_bytes",
            "memory on the NIC for the scratch of queue pairs that use PRISM's operations; that of "
            "further ones lies in host memory",
            0, 1 << 30, &P::prism_scratch),
      time("prism_indirect_ns", "time of a unit for each pointer that an operation follows",
           &P::prism_indirect),
  };
  schema[0].otherwise = 262'144;
  schema[1].otherwise = 20;
  return schema;
}

NicSchema make_nic_schema() {
  NicSchema schema = port_and_pcie_constants();
  for (const NicSchema& more : {processing_constants(), state_constants(), format_constants(),
                                limit_constants(), prism_constants()}) {
    schema.insert(schema.end(), more.begin(), more.end());
  }
  return schema;
}

// Descriptions of all kinds of work, in their order.
constexpr auto kWorkHelp = std::to_array<const char*>(
    {"one turn of a worker's event loop that found something to do",
     "one switch between two coroutines", "writing an RPC message's header and choosing its buffer",
     "taking a received message to its handler or waiting coroutine",
     "looking whether a NIC has written to a cache line", "copying one cache line between buffers",
     "one look-up in the cache of records' locations", "visiting one bucket of a hash table",
     "adding a key to a table's indexes, or taking it out",
     "reading or writing the header of a record in local memory", "one compare-and-swap by the CPU",
     "applying one logged update at a backup",
     "decoding and carrying out one operation of a chain of PRISM, but for its copies",
     "one access of a chain to the host's memory, for cores that do not lie at it",
     "computing the CRC of one cache line",
     "choosing a transaction's input, and accounting for it in the end",
     "beginning and ending one attempt of a transaction",
     "application logic per record that a transaction touches"});
static_assert(kWorkHelp.size() == rdma::kWorkKinds);

std::vector<ConstantSchema<CpuProfile>> pcie_constants() {
  using P = CpuProfile;
  return {
      pcie_lanes<P>("lanes of the slot; the link has the lesser of this and the NIC's"),
      pcie_lane_rate<P>(
          "rate at which the slot can run one lane of PCIe, to either side; the link runs at the "
          "lesser of this and the NIC's"),
      bytes("pcie_request_header_bytes", "bytes that a PCIe request carries besides data", 0, 128,
            &P::pcie_request_header),
      bytes("pcie_completion_header_bytes",
            "bytes that each PCIe read completion carries besides data", 0, 128,
            &P::pcie_completion_header),
      bytes("pcie_completion_chunk_bytes", "data of one PCIe read completion", 64, 4096,
            &P::pcie_completion_chunk),
      bytes("pcie_max_payload_bytes", "data of one PCIe write", 128, 4096, &P::pcie_max_payload,
            Values::kPowersOfTwo),
      time("dma_read_latency_ns", "from the NIC's read request to the first byte from host memory",
           &P::dma_read_latency),
      time("dma_write_latency_ns", "from the NIC's write to where the host sees it",
           &P::dma_write_latency),
      time("mmio_latency_ns", "from the CPU's write to a doorbell register to the NIC",
           &P::mmio_latency),
  };
}

std::vector<ConstantSchema<CpuProfile>> make_cpu_schema() {
  using P = CpuProfile;
  std::vector<ConstantSchema<P>> schema = {
      time("post_call_ns", "calling ibv_post_send or ibv_post_recv", &P::post_call),
      time("wqe_build_ns", "building one work request", &P::wqe_build),
      time("inline_copy_line_ns", "copying one cache line of inline data into a work request",
           &P::inline_copy_line),
      time("recv_wqe_build_ns", "building one receive request", &P::recv_wqe_build),
      time("blueflame_line_ns", "writing one cache line of a work request to a doorbell register",
           &P::blueflame_line),
      time("doorbell_ns", "ringing a doorbell, whose work requests the NIC fetches", &P::doorbell),
      time("doorbell_lock_ns", "taking the lock of a doorbell register that another core held",
           &P::doorbell_lock),
      time("doorbell_waiter_ns", "what each core that waits for such a register costs in addition",
           &P::doorbell_waiter),
      time("queue_pair_lock_ns", "taking the lock of a queue pair that another core held",
           &P::queue_pair_lock),
      time("queue_pair_waiter_ns",
           "what each core that waits for such a queue pair costs in addition",
           &P::queue_pair_waiter),
      time("poll_cqe_ns", "taking one completion", &P::poll_cqe),
      time("poll_empty_ns", "polling in vain", &P::poll_empty),
      time("line_transfer_ns", "a cache line that another core of the socket changed",
           &P::line_transfer),
      time("far_line_transfer_ns", "a cache line that a core of the other socket changed",
           &P::far_line_transfer),
      count("cores_per_socket", "cores of one socket, which workers fill one after the other",
            "cores", 1, 1024, &P::cores_per_socket),
      count("smt_slowdown_percent", "time that code takes whose core runs two threads, against one",
            "percent", 100, 1000, &P::smt_slowdown_percent),
      time("far_socket_ns", "further delay of a DMA to the memory of the other socket",
           &P::far_socket),
  };
  const auto pcie = pcie_constants();
  schema.insert(schema.end(), pcie.begin(), pcie.end());
  static const std::vector<std::string> work_keys = [] {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < rdma::kWorkKinds; ++i) {
      keys.push_back(std::string(rdma::work_name(static_cast<rdma::Work>(i))) + "_ns");
    }
    return keys;
  }();
  for (std::size_t i = 0; i < rdma::kWorkKinds; ++i) {
    schema.push_back(
        {work_keys[i].c_str(),
         kWorkHelp[i],
         "ns",
         Unit::kNanoseconds,
         {0, 1e6},
         [i](const P& profile) { return profile.work[i].count(); },
         [i](P& profile, std::int64_t value) { profile.work[i] = Picoseconds(value); }});
  }
  return schema;
}

std::vector<ConstantSchema<FabricProfile>> make_fabric_schema() {
  using P = FabricProfile;
  return {
      rate("link_gbps", "rate of a link between node and switch, or between switches", 0.001,
           100'000, &P::link_rate),
      time("link_latency_ns", "delay of a link", &P::link_latency, 1e9),
      time("switch_latency_ns", "delay of a switch", &P::switch_latency, 1e9),
      time("loopback_latency_ns", "delay of what a NIC sends to itself", &P::loopback_latency),
      probability(
          "rc_loss",
          "how likely a packet of a reliable connection is lost: a request, a response, a NAK",
          &P::rc_loss),
      probability("ud_loss", "how likely a datagram is lost", &P::ud_loss),
      probability("ud_duplicate", "how likely a datagram arrives twice", &P::ud_duplicate),
      probability("ud_reorder", "how likely a datagram is late, so that others overtake it",
                  &P::ud_reorder),
      time("ud_reorder_delay_ns", "how late such a datagram is at most", &P::ud_reorder_delay, 1e9),
      probability("chaos_preempt",
                  "how likely a core is preempted in a piece of work, or interrupted between two "
                  "accesses to a record, with --chaos",
                  &P::chaos_preempt),
      time("chaos_jitter_ns", "time over which a request's accesses to memory spread, with --chaos",
           &P::chaos_jitter),
      time("chaos_interrupt_ns",
           "longest interruption of a core between two accesses to a record, with --chaos",
           &P::chaos_interrupt),
      probability("chaos_meet",
                  "how likely a core, or a request of several lines, waits between two accesses to "
                  "a record until others have accessed it, for as long as an interrupt or the "
                  "request's jitter at most, with --chaos",
                  &P::chaos_meet),
  };
}

}  // namespace

std::span<const ConstantSchema<NicProfile>> nic_schema() {
  static const auto schema = make_nic_schema();
  return schema;
}

std::span<const ConstantSchema<CpuProfile>> cpu_schema() {
  static const auto schema = make_cpu_schema();
  return schema;
}

std::span<const ConstantSchema<FabricProfile>> fabric_schema() {
  static const auto schema = make_fabric_schema();
  return schema;
}

}  // namespace verbena::simnic
