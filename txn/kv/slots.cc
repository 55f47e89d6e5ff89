// Which slots by which extension.
#include "txn/kv/slots.h"

#include <algorithm>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "txn/kv/bounded_slots.h"
#include "txn/kv/packed_slots.h"

namespace verbena::txn::kv {
namespace {

std::uint32_t longest_object(const prism::Layout& layout) {
  std::uint32_t longest = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    longest = std::max(longest, layout.object_bytes(static_cast<TableId>(t)));
  }
  return longest;
}

}  // namespace

const prism::SlotFormat& slot_format(prism::Without without) {
  return without == prism::Without::kCas ? kPackedSlots : prism::kBoundedSlots;
}

void check_offsets(prism::Without without, std::uint64_t region_bytes) {
  constexpr std::uint64_t kMost = PackedWord::kOffsetMask + 1;
  if (without != prism::Without::kCas || region_bytes <= kMost) return;
  throw ConfigurationError("prism.without=cas with objects in " + std::to_string(region_bytes) +
                           " bytes of a server; allowed are " + std::to_string(kMost) +
                           ", since a slot has 48 bits of an offset");
}

std::unique_ptr<Slots> make_slots(prism::Without without, rdma::Worker& worker,
                                  prism::BufferStock* stock) {
  if (without == prism::Without::kCas) return std::make_unique<PackedSlots>(worker);
  return std::make_unique<BoundedSlots>(without, worker, stock);
}

std::size_t message_bytes(prism::Without without, const prism::Layout& layout) {
  const std::vector<std::byte> object(longest_object(layout));
  const auto bytes = static_cast<std::uint32_t>(object.size());
  if (without == prism::Without::kCas) {
    std::size_t replace = rdma::kChainHeaderBytes;
    for (const auto& one : replacing(0, 0, {}, 0, object)) replace += rdma::request_bytes(one);
    return std::max(replace, prism::checked_read_bytes(kPackedShape, bytes));
  }
  const std::size_t install = prism::longest_message(installing(0, 0, {}, object), without);
  if (without != prism::Without::kIndirection) return install;
  return std::max(
      install, prism::checked_read_bytes(kBoundedShape, static_cast<std::uint32_t>(object.size())));
}

}  // namespace verbena::txn::kv
