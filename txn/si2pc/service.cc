// The handlers of a partition and of the counter server.
#include "txn/si2pc/service.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc.h"

namespace verbena::txn::si2pc {

using rdma::RpcReply;
using rdma::Work;

namespace {

constexpr std::uint32_t padded(std::uint32_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint32_t largest_payload(const Schema& schema) {
  std::uint32_t largest = 0;
  for (const TableDefinition& table : schema) largest = std::max(largest, table.payload_bytes);
  return padded(largest);
}

void answer(RpcReply& reply, std::uint64_t timestamp) {
  MessageWriter(reply.allocate(sizeof(Timestamp))).put(Timestamp{.value = timestamp});
}

}  // namespace

Service::Service(rdma::Worker& worker, const Schema& schema, WorkerMetrics& metrics)
    : worker_(worker), schema_(schema), metrics_(metrics) {}

std::size_t Service::message_bytes(const Schema& schema, const TransactionLimits& limits) {
  const std::size_t longest = std::max(
      {sizeof(ReadRequest) + limits.records * sizeof(WantedRecord),
       limits.records * sizeof(ReadStatus) + limits.record_bytes,
       sizeof(PrepareRequest) + limits.written * sizeof(PreparedRecord),
       sizeof(CommitRequest) + limits.written * sizeof(InstalledRecord) + limits.written_bytes,
       sizeof(ScanReply) + limits.scanned * sizeof(Key)});
  return std::max({sizeof(rdma::MessageHeader) + longest, least_message_bytes(schema),
                   std::size_t{rdma::kLeastMessageBytes}});
}

std::size_t Service::least_message_bytes(const Schema& schema) {
  return sizeof(rdma::MessageHeader) + sizeof(CommitRequest) + sizeof(InstalledRecord) +
         largest_payload(schema);
}

// Serves a method, and counts what its calls cost.
void Service::handle(rdma::RpcMethod method, Phase phase, Handler handler) {
  worker_.rpc().serve(method, [this, phase, handler = std::move(handler)](
                                  const rdma::RpcCaller&, Request request, RpcReply& reply) {
    const Nanoseconds began = worker_.now();
    handler(request, reply);
    metrics_.serve(worker_.turn_began(), phase,
                   {.calls = 1,
                    .busy_ns = static_cast<std::uint64_t>((worker_.now() - began).count()),
                    .request_bytes = request.size(),
                    .reply_bytes = reply.bytes()});
  });
}

void Service::serve(Records& records) {
  handle(Method::kRead, Phase::kRead,
         [this, &records](Request q, RpcReply& r) { read(records, q, r); });
  handle(Method::kScan, Phase::kRead,
         [this, &records](Request q, RpcReply& r) { scan(records, q, r); });
  handle(Method::kPrepare, Phase::kPrepare,
         [this, &records](Request q, RpcReply& r) { prepare(records, q, r); });
  handle(Method::kCommit, Phase::kCommit,
         [this, &records](Request q, RpcReply&) { commit(records, q); });
  handle(Method::kRelease, Phase::kPrepare, [this, &records](Request q, RpcReply&) {
    for (MessageReader message(q); !message.rest().empty();) {
      worker_.core().spend(Work::kLocalAtomic);
      records.release(message.take<ReleasedRecord>());
    }
  });
}

void Service::serve(Timestamps& timestamps) {
  handle(Method::kSnapshot, Phase::kTimestamp, [this, &timestamps](Request, RpcReply& r) {
    answer(r, timestamps.snapshot(worker_.core()));
  });
  handle(Method::kCommitTimestamp, Phase::kCommitTimestamp,
         [this, &timestamps](Request, RpcReply& r) { answer(r, timestamps.next(worker_.core())); });
  handle(Method::kFinished, Phase::kCommit, [this, &timestamps](Request q, RpcReply&) {
    timestamps.finish(MessageReader(q).take<Timestamp>().value, worker_.core());
  });
}

std::uint32_t Service::payload_bytes(TableId table) const { return schema_[table].payload_bytes; }

// Where its key leads to an entry, there is room for the record, be it in the snapshot or not.
void Service::read(Records& records, Request request, RpcReply& reply) {
  MessageReader message(request);
  const auto head = message.take<ReadRequest>();
  records.serves(head.snapshot, worker_.now());
  const Request wanted = message.rest();
  const std::size_t count = message.count<WantedRecord>();
  entries_.clear();
  std::size_t bytes = count * sizeof(ReadStatus);
  for (std::size_t i = 0; i < count; ++i) {
    const auto record = message.take<WantedRecord>();
    entries_.push_back(records.find(record.table, record.key, worker_.core()));
    if (entries_.back()) bytes += padded(payload_bytes(record.table));
  }
  const std::span<std::byte> out = reply.allocate(bytes);
  std::size_t at = count * sizeof(ReadStatus);
  std::ranges::fill(out.subspan(at), std::byte{0});
  MessageReader again(wanted);
  MessageWriter statuses(out.first(at));
  for (const auto& entry : entries_) {
    const auto record = again.take<WantedRecord>();
    ReadStatus read{
        .look = Look::kAbsent, .room = false, .locked = false, .old = false, .reserved = {}};
    if (entry) {
      read = records.read(record, *entry, head.snapshot, out.data() + at, worker_.core());
      read.room = true;
      at += padded(payload_bytes(record.table));
    }
    const Nanoseconds now = worker_.turn_began();
    metrics_.count(now, Counter::kReads);
    if (read.locked) metrics_.count(now, Counter::kReadThrough);
    if (read.old) metrics_.count(now, Counter::kOldReads);
    statuses.put(read);
  }
}

void Service::scan(Records& records, Request request, RpcReply& reply) {
  const auto range = MessageReader(request).take<ScanRequest>();
  records.serves(range.snapshot, worker_.now());
  const std::size_t most = (worker_.rpc().max_payload() - sizeof(ScanReply)) / sizeof(Key);
  keys_.resize(std::min<std::size_t>(most, range.limit));
  const ScanReply head = records.scan(range, keys_, worker_.core());
  metrics_.count(worker_.turn_began(), Counter::kScanned, head.keys);
  MessageWriter out(reply.allocate(sizeof head + head.keys * sizeof(Key)));
  out.put(head);
  out.put_padded(std::as_bytes(std::span(keys_).first(head.keys)));
}

// All records of the message, or none.
void Service::prepare(Records& records, Request request, RpcReply& reply) {
  MessageReader message(request);
  const auto head = message.take<PrepareRequest>();
  records.serves(head.snapshot, worker_.now());
  const Request wanted = message.rest();
  PrepareReply answer{.status = PrepareReply::Status::kPrepared, .reserved = {}};
  locked_.clear();
  while (!message.rest().empty() && answer.status == PrepareReply::Status::kPrepared) {
    const auto prepared = records.prepare(message.take<PreparedRecord>(), head, worker_.core());
    answer.status = prepared.status;
    if (prepared.status == PrepareReply::Status::kPrepared) locked_.push_back(prepared.entry);
  }
  if (answer.status != PrepareReply::Status::kPrepared) {
    if (!locked_.empty()) worker_.core().reach("si2pc: locks of other records given back");
    MessageReader again(wanted);
    for (const std::uint32_t entry : locked_) {
      records.release({.owner = head.owner,
                       .entry = entry,
                       .table = again.take<PreparedRecord>().table,
                       .reserved = {}});
    }
    locked_.clear();
  }
  MessageWriter out(reply.allocate(sizeof answer + locked_.size() * sizeof(std::uint32_t)));
  out.put(answer);
  for (const std::uint32_t entry : locked_) out.put(entry);
}

void Service::commit(Records& records, Request request) {
  MessageReader message(request);
  const auto head = message.take<CommitRequest>();
  while (!message.rest().empty()) {
    const auto record = message.take<InstalledRecord>();
    const std::uint32_t bytes =
        record.erased ? 0 : padded(records.table(record.table).format.payload_bytes());
    records.install(record, head, message.take_bytes(bytes).data(), worker_.core());
  }
}

}  // namespace verbena::txn::si2pc
