// Adding up the operations of each step.
#include "txn/prism_tx/records/message_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/chain/chain_message.h"
#include "txn/prism/access/checked_reads.h"
#include "txn/prism/access/install_chain.h"
#include "txn/prism/install_newer.h"
#include "txn/prism_tx/records/record_reads.h"
#include "txn/prism_tx/records/slot_operations.h"

namespace verbena::txn::prism_tx {
namespace {

std::uint32_t longest_object(const prism::Layout& layout) {
  std::uint32_t longest = prism::kObjectHeaderBytes;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    longest = std::max(longest, layout.object_bytes(static_cast<TableId>(t)));
  }
  return longest;
}

// Bytes that several records take of a chain, no more than there is room for operations.
template <std::size_t kOperations>
std::size_t bytes_of(std::uint32_t records,
                     const std::array<rdma::Operation, kOperations>& operations,
                     std::size_t (*bytes)(const rdma::Operation&)) {
  std::size_t each = 0;
  for (const rdma::Operation& one : operations) each += bytes(one);
  return each * std::min<std::size_t>(records, rdma::kMostOperations / kOperations);
}

// The longest message of any step of a transaction of so many records.
std::size_t message_bytes(const prism::Layout& layout, std::uint32_t records) {
  const std::vector<std::byte> object(longest_object(layout));
  const auto absent = std::span(object).first(prism::kObjectHeaderBytes);
  const auto requests = [records](const auto& operations) {
    return rdma::kChainHeaderBytes + bytes_of(records, operations, rdma::request_bytes);
  };
  return std::max(
      {requests(prism::install_newer(0, 0, object)), requests(claim(0, 0, absent)),
       requests(std::array{validate_read(0, 0, 0), validate_write(0, 0)}),
       requests(std::array{undo(0, 0, 0)}),
       bytes_of(records, read_slot_and_object(0, longest_object(layout)), rdma::most_reply_bytes)});
}

// A chain's own part is for one record each; all of them would be in one chain at most.
std::size_t message_bytes(prism::Without without, const prism::Layout& layout,
                          std::uint32_t records) {
  const std::size_t whole = message_bytes(layout, records);
  if (without == prism::Without::kNothing) return whole;
  const std::vector<std::byte> object(longest_object(layout));
  const auto absent = std::span(object).first(prism::kObjectHeaderBytes);
  const std::size_t one = std::max(
      {prism::longest_message(prism::install_newer(0, 0, object), without),
       prism::longest_message(claim(0, 0, absent), without),
       prism::checked_read_bytes(kTimestampedShape, static_cast<std::uint32_t>(object.size()))});
  return std::max(whole, one * std::min<std::size_t>(records, rdma::kMostOperations / 2));
}

}  // namespace

std::size_t least_message_bytes(prism::Without without, const prism::Layout& layout) {
  return message_bytes(without, layout, 1);
}

std::size_t most_message_bytes(prism::Without without, const prism::Layout& layout,
                               const TransactionLimits& limits) {
  return message_bytes(without, layout, std::max(1U, limits.records));
}

}  // namespace verbena::txn::prism_tx
