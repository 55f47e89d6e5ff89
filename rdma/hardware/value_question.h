// Questions to the ValueServer of another process.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "rdma/hardware/tcp_socket.h"
#include "rdma/hardware/value_server.h"

namespace verbena::rdma {

/// An answer, or the error that prevented it.
struct Reply {
  std::optional<ValueServer::Answer> answer = {};
  std::string error = {};
  bool refused = false;  ///< see Connected
  bool unknown = false;
  bool silent = false;  ///< something took the connection, and said nothing in time
};

/// Asks at `address`. Connecting, and the other end, may each take at most `timeout` without
/// progress.
Reply ask(const Address& address, const ValueServer::Question& question,
          std::chrono::microseconds timeout);

}  // namespace verbena::rdma
