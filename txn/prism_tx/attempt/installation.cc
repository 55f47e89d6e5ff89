// A chain of three operations for each object.
#include "txn/prism_tx/attempt/installation.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"
#include "txn/prism/install_newer.h"
#include "txn/prism_tx/records/slot.h"

namespace verbena::txn::prism_tx {
namespace {

using prism::ObjectHeader;

static_assert(offsetof(Slot, pointer) - offsetof(Slot, committed) ==
              offsetof(prism::VersionAndPointer, pointer));

/// The word of the pair that is replaced.
constexpr std::size_t kPointerWord =
    offsetof(prism::VersionAndPointer, pointer) / sizeof(std::uint64_t);

/// Before a server without free buffer is asked again: others give theirs back meanwhile.
constexpr Nanoseconds kPause = 10 * kMicrosecond;

/// For a buffer that is free: longer than it takes until those of a dead client are found.
constexpr Nanoseconds kLongestWait = 10 * kSecond;

}  // namespace

Installation::Installation(Client& client)
    : client_(client),
      installs_(prism::make_installs(client.without, client.chains, client.stock)) {}

void Installation::install(std::span<const Access> accesses,
                           std::span<const Transaction::Item> items, Timestamp now) {
  const Nanoseconds began = client_.worker.now();
  wanted_.clear();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (accesses[i].writes) wanted_.push_back(i);
  }
  while (!wanted_.empty()) {
    for (const std::size_t i : wanted_) add(accesses[i], items[i], now);
    installs_->carry_out(client_.counted());
    std::vector<std::size_t> rest;
    for (std::size_t n = 0; n < wanted_.size(); ++n) {
      if (!take(accesses[wanted_[n]], installs_->installed(n))) rest.push_back(wanted_[n]);
    }
    wanted_ = std::move(rest);
    installs_->clear();
    if (wanted_.empty()) return;
    if (client_.worker.now() - began > kLongestWait) {
      throw std::runtime_error("node " + std::to_string(accesses[wanted_.front()].server) +
                               " has had no free buffer for ten seconds: more prism.spares help");
    }
    client_.reports.flush();
    client_.worker.sleep_until(client_.worker.now() + kPause);
  }
}

void Installation::add(const Access& access, const Transaction::Item& item, Timestamp now) {
  const std::uint32_t value = item.erased ? 0 : item.bytes;
  const ObjectHeader header{.version = now,
                            .key_bytes = sizeof(Key),
                            .value_bytes = item.erased ? prism::kAbsent : value,
                            .key = access.name.key};
  object_.resize(sizeof header + value);
  std::memcpy(object_.data(), &header, sizeof header);
  std::memcpy(object_.data() + sizeof header, item.payload, value);
  client_.worker.core().spend(rdma::Work::kCopyLine, cache_lines(object_.size()));
  client_.count(Counter::kInstalls);
  installs_->add(access.server,
                 prism::install_newer(client_.layout.list_of(access.name.table),
                                      *access.slot + offsetof(Slot, committed), object_));
}

// False: there was no buffer.
bool Installation::take(const Access& access, const prism::Installed& installed) {
  if (installed.how == prism::Installed::How::kNoBuffer) {
    client_.worker.core().reach("prism_tx: no free buffer for a commit");
    client_.count(Counter::kNoBuffer);
    return false;
  }
  if (installed.done()) {
    client_.give_back(access, installed.replaced[kPointerWord]);
    return true;
  }
  client_.worker.core().reach("prism_tx: later write met by a commit");
  client_.count(Counter::kOverwritten);
  client_.give_back(access, installed.buffer);
  return true;
}

}  // namespace verbena::txn::prism_tx
