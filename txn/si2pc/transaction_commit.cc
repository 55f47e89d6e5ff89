// Two-phase commit.
#include <algorithm>
#include <array>
#include <cstring>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/si2pc/timestamps.h"
#include "txn/si2pc/transaction.h"

namespace verbena::txn::si2pc {

using rdma::Work;

// The own node's last, since its CPU does them at once.
void Si2pcTransaction::find_written() {
  order_.clear();
  for (Handle record = 0; record < accesses_.size(); ++record) {
    if (items_[record].written) order_.push_back(record);
  }
  std::ranges::stable_sort(order_, {}, [this](Handle record) { return accesses_[record].node; });
  std::ranges::stable_partition(order_, [this](Handle record) { return !is_own(record); });
}

bool Si2pcTransaction::prepare() {
  step_ = Step::kPrepares;
  const PrepareRequest head{.owner = owner_, .snapshot = snapshot_};
  send_calls(remote_, order_,
             {.method = Method::kPrepare,
              .head = std::as_bytes(std::span(&head, 1)),
              .sizes =
                  [](Handle) {
                    return RecordSizes{.request_bytes = sizeof(PreparedRecord),
                                       .reply_bytes = 2 * sizeof(std::uint32_t)};
                  },
              .put =
                  [this](MessageWriter& message, Handle record) {
                    message.put(PreparedRecord{.key = accesses_[record].name.key,
                                               .table = accesses_[record].name.table,
                                               .present = items_[record].found,
                                               .reserved = {}});
                  }});
  remote_.batch.wait();
  take_prepared();
  if (!doomed()) take_place();
  if (!doomed() && check_age()) return true;
  release();
  return false;
}

// Notes which locks were had.
void Si2pcTransaction::take_prepared() {
  auto next = remote_.records.begin();
  for (std::size_t call = 0; call < remote_.counts.size(); ++call) {
    const auto last = next + static_cast<std::ptrdiff_t>(remote_.counts[call]);
    remote_.batch.take(call, [&](std::span<const std::byte> bytes) {
      MessageReader reply(bytes);
      const auto head = reply.take<PrepareReply>();
      const std::size_t records = remote_.counts[call];
      if (head.status == PrepareReply::Status::kLocked) lose(Abort::kLocked, *next, records);
      if (head.status == PrepareReply::Status::kStale) lose(Abort::kStaleSnapshot, *next, records);
      for (; next != last; ++next) {
        Access& access = accesses_[*next];
        access.locked = head.status == PrepareReply::Status::kPrepared;
        if (access.locked) access.entry = reply.take<std::uint32_t>();
      }
      reply.expect_end();
    });
  }
  metrics_.count(worker_.now(), Counter::kParticipants, remote_.counts.size());
  remote_.clear();
}

void Si2pcTransaction::release() {
  std::erase_if(order_, [this](Handle record) { return !accesses_[record].locked; });
  if (order_.empty()) return;
  step_ = Step::kReleases;
  worker_.core().reach("si2pc: locks given back");
  send_calls(remote_, order_,
             {.method = Method::kRelease,
              .head = {},
              .sizes = [](Handle) { return RecordSizes{.request_bytes = sizeof(ReleasedRecord)}; },
              .put =
                  [this](MessageWriter& message, Handle record) {
                    message.put(ReleasedRecord{.owner = owner_,
                                               .entry = accesses_[record].entry,
                                               .table = accesses_[record].name.table,
                                               .reserved = {}});
                  }});
  remote_.batch.wait();
  remote_.clear();
}

void Si2pcTransaction::commit(std::uint64_t timestamp) {
  step_ = Step::kCommits;
  const CommitRequest head{.owner = owner_, .timestamp = timestamp};
  const auto payload = [this](Handle record) {
    return std::span(items_[record].payload, items_[record].erased ? 0 : items_[record].bytes);
  };
  send_calls(remote_, order_,
             {.method = Method::kCommit,
              .head = std::as_bytes(std::span(&head, 1)),
              .sizes =
                  [this](Handle record) {
                    const std::size_t payload = items_[record].erased ? 0 : padded_bytes(record);
                    return RecordSizes{.request_bytes = sizeof(InstalledRecord) + payload};
                  },
              .put =
                  [this, payload](MessageWriter& message, Handle record) {
                    message.put(InstalledRecord{.key = accesses_[record].name.key,
                                                .entry = accesses_[record].entry,
                                                .table = accesses_[record].name.table,
                                                .erased = items_[record].erased,
                                                .reserved = {}});
                    const std::span<const std::byte> bytes = payload(record);
                    worker_.core().spend(Work::kCopyLine, cache_lines(bytes.size()));
                    message.put_padded(bytes);
                  }});
  remote_.batch.wait();
  remote_.clear();
  const Timestamp finished{.value = timestamp};
  worker_.rpc().notify(counter_server_, Method::kFinished, std::as_bytes(std::span(&finished, 1)));
  set_last_commit(Timestamps::stamp(timestamp));
}

bool Si2pcTransaction::commit_attempt() {
  take_reads(remote_);
  if (doomed() || !any_written()) return end();
  const Nanoseconds read = worker_.now();
  find_written();
  if (!prepare()) return end();
  const Nanoseconds prepared = worker_.now();
  step_ = Step::kNumbers;
  const std::uint64_t timestamp = ask_counter(Method::kCommitTimestamp);
  const Nanoseconds numbered = worker_.now();
  take_stamp(Timestamps::stamp(timestamp));
  commit(timestamp);
  const Nanoseconds installed = worker_.now();
  if (metrics_.measured(installed)) {
    metrics_.record(Phase::kTimestamp, snapshot_time());
    metrics_.record(Phase::kRead, read - began_at() - snapshot_time());
    metrics_.record(Phase::kPrepare, prepared - read);
    metrics_.record(Phase::kCommitTimestamp, numbered - prepared);
    metrics_.record(Phase::kCommit, installed - numbered);
  }
  return end();
}

}  // namespace verbena::txn::si2pc
