// Names, and calls of the operating system.
#include "rdma/hardware/tcp_socket.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

struct Resolved {
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> list{nullptr, freeaddrinfo};
  std::string error;
};

Resolved resolve(const Address& address, bool passive) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = passive ? AI_PASSIVE : 0;
  addrinfo* list = nullptr;
  Resolved resolved;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &list);
  if (error != 0) {
    resolved.error = gai_strerror(error);
  } else {
    resolved.list.reset(list);
  }
  return resolved;
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Socket::set_timeout(std::chrono::microseconds timeout) const {
  const timeval value{timeout.count() / 1'000'000, timeout.count() % 1'000'000};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

bool Socket::send_all(const void* data, std::size_t bytes) const {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(descriptor_, next, bytes, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Socket::receive_all(void* data, std::size_t bytes) const {
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = recv(descriptor_, next, bytes, 0);
    if (received <= 0) return false;
    next += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

Address parse_address(NodeId node, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const bool digits =
      !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (host.empty() || !digits || std::stoi(port) < 1 || std::stoi(port) > 65535) {
    throw ConfigurationError("address of node " + std::to_string(node) + ": '" + text +
                             "' is not host:port with a port of 1 to 65535");
  }
  return {text, host, port};
}

Socket listen_at(NodeId node, const Address& address) {
  const Resolved resolved = resolve(address, true);
  std::string error = resolved.error;
  for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
    Socket socket(
        ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    const int on = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (socket.valid() && bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 &&
        listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
    error = std::strerror(errno);
    // By another process of this node, perhaps, which the name's next address would not show.
    if (errno == EADDRINUSE) break;
  }
  throw ConfigurationError("address of node " + std::to_string(node) + ": cannot listen at '" +
                           address.text + "': " + error);
}

Connected connect_to(const Address& address, std::chrono::microseconds timeout) {
  const Resolved resolved = resolve(address, false);
  Connected connected{.error = resolved.error, .unknown = resolved.list == nullptr};
  for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, at->ai_protocol));
    socket.set_timeout(timeout);
    if (socket.valid() && connect(socket.get(), at->ai_addr, at->ai_addrlen) == 0) {
      return {.socket = std::move(socket)};
    }
    connected.error = std::strerror(errno);
    connected.refused = errno == ECONNREFUSED;
  }
  return connected;
}

}  // namespace verbena::rdma
