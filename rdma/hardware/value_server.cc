// One poll for all.
#include "rdma/hardware/value_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace verbena::rdma {
namespace {

constexpr int kStopCheckMs = 50;
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kNoDescriptors = std::chrono::milliseconds(100);

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

ValueServer::ValueServer(std::vector<std::pair<NodeId, Socket>> listeners, Find find, Sent sent)
    : listeners_(std::move(listeners)),
      find_(std::move(find)),
      sent_(std::move(sent)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

void ValueServer::serve(const std::stop_token& stop) {
  std::vector<pollfd> waiting;
  while (!stop.stop_requested()) {
    waiting.clear();
    const short accepting = Clock::now() < accepts_from_ ? short{0} : short{POLLIN};
    for (const auto& [node, socket] : listeners_) waiting.push_back({socket.get(), accepting, 0});
    for (const Connection& one : connections_) {
      waiting.push_back({one.socket.get(), one.answer.empty() ? short{POLLIN} : short{POLLOUT}, 0});
    }
    if (poll(waiting.data(), waiting.size(), kStopCheckMs) < 0) continue;
    const Clock::time_point now = Clock::now();
    std::size_t at = listeners_.size();
    for (auto one = connections_.begin(); one != connections_.end();) {
      Next next = waiting[at++].revents == 0 ? Next::kGoesOn : go_on(*one);
      if (next == Next::kGoesOn && now > one->deadline) {
        next = one->answer.empty() ? Next::kStranger : Next::kDone;
      }
      if (next == Next::kStranger) strangers_.fetch_add(1, std::memory_order_relaxed);
      one = next == Next::kGoesOn ? std::next(one) : connections_.erase(one);
    }
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if (waiting[i].revents != 0) accept_all(listeners_[i].second, listeners_[i].first);
    }
  }
}

void ValueServer::accept_all(const Socket& listener, NodeId node) {
  for (std::size_t i = 0; i < kMost; ++i) {
    Socket socket(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      // Connections that wait are still there once descriptors are.
      if (errno == EMFILE || errno == ENFILE) accepts_from_ = Clock::now() + kNoDescriptors;
      return;
    }
    if (connections_.size() >= kMost) make_room();
    connections_.push_back(
        {.socket = std::move(socket), .node = node, .deadline = Clock::now() + kPatience});
  }
}

void ValueServer::make_room() {
  auto oldest =
      std::ranges::find_if(connections_, [](const Connection& one) { return one.answer.empty(); });
  if (oldest == connections_.end()) oldest = connections_.begin();
  if (oldest->answer.empty()) strangers_.fetch_add(1, std::memory_order_relaxed);
  connections_.erase(oldest);
}

ValueServer::Next ValueServer::go_on(Connection& connection) {
  if (connection.answer.empty()) {
    const Next next = read(connection);
    if (next != Next::kGoesOn || connection.answer.empty()) return next;
  }
  return write(connection);
}

// Reads no more than belongs to the question.
ValueServer::Next ValueServer::read(Connection& connection) {
  ValueRequest request{};
  for (;;) {
    std::size_t wanted = sizeof request;
    if (connection.asked.size() >= sizeof request) {
      std::memcpy(&request, connection.asked.data(), sizeof request);
      if (request.magic != kValueMagic || request.key_bytes > kMostKeyBytes) {
        return Next::kStranger;
      }
      wanted += request.key_bytes;
    }
    const std::size_t had = connection.asked.size();
    if (had == wanted) break;
    connection.asked.resize(wanted);
    const ssize_t got = recv(connection.socket.get(), &connection.asked[had], wanted - had, 0);
    connection.asked.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && would_block()) return Next::kGoesOn;
    if (got <= 0) return Next::kStranger;
  }
  const auto* key = reinterpret_cast<const char*>(connection.asked.data()) + sizeof request;
  connection.question = {request.node, request.from, std::string(key, request.key_bytes)};
  answer(connection);
  return Next::kGoesOn;
}

void ValueServer::answer(Connection& connection) {
  const auto [status, value] = connection.question.node == connection.node
                                   ? find_(connection.question)
                                   : Answer(AnswerStatus::kWrongNode, {});
  connection.status = status;
  const AnswerHead head{status, static_cast<std::uint32_t>(value.size())};
  connection.answer.resize(sizeof head + value.size());
  std::memcpy(connection.answer.data(), &head, sizeof head);
  std::ranges::copy(value, connection.answer.begin() + sizeof head);
}

ValueServer::Next ValueServer::write(Connection& connection) {
  while (connection.sent < connection.answer.size()) {
    const ssize_t sent =
        send(connection.socket.get(), &connection.answer[connection.sent],
             connection.answer.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && would_block()) return Next::kGoesOn;
    if (sent <= 0) return Next::kDone;
    connection.sent += static_cast<std::size_t>(sent);
    // A large value may take longer; whoever takes some of it is alive.
    connection.deadline = Clock::now() + kPatience;
  }
  sent_(connection.question, connection.status);
  return Next::kDone;
}

}  // namespace verbena::rdma
