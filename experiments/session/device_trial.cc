// One node on the device, connected with itself.
#include "experiments/session/device_trial.h"

#include "rdma/endpoint.h"
#include "rdma/hardware/hardware_fabric.h"
#include "rdma/one_sided/atomics_check.h"
#include "rdma/worker.h"

namespace verbena::experiments {

std::string atomics_fault(const rdma::DeviceChoice& device) {
  const auto fabric =
      rdma::make_hardware_fabric({.nodes = 1, .hosted = {}, .addresses = {}, .pin_threads = false});
  rdma::EndpointOptions options;
  options.devices = {device};
  rdma::Endpoint endpoint(*fabric, NodeId{0}, options);
  endpoint.add_region("word", rdma::FirstTouchMemory::kPageBytes, {});
  endpoint.publish();
  endpoint.connect();
  rdma::Worker& worker = endpoint.worker(WorkerId{0});
  rdma::AtomicsSeen seen;
  worker.spawn([&] {
    rdma::RequestBatch batch(worker.connections());
    seen = rdma::try_atomics(batch, {NodeId{0}, RegionId{0}, 0},
                             worker.allocate_scratch(sizeof(std::uint64_t)));
  });
  fabric->run({{.node = NodeId{0}, .worker = WorkerId{0}, .body = [&](rdma::Core& core) {
                  worker.run(core);
                }}});
  return rdma::fault_of(seen);
}

}  // namespace verbena::experiments
