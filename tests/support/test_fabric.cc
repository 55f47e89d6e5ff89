// The fabric that a test runs on, and a cluster of endpoints on it.
#include "tests/support/test_fabric.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "rdma/hardware/hardware_fabric.h"
#include "simnic/sim_fabric.h"

namespace verbena::testing {

bool on_hardware() {
  const char* value = std::getenv("VERBENA_TEST_FABRIC");
  const std::string fabric = value == nullptr ? "sim" : value;
  if (fabric != "sim" && fabric != "verbs") {
    throw std::invalid_argument("VERBENA_TEST_FABRIC: '" + fabric + "' is neither sim nor verbs");
  }
  return fabric == "verbs";
}

std::unique_ptr<rdma::Fabric> make_fabric(const FabricShape& shape) {
  if (on_hardware()) {
    rdma::HardwareOptions options;
    options.nodes = shape.nodes;
    return rdma::make_hardware_fabric(options);
  }
  simnic::SimOptions options;
  options.nodes = shape.nodes;
  options.cores_per_node = shape.workers;
  options.nics_per_node = shape.nics;
  options.seed = shape.seed;
  options.chaos = shape.chaos;
  options.threads = shape.sim_threads;
  options.topology = shape.topology;
  options.page_arena = shape.page_arena;
  for (const auto& [name, value] : shape.overrides) options.overrides.set(name, value);
  return simnic::make_sim_fabric(options);
}

rdma::EndpointOptions options_for(const FabricShape& shape) {
  rdma::EndpointOptions options;
  options.workers = shape.workers;
  options.nics = by_fabric(shape.nics, 1U);
  options.rpc.transport = shape.transport;
  if (on_hardware()) {
    // An emulated machine answers late and its threads share CPUs.
    options.rpc.timeout = 500 * kMillisecond;
    options.rpc.max_timeout = 2 * kSecond;
    options.rpc.ack_delay = 20 * kMillisecond;
    options.rc_timeout_exponent = 18;
  }
  return options;
}

Cluster::Cluster(const FabricShape& shape) : Cluster(shape, options_for(shape)) {}

Cluster::Cluster(const FabricShape& shape, const rdma::EndpointOptions& options,
                 const std::function<void(rdma::Endpoint&)>& prepare)
    : fabric_(make_fabric(shape)) {
  for (const NodeId node : fabric_->hosted()) {
    endpoints_.push_back(std::make_unique<rdma::Endpoint>(*fabric_, node, options));
    if (prepare) prepare(*endpoints_.back());
  }
  for (const auto& endpoint : endpoints_) endpoint->publish();
  for (const auto& endpoint : endpoints_) endpoint->connect();
}

void Cluster::for_each_worker(const std::function<void(rdma::Worker&)>& body) {
  for (const auto& endpoint : endpoints_) {
    if (endpoint == nullptr) continue;
    for (std::uint32_t worker = 0; worker < endpoint->workers(); ++worker) {
      body(endpoint->worker(static_cast<WorkerId>(worker)));
    }
  }
}

void Cluster::run() {
  std::vector<rdma::CoreTask> tasks;
  for_each_worker([&tasks](rdma::Worker& worker) {
    tasks.push_back(
        {worker.node(), worker.id(), [&worker](rdma::Core& core) { worker.run(core); }});
  });
  fabric_->run(std::move(tasks));
}

}  // namespace verbena::testing
