// Wire format of chains, and of their results, in the messages of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/message_io.h"
#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/chain/operation_run.h"

namespace verbena::rdma {

/// Bytes of a request with no operation.
inline constexpr std::size_t kChainHeaderBytes = 8;

/// Bytes that `operation` adds to a request.
std::size_t request_bytes(const Operation& operation);

/// Most bytes that `operation` adds to the reply.
std::size_t most_reply_bytes(const Operation& operation);

/// Writes a request of `operations` operations on `region`, one after the other, and nothing else.
class ChainRequestWriter {
 public:
  /// `request` is exactly as long as the whole: kChainHeaderBytes plus request_bytes() of each.
  ChainRequestWriter(std::span<std::byte> request, RegionId region, std::size_t operations);

  void put(const Operation& operation);

 private:
  MessageWriter writer_;
};

/// Parses a request. Throws Malformed for one that no ChainRequestWriter writes.
class ChainRequestReader {
 public:
  explicit ChainRequestReader(std::span<const std::byte> request);

  RegionId region() const { return region_; }
  std::size_t operations() const { return operations_; }

  /// Takes the next of operations(); its payload lies in the request. Throws Malformed where the
  /// request goes on after the last.
  Operation take();

 private:
  void take_operands(Operation& operation);
  OperandWords take_words(std::uint32_t bytes);

  BoundedReader reader_;
  RegionId region_ = 0;
  std::size_t operations_ = 0;
  std::size_t taken_ = 0;
};

/// Bytes that `result` takes in a reply.
std::size_t reply_bytes(const OperationResult& result);

/// Writes the result of one operation into a reply, and moves `reply` behind it.
void put_result(MessageWriter& reply, const OperationResult& result);

/// Parses the result of `operation`. Throws Malformed for one that it cannot have.
OperationResult take_result(BoundedReader& reply, const Operation& operation);

}  // namespace verbena::rdma
