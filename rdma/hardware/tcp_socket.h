// Sockets, and the addresses at which nodes of different processes find each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "rdma/base/types.h"

struct addrinfo;

namespace verbena::rdma {

/// An open socket, or none; closes it.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  int get() const { return descriptor_; }
  bool valid() const { return descriptor_ >= 0; }

  /// Limits how long the next two wait for the other end without progress.
  void set_timeout(std::chrono::microseconds timeout) const;
  /// Return false when the connection broke or the time-out has passed.
  bool send_all(const void* data, std::size_t bytes) const;
  bool receive_all(void* data, std::size_t bytes) const;

 private:
  int descriptor_;
};

/// Parts of "host:port" or "[v6]:port".
struct Address {
  std::string text;
  std::string host;
  std::string port;
};

/// Parses an address. Throws ConfigurationError, which names the node, when it is malformed.
Address parse_address(NodeId node, const std::string& text);

/// Listens at `address`. Throws ConfigurationError, which names the node, when it cannot.
Socket listen_at(NodeId node, const Address& address);

/// A connection, or the error that prevented it.
struct Connected {
  Socket socket{-1};
  std::string error = {};
  bool refused = false;  ///< the machine answers, but nobody listens there
  bool unknown = false;  ///< there is no such host or port
};

/// Connects within `timeout`.
Connected connect_to(const Address& address, std::chrono::microseconds timeout);

}  // namespace verbena::rdma
