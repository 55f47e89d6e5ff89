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
#include "rdma/base/value_text.h"
#include "rdma/hardware/tcp_socket.h"
#include "rdma/hardware/value_question.h"
#include "rdma/hardware/value_server.h"

namespace verbena::rdma {
namespace {

using Clock = std::chrono::steady_clock;
using Value = std::vector<std::byte>;

constexpr auto kRetryPause = std::chrono::milliseconds(20);
constexpr auto kAnswerTimeout = std::chrono::seconds(2);
/// The same where little time is left, or others wait to be told.
constexpr auto kShortTimeout = std::chrono::milliseconds(200);
/// For how long the address of a peer that was there may refuse connections.
constexpr auto kGone = std::chrono::milliseconds(500);

/// Begins a question that asks for nothing: the process of whoever asks has ended, for the reason
/// that follows.
constexpr std::string_view kEndKey = "end: ";

/// In what is said of a peer that has ended.
constexpr std::string_view kEndedText = " has ended: ";

bool tells_of_another(const std::string& why) { return why.find(kEndedText) != std::string::npos; }

class TcpRendezvous final : public Rendezvous {
 public:
  /// Listens nowhere yet.
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
  }

  void serve() {
    std::vector<std::pair<NodeId, Socket>> listeners;
    listeners.reserve(hosted_.size());
    for (const NodeId node : hosted_)
      listeners.emplace_back(node, listen_at(node, addresses_[node]));
    server_.emplace(
        std::move(listeners), [this](const Question& question) { return answer(question); },
        [this](const Question& question, AnswerStatus answered) { note_sent(question, answered); });
  }

  /// Asks another process that listens at the address of `node` which node it is.
  Reply ask_elsewhere(NodeId node) const {
    return rdma::ask(addresses_[node], {.node = node, .from = node, .key = ""}, kShortTimeout);
  }

  void publish(NodeId self, const std::string& key, Value value) override {
    const std::lock_guard lock(mutex_);
    values_.try_emplace({self, key}, std::move(value));
  }

  Value fetch(NodeId peer, const std::string& key, Nanoseconds timeout) override {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(timeout.count());
    auto gone = Clock::time_point::max();
    Reply last;
    do {
      const auto left =
          std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now());
      std::optional<Value> value =
          ask(peer, key, std::clamp<std::chrono::microseconds>(left, kShortTimeout, kAnswerTimeout),
              last);
      if (value) return std::move(*value);
      if (stop_ != nullptr && *stop_) {
        throw Interrupted("interrupted while it waited for " + describe(peer));
      }
      check_ends(peer);
      gone = last.refused ? std::min(gone, Clock::now() + kGone) : Clock::time_point::max();
      if (Clock::now() > gone && was_there(peer)) {
        throw PeerMissing(describe(peer) + " has ended, and did not say why");
      }
      std::this_thread::sleep_for(kRetryPause);
    } while (Clock::now() < deadline);
    throw PeerLate(describe(peer) + " did not come up within " + format_duration(timeout) + ": " +
                   last.error);
  }

  void heed(const std::atomic<bool>* stop) override { stop_ = stop; }

  bool await_fetch(NodeId self, const std::string& key, NodeId peer, Nanoseconds timeout) override {
    std::unique_lock lock(mutex_);
    return hosts(peer) || asked_.wait_for(lock, std::chrono::nanoseconds(timeout.count()), [&] {
      return fetched_.contains({self, key, peer});
    });
  }

  void end(const std::string& why, Nanoseconds linger) override {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(linger.count());
    std::unique_lock lock(mutex_);
    ended_ = why;
    const bool is_first = !tells_of_another(why);
    while (Clock::now() < deadline &&
           !asked_.wait_for(lock, kRetryPause, [&] { return all_know(is_first); })) {
      lock.unlock();
      for (std::uint32_t n = 0; n < addresses_.size() && Clock::now() < deadline; ++n) {
        tell_end(static_cast<NodeId>(n), why);
      }
      lock.lock();
    }
  }

  std::uint64_t strangers() const override { return server_->strangers(); }

  std::string describe(NodeId peer) const override {
    return Rendezvous::describe(peer) + " (" + addresses_[peer].text + ")";
  }

 private:
  using Question = ValueServer::Question;

  std::optional<Value> find(NodeId node, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = values_.find({node, key});
    if (at == values_.end()) return std::nullopt;
    return at->second;
  }

  bool hosts(NodeId node) const { return std::ranges::find(hosted_, node) != hosted_.end(); }

  bool is_peer(NodeId node) const { return node < addresses_.size() && !hosts(node); }

  // On the server's thread.
  ValueServer::Answer answer(const Question& question) {
    const std::lock_guard lock(mutex_);
    if (is_peer(question.from)) note_asked(question);
    const auto at = values_.find({question.node, question.key});
    if (at != values_.end()) return {AnswerStatus::kFound, at->second};
    if (!ended_) return {AnswerStatus::kNotYet, {}};
    const auto reason = std::as_bytes(std::span(*ended_));
    return {AnswerStatus::kEnded, {reason.begin(), reason.end()}};
  }

  // Under the lock.
  void note_asked(const Question& question) {
    if (!question.key.starts_with(kEndKey)) {
      there_.insert(question.from);
      return;
    }
    ends_.try_emplace(question.from, question.key.substr(kEndKey.size()));
    knowing_.insert(question.from);
  }

  // Not before: this process may end as soon as all is sent.
  void note_sent(const Question& question, AnswerStatus answered) {
    const std::lock_guard lock(mutex_);
    if (!is_peer(question.from)) return;
    const bool was_told = told_.contains(question.from);
    if (was_told || answered == AnswerStatus::kEnded) knowing_.insert(question.from);
    if (answered == AnswerStatus::kFound) {
      fetched_.insert({question.node, question.key, question.from});
    }
    asked_.notify_all();
  }

  // Under the lock.
  bool have_met() const { return there_.size() + hosted_.size() >= addresses_.size(); }

  // Under the lock. The first to end stays for those that have not been there yet.
  bool all_know(bool is_first) const {
    for (std::uint32_t n = 0; n < addresses_.size(); ++n) {
      const auto node = static_cast<NodeId>(n);
      if (is_peer(node) && !knowing_.contains(node) && (is_first || there_.contains(node))) {
        return false;
      }
    }
    return true;
  }

  // A peer that is about to end, too, asks for nothing any more, and one that waits for another may
  // not ask in time: so it is told. What was published it may want nevertheless, so it is waited
  // for until it asks again.
  void tell_end(NodeId peer, const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      if (hosts(peer) || knowing_.contains(peer)) return;
    }
    const std::string key = std::string(kEndKey) + why;
    const Reply reply =
        rdma::ask(addresses_[peer],
                  {.node = peer, .from = hosted_.front(), .key = key.substr(0, kMostKeyBytes)},
                  kShortTimeout);
    const bool is_told = reply.answer && reply.answer->first != AnswerStatus::kWrongNode;
    const std::lock_guard lock(mutex_);
    if (is_told) {
      there_.insert(peer);
      told_.insert(peer);
    }
    // One that is gone, or at no address that there is, will not know.
    const bool is_gone = reply.unknown || (reply.refused && there_.contains(peer));
    if (is_gone || (is_told && values_.empty())) knowing_.insert(peer);
  }

  bool was_there(NodeId peer) {
    const std::lock_guard lock(mutex_);
    return there_.contains(peer);
  }

  // Throws where `peer` has said that it ended, or any while the cluster has not met yet.
  void check_ends(NodeId peer) {
    const std::lock_guard lock(mutex_);
    const auto end = have_met() ? ends_.find(peer) : ends_.begin();
    if (end != ends_.end()) throw_ended(end->first, end->second);
  }

  std::optional<Value> ask(NodeId peer, const std::string& key, std::chrono::microseconds timeout,
                           Reply& reply) {
    const bool own = hosts(peer);
    reply = own ? Reply() : rdma::ask(addresses_[peer], {peer, hosted_.front(), key}, timeout);
    if (own || reply.answer) reply.error = "has not published '" + key + "'";
    if (own) return find(peer, key);
    if (!reply.answer) return std::nullopt;
    return taken(peer, reply.answer->first, std::move(reply.answer->second));
  }

  std::optional<Value> taken(NodeId peer, AnswerStatus status, Value value) {
    if (status == AnswerStatus::kWrongNode) {
      throw ConfigurationError("address of node " + std::to_string(peer) + ": '" +
                               addresses_[peer].text + "' belongs to another node");
    }
    const std::lock_guard lock(mutex_);
    there_.insert(peer);
    if (status == AnswerStatus::kEnded) {
      throw_ended(peer, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
    if (status == AnswerStatus::kFound) return value;
    return std::nullopt;
  }

  // The first to end has the reason.
  [[noreturn]] void throw_ended(NodeId peer, const std::string& why) const {
    if (tells_of_another(why)) throw PeerEnded(why);
    throw PeerEnded(describe(peer) + std::string(kEndedText) + why);
  }

  const std::vector<NodeId> hosted_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<Address> addresses_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::map<std::pair<NodeId, std::string>, Value> values_;
  std::optional<std::string> ended_;
  std::set<NodeId> there_;              // nodes that have answered or asked
  std::set<NodeId> told_;               // that this one ends
  std::set<NodeId> knowing_;            // need not be told that this one ends, or cannot be
  std::map<NodeId, std::string> ends_;  // of nodes that have said so, for what reason
  std::set<std::tuple<NodeId, std::string, NodeId>> fetched_;  // whose, what, by whom
  std::optional<ValueServer> server_;                          // last, so that it ends first
};

}  // namespace

std::unique_ptr<Rendezvous> make_tcp_rendezvous(std::uint32_t nodes,
                                                const std::vector<NodeId>& hosted,
                                                const std::vector<std::string>& addresses) {
  auto rendezvous = std::make_unique<TcpRendezvous>(nodes, hosted, addresses);
  try {
    rendezvous->serve();
  } catch (const ConfigurationError&) {
    for (const NodeId node : hosted) {
      const Reply other = rendezvous->ask_elsewhere(node);
      if (!other.answer) continue;
      const std::string number = std::to_string(node);
      throw ConfigurationError("address of node " + number + ": '" + addresses[node] +
                               "' is taken: " +
                               (other.answer->first == AnswerStatus::kWrongNode
                                    ? "another node has it; give all processes the same addresses"
                                    : "another process is node " + number + " already"));
    }
    throw;
  }
  return rendezvous;
}

void tell_end(NodeId self, const std::vector<std::string>& addresses, const std::string& why,
              Nanoseconds linger) {
  TcpRendezvous rendezvous(static_cast<std::uint32_t>(addresses.size()), {self}, addresses);
  try {
    rendezvous.serve();
  } catch (const ConfigurationError&) {
    // A process that is stopped says nothing, and may go on.
    const Reply other = rendezvous.ask_elsewhere(self);
    if (other.silent || (other.answer && other.answer->first != AnswerStatus::kWrongNode)) return;
  }
  rendezvous.end(why, linger);
}

}  // namespace verbena::rdma
