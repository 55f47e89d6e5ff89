// The responder's side of NICs.
#pragma once

#include <cstdint>

#include "simnic/nic/answers.h"
#include "simnic/nic/chain_executor.h"
#include "simnic/nic/completions.h"
#include "simnic/nic/event_handler.h"
#include "simnic/nic/queue_pairs.h"
#include "simnic/nic/stations.h"

namespace verbena::simnic {

/// Takes requests in the order of their packet sequence numbers, executes them, and lets `Answers`
/// answer (responder.cc; memory_lines.cc in chaos mode). It changes nothing of their requesters.
class Responder : private EventHandler {
 public:
  /// The arguments must outlive this.
  Responder(const EventContext& context, Stations& stations, Completions& completions,
            Answers& answers, QueuePairs& queue_pairs, ChainExecutor& chains)
      : EventHandler(context),
        stations_(stations),
        completions_(completions),
        answers_(answers),
        queue_pairs_(queue_pairs),
        chains_(chains) {}

  // Events.
  void request_arrives(Packet& packet);
  void chain_step(Packet& packet);
  void memory_effect(Packet& packet);
  void memory_line(Packet& packet);

  /// Tells how late packets of a node that has died may come, in chaos mode.
  void expect_strays(Picoseconds late) { crash_late_ = late; }

 private:
  /// Makes `packet`, whose sender has died since, arrive later, or loses it; in chaos mode, once
  /// per packet. Returns true if it did.
  bool strays(Packet& packet);
  void message_arrives(Packet& packet, Picoseconds wait);
  QueuePair* responder_of(Packet& packet);
  /// Handles a request of an RC queue pair, whose turn among those that arrive it is.
  void take(Packet& packet, QueuePair& peer, Picoseconds wait);
  void take_chain(Packet& packet, QueuePair& peer, Picoseconds wait);
  static void accept(QueuePair& peer) {
    peer.expected_psn = (peer.expected_psn + 1) & kPsnMask;
    peer.gap_reported = false;
  }
  /// Goes on with requests that were held behind operations of PRISM.
  void take_held(QueuePair& peer);
  /// Handles a request that comes before others that `peer` expects, after queueing for `wait`.
  void ahead_of_others(Packet& packet, QueuePair& peer, Picoseconds wait);
  /// Answers with a NAK once those before it have taken effect.
  void refuse_in_turn(Packet& packet, QueuePair& peer, Answer answer, Picoseconds wait);
  /// Lets a packet that changes nothing wait for those before it.
  void in_turn(Packet& packet, QueuePair& peer, Picoseconds wait);
  void promise_receive(Packet& packet, QueuePair& peer);
  void give_back_receive(const Packet& packet, QueuePair& peer);
  /// Handles a request whose responder's queue pair was destroyed before it took effect.
  void peer_vanished(Packet& packet);
  /// Sets `region` to the one that the packet accesses, if any.
  ibv_wc_status check_remote(const Message& message, const QueuePair& peer,
                             const Region*& region) const;
  /// Returns when `packet`, which has waited for `wait`, accesses the responder's memory: `region`,
  /// or none.
  Picoseconds effect_time(Packet& packet, QueuePair& peer, const Region* region, Picoseconds wait);
  /// Time from which an atomic may have its slot, and how long it holds it.
  struct Turn {
    Picoseconds time;
    Picoseconds hold;
  };
  /// Takes the slot of an atomic at `offset` of its region; returns how long it waits for it.
  Picoseconds slot_wait(Nic& nic, std::uint64_t offset, Turn turn);
  bool split_effect(Packet& packet);
  /// Schedules the access of a request's next line, maybe after others have come.
  void schedule_line(Packet& packet, const Region& region);
  void note_access(const std::byte* at);
  /// True while `packet` waits for others to come; it then checks again later.
  bool waits_for_others(Packet& packet);
  void access_remote(Packet& packet, Region& region);
  void wake_watcher(const Packet& packet, const Region& region);
  void finish_effect(Packet& packet, QueuePair& peer);
  /// Takes the message to a receive request of `peer`, which completes. Returns the status for the
  /// requester.
  ibv_wc_status deliver(Packet& packet, QueuePair& peer);

  Stations& stations_;
  Completions& completions_;
  Answers& answers_;
  QueuePairs& queue_pairs_;
  ChainExecutor& chains_;
  Picoseconds crash_late_ = 0;  ///< see expect_strays
};

}  // namespace verbena::simnic
