// Options of an endpoint: threads, NICs, queue pairs, queue sizes, RPC and time-outs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/base/time.h"
#include "rdma/device/cluster_links.h"

namespace verbena::rdma {

/// Choice of the RDMA device and port for one NIC of the node. Empty or negative members are chosen
/// automatically: an active port; on Ethernet a RoCE v2 GID, preferably one that maps an IPv4
/// address; on InfiniBand the port's LID.
struct DeviceChoice {
  std::string name;    ///< e.g. "mlx5_0"
  int port = -1;       ///< from 1
  int gid_index = -1;  ///< from 0
};

/// The largest `RpcOptions::notify_window`.
inline constexpr std::uint32_t kMostUnacknowledged = 256;

/// The largest `RpcOptions::receive_depth`.
inline constexpr std::uint32_t kMostReceiveDepth = 32768;

/// The least `RpcOptions::max_message_bytes`: a header and 64 bytes of payload.
inline constexpr std::uint32_t kLeastMessageBytes = 80;

/// The largest `RpcOptions::max_message_bytes`: the largest MTU.
inline constexpr std::uint32_t kMostMessageBytes = 4096;

/// Time at which messages of RPCs leave.
enum class MessageFlush : std::uint8_t {
  kTurnEnd,  ///< all of a turn of the event loop together at its end, after fibers have run
  /// Calls when they are posted; replies when the messages that were polled are handled, before
  /// fibers run. Notifications at the turn's end, or with what leaves before.
  kAtOnce,
};

/// Carrier of the messages of RPCs.
enum class MessagePath : std::uint8_t {
  kDatagrams,  ///< UD (DrTM+H paper, section 3.1, two-sided primitive)
  kWriteRing,  ///< one-sided RC WRITEs into rings in the receiver's memory (FaRM, NSDI'14)
};

/// Carrier of one-sided requests, and of chains (PrismBatch).
enum class PrismMode : std::uint8_t {
  kAuto,      ///< requests: NICs; chains: the peers' cores
  kSoftware,  ///< both: the peers' cores, as RPCs
  kNic,       ///< both: NICs that have PRISM's operations (VerbsTable::prism)
};

struct RpcOptions {
  MessagePath transport = MessagePath::kDatagrams;
  /// Calls in flight from a worker to one peer, at most 64.
  std::uint32_t slots_per_peer = 32;
  /// Most unacknowledged notifications to one peer. With datagrams it is lowered so that the
  /// notifications of all peers fit `receive_depth`.
  std::uint32_t notify_window = 64;
  /// Datagrams that the receive ring can hold; multiplied by the number of a worker's links to a
  /// node of more workers.
  std::uint32_t receive_depth = 512;
  /// Receive buffers reposted at once; divides receive_depth.
  std::uint32_t receive_batch = 32;
  /// Slots of the UD queue pair's send queue.
  std::uint32_t send_queue_depth = 256;
  /// Every n-th datagram is signaled; at most half of the depth.
  std::uint32_t signal_interval = 32;
  /// Bytes of header and payload; with datagrams lowered to the port's MTU.
  std::uint32_t max_message_bytes = 2048;
  /// Memory for messages in flight per worker; 0: computed from nodes and fibers.
  std::size_t message_pool_bytes = 0;
  /// Replies of one event loop turn leave with one doorbell.
  bool batch_replies = true;
  MessageFlush flush = MessageFlush::kTurnEnd;
  /// Time before the first retransmission; doubles each time.
  Nanoseconds timeout = 5 * kMillisecond;
  /// Largest time before a retransmission.
  Nanoseconds max_timeout = 500 * kMillisecond;
  /// Retransmissions before the peer counts as missing.
  std::uint32_t retries = 9;
  /// First number of the calls and notifications of each session, for tests of their wrap-around;
  /// the same on all nodes.
  std::uint32_t first_number = 0;
  /// Longest wait of an acknowledgement for a message to ride on; < timeout / 2.
  Nanoseconds ack_delay = kMillisecond;
};

/// Sharing of verbs contexts, and so of the doorbell registers that the driver hands to queue pairs
/// (DrTM+H paper, section 3.1, figure 3a).
enum class ContextSharing : std::uint8_t {
  kDedicated,     ///< each worker has a context of its own
  kShared,        ///< the workers of a NIC share one, hence its few registers
  kOwnDoorbells,  ///< they share one, where each has a thread domain, hence a register, of its own
};

/// Kind of the connected queue pairs.
enum class Transport : std::uint8_t {
  kReliable,    ///< RC
  kUnreliable,  ///< UC: WRITEs only, and only for code that posts to queue pairs itself;
                ///< RequestBatch and Worker::run, which take completions for answers, throw
                ///< std::logic_error
};

struct EndpointOptions {
  /// Threads of the node.
  std::uint32_t workers = 1;
  /// Worker w uses NIC w * nics / workers.
  std::uint32_t nics = 1;
  /// Connections between nodes, with the workers and NICs of each, which then replace the two
  /// members above. Null: all nodes are like this one, and all are connected.
  std::shared_ptr<const ClusterLinks> links;
  ContextSharing context_sharing = ContextSharing::kDedicated;
  Transport transport = Transport::kReliable;
  /// Connected queue pairs of each link between workers. Several emulate a larger cluster (section
  /// 4.2): requests posted together to one node take one of them at random.
  std::uint32_t qps_per_peer = 1;
  /// Makes a worker's posts take them in turn instead.
  bool qps_in_turn = false;
  /// Seed of the random choices of queue pairs.
  std::uint64_t seed = 1;
  /// Expected number, for sizing; more are possible.
  std::uint32_t fibers_per_worker = 1;
  /// Size of a fiber's stack; multiple of 4096.
  std::size_t stack_bytes = 64 * 1024;
  /// Duration of a turn of the event loop, polling and peers' calls included. After it no further
  /// fiber is resumed, and a fiber that may give way does, before completions and messages are
  /// polled again. One fiber is resumed in any case. About a round trip by default, so that calls
  /// take at most two.
  Nanoseconds turn_time = 2 * kMicrosecond;

  /// Slots of an RC queue pair's send queue.
  std::uint32_t send_queue_depth = 128;
  /// Signals at least every n-th request; at most half of the depth.
  std::uint32_t signal_interval = 32;
  /// Signals every request of the connected queue pairs, and tells the device so (sq_sig_all): mlx5
  /// then brings results of up to 32 bytes in the completion.
  bool signal_all = false;
  /// Most completions, or arrived datagrams, taken by one poll, at most 64.
  std::uint32_t poll_batch = 16;
  /// Lowered to what the device grants.
  std::uint32_t max_inline_bytes = 64;
  /// Registered local memory of a worker, for allocate_scratch.
  std::size_t scratch_bytes = 1 << 20;
  /// Registered local memory of a worker, for copies of written data.
  std::size_t staging_bytes = 1 << 20;

  RpcOptions rpc;
  /// The same on all nodes. Drain, and code that posts to queue pairs itself, use NICs in any case.
  PrismMode prism = PrismMode::kAuto;
  /// One per NIC; empty: the first active ports.
  std::vector<DeviceChoice> devices;

  /// An unanswered RC request is repeated after 4.096 us * 2^n.
  std::uint8_t rc_timeout_exponent = 14;
  /// Retries of an RC request; at most 6, since 7 means for ever on some devices.
  std::uint8_t rc_retries = 6;
  /// Allows fibers in the background (Worker::spawn_background), for which all nodes agree once
  /// more in each phase; the same on all nodes.
  bool background = false;
  /// Digest of all other settings that must be the same on all nodes.
  std::uint32_t agreement = 0;
  /// Threads that fill regions on hardware; 0: all CPUs.
  std::uint32_t fill_threads = 0;

  /// Wall time within which every peer has to publish its addresses.
  Nanoseconds bring_up_timeout = 30 * kSecond;
  /// Time within which every peer has to finish after this node has.
  Nanoseconds drain_timeout = 300 * kSecond;

  /// True when the peers' cores carry out the requests of RequestBatch.
  bool requests_by_cores() const { return prism == PrismMode::kSoftware; }

  /// Throws ConfigurationError with the first value that is out of range.
  void validate() const;

  /// Entries of a worker's completion queue for sends: one for every request that can be in flight,
  /// since a failing queue pair also flushes unsignaled requests.
  std::uint64_t send_completions(const WorkerLinks& links) const {
    const std::uint64_t messages =
        writes_messages() ? std::uint64_t{links.all} * send_queue_depth : rpc.send_queue_depth;
    return std::uint64_t{links.channels} * qps_per_peer * send_queue_depth + messages;
  }

  /// True if each link has one more queue pair, for messages.
  bool writes_messages() const { return rpc.transport == MessagePath::kWriteRing; }

  /// Datagrams that the receive ring of a worker can hold: rpc.receive_depth for each of its links
  /// to a node, at most kMostReceiveDepth.
  std::uint32_t receive_depth(const WorkerLinks& links) const;

  /// Unacknowledged notifications that a worker accepts of each sender. All of them must find
  /// receive requests, since a dropped one comes again only after a time-out.
  std::uint32_t notify_window(const WorkerLinks& links) const;
};

/// Parameters that users may set in `options`, which must outlive the result; those of
/// `options.rpc` are named rpc_... Conditions call them rdma.NAME.
std::vector<Parameter> parameters(EndpointOptions& options);

}  // namespace verbena::rdma
