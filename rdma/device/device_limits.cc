// Needs of an endpoint that a device has to meet, limit by limit.
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

/// The load that workers will be on one device.
struct Load {
  std::uint64_t workers = 0;
  std::uint64_t links = 0;
  std::uint64_t completions = 0;  // of the worker with most
  std::uint32_t receives = 0;     // likewise
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
                         const ClusterLinks& connections, NodeId node) {
  std::map<std::string, Load> loads;  // by device
  for (std::uint32_t id = 0; id < connections.workers(node); ++id) {
    const auto worker = static_cast<WorkerId>(id);
    const WorkerLinks links = connections.links(node, worker);
    Load& load = loads[ports[connections.nic_of(node, worker)].device];
    ++load.workers;
    load.links += links.all;
    load.completions = std::max(load.completions, options.send_completions(links));
    load.receives = std::max(load.receives, options.receive_depth(links));
  }
  for (const DeviceReport& device : devices) {
    const auto found = loads.find(device.name);
    if (found == loads.end()) continue;
    const Load& load = found->second;
    // Messages take one for each link, or one for each worker.
    const bool by_link = options.writes_messages();
    const std::uint32_t per_link = options.qps_per_peer + (by_link ? 1 : 0);
    const std::uint64_t queue_pairs = load.links * per_link + (by_link ? 0 : load.workers);
    check(device.name,
          {"max_qp", device.attr.max_qp, queue_pairs,
           "queue pairs (" + std::to_string(per_link) + " for each of " +
               std::to_string(load.links) + " links of " + std::to_string(load.workers) +
               " workers" + (by_link ? ")" : ", and one each for RPC)"),
           "fewer nodes or workers need fewer"});
    const std::uint32_t requests =
        std::max({options.send_queue_depth, options.rpc.send_queue_depth, load.receives});
    check(device.name, {"max_qp_wr", device.attr.max_qp_wr, requests, "requests in a queue",
                        "send_queue_depth, rpc_send_queue_depth and rpc_receive_depth set them"});
    const std::uint64_t completions = std::max<std::uint64_t>(load.completions, load.receives);
    check(device.name, {"max_cqe", device.attr.max_cqe, completions,
                        "entries of a completion queue (one per request in flight)",
                        "a smaller send_queue_depth needs fewer"});
  }
}

}  // namespace verbena::rdma
