// Trying atomics on a word, and judging them.
#include "rdma/one_sided/atomics_check.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace verbena::rdma {
namespace {

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%016" PRIx64, value);
  return text.data();
}

/// Posts what was added to the batch, and READs the word behind it.
std::uint64_t read_back(RequestBatch& batch, RemoteAddress at, std::span<std::byte> scratch) {
  batch.post();
  batch.wait();
  batch.read(at, scratch.data(), sizeof(std::uint64_t));
  batch.post();
  batch.wait();
  std::uint64_t value;
  std::memcpy(&value, scratch.data(), sizeof value);
  return value;
}

}  // namespace

AtomicsSeen try_atomics(RequestBatch& batch, RemoteAddress at, std::span<std::byte> scratch) {
  AtomicsSeen seen;
  batch.write(at, &AtomicsSeen::kFirst, sizeof AtomicsSeen::kFirst);
  batch.fetch_and_add(at, AtomicsSeen::kAdded, &seen.added_to);
  seen.after_add = read_back(batch, at, scratch);
  batch.compare_and_swap(at, AtomicsSeen::kFirst, AtomicsSeen::kSwappedIn, &seen.not_swapped);
  seen.after_failing_swap = read_back(batch, at, scratch);
  batch.compare_and_swap(at, AtomicsSeen::kFirst + AtomicsSeen::kAdded, AtomicsSeen::kSwappedIn,
                         &seen.swapped);
  seen.after_swap = read_back(batch, at, scratch);
  return seen;
}

std::string fault_of(const AtomicsSeen& seen) {
  constexpr std::uint64_t kSum = AtomicsSeen::kFirst + AtomicsSeen::kAdded;
  struct Expectation {
    const char* what;
    std::uint64_t seen;
    std::uint64_t expected;
  };
  const std::array<Expectation, 6> expectations = {{
      {"fetch-and-add returns", seen.added_to, AtomicsSeen::kFirst},
      {"fetch-and-add leaves", seen.after_add, kSum},
      {"a compare-and-swap that fails returns", seen.not_swapped, kSum},
      {"a compare-and-swap that fails leaves", seen.after_failing_swap, kSum},
      {"compare-and-swap returns", seen.swapped, kSum},
      {"compare-and-swap leaves", seen.after_swap, AtomicsSeen::kSwappedIn},
  }};
  for (const Expectation& one : expectations) {
    if (one.seen == one.expected) continue;
    const bool turned = __builtin_bswap64(one.seen) == one.expected;
    return std::string(one.what) + " " + hexadecimal(one.seen) + " instead of " +
           hexadecimal(one.expected) + (turned ? ", which is the other byte order" : "");
  }
  return "";
}

}  // namespace verbena::rdma
