// Observers, which learn from the model which stations requests visit.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/seam/notice.h"
#include "rdma/seam/work.h"

namespace verbena::simnic {

/// Parts of a request's way. Each ends with an event of the model.
enum class Stage : std::uint8_t {
  kPost,      ///< on the core, until the doorbell is at the NIC
  kIssue,     ///< from there to the responder's NIC
  kExecute,   ///< from there to the access to memory
  kRespond,   ///< from there to the requester's NIC; of UC and UD: from the port to the completion
  kComplete,  ///< from there to the completion
  kPoll,      ///< on the core
};

/// Places where a request spends time; docs/rnic-model.md describes each.
enum class Station : std::uint8_t {
  kPost,
  kBlueFlame,
  kDoorbell,
  kLocks,  ///< locks of queue pair and doorbell register: waiting for and taking them
  kMmio,
  kUnits,  ///< processing units: the requester's, the responder's, or the receiver's of a response
  kBusyQueue,
  kWqeFetch,
  kPayloadFetch,
  kQueuePairState,
  kTranslation,
  kTranslationBeside,  ///< fetched together with another: bytes, no time
  kMemoryRead,
  kMemoryWrite,
  kReceiveFetch,
  kReceiveCompletion,
  kAtomicSlot,
  kPort,
  kLink,
  kWire,
  kLoopback,
  kRequestState,
  kResultWrite,
  kCompletion,
  kCompletionBeside,  ///< its write follows the data's: bytes, no time
  kFarSocket,
  kPoll,
  kPointerFetch,  ///< of a pointer, or of an operand in host memory
  kScratch,       ///< scratch that lies in host memory, or a redirected result
  kCount
};

/// Resources of stations. Most have a queue of their own.
enum class Resource : std::uint8_t {
  kNone,  ///< time only: requests do not wait for each other
  kCore,
  kFromHost,
  kToHost,
  kProcessing,
  kReceiving,  ///< units for SENDs, beside those for other work
  kPort,
  kAtomicSlot,
  kQueuePairFetches,
  kLink,
  kCount
};

/// One visit to a station.
struct Visit {
  Station station;
  Resource resource;
  std::uint32_t number;  ///< NIC or link, counted over the cluster
  std::uint32_t part;    ///< processing unit of the NIC
  Picoseconds begin;     ///< time at which the resource begins with it, if it has a queue
  Picoseconds service;   ///< time that the resource is busy with it
  Picoseconds latency;   ///< time that the request takes besides the longest wait of its stage
};

/// Opcodes of PRISM's operations, behind those of libibverbs: the first; they are in the order of
/// rdma::ChainOpcode.
inline constexpr unsigned kFirstPrismOpcode = 0x80;

/// Identity of a request. The pair of queue pair and index names it for ever.
struct RequestIdentity {
  NodeId node;               ///< node that posted it
  std::uint32_t from;        ///< its NIC, counted over the cluster
  std::uint32_t to;          ///< the responder's NIC
  std::uint32_t queue_pair;  ///< number
  std::uint32_t index;       ///< number among the requests posted there, from 1
  std::uint64_t wr_id;       ///< 0 when its sender has forgotten it (datagrams, UC)
  std::uint32_t bytes;
  std::uint8_t opcode;  ///< ibv_wr_opcode, or from kFirstPrismOpcode on
};

/// A core at a moment of its clock.
struct CoreMoment {
  NodeId node;
  WorkerId worker;
  Picoseconds time;
  std::span<const Picoseconds, rdma::kActivities> spent;  ///< since its start
};

/// Learns of every stage of every request, in the order of the model's events: `begin`, then
/// visits, then `end`. A stage without `end` came to nothing: the request failed or was lost.
/// Called while the model runs; must not use it.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void begin(Stage stage, const RequestIdentity& request, Picoseconds time) = 0;
  virtual void visit(const Visit& visit) = 0;
  /// Ends a stage. `wait` is its longest wait that counts; after it and all latencies the request
  /// is `ready`. It takes effect at `time`, after its predecessors on its queue pair or at its
  /// atomic slot.
  virtual void end(Picoseconds wait, Picoseconds ready, Picoseconds time) = 0;
  /// Tells that SimGrid calls link `number` `name`, before it is first visited.
  virtual void name_link(std::uint32_t number, const std::string& name) = 0;
  /// Tells that a core of `node` ran code between these times of its clock.
  virtual void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) = 0;
  /// Tells which core of `node` posts the requests of the stage that began last, or polls.
  virtual void on_core(NodeId node, WorkerId worker) = 0;

  // For observers that follow more than one request.
  /// Passes on a notice of the code on `core`; see rdma::Core::note.
  virtual void noted(const CoreMoment& /*core*/, rdma::Notice /*notice*/, std::uint64_t /*what*/) {}
  /// Tells that the core posts `request`, whose data is, or will be, at `address`. Called for each
  /// request of a list before the stage that posts them.
  virtual void posts(const CoreMoment& /*core*/, const RequestIdentity& /*request*/,
                     std::uint64_t /*address*/) {}
  /// Tells that the core takes the completion of `request`, before the stage that polls it.
  virtual void polls(const CoreMoment& /*core*/, const RequestIdentity& /*request*/) {}
  /// Tells that the data of `request`, a SEND or a WRITE to memory that a core watches, is now at
  /// `address`.
  virtual void lands(const RequestIdentity& /*request*/, std::uint64_t /*address*/,
                     Picoseconds /*time*/) {}
};

/// Names for reports.
const char* stage_name(Stage stage);
const char* station_name(Station station);
const char* resource_name(Resource resource);

}  // namespace verbena::simnic
