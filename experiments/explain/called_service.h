// The services that calls are explained of.
#pragma once

#include <cstddef>
#include <memory>

#include "experiments/config/commands/explain.h"
#include "rdma/base/types.h"

namespace verbena::rdma {
class Endpoint;
class Worker;
}  // namespace verbena::rdma

namespace verbena::experiments {

/// A service of the callee, and how the caller asks for it: once each time, always alike.
class CalledService {
 public:
  virtual ~CalledService() = default;

  /// Bytes of the longest message, the request or its answer, that is sent for it.
  virtual std::size_t message_bytes() const = 0;

  /// Gives the callee, which has not published yet, the memory that it is asked about.
  virtual void add_memory(rdma::Endpoint& callee) = 0;

  /// Has the callee serve, for whose connections messages of message_bytes() are short enough.
  virtual void serve(rdma::Endpoint& callee) = 0;

  /// Calls, and waits for the answer. In a fiber of `caller`.
  virtual void call(rdma::Worker& caller, NodeId callee) = 0;
};

/// The service of a command that is_call(): a chain of one operation, as `bench` has them, or an
/// echo of --payload bytes. `command` has to outlive it, and it the ends that it is given to.
std::unique_ptr<CalledService> called_service(const ExplainCommand& command);

}  // namespace verbena::experiments
