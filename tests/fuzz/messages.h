// Messages of peers that were changed, given to the handlers of a node.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "tests/fuzz/mutations.h"

namespace verbena::testing {

/// A message of structs, one after the other.
template <typename... Structs>
std::vector<std::byte> message_of(const Structs&... structs) {
  std::vector<std::byte> message;
  const auto add = [&](const auto& one) {
    const auto bytes = std::as_bytes(std::span(&one, 1));
    message.insert(message.end(), bytes.begin(), bytes.end());
  };
  (add(structs), ...);
  return message;
}

/// A procedure, and the requests that it is asked with.
struct AskedMethod {
  std::string name;
  rdma::RpcMethod method;
  std::vector<std::vector<std::byte>> requests;
};

/// On a fiber of a node that serves them: calls each method with requests that were changed, as the
/// node itself. False: a handler threw what it may not.
inline bool handlers_survive(rdma::Worker& worker, const std::vector<AskedMethod>& methods) {
  bool all = true;
  for (const AskedMethod& asked : methods) {
    rdma::RpcBatch calls(worker.rpc());
    const auto call = [&](std::span<const std::byte> request) {
      calls.clear();
      if (request.size() > worker.rpc().max_payload()) return;
      calls.add(worker.node(), asked.method, request);
      calls.post();
    };
    all &= survives(asked.name, asked.requests, call,
                    is_any_of<PeerError, ConfigurationError, std::logic_error>);
  }
  return all;
}

}  // namespace verbena::testing
