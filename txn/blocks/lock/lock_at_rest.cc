// Looking at the blocks that were touched.
#include "txn/blocks/lock/lock_at_rest.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "txn/blocks/tag.h"

namespace verbena::txn::blocks {
namespace {

constexpr std::size_t kMostErrors = 10;
constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

}  // namespace

LockBlock LocksAtRest::header_at(std::uint64_t offset) {
  LockBlock block;
  std::memcpy(&block, region_.at(offset, sizeof block), sizeof block);
  return block;
}

std::span<const std::byte> LocksAtRest::value_at(TableId table, std::uint64_t offset) {
  const std::uint32_t bytes = layout_.schema()[table].payload_bytes;
  return {region_.at(offset, sizeof(LockBlock) + bytes) + sizeof(LockBlock), bytes};
}

bool LocksAtRest::get(const RecordName& name, std::span<std::byte> payload) {
  const std::optional<std::uint64_t> at = layout_.block(name.table, name.key);
  if (!at) return false;
  std::ranges::copy(value_at(name.table, *at), payload.begin());
  return true;
}

std::uint64_t LocksAtRest::version(const RecordName& name) {
  const std::optional<std::uint64_t> at = layout_.block(name.table, name.key);
  return at ? header_at(*at).tag : 0;
}

// Blocks of which no page has been looked at are as they were loaded. Which these are is found out
// first, since looking at a block that begins on one page may be the first look at the next.
void LocksAtRest::visit_touched(TableId table, const BlockVisitor& visitor) {
  struct Range {
    std::uint64_t from;
    std::uint64_t until;
  };
  const std::uint64_t count = layout_.keys(table).count();
  const std::uint64_t bytes = layout_.place_bytes(table);
  const std::uint64_t first = layout_.place_at(table, 0);
  const std::uint64_t end = layout_.place_at(table, count);
  rdma::FirstTouchMemory& memory = region_.memory();
  std::vector<Range> ranges;
  for (std::uint64_t page = memory.next_filled(first / kPage); page * kPage < end;
       page = memory.next_filled(page + 1)) {
    const Range touched{.from = (page * kPage - first) / bytes,
                        .until = std::min(count, ((page + 1) * kPage - first - 1) / bytes + 1)};
    if (!ranges.empty() && touched.from <= ranges.back().until) {
      ranges.back().until = touched.until;
    } else {
      ranges.push_back(touched);
    }
  }
  for (const Range& range : ranges) {
    for (std::uint64_t index = range.from; index < range.until; ++index) {
      const std::uint64_t offset = layout_.block_at(table, index);
      visitor(index, offset, header_at(offset));
    }
  }
}

void LocksAtRest::visit_changed(TableId table, PartitionId /*partition*/,
                                const ChangedRecord& visitor) {
  visit_touched(table, [&](std::uint64_t index, std::uint64_t offset, const LockBlock& block) {
    if (block.tag == kLoadedTag.word) return;
    visitor(layout_.keys(table).key_of(index), true, value_at(table, offset));
  });
}

// Tells the fault of a block; empty: none.
std::string LocksAtRest::fault(TableId table, std::uint64_t index, std::uint64_t offset,
                               const LockBlock& block) {
  if (block.lock != 0 && !is_lost_(block.lock)) {
    const std::string holder = name_of_(block.lock);
    return "is locked by client " + std::to_string(block.lock) +
           (holder.empty() ? ", which there is not" : ", " + holder);
  }
  const Tag tag{block.tag};
  if (tag == kLoadedTag) {
    const TableDefinition& definition = layout_.schema()[table];
    std::vector<std::byte> loaded(definition.payload_bytes);
    if (definition.load) definition.load(PartitionId{0}, layout_.keys(table).key_of(index), loaded);
    return std::ranges::equal(loaded, value_at(table, offset))
               ? ""
               : "has the tag that it was loaded with, and another value";
  }
  if (tag.counter() > kLoadedTag.counter() && !name_of_(tag.client()).empty()) return {};
  return "has tag " + std::to_string(tag.counter()) + " of client " + std::to_string(tag.client()) +
         ", which nobody gives";
}

SelfCheck LocksAtRest::self_check() {
  SelfCheck check;
  for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
    const auto table = static_cast<TableId>(t);
    visit_touched(table, [&](std::uint64_t index, std::uint64_t offset, const LockBlock& block) {
      ++check.records;
      const std::string what = fault(table, index, offset, block);
      if (what.empty() || check.errors.size() == kMostErrors) return;
      check.errors.push_back("table " + std::to_string(t) + ": block " + std::to_string(index) +
                             " " + what);
    });
  }
  return check;
}

}  // namespace verbena::txn::blocks
