// The constants of a simulated cluster's NICs, CPUs and network, each kind read from a profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/seam/work.h"
#include "simnic/profile/byte_time.h"

namespace verbena::simnic {

/// The most processing units a NIC may have: a queue pair remembers its own in six bits.
inline constexpr std::uint32_t kMostProcessingUnits = 64;

/// Constants of one NIC, whatever host it is plugged into. docs/rnic-model.md gives the equations.
struct NicProfile {
  // Port.
  ByteTime port_rate;
  std::int64_t ports;
  std::int64_t path_mtu;
  std::int64_t ethernet;
  // PCIe, as far as the NIC supports it.
  std::int64_t pcie_lanes;
  ByteTime pcie_lane_rate;
  // Requester and responder.
  std::int64_t processing_units;
  std::int64_t processing_chunk;
  Picoseconds processing_chunk_time;
  ByteTime processing_rate;
  Picoseconds requester_read;
  Picoseconds requester_write;
  Picoseconds requester_send;
  Picoseconds requester_atomic;
  Picoseconds requester_latency;
  Picoseconds busy_queue_latency;
  Picoseconds response_latency;
  Picoseconds receive_latency;
  Picoseconds completion_time;
  Picoseconds result_write_time;
  std::int64_t scatter_to_cqe;
  Picoseconds responder_read;
  Picoseconds responder_write;
  Picoseconds responder_send;
  Picoseconds responder_atomic;
  Picoseconds responder_latency;
  // State on the NIC.
  std::int64_t qp_cache_entries;
  std::int64_t qp_state_bytes;
  Picoseconds qp_miss_stall;
  std::int64_t qp_fetches;
  std::int64_t mpt_cache_entries;
  std::int64_t mtt_cache_entries;
  Picoseconds mtt_miss_stall;
  std::int64_t page_bytes;
  std::int64_t wqe_cache_entries;
  Picoseconds wqe_miss_stall;
  std::int64_t wqe_fetch_burst;
  // Atomics.
  std::int64_t atomic_slots;
  Picoseconds atomic_hold;
  std::int64_t atomic_blocks;
  // Doorbells.
  std::int64_t doorbell_registers;
  std::int64_t private_doorbell_registers;
  std::int64_t thread_doorbell_registers;
  std::int64_t blueflame_bytes;
  // Wire format.
  std::int64_t packet_header;
  std::int64_t packet_framing;
  std::int64_t reth;
  std::int64_t aeth;
  std::int64_t deth;
  std::int64_t atomic_eth;
  std::int64_t atomic_ack_eth;
  std::int64_t immediate;
  // Formats in host memory.
  std::int64_t cqe_bytes;
  std::int64_t recv_wqe_bytes;
  // Limits that the device reports and enforces.
  std::int64_t max_inline;
  std::int64_t max_qp;
  std::int64_t max_qp_wr;
  std::int64_t max_sge;
  std::int64_t max_cqe;
  std::int64_t max_mr;
  std::int64_t max_rd_atomic;
  std::int64_t max_srq_wr;
  // PRISM's operations, of a NIC that had them.
  std::int64_t prism_scratch;
  Picoseconds prism_indirect;

  std::string fabric;  ///< fabric profile of the network in which it was measured
};

/// Constants of a host: a core, as seen by code that posts and polls and by the layers above; the
/// sockets; the PCIe root, and the path from a NIC to memory.
struct CpuProfile {
  Picoseconds post_call;
  Picoseconds wqe_build;
  Picoseconds inline_copy_line;
  Picoseconds recv_wqe_build;
  Picoseconds blueflame_line;
  Picoseconds doorbell;
  Picoseconds doorbell_lock;
  Picoseconds doorbell_waiter;
  Picoseconds queue_pair_lock;
  Picoseconds queue_pair_waiter;
  Picoseconds poll_cqe;
  Picoseconds poll_empty;
  Picoseconds line_transfer;
  Picoseconds far_line_transfer;
  std::int64_t cores_per_socket;
  std::int64_t smt_slowdown_percent;
  Picoseconds far_socket;
  std::int64_t pcie_lanes;
  ByteTime pcie_lane_rate;
  std::int64_t pcie_request_header;
  std::int64_t pcie_completion_header;
  std::int64_t pcie_completion_chunk;
  std::int64_t pcie_max_payload;
  Picoseconds dma_read_latency;
  Picoseconds dma_write_latency;
  Picoseconds mmio_latency;
  rdma::WorkCosts work;

  /// Bytes that a DMA read of `bytes` takes on the slot from the host to the NIC.
  std::int64_t read_completion_bytes(std::int64_t bytes) const {
    const std::int64_t chunks = bytes <= pcie_completion_chunk
                                    ? 1
                                    : (bytes + pcie_completion_chunk - 1) / pcie_completion_chunk;
    return bytes + chunks * pcie_completion_header;
  }
};

/// The link between a host and a NIC: in each dimension the lesser of both.
struct PcieLink {
  std::int64_t lanes;
  ByteTime lane_rate;

  /// Rate of all lanes in one direction, in picoseconds/1024 per byte.
  ByteTime rate() const { return lane_rate / lanes; }
};

PcieLink pcie_link(const NicProfile& nic, const CpuProfile& cpu);

/// Constants of the network and of the disorder to inject.
struct FabricProfile {
  ByteTime link_rate;
  double link_bytes_per_second;
  Picoseconds link_latency;
  Picoseconds switch_latency;
  Picoseconds loopback_latency;
  std::int64_t rc_loss;       ///< probability x 2^32
  std::int64_t ud_loss;       ///< probability x 2^32
  std::int64_t ud_duplicate;  ///< probability x 2^32
  std::int64_t ud_reorder;    ///< probability x 2^32
  Picoseconds ud_reorder_delay;
  std::int64_t chaos_preempt;  ///< probability x 2^32 that one spend, or step, lets others run
  Picoseconds chaos_jitter;
  Picoseconds chaos_interrupt;
  std::int64_t chaos_meet;  ///< probability x 2^32 that one step, or line, waits for others
};

/// Overrides of profile constants by key. Copyable; checked when set.
class Options {
 public:
  /// Sets constant `key` ("nic.qp_cache_entries", "cpu.fiber_switch_ns", "fabric.ud_loss", ...) to
  /// a decimal number, in the unit that its name says. Throws ConfigurationError for an unknown key
  /// (naming the nearest) and ParameterError for a value that is not allowed. The last setting of a
  /// key wins.
  void set(const std::string& key, const std::string& value);

  /// Returns the value to which `key` was set, if it was.
  std::optional<double> value(const std::string& key) const;

 private:
  friend std::vector<Parameter> parameters(Options& options);

  std::map<std::string, std::optional<double>> values_;
};

/// Returns a parameter for each constant, by keys as above and in the order in which a profile
/// lists them. An optional without value means the profile's value. `options` must outlive the
/// result.
std::vector<Parameter> parameters(Options& options);

/// Reads the profile called `name` (built in, or the path of a TOML file), then applies its
/// overrides in `options`. Throws ConfigurationError, in one line, for a profile that does not
/// exist or cannot be read, or in which a constant is missing, unknown, without unit or source, in
/// a wrong unit, or not an allowed number.
NicProfile load_nic_profile(const std::string& name, const Options& options);
CpuProfile load_cpu_profile(const std::string& name, const Options& options);
FabricProfile load_fabric_profile(const std::string& name, const Options& options);

/// A profile's description of itself.
struct ProfileInfo {
  std::string description;
  std::string origin;  ///< source to which its constants were fitted, or from which they were taken
  bool estimate = false;  ///< not measured: made from data sheets and from other profiles
  std::string fabric;     ///< of a NIC: see NicProfile::fabric
};

/// Returns the description of the profile called `name`; `kind` as below. Throws as loading does.
ProfileInfo profile_info(const std::string& kind, const std::string& name);

/// Returns the names of the built-in profiles; `kind` is "nic", "cpu" or "fabric".
std::vector<std::string> built_in_profiles(std::string_view kind);

/// Returns the text of a built-in profile; null when there is none of that name.
const std::string* built_in_profile(std::string_view kind, std::string_view name);

}  // namespace verbena::simnic
