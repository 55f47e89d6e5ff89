// Chains of a fiber: adding operations, sending, results.
#include "rdma/prism/prism_batch.h"

#include <cstring>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "rdma/prism/called_chains.h"
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

PrismBatch::PrismBatch(Rpc& rpc) : rpc_(rpc) {
  if (ChainPath* const path = rpc.chain_path()) {
    carrier_ = path->open();
  } else {
    carrier_ = std::make_unique<CalledChains>(rpc);
  }
}

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
  results_.push_back({ChainOutcome::kFlushed, 0, {}});
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

void PrismBatch::check(std::uint32_t chain) {
  const std::size_t operations = chains_[chain].operations;
  if (operations == 0) throw std::logic_error("a chain without operations");
  if (operations > kMostOperations) {
    throw std::logic_error("a chain of " + std::to_string(operations) +
                           " operations; allowed are " + std::to_string(kMostOperations));
  }
  of_chain_.clear();
  for (Added& added : added_) {
    if (added.chain != chain) continue;
    Operation& operation = added.operation;
    if (of_chain_.empty() && operation.conditional) {
      throw std::logic_error("a chain begins with a condition");
    }
    check_payload(operation);
    operation.payload = std::span(payloads_).subspan(added.payload_at, operation.payload.size());
    of_chain_.push_back(&operation);
  }
}

void PrismBatch::post(Doorbell doorbell) {
  for (; posted_ < chains_.size(); ++posted_) {
    check(posted_);
    carrier_->send(chains_[posted_].server, chains_[posted_].region, of_chain_, doorbell);
  }
  carrier_->flush(doorbell);
}

void PrismBatch::take_results(std::uint32_t chain) {
  of_chain_.clear();
  for (Added& added : added_) {
    if (added.chain == chain) of_chain_.push_back(&added.operation);
  }
  told_.resize(of_chain_.size());
  carrier_->take(chain, of_chain_, told_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < added_.size(); ++i) {
    if (added_[i].chain == chain) results_[i] = told_[next++];
  }
}

void PrismBatch::wait() {
  carrier_->wait();
  for (std::uint32_t chain = 0; chain < posted_; ++chain) take_results(chain);
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

std::uint64_t PrismBatch::allocated(OpId operation) const {
  std::uint64_t offset = 0;
  const std::span<const std::byte> told = data(operation);
  if (told.size() != sizeof offset) throw std::logic_error("no buffer was allocated");
  std::memcpy(&offset, told.data(), sizeof offset);
  return offset;
}

void PrismBatch::clear() {
  carrier_->clear();
  chains_.clear();
  added_.clear();
  results_.clear();
  payloads_.clear();
  posted_ = 0;
}

}  // namespace verbena::rdma
