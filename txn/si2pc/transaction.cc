// Reading by a snapshot.
#include "txn/si2pc/transaction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/rest_of_range.h"
#include "txn/si2pc/timestamps.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::si2pc {

using rdma::Work;

namespace {

/// Times that the counter server is asked for a snapshot without a pause; then pauses double.
constexpr std::uint32_t kAsksAtOnce = 8;
constexpr Nanoseconds kFirstPause = kMicrosecond;
constexpr Nanoseconds kLongestPause = kMillisecond;

NodeId counter_server_of(const View& view) {
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    if (view.role(static_cast<NodeId>(n)) == Role::kOracle) return static_cast<NodeId>(n);
  }
  throw std::logic_error("a view without a counter server");
}

}  // namespace

Si2pcTransaction::Si2pcTransaction(rdma::Worker& worker, std::uint16_t fiber,
                                   const Deployment& deployment, Nanoseconds longest_transaction,
                                   WorkerMetrics& metrics)
    : SnapshotTransaction(worker,
                          {.name = "si2pc.longest_transaction",
                           .value = longest_transaction,
                           .by_default = kLongestTransaction},
                          Abort::kRolledBack),
      deployment_(deployment),
      metrics_(metrics),
      fiber_(fiber),
      counter_server_(counter_server_of(deployment.view)),
      local_(worker.rpc()),
      remote_(worker.rpc()),
      counter_(worker.rpc()),
      memory_(deployment.limits.record_bytes) {}

void Si2pcTransaction::forget_attempt() {
  accesses_.clear();
  used_ = 0;
  asked_ = 0;
  owner_ =
      LockOwner{
          .node = worker_.node(), .worker = worker_.id(), .fiber = fiber_, .attempt = ++attempts_}
          .word();
  step_ = Step::kReads;
}

Transaction::Handle Si2pcTransaction::note(const RecordName& name, Intent intent) {
  const auto known = std::ranges::find(accesses_, name, &Access::name);
  if (known != accesses_.end()) return static_cast<Handle>(known - accesses_.begin());
  const std::uint32_t bytes = deployment_.schema[name.table].payload_bytes;
  const std::size_t padded = (std::size_t{bytes} + 7) / 8 * 8;
  if (used_ + padded > memory_.size()) {
    throw std::logic_error("a transaction touches more records than was declared");
  }
  accesses_.push_back({.name = name, .node = deployment_.view.primary(name.partition)});
  items_.push_back({.payload = memory_.data() + used_, .bytes = bytes, .intent = intent});
  used_ += padded;
  return static_cast<Handle>(accesses_.size() - 1);
}

std::uint64_t Si2pcTransaction::ask_counter(rdma::RpcMethod method) {
  counter_.add(counter_server_, method, {});
  counter_.post();
  counter_.wait();
  const auto answer = take_reply<Timestamp>(counter_, 0);
  counter_.clear();
  return answer.value;
}

// An earlier commit of somebody else's that is not finished keeps later ones out of snapshots.
// Where all ask for that one without a pause, the message that it is finished may find no receive
// buffer.
ReadSnapshot Si2pcTransaction::ask_for_snapshot(const Stamp& own) {
  step_ = Step::kSnapshot;
  Nanoseconds asked_at = 0;
  Nanoseconds pause = kFirstPause;
  for (std::uint32_t asks = 1;; ++asks) {
    asked_at = worker_.now();
    snapshot_ = ask_counter(Method::kSnapshot);
    counts_ = {0, Timestamps::stamp(snapshot_).count};
    if (visible(own, counts_)) break;
    worker_.core().reach("si2pc: snapshot is without the fiber's own commit");
    metrics_.count(worker_.now(), Counter::kSnapshotWaits);
    if (asks < kAsksAtOnce) continue;
    worker_.core().reach("si2pc: pauses before it asks for a snapshot again");
    worker_.sleep_until(worker_.now() + pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  step_ = Step::kReads;
  return {.counts = counts_, .fetched_at = asked_at};
}

// Records that nodes have taken out of indexes since may be in an older snapshot.
bool Si2pcTransaction::check_age() {
  if (snapshot_age().usable()) return true;
  worker_.core().reach("si2pc: snapshot gets too old");
  doom(Abort::kSnapshotTooOld);
  return false;
}

// As many calls of each node as messages hold. `records` are in the order of their nodes. What the
// own node's CPU does itself is cut into pieces, between which others' calls are served.
void Si2pcTransaction::send_calls(Calls& calls, std::span<const Handle> records, const Plan& plan) {
  constexpr std::size_t kPiece = 8;
  const std::size_t most = worker_.rpc().max_payload();
  const auto server_of = [this](Handle record) { return accesses_[record].node; };
  for (std::span rest(records); !rest.empty();) {
    const bool own = is_own(rest.front());
    const CallRoom room{.request_bytes = most - plan.head.size(),
                        .reply_bytes = most,
                        .records = own ? kPiece : rest.size()};
    const auto group = first_group(rest, room, server_of, plan.sizes);
    MessageWriter message = add_call(calls.batch, plan.method, plan.head, group);
    calls.counts.push_back(group.records.size());
    for (const Handle record : group.records) {
      plan.put(message, record);
      calls.records.push_back(record);
    }
    calls.batch.post();
    if (own) worker_.give_way();
    rest = rest.subspan(group.records.size());
  }
}

// Asks for records from `first` on, and takes those that the own partition has.
void Si2pcTransaction::ask(Handle first) {
  order_.clear();
  for (Handle record = first; record < accesses_.size(); ++record) order_.push_back(record);
  std::ranges::stable_sort(order_, {}, [this](Handle record) { return accesses_[record].node; });
  const auto own =
      std::ranges::stable_partition(order_, [this](Handle record) { return !is_own(record); });
  const ReadRequest head{.snapshot = snapshot_};
  const Plan plan{.method = Method::kRead,
                  .head = std::as_bytes(std::span(&head, 1)),
                  .sizes =
                      [this](Handle record) {
                        return RecordSizes{
                            .request_bytes = sizeof(WantedRecord),
                            .reply_bytes = sizeof(ReadStatus) + padded_bytes(record)};
                      },
                  .put =
                      [this](MessageWriter& message, Handle record) {
                        message.put(WantedRecord{.key = accesses_[record].name.key,
                                                 .table = accesses_[record].name.table,
                                                 .to_write = items_[record].intent != Intent::kRead,
                                                 .reserved = {}});
                      }};
  send_calls(remote_, std::span(order_.begin(), own.begin()), plan);
  send_calls(local_, std::span(own), plan);
  take_reads(local_);
}

// Also of an attempt that is doomed, since calls must not outlive it. Others call meanwhile, and
// theirs are served between records.
void Si2pcTransaction::take_reads(Calls& calls) {
  calls.batch.wait();
  std::size_t next = 0;
  for (std::size_t call = 0; call < calls.counts.size(); ++call) {
    calls.batch.take(call, [&](std::span<const std::byte> reply) {
      MessageReader payloads(reply);
      MessageReader statuses(payloads.take_bytes(calls.counts[call] * sizeof(ReadStatus)));
      for (; !statuses.rest().empty(); ++next) {
        const Handle record = calls.records[next];
        const auto read = statuses.take<ReadStatus>();
        settle(record, read, payloads.take_bytes(read.room ? padded_bytes(record) : 0));
        worker_.give_way();
      }
      payloads.expect_end();
    });
  }
  calls.clear();
}

void Si2pcTransaction::settle(Handle record, const ReadStatus& read,
                              std::span<const std::byte> payload) {
  Item& item = items_[record];
  worker_.core().spend(Work::kTransactionStep);
  switch (read.look) {
    case Look::kTooOld:
      worker_.core().reach("si2pc: no old version is in the snapshot");
      return doom(Abort::kSnapshotTooOld);
    case Look::kNewer:
      worker_.core().reach("si2pc: writer finds a later version than its snapshot's");
      return lose(Abort::kStaleSnapshot, record, 1);
    case Look::kLocked:
      worker_.core().reach("si2pc: writer finds a lock");
      return lose(Abort::kLocked, record, 1);
    case Look::kPresent:
    case Look::kAbsent:
      break;
  }
  item.fetched = true;
  item.found = read.look == Look::kPresent;
  if (!item.found) return;
  check_within(payload.size(), item.bytes, payload.size(), "bytes of a record");
  worker_.core().spend(Work::kCopyLine, cache_lines(item.bytes));
  std::memcpy(item.payload, payload.data(), item.bytes);
}

// The requests to other nodes are on their way when this returns.
void Si2pcTransaction::prefetch_noted() {
  if (doomed() || asked_ == accesses_.size()) return;
  need_snapshot();
  ask(asked_);
  asked_ = static_cast<Handle>(accesses_.size());
}

bool Si2pcTransaction::fetch_noted() {
  prefetch_noted();
  take_reads(remote_);
  if (doomed()) return false;
  return !snapshot_age().taken() || check_age();
}

bool Si2pcTransaction::scan_range(const KeyRange& range, std::uint32_t limit,
                                  std::vector<Key>& keys) {
  keys.clear();
  if (doomed()) return false;
  need_snapshot();
  step_ = Step::kScans;
  const NodeId node = deployment_.view.primary(range.partition);
  ScanRequest request{.first = range.first,
                      .last = range.last,
                      .snapshot = snapshot_,
                      .limit = limit,
                      .table = range.table,
                      .descending = range.descending,
                      .reserved = {}};
  bool usable = true;
  while (usable && keys.size() < limit && request.first <= request.last) {
    request.limit = limit - static_cast<std::uint32_t>(keys.size());
    counter_.add(node, Method::kScan, std::as_bytes(std::span(&request, 1)));
    counter_.post();
    counter_.wait();
    const auto head = counter_.take(0, [&](std::span<const std::byte> bytes) {
      MessageReader reply(bytes);
      const auto taken = reply.take<ScanReply>();
      check_within(reply.count<Key>(), taken.keys, taken.keys, "keys of a scan");
      if (taken.more) check_within(taken.reached, request.first, request.last, "key reached");
      return taken;
    });
    MessageReader reply(counter_.reply(0).subspan(sizeof head));
    usable = check_age() && !head.too_old;
    if (head.too_old) {
      worker_.core().reach("si2pc: no old version of a scanned key is in the snapshot");
      doom(Abort::kSnapshotTooOld);
    }
    for (std::uint32_t i = 0; i < head.keys; ++i) {
      worker_.core().spend(Work::kTransactionStep);
      keys.push_back(reply.take<Key>());
      worker_.give_way();
    }
    counter_.clear();
    if (!head.more || !go_on_behind(request, head.reached)) break;
  }
  step_ = Step::kReads;
  return usable;
}

}  // namespace verbena::txn::si2pc
