// Options of a bench, and its result.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/histogram.h"
#include "rdma/base/parameter.h"
#include "rdma/base/time.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/one_sided/request_batch.h"
#include "workloads/measure/interval_series.h"
#include "workloads/measure/latency_batches.h"
#include "workloads/run/resources/utilization.h"

namespace verbena::experiments {

enum class Operation : std::uint8_t {
  kRead,
  kWrite,
  kSend,      ///< a notification that nothing answers
  kRpc,       ///< a call
  kWriteRpc,  ///< the same, over rdma::MessagePath::kWriteRing
  kCompareAndSwap,
  kFetchAndAdd,
  kMultiRead,  ///< of several objects (DrTM+H paper, section 4.2)
  kMultiWrite,
  kIndirectRead,  ///< of an object whose pointer and bound lie at the server (PRISM paper, 3.1)
  kPrismWrite,    ///< likewise, a WRITE
  kAllocate,      ///< a buffer that the server picks and the payload is written to (3.2)
  kPrismCas,      ///< enhanced compare-and-swap of 16 B, by "greater" (3.3)
};

/// By the names of the command line, in the order of help texts: "read", "multi-write".
const std::vector<std::string>& operation_names();

/// The operation of this name, one of operation_names().
Operation operation_of(const std::string& name);

bool is_atomic(Operation operation);
/// True of an RPC that is answered.
bool is_call(Operation operation);
/// True of operations of PRISM, which a server's cores carry out.
bool is_prism(Operation operation);

struct BenchOptions {
  Operation operation = Operation::kRead;
  std::uint32_t payload_bytes = 64;  ///< of an object; of a call's reply
  std::uint32_t request_bytes = 64;  ///< of a call's request
  std::uint32_t window = 1;          ///< requests in flight of a fiber, or of a raw loop's thread
  std::uint32_t fibers = 1;          ///< per worker
  std::uint32_t clients = 1;         ///< nodes 0 to clients - 1 post requests
  std::uint32_t servers = 1;         ///< the last nodes, to which they go
  rdma::Doorbell doorbell = rdma::Doorbell::kEach;

  std::uint32_t objects = 1;  ///< of kMultiRead and kMultiWrite
  bool two_sided = false;     ///< these by RPC
  bool outstanding = false;   ///< the requests of an operation in flight together
  bool passive = false;       ///< writes whose completion nobody waits for

  bool rounds = false;  ///< a raw loop waits for its whole window before it posts the next
  std::uint32_t threads_per_queue_pair = 1;  ///< of a raw loop
  rdma::Transport transport = rdma::Transport::kReliable;

  Nanoseconds warm_up = 0;
  Nanoseconds duration = kMillisecond;
  std::uint64_t seed = 1;
  /// Threads of nodes that only answer one-sided requests, which their NICs do alone, sleep instead
  /// of polling, as perftest's servers do. For hardware only.
  bool servers_sleep = false;

  /// Bytes that an operation carries, there and back.
  std::uint64_t carried_bytes() const;

  /// True if the servers' NICs do all that servers have to do.
  bool served_by_nics() const;
};

/// Settings of users in `options`, which must outlive the result; all but the operation, the
/// number of coroutines, times and seed. By the names of flags.
std::vector<Parameter> parameters(BenchOptions& options);

/// Work that the loops of the hosted nodes did.
struct BenchResult {
  std::uint64_t completed = 0;  ///< operations that ended in the measured time
  std::uint64_t total = 0;      ///< all of them
  /// From the post to the end of the wait that covers the request. For kSend: from the post to the
  /// arrival, and only where this process hosts all nodes, since clocks of two hosts differ. Of
  /// passive writes: to when the client has done with them.
  Histogram latency;
  workloads::LatencyBatches latency_batches;  ///< of these, over the measured time
  workloads::IntervalSeries series;           ///< of the measured time
  /// Ages at its end of what had begun and not ended; where there are latencies.
  Histogram in_flight;
  Nanoseconds in_flight_until = 0;  ///< after its end; then the last of these had ended
  /// By name, in the measured time: of the hosted workers, and of their nodes' NICs (see
  /// workloads::NicInterval).
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::uint64_t> nic_counters;
  std::map<std::string, std::uint64_t> total_nic_counters;  ///< since the start of the fabric
  workloads::Utilization utilization;                       ///< in the measured time
  Nanoseconds end = 0;  ///< the latest core's clock, from the start of the run

  /// Records `operations` that had begun `age` before the end of the measured time and ended
  /// `after` it.
  void record_in_flight(Nanoseconds age, Nanoseconds after, std::uint32_t operations);

  /// Adds the work of a thread; NICs' counters and utilization are no thread's.
  void merge(const BenchResult& thread);
};

/// Memory of a node that requests go to: so large that atomics rarely meet, so small that neither
/// the host's nor the NIC's address translation matters.
inline constexpr std::uint64_t kBenchRegionBytes = 2 << 20;

/// `bytes` in whole cache lines, in bytes.
constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  return std::uint64_t{cache_lines(bytes)} * kCacheLineBytes;
}

}  // namespace verbena::experiments
