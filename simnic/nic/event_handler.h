// The base of what handles the events of NICs.
#pragma once

#include "rdma/base/time.h"
#include "simnic/engine/timeline.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/observation.h"
#include "simnic/nic/packet_pool.h"
#include "simnic/nic/request_pool.h"
#include "simnic/nic/sim_options.h"
#include "simnic/nic/ways.h"
#include "simnic/profile/profile.h"

namespace verbena::simnic {

/// Objects that all handlers of a node's events use; each outlives them.
struct EventContext {
  const SimOptions& options;
  const FabricProfile& fabric;
  Timeline& time;
  Observation& observation;
  Ways& ways;
  RequestPool& requests;
  PacketPool& packets;
};

/// Gives a handler what the context has. Handlers have no state of their own but what their classes
/// say: all is the NICs' and their objects'. Each is of one node, and changes nothing of others'.
class EventHandler {
 protected:
  explicit EventHandler(const EventContext& context)
      : observed_(context.observation.on()),
        chaos_(context.options.chaos),
        fabric_(context.fabric),
        time_(context.time),
        observation_(context.observation),
        ways_(context.ways),
        requests_(context.requests),
        packets_(context.packets) {}

  Picoseconds now() const { return time_.now(); }
  void schedule(Picoseconds time, EventKind kind, const Request& request) {
    time_.schedule(time, kind, request.number, request.generation);
  }
  /// Schedules an event about a packet, at the node where that happens.
  void schedule(Picoseconds time, EventKind kind, const Packet& packet) {
    if (kind == EventKind::kRequestArrives) {
      return time_.send(packet.message.to->node, time, kind, packet.number);
    }
    if (kind == EventKind::kAnswerArrives) {
      return time_.send(packet.message.from->node, time, kind, packet.number);
    }
    time_.schedule(time, kind, packet.number, 0);
  }
  /// True if a NIC sends nothing since its node has died. In chaos mode a NIC outlives the process,
  /// and sends what the process had posted.
  bool silent(const Nic& nic) const { return nic.off && !chaos_; }
  /// Draws and counts the loss of a message of RC between these NICs; true if it is lost.
  bool loses_on_the_way(Nic& from, const Nic& to) const {
    if (&from == &to || !from.random.chance(fabric_.rc_loss)) return false;
    from.count(Counter::kRcLosses);
    return true;
  }

  const bool observed_;  ///< somebody observes
  const bool chaos_;
  const FabricProfile& fabric_;
  Timeline& time_;
  Observation& observation_;
  Ways& ways_;
  RequestPool& requests_;
  PacketPool& packets_;
};

}  // namespace verbena::simnic
