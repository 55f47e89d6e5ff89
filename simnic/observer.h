// Observers, which the model tells of the stations that requests visit.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "rdma/base/types.h"
#include "rdma/seam/notice.h"
#include "rdma/seam/work.h"
#include "simnic/event_queue.h"

namespace verbena::simnic {

/// The parts of a request's way. Each ends with an event of the model.
enum class Stage : std::uint8_t {
  kPost,     ///< on the core, until the doorbell is at the NIC
  kIssue,    ///< from there to the responder's NIC
  kExecute,  ///< from there to the access to memory
  kRespond,  ///< from there to the completion at the requester
  kPoll,     ///< on the core
};

/// Where a request spends time; docs/rnic-model.md describes each.
enum class Station : std::uint8_t {
  kPost,
  kBlueFlame,
  kDoorbell,
  kLocks,  ///< waiting for and taking those of queue pair and doorbell register
  kMmio,
  kUnits,  ///< processing units: the requester's, the responder's, or of what takes a response
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
  kCount
};

/// Resources of which stations are made. Most have a queue of their own.
enum class Resource : std::uint8_t {
  kNone,  ///< only time passes: requests do not wait for each other
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
  std::uint32_t number;  ///< of the NIC, or of the link, over the cluster
  std::uint32_t part;    ///< which of the NIC's processing units
  Picoseconds begin;     ///< when the resource begins with it, if it has a queue
  Picoseconds service;   ///< how long the resource is busy with it
  Picoseconds latency;   ///< what the request takes besides the longest wait of its stage
};

/// Which request. The pair of queue pair and index names it for ever.
struct RequestIdentity {
  NodeId node;               ///< that posted it
  std::uint32_t from;        ///< its NIC, over the cluster
  std::uint32_t to;          ///< the responder's
  std::uint32_t queue_pair;  ///< number
  std::uint32_t index;       ///< among those posted there, from 1
  std::uint64_t wr_id;
  std::uint32_t bytes;
  std::uint8_t opcode;  ///< ibv_wr_opcode
};

/// A core at a moment of its clock.
struct CoreMoment {
  NodeId node;
  WorkerId worker;
  Picoseconds time;
  std::span<const Picoseconds, rdma::kActivities> spent;  ///< since its start
};

/// Is told of every stage of every request, in the order of the model's events: `begin`, then
/// visits, then `end`. A stage without `end` came to nothing: the request failed or was lost.
/// Called while the model runs; must not use it.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void begin(Stage stage, const RequestIdentity& request, Picoseconds time) = 0;
  virtual void visit(const Visit& visit) = 0;
  /// The longest wait that counts was `wait`; after it and all latencies the request is `ready`.
  /// Its predecessors on its queue pair or at its atomic slot let it take effect at `time`.
  virtual void end(Picoseconds wait, Picoseconds ready, Picoseconds time) = 0;
  /// Link `number` is called `name` in SimGrid. Told before it is first visited.
  virtual void name_link(std::uint32_t number, const std::string& name) = 0;
  /// A core of `node` ran code that began and ended at these times of its clock.
  virtual void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) = 0;
  /// The core of `node` that runs posts the requests of the stage that began last, or polls.
  virtual void on_core(NodeId node, WorkerId worker) = 0;

  // For observers that follow more than one request.
  /// The code on `core` says so, see rdma::Core::note.
  virtual void noted(const CoreMoment& /*core*/, rdma::Notice /*notice*/, std::uint64_t /*what*/) {}
  /// The core posts `request`, whose data is, or will be, at `address`. Told of each request of a
  /// list before the stage that posts them.
  virtual void posts(const CoreMoment& /*core*/, const RequestIdentity& /*request*/,
                     std::uint64_t /*address*/) {}
  /// The core takes the completion of `request`. Told before the stage that polls it.
  virtual void polls(const CoreMoment& /*core*/, const RequestIdentity& /*request*/) {}
  /// The data of `request`, a SEND or a WRITE to memory that a core watches, is at `address` now.
  virtual void lands(const RequestIdentity& /*request*/, std::uint64_t /*address*/,
                     Picoseconds /*time*/) {}
};

/// As reports call them.
const char* stage_name(Stage stage);
const char* station_name(Station station);
const char* resource_name(Resource resource);

}  // namespace verbena::simnic
