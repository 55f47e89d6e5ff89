// Ranges of the endpoint options.
#include "rdma/device/endpoint_options.h"

#include <algorithm>
#include <cstdint>

#include "rdma/base/errors.h"
#include "rdma/device/send_queue.h"

namespace verbena::rdma {
namespace {

void require(const char* name, std::int64_t value, std::int64_t low, std::int64_t high,
             const char* unit = "", const char* why = "") {
  if (value >= low && value <= high) return;
  throw ConfigurationError(std::string(name) + ": " + std::to_string(value) + unit + " is not in " +
                           std::to_string(low) + " to " + std::to_string(high) + unit + why);
}

void require_at_least(const char* name, std::int64_t value, std::int64_t low, const char* unit,
                      const char* why = "") {
  if (value >= low) return;
  throw ConfigurationError(std::string(name) + ": " + std::to_string(value) + unit +
                           " is less than " + std::to_string(low) + unit + why);
}

void require_multiple(const char* name, std::size_t value, std::size_t unit, const char* why = "") {
  if (value > 0 && value % unit == 0) return;
  throw ConfigurationError(std::string(name) + ": " + std::to_string(value) +
                           " is not a multiple of " + std::to_string(unit) + why);
}

}  // namespace

void EndpointOptions::validate() const {
  require("workers", workers, 1, 1024);
  require("nics", nics, 1, workers);
  require("qps_per_peer", qps_per_peer, 1, 64);
  require("fibers_per_worker", fibers_per_worker, 1, 65536);
  require_multiple("stack_bytes", stack_bytes, 4096);
  require("stack_bytes", static_cast<std::int64_t>(stack_bytes), 16384, 1 << 30);
  require("turn_time", turn_time, 0, 3600 * kSecond, " ns");
  require("send_queue_depth", send_queue_depth, 2, kMaxSendQueueDepth);
  require("signal_interval", signal_interval, 1, send_queue_depth / 2, "",
          " (half of send_queue_depth)");
  require("poll_batch", poll_batch, 1, 64);
  require("max_inline_bytes", max_inline_bytes, 0, 1024);
  require_at_least("staging_bytes", static_cast<std::int64_t>(staging_bytes), 65536, "");
  require("rc_timeout_exponent", rc_timeout_exponent, 1, 31);
  require("rc_retries", rc_retries, 0, 6);
  require_at_least("bring_up_timeout", bring_up_timeout, 1, " ns");
  require_at_least("drain_timeout", drain_timeout, 1, " ns");

  require("rpc.slots_per_peer", rpc.slots_per_peer, 1, 64);
  require("rpc.notify_window", rpc.notify_window, 1, kMostUnacknowledged);
  require("rpc.receive_batch", rpc.receive_batch, 1, 1024);
  require("rpc.receive_depth", rpc.receive_depth, 2 * std::int64_t{rpc.receive_batch},
          kMostReceiveDepth, "", " (at least the double of rpc.receive_batch)");
  require_multiple("rpc.receive_depth", rpc.receive_depth, rpc.receive_batch,
                   " (value of rpc.receive_batch)");
  require("rpc.send_queue_depth", rpc.send_queue_depth, 2, kMaxSendQueueDepth);
  require("rpc.signal_interval", rpc.signal_interval, 1, rpc.send_queue_depth / 2, "",
          " (half of rpc.send_queue_depth)");
  require("rpc.max_message_bytes", rpc.max_message_bytes, kLeastMessageBytes, 4096);
  require_at_least("rpc.timeout", rpc.timeout, 2, " ns");
  require_at_least("rpc.max_timeout", rpc.max_timeout, rpc.timeout, " ns",
                   " (value of rpc.timeout)");
  require("rpc.ack_delay", rpc.ack_delay, 0, rpc.timeout / 2, " ns", " (half of rpc.timeout)");
  require("rpc.retries", rpc.retries, 0, 30);
}

std::uint32_t EndpointOptions::receive_depth(const WorkerLinks& links) const {
  if (links.all <= links.channels) return rpc.receive_depth;
  const std::uint64_t times = (links.all + links.channels - 1) / links.channels;
  const std::uint32_t most = kMostReceiveDepth / rpc.receive_batch * rpc.receive_batch;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(times * rpc.receive_depth, most));
}

std::uint32_t EndpointOptions::notify_window(const WorkerLinks& links) const {
  const std::uint32_t senders = std::max(links.senders, 1U);
  return std::min(rpc.notify_window, std::max(receive_depth(links) / senders, 1U));
}

}  // namespace verbena::rdma
