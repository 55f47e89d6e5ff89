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
  kSend,      ///< a notification; it has no reply
  kRpc,       ///< a call
  kWriteRpc,  ///< a call over rdma::MessagePath::kWriteRing
  kCompareAndSwap,
  kFetchAndAdd,
  kMultiRead,  ///< READs of several objects (DrTM+H paper, section 4.2)
  kMultiWrite,
  kIndirectRead,  ///< of an object whose pointer and bound lie at the server (PRISM paper, 3.1)
  kPrismWrite,    ///< WRITE of such an object
  kAllocate,      ///< takes a buffer that the server picks, and writes the payload to it (3.2)
  kPrismCas,      ///< enhanced compare-and-swap of 16 B, by "greater" (3.3)
};

/// Names of the operations on the command line, in the order of help texts: "read", "multi-write".
const std::vector<std::string>& operation_names();

/// The operation called `name`, one of operation_names().
Operation operation_of(const std::string& name);

bool is_atomic(Operation operation);
/// True for an RPC with a reply.
bool is_call(Operation operation);
/// True for operations of PRISM, which a server's cores execute, or its NIC.
bool is_prism(Operation operation);

struct BenchOptions {
  Operation operation = Operation::kRead;
  std::uint32_t payload_bytes = 64;  ///< of an object, or of a call's reply
  std::uint32_t request_bytes = 64;  ///< of a call's request
  std::uint32_t window = 1;          ///< requests in flight per fiber, or per thread of a raw loop
  std::uint32_t fibers = 1;          ///< per worker
  std::uint32_t clients = 1;         ///< nodes 0 to clients - 1 post requests
  std::uint32_t servers = 1;         ///< the last nodes; they serve requests
  rdma::Doorbell doorbell = rdma::Doorbell::kEach;

  std::uint32_t objects = 1;  ///< of kMultiRead and kMultiWrite
  bool two_sided = false;     ///< kMultiRead and kMultiWrite are done by RPC
  bool outstanding = false;   ///< all requests of an operation are in flight together
  bool passive = false;       ///< writes are not waited for

  bool rounds = false;  ///< a raw loop completes a whole window before it posts the next
  std::uint32_t threads_per_queue_pair = 1;  ///< of a raw loop
  rdma::Transport transport = rdma::Transport::kReliable;

  Nanoseconds warm_up = 0;
  Nanoseconds duration = kMillisecond;
  std::uint64_t seed = 1;
  /// Threads of nodes that answer only one-sided requests sleep instead of polling, as perftest's
  /// servers do, since their NICs do all the work. For hardware only.
  bool servers_sleep = false;

  /// Bytes that an operation carries, both ways together.
  std::uint64_t carried_bytes() const;

  /// True if the servers' NICs do all of the servers' work.
  bool served_by_nics() const;
};

/// The settings in `options` that users may change, by the names of flags: all but the operation,
/// the number of coroutines, times and seed. `options` must outlive the result.
std::vector<Parameter> parameters(BenchOptions& options);

/// Results of the loops of the hosted nodes.
struct BenchResult {
  std::uint64_t completed = 0;  ///< operations that ended in the measured time
  std::uint64_t total = 0;      ///< all operations
  /// Time from the post to the end of the wait that covers the request. For kSend: from the post to
  /// the arrival, and only where this process hosts all nodes, since clocks of two hosts differ.
  /// For passive writes: until the client has done with them.
  Histogram latency;
  workloads::LatencyBatches latency_batches;  ///< of `latency`, over the measured time
  workloads::IntervalSeries series;           ///< of the measured time
  /// Ages of operations in flight at the end of the measured time; only where there are latencies.
  Histogram in_flight;
  Nanoseconds in_flight_until = 0;  ///< time after that end when the last of them had ended
  /// Counters by name, in the measured time: of the hosted workers, and of their nodes' NICs (see
  /// workloads::NicInterval).
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::uint64_t> nic_counters;
  std::map<std::string, std::uint64_t> total_nic_counters;  ///< since the start of the fabric
  workloads::Utilization utilization;                       ///< in the measured time
  Nanoseconds end = 0;  ///< the latest of the cores' clocks, from the start of the run

  /// Records `operations` operations that had begun `age` before the end of the measured time and
  /// ended `after` it.
  void record_in_flight(Nanoseconds age, Nanoseconds after, std::uint32_t operations);

  /// Adds the results of a thread, but not NICs' counters and utilization, which belong to no
  /// thread.
  void merge(const BenchResult& thread);
};

/// Size of a node's memory for requests: large enough that atomics rarely conflict, small enough
/// that address translation of host and NIC does not matter.
inline constexpr std::uint64_t kBenchRegionBytes = 2 << 20;

/// Rounds `bytes` up to whole cache lines, in bytes.
constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  return std::uint64_t{cache_lines(bytes)} * kCacheLineBytes;
}

}  // namespace verbena::experiments
