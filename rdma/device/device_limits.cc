// What an endpoint needs of a device, limit by limit.
#include "rdma/device/device_limits.h"

#include <algorithm>
#include <map>

namespace verbena::rdma {
namespace {

struct Need {
  const char* limit;
  std::int64_t available;
  std::uint64_t needed;
  std::string of;      // what is counted
  std::string remedy;  // what else helps
};

void check(const std::string& device, const Need& need) {
  if (need.available >= 0 && static_cast<std::uint64_t>(need.available) >= need.needed) return;
  throw DeviceLimitError(need.limit, "device '" + device + "': " + need.limit + " is " +
                                         std::to_string(need.available) + ", but " +
                                         std::to_string(need.needed) + " " + need.of +
                                         " are needed; " + need.remedy);
}

}  // namespace

void check_device_limits(const std::vector<DeviceReport>& devices,
                         const std::vector<PortSelection>& ports, const EndpointOptions& options,
                         std::uint32_t nodes) {
  std::map<std::string, std::uint64_t> workers;  // by device
  for (std::uint64_t worker = 0; worker < options.workers; ++worker) {
    ++workers[ports[worker * options.nics / options.workers].device];
  }
  for (const DeviceReport& device : devices) {
    const auto found = workers.find(device.name);
    if (found == workers.end()) continue;
    const std::uint64_t queue_pairs =
        found->second * (std::uint64_t{nodes} * options.qps_per_peer + 1);
    check(device.name,
          {"max_qp", device.attr.max_qp, queue_pairs,
           "queue pairs (" + std::to_string(found->second) + " workers x " + std::to_string(nodes) +
               " nodes x " + std::to_string(options.qps_per_peer) + ", and one each for RPC)",
           "fewer nodes or workers need fewer"});
    const std::uint32_t requests = std::max(
        {options.send_queue_depth, options.rpc.send_queue_depth, options.rpc.receive_depth});
    check(device.name, {"max_qp_wr", device.attr.max_qp_wr, requests, "requests in a queue",
                        "send_queue_depth, rpc_send_queue_depth and rpc_receive_depth set them"});
    const std::uint64_t completions =
        std::max<std::uint64_t>(options.send_completions(nodes), options.rpc.receive_depth);
    check(device.name, {"max_cqe", device.attr.max_cqe, completions,
                        "entries of a completion queue (one per request in flight)",
                        "a smaller send_queue_depth needs fewer"});
  }
}

}  // namespace verbena::rdma
