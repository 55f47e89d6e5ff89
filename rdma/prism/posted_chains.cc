// Building lists of work requests, and taking their completions.
#include "rdma/prism/posted_chains.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/device/work_request_id.h"

namespace verbena::rdma {
namespace {

constexpr std::size_t kWord = 8;

std::size_t whole_lines(std::size_t bytes) { return cache_lines(bytes) * kCacheLineBytes; }

std::size_t room_for_result(const Operation& operation) {
  return (std::size_t{most_returned(operation)} + kWord - 1) / kWord * kWord;
}

prismdv_place place_of(const Place& place) {
  return {static_cast<prismdv_where>(place.where), place.offset};
}

void copy_words(const OperandWords& from, std::uint64_t (&to)[4]) {
  std::copy(from.begin(), from.end(), to);
}

prismdv_cas operands_of(const Operation& operation) {
  prismdv_cas operands{};
  operands.mode = static_cast<prismdv_mode>(operation.mode);
  operands.compare = place_of(operation.compare);
  copy_words(operation.swap_words, operands.swap_words);
  copy_words(operation.compare_words, operands.compare_words);
  copy_words(operation.swap_mask, operands.swap_mask);
  copy_words(operation.compare_mask, operands.compare_mask);
  return operands;
}

}  // namespace

PostedChains::PostedChains(WorkerThread& thread, Connections& connections)
    : thread_(thread), connections_(connections), owner_(connections.add_owner()) {
  connections_.tell_completions(owner_, this);
}

PostedChains::~PostedChains() {
  std::vector<BufferId> buffers;
  for (const Sent& sent : sent_) {
    if (sent.buffer != kNoBuffer) buffers.push_back(sent.buffer);
  }
  connections_.tell_completions(owner_, nullptr);
  connections_.remove_owner(owner_, std::move(buffers));
}

// Short data goes with the request.
PostedChains::Sent PostedChains::make_room(std::span<Operation* const> operations) {
  std::size_t bytes = 0;
  std::size_t copied = 0;
  for (const Operation* const operation : operations) {
    bytes += room_for_result(*operation);
    if (operation->payload.size() > connections_.inline_bytes()) {
      copied += whole_lines(operation->payload.size());
    }
  }
  if (bytes + copied > BufferPool::kLargest) {
    throw std::logic_error("a chain with results of " + std::to_string(bytes) + " B and data of " +
                           std::to_string(copied) + " B; a buffer holds " +
                           std::to_string(BufferPool::kLargest) + " B");
  }
  const auto first = static_cast<std::uint32_t>(done_.size());
  if (bytes + copied == 0) return {first, kNoBuffer};
  thread_.core().spend(Work::kCopyLine, cache_lines(copied));
  return {first, connections_.take_staging(whole_lines(bytes) + copied)};
}

void PostedChains::build(std::uint32_t key, std::span<Operation* const> operations,
                         const Sent& sent) {
  const std::size_t count = operations.size();
  requests_.assign(count, {});
  operands_.resize(count);
  sources_.resize(count);
  std::byte* result =
      sent.buffer != kNoBuffer ? connections_.staging(sent.buffer).address : nullptr;
  std::size_t results = 0;
  for (const Operation* const operation : operations) results += room_for_result(*operation);
  std::byte* copy = result + whole_lines(results);
  for (std::size_t i = 0; i < count; ++i) {
    const Operation& operation = *operations[i];
    prismdv_send_wr& wr = requests_[i];
    wr.next = i + 1 == count ? nullptr : &requests_[i + 1];
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.opcode = static_cast<prismdv_opcode>(operation.opcode);
    wr.flags = (operation.conditional ? unsigned{PRISMDV_CONDITIONAL} : 0U) |
               (operation.target_indirect ? unsigned{PRISMDV_TARGET_INDIRECT} : 0U) |
               (operation.bounded ? unsigned{PRISMDV_BOUNDED} : 0U);
    wr.rkey = key;
    wr.target = place_of(operation.target);
    wr.length = operation.length;
    wr.free_list = operation.free_list;
    wr.data = place_of(operation.data);
    wr.redirect = place_of(operation.redirect);
    wr.add = operation.swap_words[0];
    if (operation.opcode == ChainOpcode::kCompareAndSwap) {
      operands_[i] = operands_of(operation);
      wr.cas = &operands_[i];
    }
    const std::uint32_t returned = most_returned(operation);
    if (returned != 0) {
      wr.result = {reinterpret_cast<std::uint64_t>(result), returned, connections_.local_key()};
    }
    done_[sent.first + i].result = result;
    result += room_for_result(operation);
    if (operation.payload.empty()) continue;
    const std::byte* source = operation.payload.data();
    if (operation.payload.size() <= connections_.inline_bytes()) {
      wr.send_flags |= IBV_SEND_INLINE;
    } else {
      std::memcpy(copy, source, operation.payload.size());
      source = copy;
      copy += whole_lines(operation.payload.size());
    }
    sources_[i] = {reinterpret_cast<std::uint64_t>(source),
                   static_cast<std::uint32_t>(operation.payload.size()), connections_.local_key()};
    wr.sg_list = &sources_[i];
    wr.num_sge = 1;
  }
}

void PostedChains::send(NodeId server, RegionId region, std::span<Operation* const> operations,
                        Doorbell doorbell) {
  const std::uint16_t place = connections_.peers().connected_place(server);
  sent_.push_back(make_room(operations));
  const Sent sent = sent_.back();
  done_.resize(done_.size() + operations.size());
  const auto count = static_cast<std::uint32_t>(operations.size());
  connections_.post_list(
      place, count, owner_,
      [&](ibv_qp* qp, std::span<const std::uint64_t> ids, std::uint32_t& posted) {
        build(connections_.remote_key(place, region), operations, sent);
        if (doorbell == Doorbell::kEach) {
          for (prismdv_send_wr& wr : requests_) wr.next = nullptr;
        }
        return post(qp, ids, sent.first, posted);
      });
}

int PostedChains::post(ibv_qp* qp, std::span<const std::uint64_t> ids, std::uint32_t first,
                       std::uint32_t& posted) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    requests_[i].wr_id = ids[i];
    const WorkRequestId id = WorkRequestId::decode(ids[i]);
    done_[first + i].channel = id.channel;
    done_[first + i].number = id.number;
    done_[first + i].outcome = ChainOutcome::kFlushed;
    done_[first + i].open = true;
  }
  const prismdv_table& table = *connections_.verbs().table.prism;
  posted = 0;
  while (posted < ids.size()) {
    prismdv_send_wr* bad = nullptr;
    const int error = table.post_send(qp, &requests_[posted], &bad);
    const prismdv_send_wr* last = &requests_[posted];
    while (last != bad && last != nullptr) {
      ++posted;
      last = last->next;
    }
    if (error != 0) return error;
  }
  return 0;
}

void PostedChains::completed(const ibv_wc& completion) {
  const WorkRequestId id = WorkRequestId::decode(completion.wr_id);
  const auto found = std::find_if(done_.begin(), done_.end(), [&id](const Done& done) {
    return done.open && done.channel == id.channel && done.number == id.number;
  });
  if (found == done_.end()) return;
  found->open = false;
  if (completion.status != IBV_WC_SUCCESS) return;
  found->outcome = static_cast<ChainOutcome>(completion.vendor_err);
  found->length = completion.byte_len;
}

void PostedChains::wait() {
  if (const std::optional<std::size_t> failed = connections_.wait(owner_)) {
    connections_.throw_failure(*failed);
  }
}

void PostedChains::take(std::uint32_t chain, std::span<Operation* const> operations,
                        std::span<OperationResult> results) {
  const Sent& sent = sent_[chain];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Done& done = done_[sent.first + i];
    const Operation& operation = *operations[i];
    std::uint32_t bytes = has_result(done.outcome) ? most_returned(operation) : 0;
    if (operation.opcode == ChainOpcode::kRead) bytes = std::min(bytes, done.length);
    results[i] = {done.outcome, done.length, {done.result, bytes}};
  }
}

void PostedChains::clear() {
  if (connections_.waits(owner_)) throw std::logic_error("chains are cleared in flight");
  for (const Sent& sent : sent_) {
    if (sent.buffer != kNoBuffer) connections_.release_staging(sent.buffer);
  }
  sent_.clear();
  done_.clear();
}

}  // namespace verbena::rdma
