// Looking at the blocks that were touched.
#include "txn/blocks/rs/rs_at_rest.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "rdma/base/random.h"
#include "txn/prism/buffers/buffer_books.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn::blocks {

RsAtRest::RsAtRest(const RsLayout& layout, rdma::Region& region, rdma::ChainServer& server,
                   const prism::Keeper& keeper, bool primary, std::function<bool()> equal)
    : layout_(layout),
      region_(region),
      server_(server),
      keeper_(keeper),
      primary_(primary),
      equal_(std::move(equal)) {}

Metadata RsAtRest::metadata_of(std::uint64_t block) {
  Metadata metadata;
  std::memcpy(&metadata, region_.at(layout_.metadata_at(block), sizeof metadata), sizeof metadata);
  return metadata;
}

std::span<const std::byte> RsAtRest::object_of(std::uint64_t block, const Metadata& metadata) {
  const std::uint32_t bytes = layout_.object_bytes(layout_.record(block).table);
  return {region_.at(metadata.pointer, bytes), bytes};
}

const prism::BufferList& RsAtRest::list_of(std::uint64_t block) const {
  return layout_.lists()[layout_.list_of(layout_.record(block).table)];
}

bool RsAtRest::get(const RecordName& name, std::span<std::byte> payload) {
  const std::optional<std::uint64_t> block = layout_.block(name.table, name.key);
  if (!block) return false;
  const Metadata metadata = metadata_of(*block);
  if (!list_of(*block).begins(metadata.pointer)) return false;
  const auto value = object_of(*block, metadata).subspan(sizeof(Tag));
  std::ranges::copy(value, payload.begin());
  return true;
}

std::uint64_t RsAtRest::version(const RecordName& name) {
  const std::optional<std::uint64_t> block = layout_.block(name.table, name.key);
  return block ? metadata_of(*block).tag.word : 0;
}

// Skips pages that nobody has looked at: all on them is as it was loaded.
void RsAtRest::visit_touched(const Visitor& visitor) {
  constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;
  constexpr std::uint64_t kInPage = kPage / kMetadataBytes;
  const std::uint64_t first = layout_.metadata_at(0) / kPage;
  rdma::FirstTouchMemory& memory = region_.memory();
  for (std::uint64_t page = memory.next_filled(first);
       page * kPage < layout_.metadata_at(layout_.blocks()); page = memory.next_filled(page + 1)) {
    const std::uint64_t end = std::min(layout_.blocks(), (page - first + 1) * kInPage);
    for (std::uint64_t block = (page - first) * kInPage; block < end; ++block) {
      visitor(block, metadata_of(block));
    }
  }
}

void RsAtRest::visit_changed(TableId table, PartitionId /*partition*/,
                             const ChangedRecord& visitor) {
  visit_touched([&](std::uint64_t block, const Metadata& metadata) {
    const RsLayout::Record record = layout_.record(block);
    if (record.table != table || metadata.tag == kLoadedTag) return;
    if (!list_of(block).begins(metadata.pointer)) return;
    visitor(record.key, true, object_of(block, metadata).subspan(sizeof(Tag)));
  });
}

// Tells what is wrong with a block; empty: nothing. What was loaded is not looked at, since it
// would be loaded for that.
std::string RsAtRest::fault(std::uint64_t block, const Metadata& metadata) {
  if (std::string of_lock = fault_of_lock(block); !of_lock.empty()) return of_lock;
  if (metadata.tag == kLoadedTag) {
    return metadata.pointer == layout_.loaded(block).pointer ? ""
                                                             : "has another buffer than at first";
  }
  if (!list_of(block).begins(metadata.pointer)) {
    return "points to " + std::to_string(metadata.pointer) + ", where no buffer begins";
  }
  Tag tag;
  std::memcpy(&tag, object_of(block, metadata).data(), sizeof tag);
  if (tag == metadata.tag) return {};
  return "is of tag " + std::to_string(metadata.tag.word) + ", its buffer of " +
         std::to_string(tag.word);
}

std::string RsAtRest::fault_of_lock(std::uint64_t block) {
  if (!lost_) return {};
  std::uint64_t holder = 0;
  std::memcpy(&holder, region_.at(layout_.lock_at(layout_.metadata_at(block)), sizeof holder),
              sizeof holder);
  if (holder == 0 || lost_(holder)) return {};
  return "is locked by client " + std::to_string(holder);
}

SelfCheck RsAtRest::self_check() {
  SelfCheck check;
  std::uint64_t digest = 0;
  visit_touched([&](std::uint64_t block, const Metadata& metadata) {
    ++check.records;
    const std::string what = fault(block, metadata);
    if (!what.empty()) {
      const RsLayout::Record record = layout_.record(block);
      return prism::report(check, "table " + std::to_string(record.table) + ": the block of key " +
                                      std::to_string(record.key) + " " + what);
    }
    if (metadata.tag == kLoadedTag) return;
    digest += mix64(mix64(block) ^ digest_of(object_of(block, metadata)));
  });
  if (equal_()) check.copies.push_back({.partition = 0, .primary = primary_, .digest = digest});
  for (std::size_t list = 0; list < layout_.lists().size(); ++list) {
    check_books(static_cast<rdma::FreeListId>(list), check);
  }
  return check;
}

// The metadata of blocks on pages that nobody has looked at lead to what was loaded for them.
void RsAtRest::check_books(rdma::FreeListId list, SelfCheck& check) {
  prism::BufferBooks books(layout_.lists()[list]);
  visit_touched([&](std::uint64_t block, const Metadata& metadata) {
    if (layout_.list_of(layout_.record(block).table) != list) return;
    books.take(layout_.loaded(block).pointer);
    books.add(metadata.pointer);
  });
  const std::uint64_t most_lost = scavenger_ == nullptr ? 0 : scavenger_->most_lost();
  books.check(server_.free_list(list), keeper_.unused_from(list), most_lost, check);
}

}  // namespace verbena::txn::blocks
