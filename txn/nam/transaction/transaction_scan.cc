// Scanning by a snapshot.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"
#include "txn/nam/transaction/transaction.h"

namespace verbena::txn::nam {

using rdma::Work;

// What the snapshot holds of a key is told by its current version, if that is in it: the latest
// version that had been installed when the server looked, and so of all that are in the snapshot.
// Else the headers of the old versions tell.
bool NamTransaction::scan_range(const KeyRange& range, std::uint32_t limit,
                                std::vector<Key>& keys) {
  keys.clear();
  if (doomed()) return false;
  const auto declared =
      static_cast<std::uint32_t>(scan_headers_.size() / cells_of_scanned(layout_));
  if (limit > declared) {
    throw std::logic_error("a scan of " + std::to_string(limit) + " keys; declared are " +
                           std::to_string(declared));
  }
  need_snapshot();
  for (KeyRange rest = range; keys.size() < limit && rest.first <= rest.last;) {
    const ScanReply reply = list_keys(rest, limit - static_cast<std::uint32_t>(keys.size()));
    if (doomed()) return false;
    read_scanned_headers();
    if (doomed()) return false;
    for (const Scanned& scanned : scanned_) {
      if (keys.size() == limit) return true;
      const std::optional<bool> here = present(scanned);
      if (doomed()) return false;
      if (!here) {
        worker_.core().reach("nam: no old version of a scanned key is in the snapshot");
        doom(Abort::kSnapshotTooOld);
        return false;
      }
      if (*here) keys.push_back(scanned.listed.key);
    }
    if (reply.more == 0 || reply.reached == (range.descending ? range.first : range.last)) break;
    (range.descending ? rest.last : rest.first) =
        range.descending ? reply.reached - 1 : reply.reached + 1;
  }
  return true;
}

ScanReply NamTransaction::list_keys(const KeyRange& range, std::uint32_t limit) {
  const Nanoseconds began = worker_.now();
  const NodeId server = layout_.view().primary(range.partition);
  const ScanRequest request{
      .first = range.first,
      .last = range.last,
      .limit = limit,
      .room = static_cast<std::uint32_t>(scan_headers_.size() / cells_of_scanned(layout_)),
      .partition = range.partition,
      .table = range.table,
      .descending = range.descending,
      .reserved = {},
      .holds = told_.held(server, snapshot_at_)};
  calls_.add(server, Method::kScan, std::as_bytes(std::span(&request, 1)));
  scanned_name_ = {.table = range.table, .partition = range.partition, .key = 0};
  step_ = Step::kScans;
  calls_.post();
  calls_.wait();
  if (!check_age()) {
    calls_.clear();
    scanned_.clear();
    return {};
  }
  const auto head = calls_.take(0, [&](std::span<const std::byte> bytes) {
    MessageReader reply(bytes);
    const auto taken = reply.take<ScanReply>();
    take_listed(range, request.room, reply);
    if (taken.more != 0) check_within(taken.reached, range.first, range.last, "key reached");
    return taken;
  });
  told_.told(server, head.read, worker_.now());
  calls_.clear();
  const auto listed = static_cast<std::uint32_t>(scanned_.size());
  metrics_.count(worker_.now(), Counter::kScanned, listed);
  worker_.core().spend(Work::kTransactionStep, listed);
  if (servers_.by_cpu()) worker_.give_way();
  lookup_time_ += worker_.now() - began;
  return head;
}

void NamTransaction::take_listed(const KeyRange& range, std::uint32_t room, MessageReader& reply) {
  scanned_.resize(reply.count<ListedKey>());
  check_within(scanned_.size(), 0, room, "keys of a scan");
  for (std::size_t i = 0; i < scanned_.size(); ++i) {
    const auto listed = reply.take<ListedKey>();
    check_entry(layout_, range.table, listed.entry);
    check_below(stamp_of(listed.version).slot, layout_.slots(), "slot of a version");
    const bool old = !visible(listed.version);
    scanned_[i] = {.listed = listed,
                   .headers = old ? &scan_headers_[i * cells_of_scanned(layout_)] : nullptr};
  }
}

void NamTransaction::read_headers(const Scanned& scanned) {
  servers_.read_headers(layout_.headers(scanned_name_, scanned.listed.entry), scanned.headers,
                        layout_.headers_of_record());
}

void NamTransaction::read_scanned_headers() {
  for (const Scanned& scanned : scanned_) {
    if (scanned.headers == nullptr) continue;
    worker_.core().reach("nam: scan finds a later version than its snapshot's");
    read_headers(scanned);
  }
  if (servers_.empty()) return;
  servers_.post();
  servers_.wait();
  check_age();
}

// Nothing: no version that is kept is in the snapshot.
std::optional<bool> NamTransaction::present(const Scanned& scanned) {
  if (scanned.headers == nullptr) return !deleted(scanned.listed.version);
  worker_.core().spend(Work::kRecordAccess);
  const OldHeader* best = nullptr;
  Versions versions = choose(scanned.headers, &best);
  while (versions == Versions::kTorn) {
    read_headers(scanned);
    servers_.post();
    servers_.wait();
    if (!check_age()) return std::nullopt;
    versions = choose(scanned.headers, &best);
  }
  const bool in_place = best != nullptr && best - scanned.headers < layout_.versions();
  if (versions == Versions::kFound && in_place) return !deleted(best->version);
  return layout_.overflows() ? present_in_overflow(scanned) : std::nullopt;
}

}  // namespace verbena::txn::nam
