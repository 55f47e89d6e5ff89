// Round trips until all is known.
#include "txn/prism_tx/attempt/look_up.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "txn/prism_tx/records/slot.h"
#include "txn/prism_tx/records/slot_operations.h"

namespace verbena::txn::prism_tx {

using prism::kAbsent;
using prism::kObjectHeaderBytes;
using prism::ObjectHeader;
using Item = Transaction::Item;

LookUp::LookUp(Client& client)
    : client_(client),
      reads_(make_record_reads(client.without, client.worker, client.chains)),
      claims_(prism::make_installs(client.without, client.chains, client.stock)) {}

std::optional<AbortCause> LookUp::fetch(std::span<Access> accesses, std::span<Item> items) {
  wanted_.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].fetched) wanted_.push_back(i);
  }
  while (!wanted_.empty()) {
    read_all(accesses, items);
    if (nobodys_.empty()) continue;
    if (const std::optional<AbortCause> cause = claim_all(accesses, items)) return cause;
  }
  return std::nullopt;
}

// False: a key that nobody will insert is absent all the same.
bool LookUp::choose_slot(Access& access, Item& item) const {
  access.slot = client_.layout.slot(access.name.table, access.name.key, access.passed);
  if (access.slot) return true;
  const TableDefinition& table = client_.layout.schema()[access.name.table];
  if (item.intent == Transaction::Intent::kInsert) {
    throw ConfigurationError("table " + table.name +
                             ": all slots for keys that were not loaded are in use; allowed is a "
                             "larger " +
                             table.capacity_setting);
  }
  item.found = item.blind = false;
  item.fetched = true;
  return false;
}

void LookUp::read_all(std::span<Access> accesses, std::span<Item> items) {
  nobodys_.clear();
  std::erase_if(wanted_, [&](std::size_t i) { return !choose_slot(accesses[i], items[i]); });
  if (wanted_.empty()) return;
  for (const std::size_t i : wanted_) {
    const Access& access = accesses[i];
    const std::uint32_t bytes = items[i].intent == Transaction::Intent::kOverwrite
                                    ? kObjectHeaderBytes
                                    : client_.layout.object_bytes(access.name.table);
    reads_->add(access.server, *access.slot, bytes);
  }
  reads_->carry_out(client_.counted());
  client_.count(Counter::kSlotReads, wanted_.size());
  std::vector<std::size_t> rest;
  for (std::size_t n = 0; n < wanted_.size(); ++n) {
    const std::size_t i = wanted_[n];
    const Found found = take(accesses[i], items[i], n);
    if (found == Found::kOwn) continue;
    rest.push_back(i);
    if (found == Found::kNobodys) {
      nobodys_.push_back(i);
    } else {
      ++accesses[i].passed;
      client_.worker.core().reach("prism_tx: slot of another key passed");
    }
  }
  wanted_ = std::move(rest);
  reads_->clear();
}

LookUp::Found LookUp::take(Access& access, Item& item, std::size_t read) {
  const Slot slot = reads_->slot(read);
  BoundedReader object(reads_->object(read));
  const auto header = object.take<ObjectHeader>();
  if (header.key == kNoKey) return Found::kNobodys;
  if (header.key != access.name.key) return Found::kAnothers;
  if (header.version > slot.committed) {
    client_.worker.core().reach("prism_tx: object replaced after its slot was read");
  }
  access.version = std::max(slot.committed, header.version);
  item.found = header.value_bytes != kAbsent;
  item.blind = item.found && item.intent == Transaction::Intent::kOverwrite;
  item.fetched = true;
  if (!item.found || item.blind) return Found::kOwn;
  const std::span<const std::byte> value = object.take_bytes(item.bytes);
  client_.worker.core().spend(rdma::Work::kCopyLine, cache_lines(value.size()));
  std::memcpy(item.payload, value.data(), value.size());
  return Found::kOwn;
}

std::optional<AbortCause> LookUp::claim_all(std::span<Access> accesses, std::span<Item> items) {
  for (const std::size_t i : nobodys_) {
    const Access& access = accesses[i];
    const ObjectHeader absent{.version = kLoadedAt,
                              .key_bytes = sizeof(Key),
                              .value_bytes = kAbsent,
                              .key = access.name.key};
    claims_->add(access.server, claim(client_.layout.list_of(access.name.table), *access.slot,
                                      std::as_bytes(std::span(&absent, 1))));
  }
  claims_->carry_out(client_.counted());
  std::optional<AbortCause> cause;
  for (std::size_t n = 0; n < nobodys_.size(); ++n) {
    const std::size_t i = nobodys_[n];
    if (const auto why = take_claim(accesses[i], items[i], n)) cause = why;
  }
  std::erase_if(wanted_, [&](std::size_t i) { return items[i].fetched; });
  claims_->clear();
  if (cause) client_.reports.flush();  // some that it has collected may wait for others to go with
  return cause;
}

// A slot that another has taken meanwhile may be this key's now, so it is looked at again.
std::optional<AbortCause> LookUp::take_claim(Access& access, Item& item, std::size_t claim) {
  const prism::Installed installed = claims_->installed(claim);
  if (installed.how == prism::Installed::How::kNoBuffer) {
    client_.worker.core().reach("prism_tx: no free buffer for an absent key");
    client_.count(Counter::kNoBuffer);
    return Abort::kNoBuffer;
  }
  if (!installed.done()) {
    client_.worker.core().reach("prism_tx: empty slot claimed by another");
    client_.give_back(access, installed.buffer);
    return std::nullopt;
  }
  client_.worker.core().reach("prism_tx: slot claimed for an absent key");
  client_.count(Counter::kClaims);
  access.version = kLoadedAt;
  item.found = item.blind = false;
  item.fetched = true;
  return std::nullopt;
}

}  // namespace verbena::txn::prism_tx
