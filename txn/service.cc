// The handlers of the two-sided phases.
#include "txn/service.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "txn/coordinator.h"
#include "txn/lock_word.h"
#include "txn/message_io.h"
#include "txn/transaction_node.h"

namespace verbena::txn {
namespace {

using rdma::Work;

void answer(rdma::RpcReply& reply, StatusReply::Status status) {
  const StatusReply message{.status = status};
  std::memcpy(reply.allocate(sizeof message).data(), &message, sizeof message);
}

}  // namespace

Service::Service(TransactionNode& node, rdma::Worker& worker, Coordinator& coordinator)
    : node_(node), worker_(worker), coordinator_(coordinator), readers_(node.endpoint().nodes()) {
  using rdma::RpcCaller;
  using rdma::RpcReply;
  rdma::Rpc& rpc = worker.rpc();
  // What the phases' handlers cost is counted.
  const auto serve = [&](rdma::RpcMethod method, Phase phase, auto handler) {
    rpc.serve(method,
              [this, phase, handler](const RpcCaller& caller, Request request, RpcReply& reply) {
                const rdma::Nanoseconds began = worker_.now();
                handler(caller, request, reply);
                coordinator_.count_served(
                    phase, {.calls = 1,
                            .busy_ns = static_cast<std::uint64_t>(worker_.now() - began),
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
  rpc.serve(Method::kUnlock, [this](const RpcCaller&, Request q, RpcReply&) { unlock(q); });
  rpc.serve(Method::kReclaim,
            [this](const RpcCaller& c, Request q, RpcReply& r) { reclaim(c, q, r); });
}

void Service::read(Request request, rdma::RpcReply& reply) {
  const auto wanted = MessageReader(request).take<ReadRequest>();
  const RecordFormat& format = node_.layout().table(wanted.table).format;
  std::uint32_t probes = 0;
  const auto entry = node_.store().find(0, wanted.table, wanted.key, &probes);
  worker_.core().spend(Work::kIndexProbe, probes);
  ReadReply head{.status = ReadReply::Status::kNotFound, .entry = 0, .version = 0};
  if (!entry) {
    std::memcpy(reply.allocate(sizeof head).data(), &head, sizeof head);
    return;
  }
  worker_.core().spend(Work::kRecordAccess);
  worker_.core().spend(Work::kCopyLine, format.lines());
  const std::span<std::byte> out = reply.allocate(sizeof head + format.payload_bytes());
  Key key = 0;
  const bool ok =
      node_.store().read(0, wanted.table, *entry, head.version, key, out.data() + sizeof head);
  head.status = ok ? ReadReply::Status::kOk : ReadReply::Status::kLocked;
  head.entry = *entry;
  std::memcpy(out.data(), &head, sizeof head);
}

StatusReply::Status Service::lock_one(const RecordCheck& record, std::uint64_t owner,
                                      bool& locked) {
  std::byte* live = node_.store().record(0, record.table, record.entry);
  std::uint64_t expected = kUnlocked;
  locked = shared_word(live + kLockOffset)
               .compare_exchange_strong(expected, owner, std::memory_order_acq_rel);
  if (!locked) return StatusReply::Status::kLocked;
  const std::uint64_t version = shared_word(live + kVersionOffset).load(std::memory_order_acquire);
  return version == record.version ? StatusReply::Status::kOk : StatusReply::Status::kChanged;
}

void Service::lock(Request request, rdma::RpcReply& reply) {
  MessageReader message(request);
  const auto group = message.take<GroupHeader>();
  worker_.core().spend(Work::kLocalAtomic, group.records);
  worker_.core().spend(Work::kRecordAccess, group.records);
  const Request records = message.rest();
  StatusReply::Status status = StatusReply::Status::kOk;
  std::uint32_t held = 0;
  while (held < group.records && status == StatusReply::Status::kOk) {
    bool locked = false;
    status = lock_one(message.take<RecordCheck>(), group.owner, locked);
    if (locked) ++held;
  }
  if (status != StatusReply::Status::kOk) {
    MessageReader again(records);
    for (; held > 0; --held) {
      const auto record = again.take<RecordCheck>();
      shared_word(node_.store().record(0, record.table, record.entry) + kLockOffset)
          .store(kUnlocked, std::memory_order_release);
    }
  }
  answer(reply, status);
}

void Service::validate(Request request, rdma::RpcReply& reply) {
  MessageReader message(request);
  const auto group = message.take<GroupHeader>();
  worker_.core().spend(Work::kRecordAccess, group.records);
  for (std::uint32_t i = 0; i < group.records; ++i) {
    const auto record = message.take<RecordCheck>();
    std::byte* live = node_.store().record(0, record.table, record.entry);
    if (shared_word(live + kLockOffset).load(std::memory_order_acquire) != kUnlocked) {
      return answer(reply, StatusReply::Status::kLocked);
    }
    if (shared_word(live + kVersionOffset).load(std::memory_order_acquire) != record.version) {
      return answer(reply, StatusReply::Status::kChanged);
    }
  }
  answer(reply, StatusReply::Status::kOk);
}

void Service::log(const rdma::RpcCaller& caller, Request request) {
  MessageReader message(request);
  const auto piece = message.take<LogPiece>();
  const Request bytes = message.rest();
  worker_.core().spend(Work::kCopyLine,
                       static_cast<std::uint32_t>((bytes.size() + kLineBytes - 1) / kLineBytes));
  std::memcpy(node_.ring(caller.node, caller.worker).data() + piece.place, bytes.data(),
              bytes.size());
}

void Service::commit(Request request) {
  MessageReader message(request);
  const auto group = message.take<GroupHeader>();
  worker_.core().spend(Work::kRecordAccess, group.records);
  for (std::uint32_t i = 0; i < group.records; ++i) {
    const auto record = message.take<RecordUpdate>();
    const RecordFormat& format = node_.layout().table(record.table).format;
    const Request payload = message.take_bytes(padded_to_words(format.payload_bytes()));
    worker_.core().spend(Work::kCopyLine, format.lines());
    std::byte* live = node_.store().record(0, record.table, record.entry);
    format.write_live(live, record.version, record.key, payload.data());
    shared_word(live + kLockOffset).store(kUnlocked, std::memory_order_release);
  }
}

void Service::unlock(Request request) {
  MessageReader message(request);
  const auto group = message.take<GroupHeader>();
  worker_.core().spend(Work::kLocalAtomic, group.records);
  for (std::uint32_t i = 0; i < group.records; ++i) {
    const auto record = message.take<RecordCheck>();
    std::byte* live = node_.store().record(0, record.table, record.entry);
    std::uint64_t expected = group.owner;
    shared_word(live + kLockOffset)
        .compare_exchange_strong(expected, kUnlocked, std::memory_order_acq_rel);
  }
}

void Service::apply(const LogRecordReader& record) {
  std::uint64_t applied = 0;
  record.for_each(
      [this](TableId table) { return node_.schema()[table].payload_bytes; },
      [&](const LogUpdate& update, const std::byte* payload) {
        const std::uint32_t nodes = node_.layout().placement().nodes;
        const auto copy = static_cast<CopyId>((node_.node() + nodes - update.partition) % nodes);
        node_.store().apply(copy, update.table, update.entry, update.key, update.version, payload);
        ++applied;
      });
  worker_.core().spend(Work::kLogApply, static_cast<std::uint32_t>(applied));
  coordinator_.count(Counter::kAppliedUpdates, applied);
}

void Service::reclaim(const rdma::RpcCaller& caller, Request request, rdma::RpcReply& reply) {
  const auto notice = MessageReader(request).take<ReclaimRequest>();
  LogRingReader& reader = readers_[caller.node];
  const bool valid = reader.advance(node_.ring(caller.node, caller.worker), notice.limit,
                                    [this](const LogRecordReader& record) { apply(record); });
  if (!valid) {
    throw std::logic_error(
        "log of node " + std::to_string(caller.node) + " worker " + std::to_string(caller.worker) +
        " at node " + std::to_string(node_.node()) + ": no valid record at position " +
        std::to_string(reader.applied()) + " of " + std::to_string(notice.limit));
  }
  const ReclaimReply message{.applied = reader.applied()};
  std::memcpy(reply.allocate(sizeof message).data(), &message, sizeof message);
}

}  // namespace verbena::txn
