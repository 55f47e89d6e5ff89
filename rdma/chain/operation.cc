// Defects of operations, and the words for outcomes.
#include "rdma/chain/operation.h"

namespace verbena::rdma {
namespace {

using Where = Place::Where;

bool is_operand_size(std::uint32_t bytes) { return bytes == 8 || bytes == 16 || bytes == 32; }

const char* defect_of_target(const Operation& operation) {
  if (operation.bounded && !operation.target_indirect) return "bounded without a pointer";
  const bool access =
      operation.opcode == ChainOpcode::kRead || operation.opcode == ChainOpcode::kWrite;
  if (operation.bounded && !access) return "bounded, and neither READ nor WRITE";
  if (operation.target.where == Where::kScratch) {
    if (!access) return "an atomic on scratch";
    if (operation.target_indirect) return "a pointer in scratch";
  }
  return operation.target.where == Where::kRequest ? "no target" : nullptr;
}

// The source of what is written.
const char* defect_of_source(const Operation& operation) {
  if (operation.data.where != Where::kRequest) return nullptr;
  return operation.payload.size() == operation.length ? nullptr : "data of another length";
}

const char* defect_of_atomic(const Operation& operation) {
  if (operation.opcode == ChainOpcode::kFetchAndAdd) {
    return operation.length == 8 ? nullptr : "an addition of other than 8 B";
  }
  if (!is_operand_size(operation.length)) {
    return "a compare-and-swap of other than 8, 16 or 32 B";
  }
  return operation.mode > CompareMode::kAlways ? "an unknown comparison" : nullptr;
}

}  // namespace

const char* outcome_text(ChainOutcome outcome) {
  switch (outcome) {
    case ChainOutcome::kDone:
      return "done";
    case ChainOutcome::kNotSwapped:
      return "not swapped";
    case ChainOutcome::kNoBuffer:
      return "no buffer";
    case ChainOutcome::kSkipped:
      return "skipped";
    case ChainOutcome::kInvalid:
      return "invalid request";
    case ChainOutcome::kAccessError:
      return "access error";
    case ChainOutcome::kLengthError:
      return "length error";
    case ChainOutcome::kFlushed:
      return "flushed";
  }
  return "unknown";
}

const char* defect(const Operation& operation) {
  const bool redirected = operation.redirect.where != Where::kRequest;
  switch (operation.opcode) {
    case ChainOpcode::kRead:
      return defect_of_target(operation);
    case ChainOpcode::kWrite:
      if (redirected) return "a WRITE has no result to redirect";
      if (const char* wrong = defect_of_target(operation)) return wrong;
      return defect_of_source(operation);
    case ChainOpcode::kAllocate:
      if (operation.target_indirect || operation.bounded) return "ALLOCATE follows no pointer";
      if (operation.data.where != Where::kRequest) return "data of ALLOCATE from elsewhere";
      return defect_of_source(operation);
    case ChainOpcode::kCompareAndSwap:
    case ChainOpcode::kFetchAndAdd:
      if (const char* wrong = defect_of_target(operation)) return wrong;
      return defect_of_atomic(operation);
  }
  return "an unknown operation";
}

std::uint32_t most_returned(const Operation& operation) {
  if (operation.opcode == ChainOpcode::kAllocate) return 8;
  const bool told = operation.redirect.where == Where::kRequest;
  return told && operation.opcode != ChainOpcode::kWrite ? operation.length : 0;
}

}  // namespace verbena::rdma
