// Scans, and the same again.
#include "txn/occ/execution/scans.h"

#include <cassert>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/base/message_io.h"

namespace verbena::txn::occ {

void Scans::scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) {
  const std::uint32_t declared = attempt_.node().options().limits.scanned;
  if (limit > declared) {
    throw std::logic_error("a scan of " + std::to_string(limit) + " keys; declared are " +
                           std::to_string(declared));
  }
  Scan& scan = scans_.emplace_back(Scan{.request = {.first = range.first,
                                                    .last = range.last,
                                                    .owner = attempt_.lock_word(),
                                                    .position = 0,
                                                    .limit = limit,
                                                    .table = range.table,
                                                    .descending = range.descending,
                                                    .validate = false,
                                                    .reserved = 0},
                                        .partition = range.partition,
                                        .digest = 0,
                                        .call = 0});
  add_call(scan);
  attempt_.post_and_wait(attempt_.read_plan());
  const auto head = attempt_.calls().take(scan.call, [&](std::span<const std::byte> bytes) {
    MessageReader reply(bytes);
    const auto taken = reply.take<ScanReply>();
    check_within(reply.count<Key>(), taken.keys, taken.keys, "keys of a scan");
    check_within(taken.keys, 0, limit, "keys of a scan");
    keys.resize(taken.keys);
    if (taken.keys > 0) std::memcpy(keys.data(), reply.rest().data(), reply.rest().size());
    return taken;
  });
  attempt_.calls().clear();
  scan.digest = head.digest;
  scan.request.position = head.position;
  scan.request.validate = true;
}

void Scans::add_call(Scan& scan) {
  rdma::RpcBatch& calls = attempt_.calls();
  scan.call = static_cast<std::uint32_t>(calls.size());
  std::memcpy(
      calls.reserve(Placement::primary(scan.partition), Method::kScan, sizeof scan.request).data(),
      &scan.request, sizeof scan.request);
}

void Scans::validate(const PhasePlan& phase) {
  if (scans_.empty() || attempt_.doomed()) return;
  for (Scan& scan : scans_) {
    assert(scan.request.validate);
    add_call(scan);
  }
  attempt_.post_and_wait(phase);
  for (const Scan& scan : scans_) {
    const auto reply = take_reply<ScanReply>(attempt_.calls(), scan.call);
    if (!reply.changed && reply.digest == scan.digest) continue;
    if (!reply.changed) attempt_.reach("occ: scan validation finds other keys in the same index");
    attempt_.conflict(Abort::kValidationFailed);
  }
  attempt_.calls().clear();
}

}  // namespace verbena::txn::occ
