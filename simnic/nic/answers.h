// Answers of the responder's side of NICs.
#pragma once

#include <cstdint>
#include <optional>

#include "simnic/nic/completions.h"
#include "simnic/nic/event_handler.h"

namespace verbena::simnic {

/// Turns packets around: acknowledgements, data and NAKs, in the order of their requests, and what
/// is lost of them.
class Answers : private EventHandler {
 public:
  /// The arguments must outlive this.
  Answers(const EventContext& context, Completions& completions)
      : EventHandler(context), completions_(completions) {}

  /// Sends the answer of a request that has taken effect.
  void respond(Packet& packet, QueuePair& peer);
  /// Answers a request that took effect when it came first.
  void answer_again(Packet& packet, QueuePair& peer);
  /// Sends a NAK, with which the requester completes with `status`.
  void refuse(Packet& packet, QueuePair& peer, ibv_wc_status status);
  /// Sends the NAK that the packet's `answer` says.
  void send_negative_acknowledgement(Packet& packet, QueuePair& peer);
  /// Tells the requester that `packet` or its answer is lost. Nothing crosses the wire: a NIC's
  /// timer runs at all times, the model's from when something is missing.
  void lose(Packet& packet, QueuePair* peer);

 private:
  /// True if the acknowledgement of the request before still waits for the port: it then stands for
  /// this one, too, and nothing more crosses the wire.
  bool joins_acknowledgement(const Packet& packet, const QueuePair& peer) const;
  /// Lets a packet reach the requester at `time`, behind earlier answers of `peer`.
  void answer(Packet& packet, QueuePair& peer, Picoseconds time);
  /// Keeps what an atomic found, and what later ones of `peer` will find: the requester may ask
  /// again for all of them.
  void keep_result(const Packet& packet, QueuePair& peer);
  /// Keeps the answer of an operation of PRISM likewise.
  static void keep_reply(const Packet& packet, QueuePair& peer);
  /// Puts the kept answer of an operation of PRISM into `packet`; false: nobody knows it.
  static bool restore_reply(Packet& packet, const QueuePair& peer);
  /// Returns what the atomic `psn` found; none: nobody knows.
  static std::optional<std::uint64_t> kept_result(const QueuePair& peer, std::uint32_t psn);

  Completions& completions_;
};

}  // namespace verbena::simnic
