// Composing, reading and writing records.
#include "txn/store/record.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn {

void refuse_owner(std::uint64_t owner, std::uint64_t lock) {
  throw Malformed("has owner " + std::to_string(owner) + " of a record that " +
                  (lock == 0 ? "nobody" : std::to_string(lock)) + " has locked");
}

namespace {

// Copies between live and private memory by relaxed words, the last one partial on the private
// side.
void copy_from_live(std::byte* to, std::byte* live, std::uint32_t bytes) {
  for (; bytes >= 8; bytes -= 8, to += 8, live += 8) {
    store_word(to, shared_word(live).load(std::memory_order_relaxed));
  }
  if (bytes > 0) {
    const std::uint64_t word = shared_word(live).load(std::memory_order_relaxed);
    std::memcpy(to, &word, bytes);
  }
}

void copy_to_live(std::byte* live, const std::byte* from, std::uint32_t bytes) {
  for (; bytes >= 8; bytes -= 8, from += 8, live += 8) {
    shared_word(live).store(load_word(from), std::memory_order_relaxed);
  }
  if (bytes > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    shared_word(live).store(word, std::memory_order_relaxed);
  }
}

}  // namespace

RecordFormat::RecordFormat(std::uint32_t payload_bytes) : payload_bytes_(payload_bytes) {
  const std::uint32_t first = kLineBytes - kRecordHeaderBytes;
  if (payload_bytes <= first) {
    bytes_ = (kRecordHeaderBytes + payload_bytes + 7) / 8 * 8;
    stride_ = bytes_ <= 32 ? 32 : 64;
    return;
  }
  const std::uint32_t per_line = kLineBytes - 8;
  const std::uint32_t further = payload_bytes - first;
  const std::uint32_t full = further / per_line;
  const std::uint32_t rest = further % per_line;
  bytes_ = kLineBytes * (1 + full) + (rest == 0 ? 0 : 8 + (rest + 7) / 8 * 8);
  stride_ = (bytes_ + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// Calls visit(offset in the record, offset in the payload, bytes) for each contiguous piece of
// payload.
template <typename Visit>
void RecordFormat::for_each_piece(Visit&& visit) const {
  std::uint32_t piece = std::min(payload_bytes_, kLineBytes - kRecordHeaderBytes);
  visit(kRecordHeaderBytes, 0U, piece);
  std::uint32_t done = piece;
  for (std::uint32_t line = kLineBytes; done < payload_bytes_; line += kLineBytes, done += piece) {
    piece = std::min(payload_bytes_ - done, kLineBytes - 8);
    visit(line + 8, done, piece);
  }
}

bool RecordFormat::untorn(const std::byte* image) const {
  const std::uint64_t version = load_word(image + kVersionOffset);
  for (std::uint32_t line = kLineBytes; line < bytes_; line += kLineBytes) {
    if (load_word(image + line) != version) return false;
  }
  return version != kLineBusy;
}

void RecordFormat::extract(const std::byte* image, std::byte* payload) const {
  for_each_piece([&](std::uint32_t at, std::uint32_t from, std::uint32_t bytes) {
    std::memcpy(payload + from, image + at, bytes);
  });
}

void RecordFormat::compose(std::byte* image, std::uint64_t version, Key key,
                           const std::byte* payload) const {
  std::memset(image, 0, bytes_);
  store_word(image + kVersionOffset, version);
  store_word(image + kKeyOffset, key);
  for (std::uint32_t line = kLineBytes; line < bytes_; line += kLineBytes) {
    store_word(image + line, version);
  }
  for_each_piece([&](std::uint32_t at, std::uint32_t from, std::uint32_t bytes) {
    std::memcpy(image + at, payload + from, bytes);
  });
}

RecordFormat::ReadStatus RecordFormat::read_live(std::byte* live, std::uint64_t& version, Key& key,
                                                 std::byte* payload, rdma::Core* core) const {
  // Before the lock: a NIC's WRITE may bring the version long before the last line of the payload.
  const std::uint64_t before = shared_word(live + kVersionOffset).load(std::memory_order_acquire);
  step(core, live);
  if (shared_word(live + kLockOffset).load(std::memory_order_acquire) != 0)
    return ReadStatus::kLocked;
  step(core, live);
  const Key found_key = shared_word(live + kKeyOffset).load(std::memory_order_relaxed);
  for_each_piece([&](std::uint32_t at, std::uint32_t to, std::uint32_t bytes) {
    step(core, live);
    copy_from_live(payload + to, live + at, bytes);
  });
  step(core, live);
  std::atomic_thread_fence(std::memory_order_acquire);
  // Acquire: a writer that has unlocked meanwhile must show its version.
  if (shared_word(live + kLockOffset).load(std::memory_order_acquire) != 0)
    return ReadStatus::kLocked;
  step(core, live);
  if (shared_word(live + kVersionOffset).load(std::memory_order_relaxed) != before) {
    return ReadStatus::kChanging;
  }
  version = before;
  key = found_key;
  return ReadStatus::kOk;
}

void RecordFormat::read_locked(const std::byte* live, std::uint64_t& version, Key& key,
                               std::byte* payload) const {
  version = load_word(live + kVersionOffset);
  key = load_word(live + kKeyOffset);
  extract(live, payload);
}

void RecordFormat::mark_lines(std::byte* live, std::uint64_t tag, std::memory_order order,
                              rdma::Core* core) const {
  for (std::uint32_t line = kLineBytes; line < bytes_; line += kLineBytes) {
    shared_word(live + line).store(tag, order);
    step(core, live);
  }
}

void RecordFormat::write_live(std::byte* live, std::uint64_t version, Key key,
                              const std::byte* payload, rdma::Core* core) const {
  mark_lines(live, kLineBusy, std::memory_order_relaxed, core);
  std::atomic_thread_fence(std::memory_order_release);
  shared_word(live + kKeyOffset).store(key, std::memory_order_relaxed);
  for_each_piece([&](std::uint32_t at, std::uint32_t from, std::uint32_t bytes) {
    copy_to_live(live + at, payload + from, bytes);
    step(core, live);
  });
  mark_lines(live, version, std::memory_order_release, core);
  shared_word(live + kVersionOffset).store(version, std::memory_order_release);
}

void RecordFormat::write_absent(std::byte* live, std::uint64_t version, Key key,
                                rdma::Core* core) const {
  shared_word(live + kKeyOffset).store(key, std::memory_order_relaxed);
  step(core, live);
  mark_lines(live, version, std::memory_order_release, core);
  shared_word(live + kVersionOffset).store(version, std::memory_order_release);
}

}  // namespace verbena::txn
