// PRISM's operations at a responder's NIC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simnic/nic/answers.h"
#include "simnic/nic/chain_context.h"
#include "simnic/nic/event_handler.h"
#include "simnic/nic/stations.h"

namespace verbena::simnic {

/// Carries out operations that arrive at a node's NICs, as a NIC that had them would (PRISM paper,
/// section 4.2). An operation begins after the effects of those before it on its queue pair; READs
/// that leave nothing at the server have none, so they overlap. A conditional one waits for the
/// outcome before it. Each access to memory is an event of its own, so others come between. Answers
/// go in order. Changes nothing of the requesters.
class ChainExecutor : private EventHandler {
 public:
  /// The arguments must outlive this.
  ChainExecutor(const EventContext& context, Stations& stations, Answers& answers)
      : EventHandler(context), stations_(stations), answers_(answers) {}

  /// Takes a request that `peer` has accepted, after queueing for `wait`.
  void arrives(Packet& packet, QueuePair& peer, Picoseconds wait);

  /// Handles an event of a request. `peer`: null if its queue pair is not there any more.
  void step(Packet& packet, QueuePair* peer);

  /// True if requests that come now to `peer`, on which operations are pending, have to be held.
  static bool holds(const QueuePair& peer, const Packet& packet);
  /// Holds a request until those before it are answered.
  void hold(Packet& packet, QueuePair& peer);
  /// Returns the requests to go on with, in order, once nothing is pending; others are held.
  std::deque<Packet*> take_held(QueuePair& peer);

 private:
  ChainContext& context_of(QueuePair& peer) const;
  ChainExecution& take_execution(Packet& packet, ChainContext& context);
  void release(ChainExecution& execution);
  Picoseconds pass_unit(Packet& packet, QueuePair& peer, const rdma::Operation& operation,
                        Picoseconds wait);

  /// Begins what may begin, and answers what can be answered.
  void advance(QueuePair& peer, ChainContext& context);
  void begin_ready(QueuePair& peer, ChainContext& context);
  void begin(ChainExecution& execution, QueuePair& peer, rdma::ChainOutcome before);
  /// Lets the NIC read, or write, the scratch of a queue pair that it has no room for, in host
  /// memory.
  void read_scratch(ChainExecution& execution, Nic& nic);
  void write_scratch(ChainExecution& execution, Nic& nic);
  /// Lets the NIC fetch something from host memory, which takes `latency` from the operation's
  /// first fetch on, and `half` of it from memory to the NIC. Returns the time until memory is
  /// read.
  Picoseconds fetch(ChainExecution& execution, Picoseconds latency, Picoseconds half);
  /// Lets the NIC make the next accesses of an operation, up to one that it has to wait for.
  void proceed(ChainExecution& execution, QueuePair& peer);
  /// Lets the outcome of an operation be known once the NIC has what it read last.
  void await_outcome(ChainExecution& execution, Nic& nic);
  ChainAccess::Kind kind_of(const ChainExecution& execution,
                            const rdma::OperationRun::Access& access) const;
  void plan(ChainExecution& execution, QueuePair& peer, ChainAccess access);
  /// Returns the latency until `access` happens, raises `wait`, and sets what comes behind it.
  Picoseconds way_to_memory(ChainExecution& execution, Nic& nic, const ChainAccess& access,
                            Picoseconds& wait);
  /// Returns the time from `time` on at which an update has all slots of its words.
  Picoseconds slots_at(Nic& nic, std::uint64_t offset, std::size_t bytes, Picoseconds time);
  static void know_outcome(ChainExecution& execution);
  /// Makes the outcome of an operation that needs nothing from memory known; it is answered behind
  /// what came before.
  void settle(ChainExecution& execution, const QueuePair& peer);

  /// Makes the access whose time has come; returns true when all of it is done.
  bool perform(ChainExecution& execution, Nic& nic, Region& region);
  void access_whole(ChainExecution& execution, const ChainAccess& access, Region& region);
  void copy(ChainExecution& execution, const ChainAccess& access, Region& region, std::size_t from,
            std::size_t to);

  // Chaos (chain_lines.cc).
  bool access_line(ChainExecution& execution, Nic& nic, Region& region);
  /// True if the operation before it has still to make its first access.
  static bool overtakes(const ChainExecution& execution);
  void begin_lines(ChainExecution& execution, ChainAccess& access, Nic& nic, const Region& region);
  void next_line(ChainExecution& execution, ChainAccess& access, Nic& nic, const Region& region);
  bool update_line(ChainExecution& execution, ChainAccess& access, Nic& nic, Region& region);
  /// Returns when an update that overlaps `access` has written; 0: there is none.
  static Picoseconds update_in_the_way(const ChainExecution& execution, const ChainAccess& access,
                                       const Nic& nic, const Region& region);
  Picoseconds span() const {
    return chaos_ ? std::max(fabric_.chaos_jitter, Picoseconds(1)) : Picoseconds(0);
  }

  /// Answers the first one that is pending. Returns false when its queue pair has failed.
  bool answer(QueuePair& peer, ChainContext& context);
  void schedule_step(Picoseconds time, ChainExecution& execution);
  /// Loses all that is pending or held.
  void abandon(ChainContext& context);
  void lose(ChainExecution& execution);

  Stations& stations_;
  Answers& answers_;
  std::deque<ChainExecution> executions_;
  std::vector<ChainExecution*> free_;
};

}  // namespace verbena::simnic
