// The services whose calls are explained.
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

/// A service of the callee, with the caller's side. Every call is the same.
class CalledService {
 public:
  virtual ~CalledService() = default;

  /// Length in bytes of the longest message, request or answer.
  virtual std::size_t message_bytes() const = 0;

  /// Adds the memory that calls access to the callee, which must not have published yet.
  virtual void add_memory(rdma::Endpoint& callee) = 0;

  /// Makes the callee serve. Its connections must carry messages of message_bytes().
  virtual void serve(rdma::Endpoint& callee) = 0;

  /// Makes a call and waits for the answer. Runs in a fiber of `caller`.
  virtual void call(rdma::Worker& caller, NodeId callee) = 0;
};

/// Creates the service of a command that is_call(): a chain of one operation, as in `bench`, or an
/// echo of --payload bytes. `command` must outlive the service, and the service must outlive the
/// endpoints and workers that it is given.
std::unique_ptr<CalledService> called_service(const ExplainCommand& command);

}  // namespace verbena::experiments
