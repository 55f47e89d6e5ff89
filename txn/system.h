// A transaction system: what workloads run on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"
#include "rdma/device/endpoint_options.h"
#include "txn/participant.h"
#include "txn/schema/table.h"
#include "txn/system_info.h"
#include "txn/view.h"

namespace verbena::rdma {
class Endpoint;
}  // namespace verbena::rdma

namespace verbena::txn {

/// The common part of all nodes of a run, whatever the system.
struct Deployment {
  Schema schema;
  TransactionLimits limits;  ///< of one transaction
  View view;                 ///< as System::place gave it
  std::uint32_t fibers = 1;  ///< transactions in flight per worker of nodes that compute
  bool record_history = false;
};

/// Properties of the fabric that systems rely on by default.
struct FabricTraits {
  bool atomics_exclude_across_nics = false;  ///< those of several NICs of one node each other
};

/// Parameters that share a section: "run" of "run.log_ring_bytes".
struct ParameterSection {
  std::string name;
  std::vector<Parameter> parameters;
};

/// One system with its options. To set it up: change its parameters; then place, and on every node
/// endpoint and join. After that it is not changed; nodes may be on different threads.
class System {
 public:
  virtual ~System() = default;

  virtual const SystemInfo& info() const = 0;

  /// The system's own options, none by default; targets are valid as long as the system.
  virtual std::vector<ParameterSection> parameters() { return {}; }

  /// Gives parameters the defaults that follow from the fabric, before users set them; by default
  /// none does.
  virtual void set_defaults([[maybe_unused]] const FabricTraits& fabric) {}

  /// Changes single choices of the system, written as the system defines it (DrTM+H's plans:
  /// "PHASE=PRIMITIVE,..."). Throws ConfigurationError that tells what is allowed, by default
  /// nothing.
  virtual void change(const std::string& changes);

  /// Roles and partitions on such a cluster. Throws ConfigurationError when it is too small.
  virtual View place(const ClusterShape& shape) const = 0;

  /// Options of `node`'s endpoint, so that it has room for what the system does: `asked` with
  /// fibers, scratch memory and message sizes filled in, other numbers of workers where the node's
  /// role wants them. Throws ConfigurationError for options that do not work with the system.
  virtual rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked,
                                         const Deployment& deployment, NodeId node) const = 0;

  /// Makes the endpoint's node take part; before the endpoint publishes itself, since this adds
  /// regions. Throws ConfigurationError for options that cannot work together.
  virtual std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                            const Deployment& deployment) const = 0;
};

}  // namespace verbena::txn
