// How chains and what came of them lie in the messages of calls.
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

/// Bytes that it adds to the reply, at most.
std::size_t most_reply_bytes(const Operation& operation);

/// Writes a request of `operations` operations on `region`, one after the other, behind which
/// nothing else comes.
class ChainRequestWriter {
 public:
  /// `request` is as long as all of it: kChainHeaderBytes, and request_bytes() of each.
  ChainRequestWriter(std::span<std::byte> request, RegionId region, std::size_t operations);

  void put(const Operation& operation);

 private:
  MessageWriter writer_;
};

/// Takes a request apart. Throws Malformed where no writer wrote it.
class ChainRequestReader {
 public:
  explicit ChainRequestReader(std::span<const std::byte> request);

  RegionId region() const { return region_; }
  std::size_t operations() const { return operations_; }

  /// The next one, of operations(); its payload lies in the request. After the last one the request
  /// has to end.
  Operation take();

 private:
  void take_operands(Operation& operation);
  OperandWords take_words(std::uint32_t bytes);

  BoundedReader reader_;
  RegionId region_ = 0;
  std::size_t operations_ = 0;
  std::size_t taken_ = 0;
};

/// Bytes of a reply that `result` takes.
std::size_t reply_bytes(const OperationResult& result);

/// Writes what came of one operation into a reply, and moves `reply` behind it.
void put_result(MessageWriter& reply, const OperationResult& result);

/// Takes that of `operation` apart. Throws Malformed for what cannot come of it.
OperationResult take_result(BoundedReader& reply, const Operation& operation);

}  // namespace verbena::rdma
