// Stamps, and the words behind them.
#include "workloads/stress/record.h"

#include <cstring>

#include "rdma/base/random.h"

namespace verbena::workloads::stress {
namespace {

constexpr Stamp kInitial = Stamp{1} << 63;

std::uint64_t word(std::span<const std::byte> payload, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, payload.data() + index * sizeof value, sizeof value);
  return value;
}

std::uint64_t number_of(const txn::RecordName& name) {
  return std::uint64_t{name.table} << 56 | std::uint64_t{name.partition} << 40 | name.key;
}

std::uint64_t content_word(const txn::RecordName& name, Stamp stamp, std::size_t index) {
  return index == 0 ? stamp : mix64(stamp + index * mix64(number_of(name)));
}

}  // namespace

Stamp initial_stamp(const txn::RecordName& name) { return kInitial | number_of(name); }

void write_content(const txn::RecordName& name, Stamp stamp, std::span<std::byte> payload) {
  for (std::size_t i = 0; i < payload.size() / sizeof stamp; ++i) {
    const std::uint64_t value = content_word(name, stamp, i);
    std::memcpy(payload.data() + i * sizeof value, &value, sizeof value);
  }
}

std::string content_fault(const txn::RecordName& name, std::span<const std::byte> payload) {
  const Stamp stamp = word(payload, 0);
  for (std::size_t i = 1; i < payload.size() / sizeof stamp; ++i) {
    if (word(payload, i) == content_word(name, stamp, i)) continue;
    return "word " + std::to_string(i) + " does not belong to stamp " + std::to_string(stamp);
  }
  if (stamp >= kInitial && stamp != initial_stamp(name)) {
    return "it holds what another record was loaded with";
  }
  return {};
}

}  // namespace verbena::workloads::stress
