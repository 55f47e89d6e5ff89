// Parameters of an endpoint that users may set, and the ranges of the rest.
#include "rdma/device/endpoint_options.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "rdma/base/value_text.h"
#include "rdma/device/send_queue.h"

namespace verbena::rdma {
namespace {

constexpr double kMemory = 64.0 * (1 << 30);
constexpr double kLongest = 3600e9;
// At least two requests of a full send queue are signaled.
constexpr std::uint32_t kMaxSignalInterval = kMaxSendQueueDepth / 2;

std::vector<Parameter> loop_parameters(EndpointOptions& options) {
  return {
      {.name = "stack_bytes",
       .help = "bytes of a coroutine's stack",
       .target = &options.stack_bytes,
       .minimum = 16384,
       .maximum = 1 << 24,
       .step = 4096},
      {.name = "turn_time",
       .help = "time of one turn of a worker's event loop, after which no further coroutine is "
               "resumed before completions and calls are looked at again",
       .target = &options.turn_time,
       .maximum = kLongest},
      {.name = "poll_batch",
       .help = "completions, and datagrams that have arrived, that one poll takes at most",
       .target = &options.poll_batch,
       .minimum = 1,
       .maximum = 64},
      {.name = "fill_threads",
       .help = "threads that fill memory on hardware before it is registered; 0: all CPUs",
       .target = &options.fill_threads,
       .maximum = 1024},
      {.name = "drain_timeout",
       .help = "how long a node that has finished waits for the others to finish too",
       .target = &options.drain_timeout,
       .minimum = 1e6,
       .maximum = kLongest},
      {.name = "staging_bytes",
       .help = "bytes of a worker's registered memory for copies of what requests write",
       .target = &options.staging_bytes,
       .minimum = 65536,
       .maximum = kMemory},
  };
}

constexpr std::uint8_t kLeastTimeoutExponent = 1;
constexpr std::uint8_t kMostTimeoutExponent = 31;
constexpr std::uint8_t kMostRetries = 6;

// Chooses a number of one byte, whose values begin with `least`.
Parameter::Choice whole_choice(std::uint8_t& number, std::uint8_t least) {
  return {[&number, least] { return static_cast<std::size_t>(number - least); },
          [&number, least](std::size_t i) { number = static_cast<std::uint8_t>(least + i); }};
}

std::vector<std::string> whole_choices(std::uint8_t least, std::uint8_t most) {
  std::vector<std::string> all;
  for (int number = least; number <= most; ++number) all.push_back(std::to_string(number));
  return all;
}

std::vector<Parameter> queue_pair_parameters(EndpointOptions& options) {
  return {
      {.name = "send_queue_depth",
       .help = "slots of an RC queue pair's send queue",
       .target = &options.send_queue_depth,
       .minimum = 2,
       .maximum = kMaxSendQueueDepth},
      {.name = "signal_interval",
       .help = "at least every n-th request of an RC queue pair is signaled, so that slots of its "
               "send queue come free",
       .target = &options.signal_interval,
       .minimum = 1,
       .maximum = kMaxSignalInterval,
       .condition = "at most half of rdma.send_queue_depth",
       .holds = [&] { return options.signal_interval <= options.send_queue_depth / 2; }},
      {.name = "qps_in_turn",
       .help = "requests take the queue pairs to a peer in turn instead of at random",
       .target = &options.qps_in_turn},
      {.name = "signal_all",
       .help = "every request of RC queue pairs is signaled and the device knows it, which lets "
               "completions carry small results",
       .target = &options.signal_all},
      {.name = "rc_timeout_exponent",
       .help = "an RC queue pair sends unacknowledged requests again after 4.096 us times two to "
               "this power",
       .target = whole_choice(options.rc_timeout_exponent, kLeastTimeoutExponent),
       .choices = whole_choices(kLeastTimeoutExponent, kMostTimeoutExponent)},
      {.name = "rc_retries",
       .help = "times they are sent again before the peer counts as missing",
       .target = whole_choice(options.rc_retries, 0),
       .choices = whole_choices(0, kMostRetries)},
      {.name = "max_inline_bytes",
       .help = "bytes that a request may carry in itself, at most what the device grants",
       .target = &options.max_inline_bytes,
       .maximum = 4096},
  };
}

Parameter prism_parameter(EndpointOptions& options) {
  return {.name = "prism",
          .help =
              "what carries out one-sided requests and chains of PRISM: the peers' cores, as RPCs "
              "(software), NICs as PRISM's paper projects them (nic), or both (auto): NICs "
              "requests, cores chains",
          .target = choice_of(options.prism),
          .choices = {"auto", "software", "nic"},
          .flag = "prism",
          .placeholder = "WHO"};
}

std::vector<Parameter> rpc_queue_parameters(RpcOptions& rpc) {
  return {
      {.name = "rpc_transport",
       .help = "what carries the messages of RPCs: datagrams, or RC WRITEs into rings in the "
               "receiver's memory that it polls",
       .target = choice_of(rpc.transport),
       .choices = {"ud", "write-ring"}},
      {.name = "rpc_slots_per_peer",
       .help = "calls in flight from a worker to one peer",
       .target = &rpc.slots_per_peer,
       .minimum = 1,
       .maximum = 64},
      {.name = "rpc_notify_window",
       .help = "unacknowledged notifications to one peer, lowered to what receive rings hold",
       .target = &rpc.notify_window,
       .minimum = 1,
       .maximum = kMostUnacknowledged},
      {.name = "rpc_receive_depth",
       .help = "datagrams that a worker's receive ring holds",
       .target = &rpc.receive_depth,
       .minimum = 2,
       .maximum = kMostReceiveDepth,
       .condition = "a multiple of rdma.rpc_receive_batch and at least the double of it",
       .holds =
           [&] {
             return rpc.receive_depth >= 2 * rpc.receive_batch &&
                    rpc.receive_depth % rpc.receive_batch == 0;
           }},
      {.name = "rpc_receive_batch",
       .help = "receive buffers that are posted again at once",
       .target = &rpc.receive_batch,
       .minimum = 1,
       .maximum = 1024},
      {.name = "rpc_send_queue_depth",
       .help = "slots of the UD queue pair's send queue",
       .target = &rpc.send_queue_depth,
       .minimum = 2,
       .maximum = kMaxSendQueueDepth},
      {.name = "rpc_signal_interval",
       .help = "every n-th datagram is signaled, so that slots of the send queue come free",
       .target = &rpc.signal_interval,
       .minimum = 1,
       .maximum = kMaxSignalInterval,
       .condition = "at most half of rdma.rpc_send_queue_depth",
       .holds = [&] { return rpc.signal_interval <= rpc.send_queue_depth / 2; }},
      {.name = "rpc_max_message_bytes",
       .help = "bytes of a datagram's header and payload, at most the port's MTU",
       .target = &rpc.max_message_bytes,
       .minimum = kLeastMessageBytes,
       .maximum = kMostMessageBytes},
      {.name = "rpc_batch_replies",
       .help = "replies of one turn of the event loop leave with one doorbell",
       .target = &rpc.batch_replies},
      {.name = "rpc_flush",
       .help =
           "when messages leave: all of a turn of the event loop at its end; or calls when they "
           "are posted, and replies once the polled messages are handled, before coroutines go on",
       .target = choice_of(rpc.flush),
       .choices = {"turn-end", "at-once"}},
  };
}

std::vector<Parameter> rpc_time_parameters(RpcOptions& rpc) {
  return {
      {.name = "rpc_timeout",
       .help = "how long a call waits for its reply before it is sent again, the first time",
       .target = &rpc.timeout,
       .minimum = 1e3,
       .maximum = kLongest},
      {.name = "rpc_max_timeout",
       .help = "limit of rdma.rpc_timeout, which doubles each time",
       .target = &rpc.max_timeout,
       .minimum = 1e3,
       .maximum = kLongest,
       .condition = "at least rdma.rpc_timeout",
       .holds = [&] { return rpc.max_timeout >= rpc.timeout; }},
      {.name = "rpc_retries",
       .help = "how often a call is sent again before its peer counts as missing",
       .target = &rpc.retries,
       .maximum = 30},
      {.name = "rpc_first_number",
       .help = "number of the first call and notification to a peer; numbers wrap at 2^32; the "
               "same on all nodes",
       .target = &rpc.first_number,
       .maximum = UINT32_MAX},
      {.name = "rpc_ack_delay",
       .help = "how long a notification waits for a message that carries its acknowledgement",
       .target = &rpc.ack_delay,
       .maximum = kLongest / 2,
       .condition = "at most half of rdma.rpc_timeout",
       .holds = [&] { return rpc.ack_delay <= rpc.timeout / 2; }},
  };
}

void require(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw ParameterError(
      name, std::to_string(value),
      "expected a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace

std::vector<Parameter> parameters(EndpointOptions& options) {
  std::vector<Parameter> all = loop_parameters(options);
  for (auto&& more : {queue_pair_parameters(options), rpc_queue_parameters(options.rpc),
                      rpc_time_parameters(options.rpc)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  all.push_back(prism_parameter(options));
  return all;
}

void EndpointOptions::validate() const {
  require("workers", workers, 1, 1024);
  require("nics", nics, 1, workers);
  require("qps_per_peer", qps_per_peer, 1, 64);
  require("fibers_per_worker", fibers_per_worker, 1, 65536);
  require("rc_timeout_exponent", rc_timeout_exponent, kLeastTimeoutExponent, kMostTimeoutExponent);
  require("rc_retries", rc_retries, 0, kMostRetries);
  if (bring_up_timeout < 1_ns) {
    throw ParameterError("bring_up_timeout", format_duration(bring_up_timeout),
                         "expected at least 1ns");
  }
  EndpointOptions copy = *this;
  for (const Parameter& parameter : parameters(copy)) check_value(parameter);
}

std::uint32_t EndpointOptions::receive_depth(const WorkerLinks& links) const {
  if (links.all <= links.channels) return rpc.receive_depth;
  const std::uint64_t times = (links.all + links.channels - 1) / links.channels;
  const std::uint32_t most = kMostReceiveDepth / rpc.receive_batch * rpc.receive_batch;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(times * rpc.receive_depth, most));
}

std::uint32_t EndpointOptions::notify_window(const WorkerLinks& links) const {
  if (writes_messages()) return rpc.notify_window;
  const std::uint32_t senders = std::max(links.senders, 1U);
  return std::min(rpc.notify_window, std::max(receive_depth(links) / senders, 1U));
}

}  // namespace verbena::rdma
