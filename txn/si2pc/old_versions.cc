// Slots, of which the one with the oldest version is used next.
#include "txn/si2pc/old_versions.h"

#include "txn/store/record.h"

namespace verbena::txn::si2pc {

std::vector<OldVersions::Area> OldVersions::areas_of(const StoreLayout& layout,
                                                     std::uint32_t kept) {
  std::vector<Area> areas;
  std::uint64_t offset = 0;
  for (std::uint32_t t = 0; t < layout.tables(); ++t) {
    const TableLayout& table = layout.table(static_cast<TableId>(t));
    const std::uint64_t stride = sizeof(Header) + (table.format.payload_bytes() + 7) / 8 * 8;
    areas.push_back({.offset = offset, .stride = stride});
    offset += table.entries * kept * stride;
  }
  return areas;
}

std::uint64_t OldVersions::bytes_of(const StoreLayout& layout, std::uint32_t kept) {
  const TableLayout& table = layout.table(static_cast<TableId>(layout.tables() - 1));
  const Area last = areas_of(layout, kept).back();
  return last.offset + table.entries * kept * last.stride;
}

OldVersions::OldVersions(const StoreLayout& layout, std::uint32_t kept)
    : kept_(kept),
      areas_(areas_of(layout, kept)),
      memory_("old versions", bytes_of(layout, kept), {}) {}

OldVersions::Header& OldVersions::slot(TableId table, std::uint32_t entry, std::uint32_t number) {
  const Area& area = areas_[table];
  const std::uint64_t offset = area.offset + (std::uint64_t{entry} * kept_ + number) * area.stride;
  return *reinterpret_cast<Header*>(memory_.at(offset, area.stride));
}

std::byte* OldVersions::add(TableId table, std::uint32_t entry, std::uint64_t version) {
  Header* oldest = nullptr;
  for (std::uint32_t number = 0; number < kept_; ++number) {
    Header& one = slot(table, entry, number);
    if (one.used == 0) {
      oldest = &one;
      break;
    }
    if (oldest == nullptr || change_count(one.version) < change_count(oldest->version)) {
      oldest = &one;
    }
  }
  *oldest = {.version = version, .used = 1};
  return reinterpret_cast<std::byte*>(oldest + 1);
}

std::optional<OldVersions::Found> OldVersions::latest(TableId table, std::uint32_t entry,
                                                      std::uint64_t snapshot) {
  const Header* best = nullptr;
  for (std::uint32_t number = 0; number < kept_; ++number) {
    const Header& one = slot(table, entry, number);
    if (one.used == 0 || change_count(one.version) > snapshot) continue;
    if (best == nullptr || change_count(one.version) > change_count(best->version)) best = &one;
  }
  if (best == nullptr) return std::nullopt;
  return Found{.version = best->version, .payload = reinterpret_cast<const std::byte*>(best + 1)};
}

void OldVersions::forget(TableId table, std::uint32_t entry) {
  for (std::uint32_t number = 0; number < kept_; ++number) slot(table, entry, number).used = 0;
}

}  // namespace verbena::txn::si2pc
