// Server of the values that nodes have published.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/hardware/tcp_socket.h"

namespace verbena::rdma {

/// A peer's question, on the wire; the key follows.
struct ValueRequest {
  std::uint32_t magic;
  NodeId node;  ///< publisher of the value
  NodeId from;
  std::uint16_t key_bytes;
  std::uint16_t reserved;
};
inline constexpr std::uint32_t kValueMagic = 0x32706476;  // "vdp2"
inline constexpr std::size_t kMostKeyBytes = 2048;

enum class AnswerStatus : std::uint32_t {
  kFound = 0,
  kNotYet = 1,
  kWrongNode = 2,  ///< this address is not that node's
  kEnded = 3,      ///< its process is ending; the reason follows
};

/// Head of an answer; `bytes` bytes follow.
struct AnswerHead {
  AnswerStatus status;
  std::uint32_t bytes;
};

/// A thread that answers all connections at once, so that none waits for another that is silent,
/// slow or broken. A connection has two seconds. At most kMost are open; one more closes the oldest
/// that has not asked yet. A connection without a peer's question is closed and counted.
class ValueServer {
 public:
  using Value = std::vector<std::byte>;
  using Answer = std::pair<AnswerStatus, Value>;
  /// A question for the value that `node` published as `key`.
  struct Question {
    NodeId node;
    NodeId from;
    std::string key;
  };
  /// Answers a question. Called by the server's thread.
  using Find = std::function<Answer(const Question& question)>;
  /// Called by the server's thread when an answer has been sent completely.
  using Sent = std::function<void(const Question& question, AnswerStatus answered)>;
  static constexpr std::size_t kMost = 256;

  /// Serves at the sockets of these nodes, which must listen and not block.
  ValueServer(std::vector<std::pair<NodeId, Socket>> listeners, Find find, Sent sent);

  /// Number of connections so far that came from no peer. Thread-safe.
  std::uint64_t strangers() const { return strangers_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    Socket socket;
    NodeId node;  // at which it came
    Clock::time_point deadline;
    std::vector<std::byte> asked = {};
    std::vector<std::byte> answer = {};  // empty: not yet asked for all
    std::size_t sent = 0;
    Question question = {};
    AnswerStatus status = AnswerStatus::kNotYet;
  };
  enum class Next : std::uint8_t { kGoesOn, kDone, kStranger };

  void serve(const std::stop_token& stop);
  void accept_all(const Socket& listener, NodeId node);
  void make_room();
  Next go_on(Connection& connection);
  Next read(Connection& connection);
  Next write(Connection& connection);
  void answer(Connection& connection);

  std::vector<std::pair<NodeId, Socket>> listeners_;
  Find find_;
  Sent sent_;
  std::list<Connection> connections_;  // oldest first
  Clock::time_point accepts_from_;
  std::atomic<std::uint64_t> strangers_{0};
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace verbena::rdma
