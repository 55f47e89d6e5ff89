// Published values, and asking others for theirs.
#include "rdma/hardware/tcp_rendezvous.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "rdma/hardware/tcp_socket.h"
#include "rdma/hardware/value_server.h"

namespace verbena::rdma {
namespace {

using Clock = std::chrono::steady_clock;
using Value = std::vector<std::byte>;

constexpr auto kRetryPause = std::chrono::milliseconds(20);
constexpr auto kAnswerTimeout = std::chrono::seconds(2);
/// For how long the address of a peer that was there may refuse connections.
constexpr auto kGone = std::chrono::milliseconds(500);
constexpr std::uint32_t kMaxValueBytes = 1U << 30;

/// Is published by nobody.
constexpr const char* kEndKey = "end";

/// In what is said of a peer that has ended.
constexpr std::string_view kEndedText = " has ended: ";

class TcpRendezvous final : public Rendezvous {
 public:
  TcpRendezvous(std::uint32_t nodes, const std::vector<NodeId>& hosted,
                const std::vector<std::string>& addresses)
      : hosted_(hosted) {
    if (addresses.size() != nodes) {
      throw ConfigurationError("addresses: " + std::to_string(addresses.size()) +
                               " are given for " + counted(nodes, "node"));
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      addresses_.push_back(parse_address(static_cast<NodeId>(node), addresses[node]));
    }
    std::vector<std::pair<NodeId, Socket>> listeners;
    listeners.reserve(hosted.size());
    for (const NodeId node : hosted)
      listeners.emplace_back(node, listen_at(node, addresses_[node]));
    server_.emplace(
        std::move(listeners),
        [this](NodeId node, const std::string& key) { return answer(node, key); },
        [this](NodeId node, NodeId from, const std::string& key) { note_sent(node, from, key); });
  }

  void publish(NodeId self, const std::string& key, Value value) override {
    const std::lock_guard lock(mutex_);
    values_.try_emplace({self, key}, std::move(value));
  }

  Value fetch(NodeId peer, const std::string& key, Nanoseconds timeout) override {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(timeout.count());
    auto gone = Clock::time_point::max();
    Failure failure;
    do {
      std::optional<Value> value = ask(peer, key, failure);
      if (value) return std::move(*value);
      if (stop_ != nullptr && *stop_) {
        throw Interrupted("interrupted while it waited for " + describe(peer));
      }
      gone = failure.refused ? std::min(gone, Clock::now() + kGone) : Clock::time_point::max();
      if (Clock::now() > gone && has_answered(peer)) {
        throw PeerMissing(describe(peer) + " has ended, and did not say why");
      }
      std::this_thread::sleep_for(kRetryPause);
    } while (Clock::now() < deadline);
    throw PeerMissing(describe(peer) + " did not come up within " +
                      std::to_string(timeout / kMillisecond) + " ms: " + failure.error);
  }

  void heed(const std::atomic<bool>* stop) override { stop_ = stop; }

  bool await_fetch(NodeId self, const std::string& key, NodeId peer, Nanoseconds timeout) override {
    std::unique_lock lock(mutex_);
    return hosts(peer) || asked_.wait_for(lock, std::chrono::nanoseconds(timeout.count()), [&] {
      return fetched_.contains({self, key, peer});
    });
  }

  // Peers that are about to end ask for nothing any more: they are asked whether they have.
  void end(const std::string& why, Nanoseconds linger) override {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(linger.count());
    std::unique_lock lock(mutex_);
    ended_ = why;
    while (Clock::now() < deadline &&
           !asked_.wait_for(lock, kRetryPause, [this] { return all_know(); })) {
      lock.unlock();
      for (std::uint32_t n = 0; n < addresses_.size(); ++n) note_end_of(static_cast<NodeId>(n));
      lock.lock();
    }
  }

  std::uint64_t strangers() const override { return server_->strangers(); }

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

  bool hosts(NodeId node) const { return std::ranges::find(hosted_, node) != hosted_.end(); }

  // On the server's thread.
  std::pair<AnswerStatus, Value> answer(NodeId node, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = values_.find({node, key});
    if (at != values_.end()) return {AnswerStatus::kFound, at->second};
    if (!ended_) return {AnswerStatus::kNotYet, {}};
    const auto reason = std::as_bytes(std::span(*ended_));
    return {AnswerStatus::kEnded, {reason.begin(), reason.end()}};
  }

  // Not before: this process may end as soon as all is sent.
  void note_sent(NodeId node, NodeId from, const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (from >= addresses_.size() || hosts(from)) return;
    if (ended_) knowing_.insert(from);
    if (values_.contains({node, key})) fetched_.insert({node, key, from});
    asked_.notify_all();
  }

  // Under the lock.
  bool all_know() const { return knowing_.size() + hosted_.size() >= addresses_.size(); }

  void note_end_of(NodeId peer) {
    {
      const std::lock_guard lock(mutex_);
      if (hosts(peer) || knowing_.contains(peer)) return;
    }
    try {
      Failure failure;
      ask(peer, kEndKey, failure);
      if (!failure.refused) return;
    } catch (const std::exception&) {
      // It has ended, too, or is another node.
    }
    const std::lock_guard lock(mutex_);
    if (answering_.contains(peer)) knowing_.insert(peer);
  }

  struct Failure {
    std::string error;
    bool refused = false;
  };

  bool has_answered(NodeId peer) {
    const std::lock_guard lock(mutex_);
    return answering_.contains(peer);
  }

  std::optional<Value> ask(NodeId peer, const std::string& key, Failure& failure) {
    failure = {.error = "has not published '" + key + "'"};
    if (hosts(peer)) return find(peer, key);
    const Connected connected = connect_to(addresses_[peer], kAnswerTimeout);
    if (connected.socket.valid()) return converse(connected.socket, peer, key, failure.error);
    failure = {.error = connected.error, .refused = connected.refused};
    return std::nullopt;
  }

  std::optional<Value> converse(const Socket& socket, NodeId peer, const std::string& key,
                                std::string& error) {
    const ValueRequest request{.magic = kValueMagic,
                               .node = peer,
                               .from = hosted_.front(),
                               .key_bytes = static_cast<std::uint16_t>(key.size()),
                               .reserved = 0};
    AnswerHead head{};
    if (!socket.send_all(&request, sizeof request) || !socket.send_all(key.data(), key.size()) ||
        !socket.receive_all(&head, sizeof head) || head.bytes > kMaxValueBytes) {
      error = "the connection broke";
      return std::nullopt;
    }
    Value value(head.bytes);
    if (!socket.receive_all(value.data(), value.size())) {
      error = "the connection broke";
      return std::nullopt;
    }
    return taken(peer, head.status, std::move(value));
  }

  std::optional<Value> taken(NodeId peer, AnswerStatus status, Value value) {
    if (status == AnswerStatus::kWrongNode) {
      throw ConfigurationError("address of node " + std::to_string(peer) + ": '" +
                               addresses_[peer].text + "' belongs to another node");
    }
    const std::lock_guard lock(mutex_);
    answering_.insert(peer);
    if (status == AnswerStatus::kEnded) {
      knowing_.insert(peer);
      throw_ended(peer, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
    if (status == AnswerStatus::kFound) return value;
    return std::nullopt;
  }

  // The first to end has the reason.
  [[noreturn]] void throw_ended(NodeId peer, const std::string& why) const {
    if (why.find(kEndedText) != std::string::npos) throw PeerMissing(why);
    throw PeerMissing(describe(peer) + std::string(kEndedText) + why);
  }

  const std::vector<NodeId> hosted_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<Address> addresses_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::map<std::pair<NodeId, std::string>, Value> values_;
  std::optional<std::string> ended_;
  std::set<NodeId> answering_;                                 // nodes that were there
  std::set<NodeId> knowing_;                                   // have asked since, or ended before
  std::set<std::tuple<NodeId, std::string, NodeId>> fetched_;  // whose, what, by whom
  std::optional<ValueServer> server_;                          // last, so that it ends first
};

}  // namespace

std::unique_ptr<Rendezvous> make_tcp_rendezvous(std::uint32_t nodes,
                                                const std::vector<NodeId>& hosted,
                                                const std::vector<std::string>& addresses) {
  return std::make_unique<TcpRendezvous>(nodes, hosted, addresses);
}

}  // namespace verbena::rdma
