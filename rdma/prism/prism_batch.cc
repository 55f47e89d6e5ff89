// Chains as calls.
#include "rdma/prism/prism_batch.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/rpc/rpc.h"

namespace verbena::rdma {
namespace {

using Where = Place::Where;

const char* operation_text(ChainOpcode opcode) {
  switch (opcode) {
    case ChainOpcode::kRead:
      return "READ";
    case ChainOpcode::kWrite:
      return "WRITE";
    case ChainOpcode::kAllocate:
      return "ALLOCATE";
    case ChainOpcode::kCompareAndSwap:
      return "compare-and-swap";
    case ChainOpcode::kFetchAndAdd:
      return "FETCH_AND_ADD";
  }
  return "unknown";
}

Operation access(ChainOpcode opcode, Target target, std::uint32_t length) {
  Operation operation;
  operation.opcode = opcode;
  operation.target = {Where::kMemory, target.offset};
  operation.target_indirect = target.indirect;
  operation.bounded = target.bounded;
  operation.length = length;
  return operation;
}

// Refuses data that would be taken for another operation where they arrive.
void check_payload(const Operation& operation) {
  const bool carries =
      operation.opcode == ChainOpcode::kAllocate || operation.opcode == ChainOpcode::kWrite;
  const bool needed = carries && operation.data.where == Where::kRequest;
  if (operation.payload.size() != (needed ? operation.length : 0)) {
    throw std::logic_error(std::string(operation_text(operation.opcode)) + " of " +
                           std::to_string(operation.length) + " B with " +
                           std::to_string(operation.payload.size()) + " B of data");
  }
}

}  // namespace

PrismBatch::PrismBatch(Rpc& rpc) : rpc_(rpc), calls_(rpc) {}

ChainId PrismBatch::chain(NodeId server, RegionId region) {
  chains_.push_back({server, region});
  return static_cast<ChainId>(chains_.size() - 1);
}

OpId PrismBatch::add(ChainId chain, const Operation& operation) {
  const auto number = static_cast<std::uint32_t>(chain);
  if (number >= chains_.size()) throw std::logic_error("no such chain");
  if (number < posted_) throw std::logic_error("the chain was posted already");
  ++chains_[number].operations;
  const auto payload_at = static_cast<std::uint32_t>(payloads_.size());
  payloads_.insert(payloads_.end(), operation.payload.begin(), operation.payload.end());
  added_.push_back({operation, number, payload_at});
  results_.emplace_back();
  return static_cast<OpId>(added_.size() - 1);
}

OpId PrismBatch::read(ChainId chain, Target from, std::uint32_t length) {
  return add(chain, access(ChainOpcode::kRead, from, length));
}

OpId PrismBatch::write(ChainId chain, Target to, std::span<const std::byte> data) {
  Operation operation = access(ChainOpcode::kWrite, to, static_cast<std::uint32_t>(data.size()));
  operation.payload = data;
  return add(chain, operation);
}

OpId PrismBatch::write(ChainId chain, Target to, Place from, std::uint32_t length) {
  Operation operation = access(ChainOpcode::kWrite, to, length);
  operation.data = from;
  return add(chain, operation);
}

OpId PrismBatch::write_scratch(ChainId chain, std::uint32_t at, std::span<const std::byte> data) {
  Operation operation =
      access(ChainOpcode::kWrite, {.offset = at}, static_cast<std::uint32_t>(data.size()));
  operation.target.where = Where::kScratch;
  operation.payload = data;
  return add(chain, operation);
}

OpId PrismBatch::allocate(ChainId chain, FreeListId list, std::span<const std::byte> data) {
  Operation operation;
  operation.opcode = ChainOpcode::kAllocate;
  operation.free_list = list;
  operation.length = static_cast<std::uint32_t>(data.size());
  operation.payload = data;
  return add(chain, operation);
}

OpId PrismBatch::compare_and_swap(ChainId chain, const CasArguments& arguments) {
  Operation operation =
      access(ChainOpcode::kCompareAndSwap, {arguments.offset, arguments.indirect}, arguments.bytes);
  operation.mode = arguments.mode;
  operation.data = arguments.swap;
  operation.compare = arguments.compare;
  operation.swap_words = arguments.swap_words;
  operation.compare_words = arguments.compare_words;
  operation.swap_mask = arguments.swap_mask;
  operation.compare_mask = arguments.compare_mask;
  return add(chain, operation);
}

OpId PrismBatch::fetch_and_add(ChainId chain, std::uint64_t offset, std::uint64_t add_words) {
  Operation operation = access(ChainOpcode::kFetchAndAdd, {.offset = offset}, 8);
  operation.swap_words[0] = add_words;
  return add(chain, operation);
}

Operation& PrismBatch::at(OpId operation) {
  if (index(operation) >= added_.size()) throw std::logic_error("no such operation");
  Added& added = added_[index(operation)];
  if (added.chain < posted_) throw std::logic_error("the chain was posted already");
  return added.operation;
}

template <typename Visit>
void PrismBatch::for_each_of(std::uint32_t chain, Visit&& visit) {
  for (std::uint32_t i = 0; i < added_.size(); ++i) {
    if (added_[i].chain == chain) visit(i);
  }
}

std::size_t PrismBatch::checked_bytes(std::uint32_t chain) {
  const std::size_t operations = chains_[chain].operations;
  if (operations == 0) throw std::logic_error("a chain without operations");
  if (operations > kMostOperations) {
    throw std::logic_error("a chain of " + std::to_string(operations) +
                           " operations; allowed are " + std::to_string(kMostOperations));
  }
  std::size_t request = kChainHeaderBytes;
  std::size_t reply = 0;
  std::size_t longest = 0;
  bool first = true;
  for_each_of(chain, [&](std::uint32_t i) {
    Operation& operation = added_[i].operation;
    if (first && operation.conditional) throw std::logic_error("a chain begins with a condition");
    first = false;
    check_payload(operation);
    operation.payload =
        std::span(payloads_).subspan(added_[i].payload_at, operation.payload.size());
    request += request_bytes(operation);
    reply += most_reply_bytes(operation);
    longest = std::max<std::size_t>(longest, operation.length);
  });
  reply = std::max(reply, longest);
  const std::size_t most = rpc_.max_payload();
  if (request > most || reply > most) {
    throw std::logic_error("a chain of " + std::to_string(request) + " B with results of " +
                           std::to_string(reply) + " B; a message holds " + std::to_string(most) +
                           " B, more with rdma.rpc_transport=write-ring");
  }
  return request;
}

void PrismBatch::post(Doorbell doorbell) {
  for (; posted_ < chains_.size(); ++posted_) {
    const Chain& chain = chains_[posted_];
    const std::size_t bytes = checked_bytes(posted_);
    const std::span<std::byte> request = calls_.reserve(chain.server, kCarryOutChain, bytes);
    ChainRequestWriter writer(request, chain.region, chain.operations);
    for_each_of(posted_, [&](std::uint32_t i) { writer.put(added_[i].operation); });
  }
  calls_.post(doorbell);
}

void PrismBatch::take_reply(std::uint32_t chain, std::span<const std::byte> reply) {
  BoundedReader reader(reply);
  for_each_of(chain, [&](std::uint32_t i) {
    const OperationResult result = take_result(reader, added_[i].operation);
    results_[i] = {result.outcome, result.length,
                   static_cast<std::uint32_t>(result.data.data() - reply.data()),
                   static_cast<std::uint32_t>(result.data.size())};
  });
  reader.expect_end();
}

void PrismBatch::wait() {
  calls_.wait();
  for (std::uint32_t chain = 0; chain < posted_; ++chain) {
    calls_.take(chain, [&](std::span<const std::byte> reply) { take_reply(chain, reply); });
  }
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const ChainOutcome outcome = results_[i].outcome;
    if (is_error(outcome) && outcome != ChainOutcome::kFlushed) refuse(added_[i], outcome);
  }
}

void PrismBatch::refuse(const Added& added, ChainOutcome outcome) const {
  const char* const wrong = defect(added.operation);
  throw VerbsError("chain at " + rpc_.health().describe(chains_[added.chain].server) + ": " +
                   operation_text(added.operation.opcode) + " of " +
                   std::to_string(added.operation.length) + " B: " + outcome_text(outcome) +
                   (wrong == nullptr ? "" : std::string(" (") + wrong + ")"));
}

std::span<const std::byte> PrismBatch::data(OpId operation) const {
  const Result& result = results_[index(operation)];
  return calls_.reply(added_[index(operation)].chain).subspan(result.data_at, result.data_bytes);
}

std::uint64_t PrismBatch::allocated(OpId operation) const {
  std::uint64_t offset = 0;
  const std::span<const std::byte> told = data(operation);
  if (told.size() != sizeof offset) throw std::logic_error("no buffer was allocated");
  std::memcpy(&offset, told.data(), sizeof offset);
  return offset;
}

void PrismBatch::clear() {
  calls_.clear();
  chains_.clear();
  added_.clear();
  results_.clear();
  payloads_.clear();
  posted_ = 0;
}

}  // namespace verbena::rdma
