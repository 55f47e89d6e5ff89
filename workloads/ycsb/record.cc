// Writing and checking records.
#include "workloads/ycsb/record.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "rdma/base/random.h"

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

// Bytes that follow from a seed; all words of two seeds differ. Cheap, since every read is checked.
class Content {
 public:
  explicit Content(std::uint64_t seed) : first_(mix64(seed)) {}

  void write(std::span<std::byte> bytes) const {
    std::uint64_t word = first_;
    std::size_t at = 0;
    for (; at + sizeof word <= bytes.size(); at += sizeof word, word += kStep) {
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    if (at < bytes.size()) std::memcpy(bytes.data() + at, &word, bytes.size() - at);
  }

  bool is(std::span<const std::byte> bytes) const {
    std::uint64_t word = first_;
    std::uint64_t different = 0;
    std::size_t at = 0;
    for (; at + sizeof word <= bytes.size(); at += sizeof word, word += kStep) {
      different |= load(bytes, at) ^ word;
    }
    const bool tail_is = std::memcmp(bytes.data() + at, &word, bytes.size() - at) == 0;
    return different == 0 && tail_is;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;

  std::uint64_t first_;
};

Content key_content(txn::PartitionId partition, txn::Key key) {
  return Content(mix64(key) + partition);
}

Content field_content(txn::PartitionId partition, txn::Key key, std::uint32_t field,
                      std::uint64_t changes) {
  return Content(mix64(key) ^ mix64(changes << 16 | partition) ^ std::uint64_t{field + 1} << 32);
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
  replace(partition, key, 0, payload);
}

void RecordFormat::replace(txn::PartitionId partition, txn::Key key, std::uint64_t number,
                           std::span<std::byte> payload) const {
  store(payload, 0, fields_ * number);
  key_content(partition, key).write(payload.subspan(kCounterBytes, first_field_ - kCounterBytes));
  for (std::uint32_t field = 0; field < fields_; ++field) {
    write_field(partition, key, field, number, payload);
  }
}

void RecordFormat::write_field(txn::PartitionId partition, txn::Key key, std::uint32_t field,
                               std::uint64_t changes, std::span<std::byte> payload) const {
  const std::size_t at = offset(field);
  store(payload, at, changes);
  field_content(partition, key, field, changes)
      .write(payload.subspan(at + kCounterBytes, field_bytes_ - kCounterBytes));
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
  std::uint64_t sum = uncounted;
  for (std::uint32_t field = 0; field < fields_; ++field) {
    const std::uint64_t changes = load(payload, offset(field));
    sum += changes;
    if (!field_content(partition, key, field, changes)
             .is(payload.subspan(offset(field) + kCounterBytes, field_bytes_ - kCounterBytes))) {
      return "field " + std::to_string(field) + " is not what it is after " +
             std::to_string(changes) + " changes";
    }
  }
  if (!key_content(partition, key)
           .is(payload.subspan(kCounterBytes, first_field_ - kCounterBytes))) {
    return "its key is another record's";
  }
  if (sum != load(payload, 0)) {
    return "it counts " + std::to_string(load(payload, 0)) + " changes, its fields " +
           std::to_string(sum);
  }
  return "";
}

}  // namespace verbena::workloads::ycsb
