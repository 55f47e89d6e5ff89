// The layout of requests and replies.
#include "rdma/chain/chain_message.h"

#include <algorithm>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

using Where = Place::Where;

struct ChainHeader {
  std::uint8_t operations;
  std::uint8_t unused[3];
  std::uint32_t region;
};
static_assert(sizeof(ChainHeader) == kChainHeaderBytes);

// Two bits each for the place of what an operation uses.
constexpr unsigned kTargetPlace = 0;
constexpr unsigned kDataPlace = 2;
constexpr unsigned kComparePlace = 4;
constexpr unsigned kRedirectPlace = 6;
constexpr std::uint16_t kPlaceMask = 3;
constexpr std::uint16_t kConditional = 1 << 8;
constexpr std::uint16_t kTargetIndirect = 1 << 9;
constexpr std::uint16_t kBounded = 1 << 10;
constexpr std::uint16_t kKnownFlags = (1 << 11) - 1;

struct OperationHeader {
  std::uint8_t opcode;
  std::uint8_t mode;
  std::uint16_t flags;
  std::uint32_t length;
  std::uint64_t target;  // of ALLOCATE the free list
};
static_assert(sizeof(OperationHeader) == 16);

struct ResultHeader {
  std::uint8_t outcome;
  std::uint8_t unused;
  std::uint16_t data_bytes;
  std::uint32_t length;
};
static_assert(sizeof(ResultHeader) == 8);

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

bool is_swap(const Operation& operation) {
  return operation.opcode == ChainOpcode::kCompareAndSwap;
}

bool has_operands(const Operation& operation) {
  return is_swap(operation) || operation.opcode == ChainOpcode::kFetchAndAdd;
}

// Bytes of operands and masks: whole words, so that what is not one is refused where it arrives.
std::size_t operand_bytes(const Operation& operation) {
  return std::min<std::size_t>(padded(operation.length), kMostOperandBytes);
}

std::size_t source_bytes(const Operation& operation, const Place& place) {
  return place.where == Where::kRequest ? operand_bytes(operation) : 8;
}

std::uint16_t bits(const Place& place, unsigned at) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(place.where) << at);
}

Place place_of(std::uint16_t flags, unsigned at) {
  const unsigned where = flags >> at & kPlaceMask;
  check_below(where, 3, "the place");
  return {static_cast<Where>(where), 0};
}

void put_words(MessageWriter& writer, const OperandWords& words, std::size_t bytes) {
  writer.put_padded(std::as_bytes(std::span(words)).first(bytes));
}

void put_source(MessageWriter& writer, const Operation& operation, const Place& place,
                const OperandWords& words) {
  if (place.where == Where::kRequest) {
    put_words(writer, words, operand_bytes(operation));
  } else {
    writer.put(place.offset);
  }
}

// Bytes of an operation's result that go back, of one that ended so.
std::uint32_t returned(const Operation& operation, ChainOutcome outcome, std::uint32_t length) {
  if (!has_result(outcome)) return 0;
  return operation.opcode == ChainOpcode::kRead ? std::min(length, most_returned(operation))
                                                : most_returned(operation);
}

}  // namespace

std::size_t request_bytes(const Operation& operation) {
  std::size_t bytes = sizeof(OperationHeader);
  if (operation.redirect.where != Where::kRequest) bytes += 8;
  if (!has_operands(operation)) {
    if (operation.data.where != Where::kRequest) return bytes + 8;
    return bytes + padded(operation.payload.size());
  }
  bytes += source_bytes(operation, operation.data);
  if (!is_swap(operation)) return bytes;
  return bytes + source_bytes(operation, operation.compare) + 2 * operand_bytes(operation);
}

std::size_t most_reply_bytes(const Operation& operation) {
  return sizeof(ResultHeader) + padded(most_returned(operation));
}

ChainRequestWriter::ChainRequestWriter(std::span<std::byte> request, RegionId region,
                                       std::size_t operations)
    : writer_(request) {
  writer_.put(ChainHeader{static_cast<std::uint8_t>(operations), {}, region});
}

void ChainRequestWriter::put(const Operation& operation) {
  std::uint16_t flags = bits(operation.target, kTargetPlace);
  flags |= bits(operation.data, kDataPlace);
  flags |= bits(operation.compare, kComparePlace);
  flags |= bits(operation.redirect, kRedirectPlace);
  if (operation.conditional) flags |= kConditional;
  if (operation.target_indirect) flags |= kTargetIndirect;
  if (operation.bounded) flags |= kBounded;
  const bool allocates = operation.opcode == ChainOpcode::kAllocate;
  writer_.put(OperationHeader{static_cast<std::uint8_t>(operation.opcode),
                              static_cast<std::uint8_t>(operation.mode), flags, operation.length,
                              allocates ? operation.free_list : operation.target.offset});
  if (operation.redirect.where != Where::kRequest) writer_.put(operation.redirect.offset);
  if (!has_operands(operation)) {
    if (operation.data.where != Where::kRequest) return writer_.put(operation.data.offset);
    return writer_.put_padded(operation.payload);
  }
  put_source(writer_, operation, operation.data, operation.swap_words);
  if (!is_swap(operation)) return;
  put_source(writer_, operation, operation.compare, operation.compare_words);
  put_words(writer_, operation.swap_mask, operand_bytes(operation));
  put_words(writer_, operation.compare_mask, operand_bytes(operation));
}

ChainRequestReader::ChainRequestReader(std::span<const std::byte> request) : reader_(request) {
  const auto header = reader_.take<ChainHeader>();
  check_within(header.operations, 1, kMostOperations, "operations");
  check_within(header.region, 0, UINT16_MAX, "the region");
  operations_ = header.operations;
  region_ = RegionId{header.region};
}

OperandWords ChainRequestReader::take_words(std::uint32_t bytes) {
  OperandWords words{};
  const auto taken = reader_.take_bytes(bytes);
  std::copy(taken.begin(), taken.end(), std::as_writable_bytes(std::span(words)).begin());
  return words;
}

Operation ChainRequestReader::take() {
  const auto header = reader_.take<OperationHeader>();
  check_within(header.opcode, 0, static_cast<unsigned>(ChainOpcode::kFetchAndAdd), "the opcode");
  check_within(header.mode, 0, static_cast<unsigned>(CompareMode::kAlways), "the comparison");
  check_within(header.flags, 0, kKnownFlags, "flags");
  Operation operation;
  operation.opcode = static_cast<ChainOpcode>(header.opcode);
  operation.mode = static_cast<CompareMode>(header.mode);
  operation.conditional = (header.flags & kConditional) != 0;
  operation.target_indirect = (header.flags & kTargetIndirect) != 0;
  operation.bounded = (header.flags & kBounded) != 0;
  operation.length = header.length;
  operation.target = place_of(header.flags, kTargetPlace);
  operation.data = place_of(header.flags, kDataPlace);
  operation.compare = place_of(header.flags, kComparePlace);
  operation.redirect = place_of(header.flags, kRedirectPlace);
  if (operation.opcode == ChainOpcode::kAllocate) {
    check_within(header.target, 0, UINT32_MAX, "the free list");
    operation.free_list = static_cast<FreeListId>(header.target);
  } else {
    operation.target.offset = header.target;
  }
  if (operation.redirect.where != Where::kRequest) {
    operation.redirect.offset = reader_.take<std::uint64_t>();
  }
  if (has_operands(operation)) {
    take_operands(operation);
  } else if (operation.data.where != Where::kRequest) {
    operation.data.offset = reader_.take<std::uint64_t>();
  } else if (operation.opcode != ChainOpcode::kRead) {
    operation.payload = reader_.take_bytes(padded(operation.length)).first(operation.length);
  }
  if (++taken_ == operations_) reader_.expect_end();
  return operation;
}

void ChainRequestReader::take_operands(Operation& operation) {
  const auto bytes = static_cast<std::uint32_t>(operand_bytes(operation));
  const auto take_source = [&](Place& place, OperandWords& words) {
    if (place.where == Where::kRequest) {
      words = take_words(bytes);
    } else {
      place.offset = reader_.take<std::uint64_t>();
    }
  };
  take_source(operation.data, operation.swap_words);
  if (!is_swap(operation)) return;
  take_source(operation.compare, operation.compare_words);
  operation.swap_mask = take_words(bytes);
  operation.compare_mask = take_words(bytes);
}

std::size_t reply_bytes(const OperationResult& result) {
  return sizeof(ResultHeader) + padded(result.data.size());
}

void put_result(MessageWriter& reply, const OperationResult& result) {
  reply.put(ResultHeader{static_cast<std::uint8_t>(result.outcome), 0,
                         static_cast<std::uint16_t>(result.data.size()), result.length});
  reply.put_padded(result.data);
}

OperationResult take_result(BoundedReader& reply, const Operation& operation) {
  const auto header = reply.take<ResultHeader>();
  check_within(header.outcome, 0, static_cast<unsigned>(ChainOutcome::kFlushed), "the outcome");
  check_within(header.length, 0, operation.length, "the length");
  const std::uint32_t bytes =
      returned(operation, static_cast<ChainOutcome>(header.outcome), header.length);
  check_within(header.data_bytes, bytes, bytes, "bytes of a result");
  const auto data = reply.take_bytes(padded(header.data_bytes)).first(header.data_bytes);
  return {static_cast<ChainOutcome>(header.outcome), header.length, data};
}

}  // namespace verbena::rdma
