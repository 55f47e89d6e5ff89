// Listing keys by RPC, and seeing which of them the snapshot holds.
#include "txn/nam/execution/range_scan.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/rpc/rpc.h"
#include "txn/nam/message_sizes.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/overflow.h"
#include "txn/nam/versions/version_choice.h"
#include "txn/rest_of_range.h"

namespace verbena::txn::nam {
namespace {

// Room for the headers of a key's old versions, and then perhaps for what is in overflow.
std::size_t cells_of_key(const Layout& layout) {
  return layout.overflows() ? std::max(layout.headers_of_record(), kCellsOfMoved)
                            : layout.headers_of_record();
}

std::span<OldHeader> headers_in(std::span<std::byte> memory) {
  return {reinterpret_cast<OldHeader*>(memory.data()), memory.size() / sizeof(OldHeader)};
}

}  // namespace

RangeScan::RangeScan(Attempt& attempt, const TransactionLimits& limits, OverflowReads& overflow,
                     ToldVectors& told)
    : attempt_(attempt),
      layout_(attempt.layout()),
      overflow_(overflow),
      told_(told),
      headers_(
          headers_in(attempt.worker().allocate_scratch(scratch_bytes(attempt.layout(), limits)))) {}

std::size_t RangeScan::scratch_bytes(const Layout& layout, const TransactionLimits& limits) {
  const std::size_t bytes = listed_keys(limits) * cells_of_key(layout) * sizeof(OldHeader);
  return std::size_t{cache_lines(bytes)} * kCacheLineBytes;
}

std::uint32_t RangeScan::room() const {
  return static_cast<std::uint32_t>(headers_.size() / cells_of_key(layout_));
}

void RangeScan::check_limit(std::uint32_t limit) const {
  if (limit <= room()) return;
  throw std::logic_error("a scan of " + std::to_string(limit) + " keys; declared are " +
                         std::to_string(room()));
}

bool RangeScan::scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) {
  for (KeyRange rest = range; keys.size() < limit && rest.first <= rest.last;) {
    ScanReply reply;
    if (!take_page(rest, limit, keys, reply)) return false;
    if (reply.more == 0 || !go_on_behind(rest, reply.reached)) break;
  }
  return true;
}

bool RangeScan::take_page(const KeyRange& rest, std::uint32_t limit, std::vector<Key>& keys,
                          ScanReply& reply) {
  reply = list_keys(rest, limit - static_cast<std::uint32_t>(keys.size()));
  if (attempt_.doomed()) return false;
  read_all_headers();
  if (attempt_.doomed()) return false;
  for (const Listed& listed : listed_) {
    if (keys.size() == limit) return true;
    const std::optional<bool> here = present(listed);
    if (attempt_.doomed()) return false;
    if (!here) {
      attempt_.reach("nam: no old version of a scanned key is in the snapshot");
      attempt_.doom(Abort::kSnapshotTooOld);
      return false;
    }
    if (*here) keys.push_back(listed.key.key);
  }
  return true;
}

ScanRequest RangeScan::request(const KeyRange& range, std::uint32_t limit, NodeId server) {
  return {.first = range.first,
          .last = range.last,
          .limit = limit,
          .room = room(),
          .partition = range.partition,
          .table = range.table,
          .descending = range.descending,
          .reserved = {},
          .holds = told_.held(server, attempt_.snapshot_age().began_at())};
}

ScanReply RangeScan::list_keys(const KeyRange& range, std::uint32_t limit) {
  const Nanoseconds began = attempt_.now();
  const NodeId server = layout_.view().primary(range.partition);
  const ScanRequest asked = request(range, limit, server);
  rdma::RpcBatch& calls = attempt_.calls();
  calls.add(server, Method::kScan, std::as_bytes(std::span(&asked, 1)));
  name_ = {.table = range.table, .partition = range.partition, .key = 0};
  attempt_.at(Attempt::Step::kScans);
  calls.post();
  calls.wait();
  if (!attempt_.check_age()) {
    calls.clear();
    listed_.clear();
    return {};
  }
  const auto head = calls.take(0, [&](std::span<const std::byte> bytes) {
    MessageReader reply(bytes);
    const auto taken = reply.take<ScanReply>();
    take_listed(range, asked.room, reply);
    if (taken.more != 0) check_within(taken.reached, range.first, range.last, "key reached");
    return taken;
  });
  told_.told(server, head.read, attempt_.now());
  calls.clear();
  const auto listed = static_cast<std::uint32_t>(listed_.size());
  attempt_.count(Counter::kScanned, listed);
  attempt_.spend(rdma::Work::kTransactionStep, listed);
  attempt_.give_way();
  attempt_.times().lookup += attempt_.now() - began;
  return head;
}

void RangeScan::take_listed(const KeyRange& range, std::uint32_t room, MessageReader& reply) {
  listed_.resize(reply.count<ListedKey>());
  check_within(listed_.size(), 0, room, "keys of a scan");
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    const auto key = reply.take<ListedKey>();
    check_entry(layout_, range.table, key.entry);
    check_below(stamp_of(key.version).slot, layout_.vector().slots(), "slot of a version");
    const bool old = !attempt_.snapshot().holds(key.version);
    listed_[i] = {.key = key, .headers = old ? &headers_[i * cells_of_key(layout_)] : nullptr};
  }
}

void RangeScan::read_headers(const Listed& listed) {
  attempt_.servers().read_headers(layout_.headers(name_, listed.key.entry), listed.headers,
                                  layout_.headers_of_record());
}

void RangeScan::read_all_headers() {
  for (const Listed& listed : listed_) {
    if (listed.headers == nullptr) continue;
    attempt_.reach("nam: scan finds a later version than its snapshot's");
    read_headers(listed);
  }
  if (attempt_.servers().empty()) return;
  attempt_.access_servers();
  attempt_.check_age();
}

// Nothing: no version that is kept is in the snapshot.
std::optional<bool> RangeScan::present(const Listed& listed) {
  if (listed.headers == nullptr) return !deleted(listed.key.version);
  attempt_.spend(rdma::Work::kRecordAccess);
  VersionChoice choice = attempt_.snapshot().choose(listed.headers);
  while (choice.versions == Versions::kTorn) {
    read_headers(listed);
    attempt_.access_servers();
    if (!attempt_.check_age()) return std::nullopt;
    choice = attempt_.snapshot().choose(listed.headers);
  }
  const OldHeader* best = choice.latest;
  const bool in_place = best != nullptr && best - listed.headers < layout_.versions();
  if (choice.versions == Versions::kFound && in_place) return !deleted(best->version);
  if (!layout_.overflows()) return std::nullopt;
  return overflow_.present(name_, listed.key.entry, listed.headers[layout_.versions()],
                           listed.headers);
}

}  // namespace verbena::txn::nam
