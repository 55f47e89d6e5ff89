// A rendezvous over TCP, for nodes in different processes.
#include "rdma/hardware/tcp_rendezvous.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

using Clock = std::chrono::steady_clock;
using Value = std::vector<std::byte>;

constexpr auto kRetryPause = std::chrono::milliseconds(20);
constexpr auto kAnswerTimeout = std::chrono::seconds(2);
constexpr int kStopCheckMs = 50;
constexpr std::uint32_t kMaxValueBytes = 1U << 30;

struct Request {
  std::uint32_t magic;
  NodeId node;
  std::uint16_t key_bytes;  // follow
};
struct Answer {
  std::uint32_t status;
  std::uint32_t value_bytes;  // follow
};
constexpr std::uint32_t kMagic = 0x31706476;  // "vdp1"
enum AnswerStatus : std::uint32_t { kFound = 0, kNotYet = 1, kWrongNode = 2 };

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool valid() const { return descriptor_ >= 0; }

  void set_timeout(std::chrono::microseconds timeout) const {
    const timeval value{timeout.count() / 1'000'000, timeout.count() % 1'000'000};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
  }

  bool send_all(const void* data, std::size_t bytes) const {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t sent = send(descriptor_, next, bytes, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      next += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  bool receive_all(void* data, std::size_t bytes) const {
    auto* next = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t received = recv(descriptor_, next, bytes, 0);
      if (received <= 0) return false;
      next += received;
      bytes -= static_cast<std::size_t>(received);
    }
    return true;
  }

 private:
  int descriptor_;
};

struct Address {
  std::string text;
  std::string host;
  std::string port;
};

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

Socket listen_at(NodeId node, const Address& address) {
  const Resolved resolved = resolve(address, true);
  std::string error = resolved.error;
  for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
    Socket socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, at->ai_protocol));
    const int on = 1;
    setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (socket.valid() && bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 &&
        listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
    error = std::strerror(errno);
  }
  throw ConfigurationError("address of node " + std::to_string(node) + ": cannot listen at '" +
                           address.text + "': " + error);
}

class TcpRendezvous final : public Rendezvous {
 public:
  TcpRendezvous(std::uint32_t nodes, const std::vector<NodeId>& hosted,
                const std::vector<std::string>& addresses) {
    if (addresses.size() != nodes) {
      throw ConfigurationError("addresses: " + std::to_string(addresses.size()) +
                               " are given for " + std::to_string(nodes) + " nodes");
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      addresses_.push_back(parse_address(static_cast<NodeId>(node), addresses[node]));
    }
    for (const NodeId node : hosted) {
      listeners_.emplace_back(node, listen_at(node, addresses_[node]));
    }
    server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  void publish(NodeId self, const std::string& key, Value value) override {
    const std::lock_guard lock(mutex_);
    values_.try_emplace({self, key}, std::move(value));
  }

  Value fetch(NodeId peer, const std::string& key, Nanoseconds timeout) override {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(timeout.count());
    std::string error;
    do {
      std::optional<Value> value = ask(peer, key, error);
      if (value) return std::move(*value);
      std::this_thread::sleep_for(kRetryPause);
    } while (Clock::now() < deadline);
    throw PeerMissing(describe(peer) + " did not come up within " +
                      std::to_string(timeout / kMillisecond) + " ms: " + error);
  }

  std::string describe(NodeId peer) const override {
    return Rendezvous::describe(peer) + " (" + addresses_[peer].text + ")";
  }

 private:
  std::optional<Value> find(NodeId node, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = values_.find({node, key});
    if (at == values_.end()) return std::nullopt;
    return at->second;
  }

  bool hosts(NodeId node) const {
    return std::any_of(listeners_.begin(), listeners_.end(),
                       [node](const auto& listener) { return listener.first == node; });
  }

  std::optional<Value> ask(NodeId peer, const std::string& key, std::string& error) {
    if (hosts(peer)) {
      error = "has not published '" + key + "'";
      return find(peer, key);
    }
    const Resolved resolved = resolve(addresses_[peer], false);
    error = resolved.error;
    for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
      const Socket socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, at->ai_protocol));
      socket.set_timeout(kAnswerTimeout);
      if (!socket.valid() || connect(socket.get(), at->ai_addr, at->ai_addrlen) != 0) {
        error = std::strerror(errno);
        continue;
      }
      return converse(socket, peer, key, error);
    }
    return std::nullopt;
  }

  std::optional<Value> converse(const Socket& socket, NodeId peer, const std::string& key,
                                std::string& error) {
    const Request request{kMagic, peer, static_cast<std::uint16_t>(key.size())};
    Answer answer{};
    error = "the connection broke";
    if (!socket.send_all(&request, sizeof request) || !socket.send_all(key.data(), key.size()) ||
        !socket.receive_all(&answer, sizeof answer)) {
      return std::nullopt;
    }
    if (answer.status == kWrongNode) {
      throw ConfigurationError("address of node " + std::to_string(peer) + ": '" +
                               addresses_[peer].text + "' belongs to another node");
    }
    if (answer.status != kFound || answer.value_bytes > kMaxValueBytes) {
      error = "has not published '" + key + "'";
      return std::nullopt;
    }
    Value value(answer.value_bytes);
    if (!socket.receive_all(value.data(), value.size())) return std::nullopt;
    return value;
  }

  void serve(const std::stop_token& stop) {
    std::vector<pollfd> waiting;
    waiting.reserve(listeners_.size());
    for (const auto& [node, socket] : listeners_) waiting.push_back({socket.get(), POLLIN, 0});
    while (!stop.stop_requested()) {
      if (poll(waiting.data(), waiting.size(), kStopCheckMs) <= 0) continue;
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if ((waiting[i].revents & POLLIN) == 0) continue;
        const Socket socket(accept4(waiting[i].fd, nullptr, nullptr, SOCK_CLOEXEC));
        if (socket.valid()) answer(socket, listeners_[i].first);
      }
    }
  }

  void answer(const Socket& socket, NodeId node) {
    socket.set_timeout(kAnswerTimeout);
    Request request{};
    if (!socket.receive_all(&request, sizeof request) || request.magic != kMagic) return;
    std::string key(request.key_bytes, '\0');
    if (!socket.receive_all(key.data(), key.size())) return;
    const std::optional<Value> value = find(node, key);
    Answer answer{request.node != node ? kWrongNode
                  : value              ? kFound
                                       : kNotYet,
                  value ? static_cast<std::uint32_t>(value->size()) : 0};
    if (!socket.send_all(&answer, sizeof answer) || answer.status != kFound) return;
    socket.send_all(value->data(), value->size());
  }

  std::vector<Address> addresses_;
  std::vector<std::pair<NodeId, Socket>> listeners_;
  std::mutex mutex_;
  std::map<std::pair<NodeId, std::string>, Value> values_;
  std::jthread server_;  // last, so that it ends first
};

}  // namespace

std::unique_ptr<Rendezvous> make_tcp_rendezvous(std::uint32_t nodes,
                                                const std::vector<NodeId>& hosted,
                                                const std::vector<std::string>& addresses) {
  return std::make_unique<TcpRendezvous>(nodes, hosted, addresses);
}

}  // namespace verbena::rdma
