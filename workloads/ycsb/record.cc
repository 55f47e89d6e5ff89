// Writing and checking records.
#include "workloads/ycsb/record.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "workloads/key_text.h"

namespace verbena::workloads::ycsb {
namespace {

constexpr std::uint32_t kCounterBytes = 8;
constexpr std::uint32_t kStoredKeyBytes = 8;

std::uint64_t load(std::span<const std::byte> payload, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, payload.data() + offset, sizeof value);
  return value;
}

void store(std::span<std::byte> payload, std::size_t offset, std::uint64_t value) {
  std::memcpy(payload.data() + offset, &value, sizeof value);
}

std::span<char> text(std::span<std::byte> bytes) {
  return {reinterpret_cast<char*>(bytes.data()), bytes.size()};
}

}  // namespace

RecordFormat::RecordFormat(std::uint32_t fields, std::uint32_t field_bytes, std::uint32_t key_bytes)
    : fields_(fields),
      field_bytes_(field_bytes),
      first_field_(kCounterBytes + std::max(key_bytes, kStoredKeyBytes) - kStoredKeyBytes) {
  assert(field_bytes >= kCounterBytes);
}

void RecordFormat::write(txn::PartitionId partition, txn::Key key,
                         std::span<std::byte> payload) const {
  store(payload, 0, 0);
  KeyText(0, partition, key)
      .letters(text(payload.subspan(kCounterBytes, first_field_ - kCounterBytes)));
  for (std::uint32_t field = 0; field < fields_; ++field) {
    write_field(partition, key, field, 0, payload);
  }
}

void RecordFormat::write_field(txn::PartitionId partition, txn::Key key, std::uint32_t field,
                               std::uint64_t changes, std::span<std::byte> payload) const {
  const std::size_t at = offset(field);
  store(payload, at, changes);
  // The streams of a record's fields differ, and those of a field's contents.
  KeyText(mix64(key) ^ mix64(changes << 16 | partition) ^ std::uint64_t{field} << 32)
      .letters(text(payload.subspan(at + kCounterBytes, field_bytes_ - kCounterBytes)));
}

void RecordFormat::change(txn::PartitionId partition, txn::Key key, std::uint32_t field,
                          std::span<std::byte> payload) const {
  write_field(partition, key, field, load(payload, offset(field)) + 1, payload);
  count_change(payload);
}

void RecordFormat::count_change(std::span<std::byte> payload) {
  store(payload, 0, load(payload, 0) + 1);
}

std::uint64_t RecordFormat::changes(std::span<const std::byte> payload) { return load(payload, 0); }

std::string RecordFormat::fault(txn::PartitionId partition, txn::Key key, std::uint64_t uncounted,
                                std::span<const std::byte> payload) const {
  std::vector<std::byte> expected(payload.size());
  write(partition, key, expected);
  std::uint64_t sum = uncounted;
  for (std::uint32_t field = 0; field < fields_; ++field) {
    const std::uint64_t changes = load(payload, offset(field));
    write_field(partition, key, field, changes, expected);
    sum += changes;
    const auto begin = static_cast<std::ptrdiff_t>(offset(field));
    if (!std::equal(expected.begin() + begin, expected.begin() + begin + field_bytes_,
                    payload.begin() + begin)) {
      return "field " + std::to_string(field) + " is not what it is after " +
             std::to_string(changes) + " changes";
    }
  }
  if (!std::equal(expected.begin() + kCounterBytes, expected.begin() + first_field_,
                  payload.begin() + kCounterBytes)) {
    return "its key is another record's";
  }
  if (sum != load(payload, 0)) {
    return "it counts " + std::to_string(load(payload, 0)) + " changes, its fields " +
           std::to_string(sum);
  }
  return "";
}

}  // namespace verbena::workloads::ycsb
