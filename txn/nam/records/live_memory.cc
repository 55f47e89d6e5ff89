// Words of live memory, in the order that the argument asks for.
#include "txn/nam/records/live_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr std::uint32_t kWord = sizeof(std::uint64_t);
constexpr std::uint32_t kLine = kCacheLineBytes;
constexpr std::uint32_t kInstallsWord = offsetof(OldHeader, installs);

std::atomic_ref<std::uint64_t> shared_word(std::byte* at) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at));
}

std::uint64_t look(std::byte* at) { return shared_word(at).load(std::memory_order_acquire); }

void copy_from(std::byte* live, std::byte* copy, std::uint32_t from, std::uint32_t until) {
  for (std::uint32_t at = from; at < until; at += kWord) {
    const std::uint64_t word = shared_word(live + at).load(std::memory_order_relaxed);
    std::memcpy(copy + at, &word, kWord);
  }
}

void copy_to(std::byte* live, const std::byte* copy, std::uint32_t from, std::uint32_t until) {
  for (std::uint32_t at = from; at < until; at += kWord) {
    std::uint64_t word;
    std::memcpy(&word, copy + at, kWord);
    shared_word(live + at).store(word, std::memory_order_relaxed);
  }
}

void put(RecordImage image, std::uint32_t offset, std::uint64_t word) {
  std::memcpy(image.bytes() + offset, &word, kWord);
}

bool read_first_line(std::byte* live, RecordImage copy, std::uint32_t bytes, rdma::Core& core) {
  const std::uint64_t lock = look(live + kLockOffset);
  core.step(live);
  const std::uint64_t version = look(live + kVersionOffset);
  core.step(live);
  copy_from(live, copy.bytes(), kVersionOffset + kWord, bytes);
  put(copy, kLockOffset, lock);
  put(copy, kVersionOffset, version);
  core.step(live);
  std::atomic_thread_fence(std::memory_order_acquire);
  // Acquire: a writer that has unlocked meanwhile must show its version.
  const std::uint64_t lock_after = look(live + kLockOffset);
  core.step(live);
  return !changing(lock) && !changing(lock_after) && look(live + kVersionOffset) == version;
}

bool read_further_line(std::byte* live, std::byte* copy, std::uint32_t line, std::uint32_t until,
                       rdma::Core& core) {
  const std::uint64_t tag = look(live + line);
  core.step(live);
  copy_from(live, copy, line + kWord, until);
  std::memcpy(copy + line, &tag, kWord);
  core.step(live);
  std::atomic_thread_fence(std::memory_order_acquire);
  return look(live + line) == tag;
}

template <typename T>
void copy_field(T& live, T& copy) {
  copy = std::atomic_ref(live).load(std::memory_order_relaxed);
}

bool read_line(Bucket::Line& live, Bucket::Line& copy, rdma::Core& core) {
  copy.version = std::atomic_ref(live.version).load(std::memory_order_acquire);
  core.step(&live);
  for (unsigned i = 0; i < Bucket::kSlotsPerLine; ++i) {
    copy_field(live.keys[i], copy.keys[i]);
    copy_field(live.entries[i], copy.entries[i]);
  }
  copy_field(live.link, copy.link);
  core.step(&live);
  std::atomic_thread_fence(std::memory_order_acquire);
  return std::atomic_ref(live.version).load(std::memory_order_relaxed) == copy.version;
}

void mark_lines(std::byte* live, std::uint32_t bytes, std::uint64_t tag, std::memory_order order,
                rdma::Core& core) {
  for (std::uint32_t line = kLine; line < bytes; line += kLine) {
    shared_word(live + line).store(tag, order);
    core.step(live);
  }
}

}  // namespace

void read_live(std::byte* live, const ImageFormat& format, RecordImage copy, rdma::Core& core) {
  const std::uint32_t bytes = format.bytes();
  bool whole = read_first_line(live, copy, std::min(bytes, kLine), core);
  for (std::uint32_t line = kLine; line < bytes && whole; line += kLine) {
    core.step(live);
    const std::uint32_t until = std::min(bytes, line + kLine);
    whole = read_further_line(live, copy.bytes(), line, until, core);
  }
  if (whole) return;
  core.reach("nam: own record changes while the CPU reads it");
  put(copy, kLockOffset, changing_lock(copy.lock()));
}

void read_live(std::byte* live, std::span<OldHeader> copies, rdma::Core& core) {
  for (OldHeader& copy : copies) {
    const std::uint64_t installs = look(live + kInstallsWord);
    core.step(live);
    copy.version = shared_word(live).load(std::memory_order_relaxed);
    core.step(live);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (look(live + kInstallsWord) == installs) {
      std::memcpy(reinterpret_cast<std::byte*>(&copy) + kInstallsWord, &installs, kWord);
    } else {
      core.reach("nam: own header changes while the CPU reads it");
      copy = {};
    }
    live += sizeof(OldHeader);
  }
}

void read_live(std::byte* live, Bucket& copy, rdma::Core& core) {
  auto& bucket = *reinterpret_cast<Bucket*>(live);
  bool whole = true;
  for (std::size_t line = 0; line < bucket.lines.size(); ++line) {
    whole = read_line(bucket.lines[line], copy.lines[line], core) && whole;
    core.step(live);
  }
  if (whole) return;
  core.reach("nam: own bucket changes while the CPU reads it");
  copy.lines[0].version = copy.lines[1].version + 1;
}

void write_live(std::byte* live, const ImageFormat& format, const RecordImage& image,
                rdma::Core& core) {
  const std::uint32_t bytes = format.bytes();
  const std::uint64_t bad =
      changing_lock(shared_word(live + kLockOffset).load(std::memory_order_relaxed));
  shared_word(live + kLockOffset).store(bad, std::memory_order_relaxed);
  core.step(live);
  mark_lines(live, bytes, bad, std::memory_order_relaxed, core);
  std::atomic_thread_fence(std::memory_order_release);
  copy_to(live, image.bytes(), kVersionOffset + kWord, std::min(bytes, kLine));
  core.step(live);
  for (std::uint32_t line = kLine; line < bytes; line += kLine) {
    copy_to(live, image.bytes(), line + kWord, std::min(bytes, line + kLine));
    core.step(live);
  }
  mark_lines(live, bytes, image.version(), std::memory_order_release, core);
  shared_word(live + kVersionOffset).store(image.version(), std::memory_order_release);
  core.step(live);
  shared_word(live + kLockOffset).store(image.lock(), std::memory_order_release);
}

void write_live(std::byte* live, const OldHeader& header, rdma::Core& core) {
  std::uint64_t installs;
  std::memcpy(&installs, reinterpret_cast<const std::byte*>(&header) + kInstallsWord, kWord);
  shared_word(live + kInstallsWord).store(0, std::memory_order_relaxed);
  core.step(live);
  std::atomic_thread_fence(std::memory_order_release);
  shared_word(live).store(header.version, std::memory_order_relaxed);
  core.step(live);
  shared_word(live + kInstallsWord).store(installs, std::memory_order_release);
}

void unlock_live(std::byte* live, const RecordImage& image) {
  shared_word(live + kLockOffset).store(image.lock(), std::memory_order_release);
}

void clear_live(std::byte* live, std::size_t headers) {
  for (std::size_t word = 0; word < headers * sizeof(OldHeader) / kWord; ++word) {
    shared_word(live + word * kWord).store(0, std::memory_order_relaxed);
  }
}

}  // namespace verbena::txn::nam
