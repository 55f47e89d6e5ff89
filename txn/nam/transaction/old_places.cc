// Places that are in use, and having them cleared.
#include "txn/nam/transaction/old_places.h"

#include <cstddef>

#include "rdma/base/message_io.h"
#include "txn/nam/attempt/server_calls.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/version.h"
#include "txn/nam/versions/mover.h"

namespace verbena::txn::nam {

// True if the place is in use that the version with this number needs when it is replaced.
bool OldPlaces::blocked(const Access& access, std::uint32_t installs) const {
  if (!access.headers_read()) return true;
  const OldHeader& there = access.headers()[installs % attempt_.layout().versions()];
  return there.installs != 0 && !moved(there.version);
}

bool OldPlaces::make_room() {
  if (!attempt_.layout().overflows()) return true;
  blocked_.clear();
  for (Access& access : accesses_) {
    if (!accesses_.written(access)) continue;
    if (blocked(access, access.image().installs())) blocked_.push_back(&access);
  }
  if (blocked_.empty()) return true;
  move_old_versions();
  return !attempt_.doomed();
}

// True if the transaction has been tried for long since it first found overflow full.
bool OldPlaces::waits_too_long() const {
  return full_since_ != kNever &&
         attempt_.now() - full_since_ >= attempt_.options().longest_transaction;
}

void OldPlaces::move_old_versions() {
  attempt_.reach("nam: old versions have to be moved before new ones are installed");
  attempt_.count(Counter::kMovesAwaited, blocked_.size());
  attempt_.at(Attempt::Step::kMoves);
  const std::size_t done = call_for_moves();
  if (done < blocked_.size()) {
    if (full_since_ == kNever) full_since_ = attempt_.now();
    return attempt_.lose(blocked_[done]->name(), Abort::kOverflowFull, 0);
  }
  const std::uint32_t versions = attempt_.layout().versions();
  for (const Access* access : blocked_) {
    access->headers()[access->image().installs() % versions].version |= kMoved;
  }
}

// How many were moved, from the first on.
std::size_t OldPlaces::call_for_moves() {
  const bool urgent = waits_too_long();
  call_servers(attempt_, blocked_, Method::kMove, {}, [urgent](const Access& access) {
    return RecordToMove{.entry = access.entry(),
                        .partition = access.name().partition,
                        .table = access.name().table,
                        .urgent = urgent ? std::uint8_t{1} : std::uint8_t{0},
                        .reserved = {}};
  });
  rdma::RpcBatch& calls = attempt_.calls();
  calls.wait();
  std::size_t done = 0;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    done += take_reply<MoveReply>(calls, call).moved;
  }
  calls.clear();
  return done;
}

void OldPlaces::hint(const Access& access) {
  const Layout& layout = attempt_.layout();
  const std::uint32_t installs = access.image().installs();
  const OldHeader* header = access.headers() + layout.headers_of_record();
  access.headers()[installs % layout.versions()] = *header;
  if (!blocked(access, installs + 1)) return;
  auto* hint = reinterpret_cast<OldHeader*>(accesses_.allocate(sizeof(OldHeader)));
  *hint = hint_of(access.name(), access.entry(), installs);
  attempt_.servers().write_header(
      layout.hint(access.name(), attempt_.number(), hints_++ % Layout::kHints), hint);
}

}  // namespace verbena::txn::nam
