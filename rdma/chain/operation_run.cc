// The stages of an operation.
#include "rdma/chain/operation_run.h"

#include <algorithm>
#include <cstring>

#include "rdma/chain/compare_and_swap.h"
#include "rdma/chain/free_list.h"

namespace verbena::rdma {
namespace {

using Where = Place::Where;

bool is_atomic(const Operation& operation) {
  return operation.opcode == ChainOpcode::kCompareAndSwap ||
         operation.opcode == ChainOpcode::kFetchAndAdd;
}

}  // namespace

OperationRun::OperationRun(const Operation& operation, const ChainMemory& memory, Scratch& scratch,
                           std::span<std::byte> room)
    : operation_(operation),
      memory_(memory),
      scratch_(scratch),
      room_(room),
      target_(operation.target.offset),
      new_words_(operation.swap_words),
      compare_words_(operation.compare_words) {
  result_.length = operation.length;
  if (begin()) access_ = step(stage_);
  if (!access_ && !is_error(result_.outcome)) done();
}

std::uint32_t OperationRun::room_for(const Operation& operation) {
  const bool reads =
      operation.opcode == ChainOpcode::kRead ||
      (operation.opcode == ChainOpcode::kWrite && operation.data.where == Where::kMemory);
  return reads ? operation.length : 0;
}

bool OperationRun::begin() {
  if (defect(operation_) != nullptr) {
    fail(ChainOutcome::kInvalid);
  } else if (!allowed() || !places_fit()) {
    fail(ChainOutcome::kAccessError);
  }
  return !is_error(result_.outcome);
}

bool OperationRun::allowed() const {
  const bool in_memory = operation_.target.where == Where::kMemory;
  bool read = operation_.target_indirect || operation_.data.where == Where::kMemory ||
              operation_.compare.where == Where::kMemory;
  bool write = operation_.redirect.where == Where::kMemory;
  read |= operation_.opcode == ChainOpcode::kRead && in_memory;
  write |= operation_.opcode == ChainOpcode::kWrite && in_memory;
  write |= operation_.opcode == ChainOpcode::kAllocate;
  const MemoryRights& rights = memory_.rights;
  return (!read || rights.readable) && (!write || rights.writable) &&
         (!is_atomic(operation_) || rights.atomics);
}

bool OperationRun::covers(std::uint64_t offset, std::uint64_t bytes) const {
  return bytes <= memory_.bytes && offset <= memory_.bytes - bytes;
}

bool OperationRun::place_fits(const Place& place, std::uint64_t bytes) const {
  switch (place.where) {
    case Where::kRequest:
      return true;
    case Where::kScratch:
      return bytes <= kScratchBytes && place.offset <= kScratchBytes - bytes;
    case Where::kMemory:
      return covers(place.offset, bytes);
  }
  return false;
}

// A result has to have room for as much as may come, since what was done cannot be undone when it
// has nowhere to go.
bool OperationRun::places_fit() const {
  const std::uint64_t bytes = operation_.length;
  if (operation_.opcode == ChainOpcode::kAllocate) return place_fits(operation_.redirect, 8);
  const std::uint64_t result = operation_.opcode == ChainOpcode::kWrite ? 0 : bytes;
  if (!place_fits(operation_.redirect, result)) return false;
  if (is_atomic(operation_)) {
    return place_fits(operation_.data, bytes) && place_fits(operation_.compare, bytes);
  }
  return operation_.target.where != Where::kScratch || place_fits(operation_.target, bytes);
}

std::optional<OperationRun::Access> OperationRun::fail(ChainOutcome outcome) {
  result_ = {outcome, 0, {}};
  stage_ = Stage::kEnd;
  return std::nullopt;
}

void OperationRun::done() {
  access_.reset();
  while (!access_ && stage_ != Stage::kEnd) {
    stage_ = static_cast<Stage>(static_cast<unsigned>(stage_) + 1);
    access_ = step(stage_);
  }
}

std::optional<OperationRun::Access> OperationRun::step(Stage stage) {
  switch (stage) {
    case Stage::kPointer:
      return fetch_pointer();
    case Stage::kNewOperand:
      if (operation_.target_indirect) follow_pointer();
      if (stage_ == Stage::kEnd || !is_atomic(operation_)) return std::nullopt;
      return fetch(operation_.data, std::as_writable_bytes(std::span(new_words_)));
    case Stage::kOldOperand:
      if (operation_.opcode != ChainOpcode::kCompareAndSwap) return std::nullopt;
      return fetch(operation_.compare, std::as_writable_bytes(std::span(compare_words_)));
    case Stage::kSource:
      return operation_.opcode == ChainOpcode::kWrite ? fetch_source() : std::nullopt;
    case Stage::kMain:
      return access_target();
    case Stage::kResult:
      return redirect_result();
    case Stage::kEnd:
      break;
  }
  return std::nullopt;
}

std::optional<OperationRun::Access> OperationRun::fetch_pointer() {
  if (!operation_.target_indirect) return std::nullopt;
  const std::uint32_t bytes = operation_.bounded ? 16 : 8;
  if (target_ % bytes != 0) return fail(ChainOutcome::kInvalid);
  if (!covers(target_, bytes)) return fail(ChainOutcome::kAccessError);
  return Access{
      Kind::kPointer, target_, std::as_writable_bytes(std::span(pointer_)).first(bytes), {}};
}

// A bound of zero touches nothing, so that an empty slot is harmless whatever its pointer is.
void OperationRun::follow_pointer() {
  target_ = pointer_[0];
  if (operation_.bounded) {
    result_.length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(result_.length, pointer_[1]));
  }
  if (result_.length != 0 && (target_ == 0 || !covers(target_, result_.length))) {
    fail(ChainOutcome::kAccessError);
  }
}

std::optional<OperationRun::Access> OperationRun::fetch(const Place& place,
                                                        std::span<std::byte> into) {
  into = into.first(operation_.length);
  if (place.where == Where::kScratch) {
    std::memcpy(into.data(), scratch_.data() + place.offset, into.size());
  }
  if (place.where != Where::kMemory) return std::nullopt;
  return Access{Kind::kRead, place.offset, into, {}};
}

std::optional<OperationRun::Access> OperationRun::fetch_source() {
  const Place& from = operation_.data;
  if (!place_fits(from, result_.length)) return fail(ChainOutcome::kAccessError);
  if (from.where == Where::kRequest) {
    source_ = operation_.payload.first(result_.length);
  } else if (from.where == Where::kScratch) {
    source_ = std::span(scratch_).subspan(from.offset, result_.length);
  } else if (result_.length != 0) {
    source_ = room_.first(result_.length);
    return Access{Kind::kRead, from.offset, room_.first(result_.length), {}};
  }
  return std::nullopt;
}

std::optional<OperationRun::Access> OperationRun::access_target() {
  switch (operation_.opcode) {
    case ChainOpcode::kRead:
      return read_target();
    case ChainOpcode::kWrite:
      return write_target();
    case ChainOpcode::kAllocate:
      return allocate();
    case ChainOpcode::kCompareAndSwap:
    case ChainOpcode::kFetchAndAdd:
      return update_target();
  }
  return std::nullopt;
}

std::optional<OperationRun::Access> OperationRun::read_target() {
  const bool in_memory = operation_.target.where == Where::kMemory;
  if (result_.length == 0) return std::nullopt;
  if (in_memory && !covers(target_, result_.length)) return fail(ChainOutcome::kAccessError);
  const std::span<std::byte> into = room_.first(result_.length);
  result_.data = into;
  if (in_memory) return Access{Kind::kRead, target_, into, {}};
  std::memcpy(into.data(), scratch_.data() + target_, into.size());
  return std::nullopt;
}

std::optional<OperationRun::Access> OperationRun::write_target() {
  if (source_.empty()) return std::nullopt;
  if (operation_.target.where == Where::kScratch) {
    std::memmove(scratch_.data() + target_, source_.data(), source_.size());
    return std::nullopt;
  }
  if (!covers(target_, source_.size())) return fail(ChainOutcome::kAccessError);
  return Access{Kind::kWrite, target_, {}, source_};
}

std::optional<OperationRun::Access> OperationRun::allocate() {
  const FreeListId id = operation_.free_list;
  FreeList* list = id < memory_.free_lists.size() ? memory_.free_lists[id] : nullptr;
  if (list == nullptr) return fail(ChainOutcome::kAccessError);
  if (operation_.length > list->buffer_bytes()) return fail(ChainOutcome::kLengthError);
  const std::optional<std::uint64_t> buffer = list->pop();
  if (!buffer) {
    result_ = {ChainOutcome::kNoBuffer, 0, {}};
    stage_ = Stage::kEnd;
    return std::nullopt;
  }
  std::memcpy(old_.data(), &*buffer, 8);
  result_.data = std::span(old_).first(8);
  if (operation_.payload.empty()) return std::nullopt;
  return Access{Kind::kWrite, *buffer, {}, operation_.payload};
}

std::optional<OperationRun::Access> OperationRun::update_target() {
  const std::uint32_t bytes = operation_.length;
  if (target_ % bytes != 0) return fail(ChainOutcome::kInvalid);
  if (!covers(target_, bytes)) return fail(ChainOutcome::kAccessError);
  result_.data = std::span(old_).first(bytes);
  return Access{Kind::kUpdate, target_, std::span(old_).first(bytes), {}};
}

std::span<const std::byte> OperationRun::apply() {
  const std::size_t words = operation_.length / 8;
  OperandWords memory{};
  std::memcpy(memory.data(), old_.data(), operation_.length);
  if (operation_.opcode == ChainOpcode::kFetchAndAdd) {
    memory[0] += new_words_[0];
  } else {
    const auto part = [words](OperandWords& all) { return std::span(all).first(words); };
    const auto mask = [words](const OperandWords& all) { return std::span(all).first(words); };
    if (!compares(operation_.mode, part(compare_words_), part(memory),
                  mask(operation_.compare_mask))) {
      result_.outcome = ChainOutcome::kNotSwapped;
      return {};
    }
    replace_bits(part(memory), part(new_words_), mask(operation_.swap_mask));
  }
  new_words_ = memory;
  return std::as_bytes(std::span(new_words_)).first(operation_.length);
}

std::optional<OperationRun::Access> OperationRun::redirect_result() {
  const Place& to = operation_.redirect;
  if (to.where == Where::kRequest || result_.data.empty()) return std::nullopt;
  const std::span<const std::byte> data = result_.data;
  if (operation_.opcode != ChainOpcode::kAllocate) result_.data = {};
  if (to.where == Where::kScratch) {
    std::memcpy(scratch_.data() + to.offset, data.data(), data.size());
    return std::nullopt;
  }
  return Access{Kind::kWrite, to.offset, {}, data};
}

}  // namespace verbena::rdma
