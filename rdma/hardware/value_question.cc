// One connection per question.
#include "rdma/hardware/value_question.h"

#include <cerrno>
#include <cstdint>
#include <utility>

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kMaxValueBytes = 1U << 30;

// Otherwise something else answers, and what it says is no length.
bool is_answer(const AnswerHead& head) {
  return head.status <= AnswerStatus::kEnded && head.bytes <= kMaxValueBytes;
}

std::optional<ValueServer::Answer> converse(const Socket& socket,
                                            const ValueServer::Question& question) {
  const ValueRequest request{.magic = kValueMagic,
                             .node = question.node,
                             .from = question.from,
                             .key_bytes = static_cast<std::uint16_t>(question.key.size()),
                             .reserved = 0};
  AnswerHead head{};
  if (!socket.send_all(&request, sizeof request) ||
      !socket.send_all(question.key.data(), question.key.size()) ||
      !socket.receive_all(&head, sizeof head) || !is_answer(head)) {
    return std::nullopt;
  }
  ValueServer::Value value(head.bytes);
  if (!socket.receive_all(value.data(), value.size())) return std::nullopt;
  return ValueServer::Answer(head.status, std::move(value));
}

}  // namespace

Reply ask(const Address& address, const ValueServer::Question& question,
          std::chrono::microseconds timeout) {
  const Connected connected = connect_to(address, timeout);
  if (!connected.socket.valid()) {
    return {.error = connected.error, .refused = connected.refused, .unknown = connected.unknown};
  }
  errno = 0;
  Reply reply{.answer = converse(connected.socket, question)};
  if (reply.answer) return reply;
  reply.silent = errno == EAGAIN || errno == EWOULDBLOCK;
  reply.error = reply.silent ? "it does not answer" : "the connection broke";
  return reply;
}

}  // namespace verbena::rdma
