// Composing entries and taking them apart.
#include "txn/nam/durability/journal_entry.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::uint64_t kMore = 0x80;  // of a byte: the number goes on
constexpr unsigned kDigitBits = 7;

constexpr std::size_t up_to_words(std::size_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

std::size_t put_number(std::byte* at, std::uint64_t number) {
  std::size_t bytes = 0;
  for (; number >= kMore; number >>= kDigitBits) at[bytes++] = std::byte(number | kMore);
  at[bytes++] = std::byte(number);
  return bytes;
}

std::uint64_t take_number(BoundedReader& rest) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    const auto digit = std::uint64_t{rest.take<std::uint8_t>()};
    number |= (digit & (kMore - 1)) << shift;
    if ((digit & kMore) == 0) return number;
  }
  throw Malformed("has a number of more than 64 bits in its snapshot");
}

// A slot that follows another takes one byte to tell so, and at most five for what it has more;
// what is passed over takes no more than a byte for each.
std::size_t most_snapshot_bytes(std::size_t slots) {
  constexpr std::size_t kOfSlot = 6;
  return slots * kOfSlot + kWord;
}

}  // namespace

std::uint64_t journal_checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += kWord) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, kWord);
    sum = mix64(sum ^ word) + at;
  }
  return sum;
}

std::size_t JournalEntryWriter::most_bytes(const Layout& layout, const TransactionLimits& limits) {
  std::size_t payload = 0;
  for (const TableDefinition& table : layout.schema()) {
    payload = std::max(payload, up_to_words(table.payload_bytes));
  }
  return sizeof(JournalHeader) + up_to_words(most_snapshot_bytes(layout.vector().slots())) +
         limits.records * (sizeof(JournalRecord) + payload) + sizeof(std::uint64_t);
}

JournalEntryWriter::JournalEntryWriter(std::span<std::byte> memory, const JournalHeader& header,
                                       std::span<const std::uint32_t> snapshot,
                                       std::span<const std::uint32_t> base)
    : memory_(memory), header_(header), used_(sizeof header) {
  header_.records = 0;
  header_.whole_snapshot = base.empty() ? 1 : 0;
  std::size_t passed = 0;
  std::byte* at = memory_.data() + used_;
  for (std::size_t slot = 0; slot < snapshot.size(); ++slot) {
    const std::uint32_t more = snapshot[slot] - (base.empty() ? 0 : base[slot]);
    if (more == 0) {
      ++passed;
      continue;
    }
    at += put_number(at, passed);
    at += put_number(at, more);
    passed = 0;
  }
  header_.snapshot_bytes = static_cast<std::uint32_t>(at - memory_.data() - used_);
  const std::size_t padded = up_to_words(header_.snapshot_bytes);
  std::memset(at, 0, padded - header_.snapshot_bytes);
  used_ += padded;
}

void JournalEntryWriter::put(const void* from, std::size_t bytes) {
  if (used_ + up_to_words(bytes) + kWord > memory_.size()) {
    throw std::logic_error("a transaction writes more than its journal's entries were made for");
  }
  if (bytes > 0) std::memcpy(memory_.data() + used_, from, bytes);
  std::memset(memory_.data() + used_ + bytes, 0, up_to_words(bytes) - bytes);
  used_ += up_to_words(bytes);
}

void JournalEntryWriter::add(const JournalRecord& record, std::span<const std::byte> payload) {
  ++header_.records;
  put(&record, sizeof record);
  if (!record.erased) put(payload.data(), payload.size());
}

std::span<const std::byte> JournalEntryWriter::finish() {
  header_.bytes = static_cast<std::uint32_t>(used_ + kWord);
  std::memcpy(memory_.data(), &header_, sizeof header_);
  const std::uint64_t sum = journal_checksum(memory_.first(used_));
  std::memcpy(memory_.data() + used_, &sum, sizeof sum);
  return memory_.first(header_.bytes);
}

std::optional<JournalEntry> JournalEntry::parse(std::span<const std::byte> memory,
                                                const Layout& layout) {
  JournalEntry entry;
  JournalHeader& header = entry.header_;
  if (memory.size() < sizeof header + kWord) return std::nullopt;
  std::memcpy(&header, memory.data(), sizeof header);
  if (header.bytes % kWord != 0 || header.bytes > memory.size()) return std::nullopt;
  if (header.bytes < sizeof header + kWord) return std::nullopt;
  const auto covered = memory.first(header.bytes - kWord);
  std::uint64_t sum;
  std::memcpy(&sum, memory.data() + covered.size(), sizeof sum);
  if (sum != journal_checksum(covered)) return std::nullopt;
  entry.take_apart(covered.subspan(sizeof header), layout);
  return entry;
}

void JournalEntry::take_apart(std::span<const std::byte> content, const Layout& layout) {
  check_below(header_.stamp.slot, layout.vector().slots(), "slot");
  BoundedReader rest(content);
  snapshot_ = rest.take_bytes(header_.snapshot_bytes);
  rest.take_bytes(up_to_words(header_.snapshot_bytes) - header_.snapshot_bytes);
  for (std::uint32_t i = 0; i < header_.records; ++i) {
    const auto record = rest.take<JournalRecord>();
    check_part(layout, record.partition, record.table);
    check_entry(layout, record.table, record.entry);
    check_key(layout, record.table, record.entry, record.key);
    check_version(layout, record.replaced);
    check_within(record.installs, kFirstInstall, kMostInstalls - 1, "installs");
    Record& one = records_.emplace_back(Record{.record = record, .payload = {}});
    if (record.erased) continue;
    const std::size_t bytes = layout.schema()[record.table].payload_bytes;
    one.payload = rest.take_bytes(bytes);
    rest.take_bytes(up_to_words(bytes) - bytes);
  }
  rest.expect_end();
}

std::vector<std::uint32_t> JournalEntry::snapshot(std::span<const std::uint32_t> base,
                                                  std::size_t slots) const {
  std::vector<std::uint32_t> counts(slots);
  if (header_.whole_snapshot == 0) std::ranges::copy(base.first(slots), counts.begin());
  std::size_t slot = 0;
  for (BoundedReader rest(snapshot_); !rest.rest().empty(); ++slot) {
    const std::uint64_t passed = take_number(rest);
    check_below(passed, slots - slot, "slots passed over in its snapshot");
    slot += passed;
    counts[slot] += static_cast<std::uint32_t>(take_number(rest));
  }
  return counts;
}

}  // namespace verbena::txn::nam
