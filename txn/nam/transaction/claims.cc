// Claiming keys, by entries of extents where there are some.
#include "txn/nam/transaction/claims.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "rdma/base/message_io.h"
#include "txn/nam/attempt/server_calls.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

bool Claims::allot(Access& access) {
  access.allot(extents_->take(access.name(), attempt_.now()));
  return access.allotted() != kAnyEntry;
}

void Claims::allot_entries() {
  std::vector<RecordName> without;
  for (Access* access : claimed_) {
    if (!allot(*access)) without.push_back(access->name());
  }
  if (without.empty()) return;
  extents_->refill(attempt_.calls(), without, attempt_.lock_word(), attempt_.now());
  attempt_.count(Counter::kAllocations);
  for (Access* access : claimed_) {
    if (access->allotted() == kAnyEntry) allot(*access);
  }
}

void Claims::send() {
  if (extents_ != nullptr) allot_entries();
  attempt_.count(Counter::kClaims, claimed_.size());
  const ClaimRequest head{.owner = attempt_.lock_word()};
  call_servers(attempt_, claimed_, Method::kClaim, std::as_bytes(std::span(&head, 1)),
               [](const Access& access) {
                 return KeyToClaim{.key = access.name().key,
                                   .entry = access.allotted(),
                                   .partition = access.name().partition,
                                   .table = access.name().table,
                                   .reserved = {}};
               });
}

void Claims::receive() {
  rdma::RpcBatch& calls = attempt_.calls();
  calls.wait();
  auto next = claimed_.begin();
  for (std::size_t call = 0; call < calls.size(); ++call) {
    calls.take(call, [&](std::span<const std::byte> bytes) {
      MessageReader reply(bytes);
      const auto left = static_cast<std::size_t>(claimed_.end() - next);
      const std::size_t least = call + 1 == calls.size() ? left : 0;
      check_within(reply.count<Claim>(), least, left, "claims");
      for (; !reply.rest().empty(); ++next) take(**next, reply.take<Claim>());
    });
  }
  calls.clear();
}

// A record that was claimed is as if it had been read, and locked.
void Claims::take(Access& access, const Claim& claim) {
  if (claim.fresh == 0) {
    attempt_.doom(Abort::kKeyTaken);
    if (access.allotted() != kAnyEntry) extents_->put_back(access.name(), access.allotted());
    return;
  }
  check_entry(attempt_.layout(), access.name().table, claim.entry);
  attempt_.reach("nam: key claimed");
  access.was_claimed(claim.entry);
  accesses_.table(access).format.compose(access.image(), kNeverThere, kFirstInstall,
                                         access.name().key, accesses_.item(access).payload);
  std::fill_n(access.headers(), attempt_.layout().headers_of_record(), OldHeader{});
}

bool Claims::to_set_back(const Access& access) const {
  if (!accesses_.written(access) || !accesses_.table(access).collects()) return false;
  const std::uint64_t version = access.image().version();
  return deleted(version) && version != kNeverThere;
}

void Claims::set_back_erased() {
  erased_.clear();
  for (Access& access : accesses_) {
    if (to_set_back(access)) erased_.push_back(&access);
  }
  if (erased_.empty()) return;
  const Nanoseconds began = attempt_.now();
  call_servers(attempt_, erased_, Method::kSetBack, {}, [](const Access& access) {
    return ErasedRecord{.key = access.name().key,
                        .partition = access.name().partition,
                        .table = access.name().table,
                        .reserved = {}};
  });
  attempt_.calls().wait();
  attempt_.calls().clear();
  attempt_.reach("nam: erased record about to be inserted again");
  attempt_.times().claim += attempt_.now() - began;
}

}  // namespace verbena::txn::nam
