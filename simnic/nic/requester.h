// The requester's side of NICs.
#pragma once

#include <cstdint>

#include "simnic/nic/completions.h"
#include "simnic/nic/event_handler.h"
#include "simnic/nic/stations.h"

namespace verbena::simnic {

/// Issues requests (requester.cc), takes their answers (acknowledgement.cc), and sends again what
/// was lost (retransmission.cc). It owns the records of requests, and changes nothing of their
/// responders: these get packets.
class Requester : private EventHandler {
 public:
  /// The arguments must outlive this.
  Requester(const EventContext& context, Stations& stations, Completions& completions)
      : EventHandler(context), stations_(stations), completions_(completions) {}

  // Events.
  void doorbell_arrives(Request& first);
  void answer_arrives(Packet& packet);
  /// Sends `request` again, since its timer has ended or a NAK tells that it has to be.
  void retry(Request& request);

  /// Issues all requests that may be issued.
  void issue_ready(QueuePair& qp);

 private:
  /// Keeps the state of `count` requests from `first` on, which cannot be issued yet, on the NIC.
  void keep_waiting(Request& first, std::uint32_t count);
  void issue(QueuePair& qp, Request& request);
  /// Takes the request off those that wait, and gives it the next packet sequence number.
  static void take_number(QueuePair& qp, Request& request);
  /// Returns the latency until the NIC has the states of queue pair and request, and turns to it.
  Picoseconds states(QueuePair& qp, Request& request, Picoseconds& service, Picoseconds& wait);
  /// Sends a request that reaches the peer's NIC at `arrival`, after queueing for `wait`, unless it
  /// is lost.
  void issue_reliable(Request& request, const Ways::Sent& sent, Picoseconds wait,
                      Picoseconds arrival);
  /// Sends a UC or UD request likewise, and completes without waiting for the peer. `latency` is
  /// the time that it takes on its NIC besides the queues.
  void issue_unreliable(Request& request, const Ways::Sent& sent, Picoseconds wait,
                        Picoseconds latency, Picoseconds arrival);
  /// Returns a packet of `request` with its data.
  Packet& packet_of(const Request& request, const Ways::Sent& sent);
  void send_datagram(Packet& packet, Picoseconds arrival);

  // retransmission.cc
  /// Lets the requester's timer run for `request`, which nothing will answer.
  void request_lost(Request& request);
  /// Returns the oldest lost request before `end`, or `end`.
  Request& oldest_lost(const QueuePair& qp, Request& end);
  /// Makes `from` and all later requests unissued again.
  void rewind(QueuePair& qp, Request& from);
  /// Handles a NAK, in answer to `later`, for the request of this number, which did not arrive.
  void sequence_error(Request& later, std::uint32_t missing_psn);
  /// Handles an RNR NAK.
  void receiver_not_ready(Request& request, std::uint8_t rnr_timer);

  // acknowledgement.cc
  /// Handles an answer that is none of success.
  void take_failure(const Packet& packet, Request& request);
  /// Completes the requests before `request`, which its answer acknowledges. Returns false if the
  /// data of one of them is missing, which is then repeated.
  bool acknowledge_before(QueuePair& qp, const Request& request);
  void answered(QueuePair& qp, Request& request, const Packet& packet, Picoseconds wait);
  /// Lets `request` be completed, with a result of `bytes`, by the stations of its NIC; returns
  /// true if its result comes in the completion queue's entry.
  bool complete_at_stations(QueuePair& qp, const Request& request, std::uint32_t bytes,
                            Picoseconds wait, Picoseconds spread);

  Stations& stations_;
  Completions& completions_;
};

}  // namespace verbena::simnic
