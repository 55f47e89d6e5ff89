// The handlers of the two-sided phases.
#include "txn/occ/service.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/message_io.h"
#include "rdma/base/random.h"
#include "txn/occ/log/past_logs.h"
#include "txn/occ/node/measurements.h"
#include "txn/occ/node/node_state.h"
#include "txn/occ/node/primary_record.h"
#include "txn/store/lock_word.h"

namespace verbena::txn::occ {
namespace {

using rdma::Work;

void answer(rdma::RpcReply& reply, StatusReply::Status status) {
  const StatusReply message{.status = status};
  std::memcpy(reply.allocate(sizeof message).data(), &message, sizeof message);
}

/// The head of a group of records, as many of which the message has room for.
template <typename Record>
GroupHeader take_group(MessageReader& message) {
  const auto group = message.take<GroupHeader>();
  check_within(group.records, 0, message.rest().size() / sizeof(Record), "records");
  return group;
}

ReadReply::Status status_of(const PrimaryRecord& record) {
  switch (record.status) {
    case PrimaryRecord::Status::kNowhere:
      return ReadReply::Status::kNotFound;
    case PrimaryRecord::Status::kHere:
      return absent(record.version) ? ReadReply::Status::kAbsent : ReadReply::Status::kOk;
    case PrimaryRecord::Status::kLocked:
    case PrimaryRecord::Status::kChanged:
      break;
  }
  return ReadReply::Status::kLocked;
}

}  // namespace

Service::Service(NodeState& node, rdma::Worker& worker, Measurements& measurements)
    : node_(node), worker_(worker), measurements_(measurements), sources_(node.endpoint().nodes()) {
  for (const TableDefinition& table : node.schema()) {
    scratch_.resize(std::max<std::size_t>(scratch_.size(), table.payload_bytes));
  }
  using rdma::RpcCaller;
  using rdma::RpcReply;
  rdma::Rpc& rpc = worker.rpc();
  // Serves a procedure of a phase, and counts what its handler costs.
  const auto serve = [&](rdma::RpcMethod method, Phase phase, auto handler) {
    rpc.serve(method,
              [this, phase, handler](const RpcCaller& caller, Request request, RpcReply& reply) {
                const Nanoseconds began = worker_.now();
                handler(caller, request, reply);
                measurements_.count_served(
                    phase, {.calls = 1,
                            .busy_ns = static_cast<std::uint64_t>((worker_.now() - began).count()),
                            .request_bytes = request.size(),
                            .reply_bytes = reply.bytes()});
              });
  };
  serve(Method::kRead, Phase::kExecute,
        [this](const RpcCaller&, Request q, RpcReply& r) { read(q, r); });
  serve(Method::kLock, Phase::kValidate,
        [this](const RpcCaller&, Request q, RpcReply& r) { lock(q, r); });
  serve(Method::kValidate, Phase::kValidate,
        [this](const RpcCaller&, Request q, RpcReply& r) { validate(q, r); });
  serve(Method::kLog, Phase::kLog, [this](const RpcCaller& c, Request q, RpcReply&) { log(c, q); });
  serve(Method::kCommit, Phase::kCommit,
        [this](const RpcCaller&, Request q, RpcReply&) { commit(q); });
  serve(Method::kApply, Phase::kCommit,
        [this](const RpcCaller& c, Request q, RpcReply&) { apply_message(c, q); });
  rpc.serve(Method::kUnlock, [this](const RpcCaller&, Request q, RpcReply&) { unlock(q); });
  rpc.serve(Method::kScan, [this](const RpcCaller&, Request q, RpcReply& r) { scan(q, r); });
  rpc.serve(Method::kUnindex, [this](const RpcCaller&, Request q, RpcReply&) { unindex(q); });
  rpc.serve(Method::kReclaim,
            [this](const RpcCaller& c, Request q, RpcReply& r) { reclaim(c, q, r); });
}

const TableLayout& Service::table(TableId table) const {
  check_below(table, node_.schema().size(), "table");
  return node_.layout().table(table);
}

std::byte* Service::live_record(TableId name, std::uint32_t entry) {
  check_below(entry, table(name).entries, "entry");
  return node_.store().record(0, name, entry);
}

void Service::read(Request request, rdma::RpcReply& reply) {
  const auto wanted = MessageReader(request).take<ReadRequest>();
  check_below(wanted.key, kNoKey, "key");
  const RecordFormat& format = table(wanted.table).format;
  const PrimaryAccess access{.table = wanted.table,
                             .key = wanted.key,
                             .owner = wanted.owner,
                             .insert = wanted.insert,
                             .lock = wanted.lock,
                             .lock_if_added = false};
  PrimaryRecord record = locate_primary(node_, worker_.core(), access);
  const bool here = record.status == PrimaryRecord::Status::kHere;
  const bool gone = !here || absent_now(node_, wanted.table, record);
  const std::span<std::byte> out =
      reply.allocate(sizeof(ReadReply) + (gone ? 0 : format.payload_bytes()));
  if (here) {
    read_primary(node_, worker_.core(), access, record,
                 gone ? scratch_.data() : out.data() + sizeof(ReadReply));
    // The reply has room for what was there before.
    if (gone != absent(record.version)) {
      worker_.core().reach("occ: record comes or goes while a handler reads it");
      record.status = PrimaryRecord::Status::kChanged;
    }
  }
  if (!gone) worker_.core().spend(Work::kCopyLine, format.lines());
  const ReadReply head{.status = status_of(record),
                       .locked = record.locked,
                       .reserved = 0,
                       .entry = record.entry,
                       .version = record.version};
  std::memcpy(out.data(), &head, sizeof head);
}

StatusReply::Status Service::lock_one(const RecordCheck& record, std::uint64_t owner,
                                      bool& locked) {
  std::byte* live = live_record(record.table, record.entry);
  locked = try_lock(live, owner);
  if (!locked) {
    worker_.core().reach("occ: lock by handler finds it taken");
    return StatusReply::Status::kLocked;
  }
  worker_.core().step(live);
  const std::uint64_t version = shared_word(live + kVersionOffset).load(std::memory_order_acquire);
  if (version == record.version) return StatusReply::Status::kOk;
  worker_.core().reach("occ: lock by handler finds the record changed");
  return StatusReply::Status::kChanged;
}

void Service::lock(Request request, rdma::RpcReply& reply) {
  MessageReader message(request);
  const auto group = take_group<RecordCheck>(message);
  worker_.core().spend(Work::kLocalAtomic, group.records);
  worker_.core().spend(Work::kRecordAccess, group.records);
  const Request records = message.rest();
  StatusReply::Status status = StatusReply::Status::kOk;
  std::uint32_t held = 0;
  const bool ignores = node_.plan().ignore_conflicts;
  while (held < group.records && status == StatusReply::Status::kOk) {
    bool locked = false;
    status = lock_one(message.take<RecordCheck>(), group.owner, locked);
    if (locked || ignores) ++held;
    if (ignores) status = StatusReply::Status::kOk;
  }
  if (status != StatusReply::Status::kOk) {
    if (held > (status == StatusReply::Status::kChanged ? 1U : 0U)) {
      worker_.core().reach("occ: lock by handler gives back locks of other records");
    }
    MessageReader again(records);
    for (; held > 0; --held) {
      const auto record = again.take<RecordCheck>();
      txn::unlock(live_record(record.table, record.entry), group.owner);
    }
  }
  answer(reply, status);
}

void Service::validate(Request request, rdma::RpcReply& reply) {
  MessageReader message(request);
  const auto group = take_group<RecordCheck>(message);
  worker_.core().spend(Work::kRecordAccess, group.records);
  StatusReply::Status status = StatusReply::Status::kOk;
  for (std::uint32_t i = 0; i < group.records && status == StatusReply::Status::kOk; ++i) {
    status = validate_one(message.take<RecordCheck>());
    if (node_.plan().ignore_conflicts) status = StatusReply::Status::kOk;
  }
  answer(reply, status);
}

StatusReply::Status Service::validate_one(const RecordCheck& record) {
  std::byte* live = live_record(record.table, record.entry);
  if (shared_word(live + kLockOffset).load(std::memory_order_acquire) != kUnlocked) {
    worker_.core().reach("occ: validation by handler finds a lock");
    return StatusReply::Status::kLocked;
  }
  worker_.core().step(live);
  if (shared_word(live + kVersionOffset).load(std::memory_order_acquire) == record.version) {
    return StatusReply::Status::kOk;
  }
  worker_.core().reach("occ: validation by handler finds another version");
  return StatusReply::Status::kChanged;
}

void Service::log(const rdma::RpcCaller& caller, Request request) {
  MessageReader message(request);
  const auto piece = message.take<LogPiece>();
  const Request bytes = message.rest();
  worker_.core().spend(Work::kRecordAccess);
  worker_.core().spend(Work::kCopyLine,
                       static_cast<std::uint32_t>((bytes.size() + kLineBytes - 1) / kLineBytes));
  const LogRingMemory ring = node_.ring(caller.node, caller.worker);
  check_within(piece.place, 0, ring.bytes(), "place in a log");
  check_within(bytes.size(), 0, ring.bytes() - piece.place, "bytes of a log");
  ring.write(piece.place, bytes);
}

void Service::commit(Request request) {
  MessageReader message(request);
  const auto group = take_group<RecordUpdate>(message);
  // Locked by this caller before, the records are in this machine's caches.
  worker_.core().spend(Work::kLocalAtomic, group.records);
  for (std::uint32_t i = 0; i < group.records; ++i) {
    const auto record = message.take<RecordUpdate>();
    const RecordFormat& format = table(record.table).format;
    const Request payload = message.take_bytes(padded_to_words(format.payload_bytes()));
    worker_.core().spend(Work::kCopyLine, format.lines());
    std::byte* live = live_record(record.table, record.entry);
    if (!node_.plan().ignore_conflicts) check_held(live, group.owner);
    if (absent(record.version)) remove_from_index(record);
    format.write_live(live, record.version, record.key, payload.data(), &worker_.core());
    worker_.core().step(live);
    unlock_primary(node_, live, group.owner);
  }
}

void Service::remove_from_index(const RecordUpdate& record) {
  check_below(record.entry, table(record.table).entries, "entry");
  worker_.core().reach("occ: record erased by handler");
  worker_.core().spend(Work::kIndexInsert);
  node_.store().unindex(record.table, record.key, record.entry, record.version, &worker_.core());
}

void Service::unindex(Request request) {
  const auto update = MessageReader(request).take<RecordUpdate>();
  if (!absent(update.version)) throw Malformed("erases a record with a version that is there");
  remove_from_index(update);
}

// Records that the caller itself is inserting are none to it.
bool Service::inserted_by(std::uint64_t owner, TableId table, std::uint32_t entry) {
  std::byte* live = node_.store().record(0, table, entry);
  return shared_word(live + kLockOffset).load(std::memory_order_acquire) == owner &&
         absent(shared_word(live + kVersionOffset).load(std::memory_order_acquire));
}

void Service::reach_full_scan(bool descending) {
  if (descending) {
    worker_.core().reach("occ: scan that ended at its limit is validated, descending");
  } else {
    worker_.core().reach("occ: scan that ended at its limit is validated, ascending");
  }
}

void Service::scan(Request request, rdma::RpcReply& reply) {
  const auto wanted = MessageReader(request).take<ScanRequest>();
  if (!table(wanted.table).ordered) throw Malformed("is a scan of a table that is not ordered");
  check_within(wanted.limit, 0, node_.options().limits.scanned, "keys wanted of a scan");
  const RecentChanges& changes = node_.store().ordered_index(wanted.table).changes();
  ScanReply head{};
  head.position = changes.count();
  keys_.clear();
  std::uint32_t probes = 0;
  worker_.core().step();
  node_.store().scan(
      wanted.table, wanted.first, wanted.last, wanted.descending,
      [&](Key key, std::uint32_t entry) {
        if (keys_.size() == wanted.limit) return false;
        if (inserted_by(wanted.owner, wanted.table, entry)) {
          worker_.core().reach("occ: scan passes over what its transaction inserts");
          return true;
        }
        keys_.push_back(key);
        head.digest = mix64(head.digest ^ mix64(key) ^ entry);
        return keys_.size() < wanted.limit;
      },
      &probes);
  worker_.core().spend(Work::kIndexProbe, probes);
  worker_.core().step();
  if (wanted.validate) {
    const bool full = keys_.size() == wanted.limit && wanted.limit > 0;
    if (full) reach_full_scan(wanted.descending);
    const Key first = full && wanted.descending ? keys_.back() : wanted.first;
    const Key last = full && !wanted.descending ? keys_.back() : wanted.last;
    head.changed = changes.since(wanted.position, first, last, [&](std::uint32_t entry) {
      return inserted_by(wanted.owner, wanted.table, entry);
    });
    if (head.changed) worker_.core().reach("occ: scan validation finds keys come or gone");
  }
  head.keys = wanted.validate ? 0 : static_cast<std::uint32_t>(keys_.size());
  const std::size_t bytes = head.keys * sizeof(Key);
  const std::span<std::byte> out = reply.allocate(sizeof head + bytes);
  std::memcpy(out.data(), &head, sizeof head);
  if (bytes > 0) std::memcpy(out.data() + sizeof head, keys_.data(), bytes);
}

void Service::unlock(Request request) {
  MessageReader message(request);
  const auto group = take_group<RecordCheck>(message);
  worker_.core().spend(Work::kLocalAtomic, group.records);
  for (std::uint32_t i = 0; i < group.records; ++i) {
    const auto record = message.take<RecordCheck>();
    std::byte* live = live_record(record.table, record.entry);
    std::uint64_t expected = group.owner;
    shared_word(live + kLockOffset)
        .compare_exchange_strong(expected, kUnlocked, std::memory_order_acq_rel);
  }
}

void Service::check_origin(const LogRecordReader& record, const rdma::RpcCaller& caller,
                           Source& source) {
  const std::string mistake = source.origin.mistake_of(
      record, caller.node, caller.worker,
      [this](TableId table) { return node_.schema()[table].payload_bytes; });
  if (!mistake.empty()) throw std::logic_error(name_of_log(caller) + ": " + mistake);
}

std::string Service::name_of_log(const rdma::RpcCaller& writer) const {
  return "log of node " + std::to_string(writer.node) + " worker " + std::to_string(writer.worker) +
         " at node " + std::to_string(node_.node());
}

void Service::apply(const LogRecordReader& record) { count(store(record, &worker_.core())); }

Service::Applied Service::store(const LogRecordReader& record, rdma::Core* core) {
  Applied applied;
  record.for_each([this](TableId name) { return table(name).format.payload_bytes(); },
                  [&](const LogUpdate& update, const std::byte* payload) {
                    store(update, payload, applied, core);
                  });
  return applied;
}

void Service::store(const LogUpdate& update, const std::byte* payload, Applied& applied,
                    rdma::Core* core) {
  const Placement& placement = node_.layout().placement();
  check_below(update.partition, node_.endpoint().nodes(), "partition");
  check_below(update.entry, table(update.table).entries, "entry");
  if (!placement.backs_up(node_.node(), update.partition)) {
    if (core != nullptr) core->reach("occ: backup passes over an update of another partition");
    return;
  }
  const auto copy = static_cast<CopyId>(placement.copy_on(node_.node(), update.partition));
  const Store::Applied done = node_.store().apply(copy, update.table, update.entry, update.key,
                                                  update.version, payload, core);
  ++applied.updates;
  if (done != Store::Applied::kNothing) ++applied.changed;
  if (done == Store::Applied::kIndexed) ++applied.indexed;
}

void Service::count(const Applied& applied) {
  worker_.core().spend(Work::kLogApply, applied.updates);
  worker_.core().spend(Work::kIndexInsert, applied.indexed);
  measurements_.count(Counter::kAppliedUpdates, applied.updates);
}

void Service::apply_message(const rdma::RpcCaller& caller, Request request) {
  MessageReader message(request);
  const auto header = message.take<ApplyHeader>();
  Applied applied;
  for (std::uint32_t i = 0; i < header.updates; ++i) {
    const auto update = message.take<LogUpdate>();
    const Request payload =
        message.take_bytes(padded_to_words(table(update.table).format.payload_bytes()));
    store(update, payload.data(), applied, &worker_.core());
  }
  count(applied);
  source(caller.node)
      .reader.applied_message(header.begin, header.bytes, header.messages,
                              node_.log_layout().ring_bytes);
}

void Service::begin_with(const PastLogs& past, bool applied) {
  past_ = &past;
  past_applied_ = applied;
}

// Past records write what is there already, so they may be passed over.
Service::Source Service::begin_of(NodeId node) const {
  Source source;
  if (past_ != nullptr) source.reader.begin_at(past_->bytes(node, worker_.id(), node_.node()));
  return source;
}

Service::Source& Service::source(NodeId node) {
  auto& made = sources_[node];
  if (made == nullptr) made = std::make_unique<Source>(begin_of(node));
  return *made;
}

// Begins with the last node's ring: versions make any order do.
Service::Applied Service::apply_at_rest() {
  Applied applied;
  // Without backups there are no logs, and workers need not be as many on all nodes.
  if (node_.layout().placement().replicas == 1) return applied;
  for (std::size_t i = sources_.size(); i-- > 0;) {
    const rdma::RpcCaller writer{.node = static_cast<NodeId>(i), .worker = worker_.id()};
    if (sources_[i] != nullptr) {
      apply_to_end(writer, *sources_[i], applied);
    } else {
      // On large clusters most rings are such: they need no account afterwards.
      Source unread = begin_of(writer.node);
      apply_to_end(writer, unread, applied);
    }
  }
  return applied;
}

void Service::apply_to_end(const rdma::RpcCaller& writer, Source& source, Applied& applied) {
  try {
    source.reader.advance_to_end(node_.ring(writer.node, writer.worker), record_copy_,
                                 [&](const LogRecordReader& record) {
                                   check_origin(record, writer, source);
                                   applied.add(store(record, nullptr));
                                 });
  } catch (const Malformed& wrong) {
    throw PeerError(name_of_log(writer) + " " + wrong.what());
  }
}

void Service::reclaim(const rdma::RpcCaller& caller, Request request, rdma::RpcReply& reply) {
  const auto notice = MessageReader(request).take<ReclaimRequest>();
  const bool first = sources_[caller.node] == nullptr;
  Source& ring = source(caller.node);
  if (first && past_ != nullptr && !past_applied_) {
    past_->visit(caller.node, caller.worker, node_.node(),
                 [this](const LogRecordReader& record) { apply(record); });
  }
  LogRingReader& reader = ring.reader;
  const bool valid = reader.advance(node_.ring(caller.node, caller.worker), notice.limit,
                                    record_copy_, [&](const LogRecordReader& record) {
                                      check_origin(record, caller, ring);
                                      apply(record);
                                    });
  if (!valid) {
    throw Malformed("has a limit of " + std::to_string(notice.limit) +
                    ", and there is no valid log record at position " +
                    std::to_string(reader.applied()));
  }
  const ReclaimReply message{.applied = reader.applied()};
  std::memcpy(reply.allocate(sizeof message).data(), &message, sizeof message);
}

}  // namespace verbena::txn::occ
