// Records against their indexes, and the other way round.
#include "txn/store/table_audit.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "rdma/base/random.h"
#include "txn/rest_of_range.h"
#include "txn/store/lock_word.h"

namespace verbena::txn {
namespace {

constexpr std::size_t kMostErrors = 10;  // per node: one is enough to fail, some help to understand

std::uint64_t hash_entry(TableId table, std::uint64_t entry, std::uint64_t version) {
  return mix64(mix64(entry * 256 + table) ^ version);
}

std::uint64_t hash_content(std::uint64_t hash, Key key, std::span<const std::byte> payload) {
  hash = mix64(hash ^ key);
  for (std::size_t at = 0; at < payload.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, payload.data() + at, std::min<std::size_t>(8, payload.size() - at));
    hash = mix64(hash ^ word);
  }
  return hash;
}

}  // namespace

TableAudit::TableAudit(Store& store, const TableDefinition& definition, CopyId copy, TableId table,
                       SelfCheck& check)
    : store_(store),
      copy_(copy),
      table_(table),
      check_(check),
      definition_(definition),
      layout_(store.layout().table(table)),
      partition_(store.layout().placement().partition_of(store.node(), copy)),
      payload_(definition_.payload_bytes),
      initial_(definition_.payload_bytes) {}

void TableAudit::run() {
  const std::uint64_t used = store_.used_entries(copy_, table_);
  for (std::uint64_t entry = store_.next_touched(copy_, table_, 0); entry < used;
       entry = store_.next_touched(copy_, table_, entry + 1)) {
    check_record(static_cast<std::uint32_t>(entry));
  }
  check_buckets();
  if (primary() && layout_.ordered) check_inserted_keys();
}

void TableAudit::check_record(std::uint32_t entry) {
  ++check_.records;
  const std::byte* live = store_.record(copy_, table_, entry);
  if (load_word(live + kLockOffset) != kUnlocked) report(entry, "is locked");
  if (!layout_.format.untorn(live)) report(entry, "has lines of different versions");
  layout_.format.extract(live, payload_.data());
  const std::uint64_t version = load_word(live + kVersionOffset);
  const Key key = load_word(live + kKeyOffset);
  load_initial(entry);
  if (initial(entry) && version == kInitialVersion) {
    if (payload_ != initial_ || key != layout_.shape.key_of(entry)) {
      report(entry, "differs from its initial content although no transaction has written it");
    }
  } else {
    digest(entry, version, key);
  }
  check_findable(entry, version, key);
}

void TableAudit::digest(std::uint32_t entry, std::uint64_t version, Key key) {
  std::uint64_t& sum = check_.copies.back().digest;
  if (!absent(version)) {
    sum += hash_content(hash_entry(table_, entry, version), key, payload_);
    return;
  }
  // The primary's index leads to a placeholder, not to what was erased. It is new, or it reuses the
  // entry, which was a step of its version that no transaction has committed.
  std::uint64_t committed = change_count(version);
  if (committed > 0 && primary() && store_.find_at_rest(copy_, table_, key) == entry) --committed;
  if (committed > 0) sum += hash_entry(table_, entry, committed | kAbsent);
}

void TableAudit::check_findable(std::uint32_t entry, std::uint64_t version, Key key) {
  if (!absent(version) && store_.find_at_rest(copy_, table_, key) != entry) {
    report(entry, "is not where the index has its key");
  }
  if (!primary() || !layout_.ordered) return;
  const bool moved = initial(entry) && key != layout_.shape.key_of(entry);
  if (!in_order(key) || (moved && !in_order(layout_.shape.key_of(entry)))) {
    report(entry, "is listed otherwise by the ordered index than by the hash index");
  }
}

bool TableAudit::in_order(Key key) {
  return store_.ordered_index(table_).find(key) == store_.find_at_rest(copy_, table_, key);
}

void TableAudit::check_buckets() {
  std::vector<OrderedIndex::Item> items;
  for (std::uint64_t bucket = store_.next_touched_bucket(copy_, table_, 0);
       bucket < layout_.buckets; bucket = store_.next_touched_bucket(copy_, table_, bucket + 1)) {
    items.clear();
    if (!store_.list_bucket(copy_, table_, bucket, items)) {
      report("bucket " + std::to_string(bucket) + " is broken");
    }
    for (auto item = items.begin(); item != items.end(); ++item) {
      check_index_item(*item, bucket);
      if (std::any_of(items.begin(), item, [&](const auto& i) { return i.key == item->key; })) {
        report(item->entry,
               "is not the only one that the index has for key " + std::to_string(item->key));
      }
    }
  }
}

void TableAudit::check_index_item(const OrderedIndex::Item& item, std::uint64_t bucket) {
  bool right =
      layout_.bucket_of(item.key) == bucket && item.entry < store_.used_entries(copy_, table_);
  if (right && store_.touched(copy_, table_, item.entry)) {
    const std::byte* live = store_.record(copy_, table_, item.entry);
    // Only the primary knows placeholders.
    right = load_word(live + kKeyOffset) == item.key &&
            (primary() || !absent(load_word(live + kVersionOffset)));
  } else if (right) {
    right = layout_.shape.index_of(item.key) == item.entry;
  }
  if (!right) report(item.entry, "is not what the index has for key " + std::to_string(item.key));
}

void TableAudit::check_inserted_keys() {
  const OrderedIndex& index = store_.ordered_index(table_);
  std::vector<OrderedIndex::Item> items(1024);
  std::uint32_t nodes = 0;
  OrderedIndex::Query rest{.first = 0, .last = kNoKey, .inserted_only = true};
  for (;;) {
    const std::size_t found = index.list(rest, items, nodes);
    for (std::size_t i = 0; i < found; ++i) {
      if (store_.find_at_rest(copy_, table_, items[i].key) == items[i].entry) continue;
      report(items[i].entry, "is not where the hash index has key " + std::to_string(items[i].key));
    }
    if (found < items.size() || !go_on_behind(rest, items.back().key)) return;
  }
}

void TableAudit::load_initial(std::uint32_t entry) {
  if (!initial(entry)) return;
  std::fill(initial_.begin(), initial_.end(), std::byte{0});
  if (definition_.load) definition_.load(partition_, layout_.shape.key_of(entry), initial_);
}

void TableAudit::report(std::uint64_t entry, const std::string& what) {
  report("entry " + std::to_string(entry) + " " + what);
}

void TableAudit::report(const std::string& what) {
  if (check_.errors.size() >= kMostErrors) return;
  check_.errors.push_back("node " + std::to_string(store_.node()) + ", partition " +
                          std::to_string(partition_) + (primary() ? " (primary)" : " (backup)") +
                          ", table " + definition_.name + ", " + what);
}

}  // namespace verbena::txn
