// The handlers of what compute servers ask memory servers for.
#include "txn/nam/node/service.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "rdma/base/message_io.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc.h"

namespace verbena::txn::nam {

using rdma::Work;

Service::Service(rdma::Worker& worker, IndexOf index_of, Collector* collector, Overflow* overflow,
                 std::atomic<std::uint32_t>& claims)
    : worker_(worker),
      index_of_(std::move(index_of)),
      collector_(collector),
      overflow_(overflow),
      claims_(claims) {
  using rdma::RpcCaller;
  using rdma::RpcReply;
  worker.rpc().serve(Method::kClaim,
                     [this](const RpcCaller& c, Request q, RpcReply& r) { claim(c.node, q, r); });
  worker.rpc().serve(Method::kAllocate, [this](const RpcCaller& c, Request q, RpcReply& r) {
    allocate(c.node, q, r);
  });
  worker.rpc().serve(Method::kFree,
                     [this](const RpcCaller& c, Request q, RpcReply&) { free(c.node, q); });
  worker.rpc().serve(Method::kScan,
                     [this](const RpcCaller&, Request q, RpcReply& r) { scan(q, r); });
  worker.rpc().serve(Method::kSetBack,
                     [this](const RpcCaller&, Request q, RpcReply&) { set_back(q); });
  if (overflow_ == nullptr) return;
  worker.rpc().serve(Method::kMove,
                     [this](const RpcCaller&, Request q, RpcReply& r) { move(q, r); });
}

namespace {

// Counts a handler that claims keys.
class Claiming {
 public:
  explicit Claiming(std::atomic<std::uint32_t>& claims) : claims_(claims) {
    claims_.fetch_add(1, std::memory_order_acq_rel);
  }
  ~Claiming() { claims_.fetch_sub(1, std::memory_order_acq_rel); }
  Claiming(const Claiming&) = delete;
  Claiming& operator=(const Claiming&) = delete;

 private:
  std::atomic<std::uint32_t>& claims_;
};

}  // namespace

// The counter tells who fences the caller that it has to wait; one that was fenced claims nothing.
void Service::claim(NodeId caller, Request request, rdma::RpcReply& reply) {
  const Claiming claiming(claims_);
  MessageReader message(request);
  const auto head = message.take<ClaimRequest>();
  const std::size_t keys = message.count<KeyToClaim>();
  MessageWriter claims(reply.allocate(keys * sizeof(Claim)));
  worker_.core().spend(Work::kIndexInsert, static_cast<std::uint32_t>(keys));
  for (std::size_t i = 0; i < keys; ++i) {
    const auto wanted = message.take<KeyToClaim>();
    KeyIndex& index = index_of_(wanted.partition, wanted.table);
    const bool dead = worker_.endpoint().is_dead(caller);
    claims.put(dead ? Claim{.entry = 0, .fresh = 0}
                    : index.claim(wanted.key, wanted.entry, head.owner, worker_.core()));
  }
}

// As a claim: what was allocated to the dead is freed once no handler allocates for them.
void Service::allocate(NodeId caller, Request request, rdma::RpcReply& reply) {
  const Claiming claiming(claims_);
  const auto asked = MessageReader(request).take<AllocateRequest>();
  std::array<EntryRun, kMostRuns> runs;
  std::size_t used = 0;
  if (!worker_.endpoint().is_dead(caller)) {
    worker_.core().reach("nam: entries allocated");
    used = index_of_(asked.partition, asked.table)
               .allocate(asked.wanted, asked.owner, runs, worker_.core());
  }
  MessageWriter(reply.allocate(used * sizeof(EntryRun)))
      .put_padded(std::as_bytes(std::span(runs).first(used)));
}

// A dead caller has given back nothing: all that it has is freed.
void Service::free(NodeId caller, Request request) {
  const Claiming claiming(claims_);
  MessageReader message(request);
  const auto asked = message.take<FreeRequest>();
  while (!message.rest().empty()) {
    const auto run = message.take<EntryRun>();
    if (worker_.endpoint().is_dead(caller)) continue;
    worker_.core().reach("nam: allocated entries freed by who had them");
    index_of_(asked.partition, asked.table).free(run, worker_.core());
  }
}

// The caller has locked the records.
void Service::move(Request request, rdma::RpcReply& reply) {
  MoveReply done{.moved = 0};
  for (MessageReader message(request); !message.rest().empty(); ++done.moved) {
    const auto wanted = message.take<RecordToMove>();
    const RecordName name{.table = wanted.table, .partition = wanted.partition, .key = 0};
    const auto when_full =
        wanted.urgent != 0 ? Overflow::WhenFull::kForget : Overflow::WhenFull::kKeep;
    index_of_(wanted.partition, wanted.table).check(wanted.entry);
    if (!overflow_->move(name, wanted.entry, when_full, worker_.core())) break;
  }
  MessageWriter(reply.allocate(sizeof done)).put(done);
}

// Sets back records that the caller has locked, so none is set aside again before it is unlocked.
void Service::set_back(Request request) {
  for (MessageReader message(request); !message.rest().empty();) {
    const auto erased = message.take<ErasedRecord>();
    worker_.core().spend(Work::kIndexInsert);
    index_of_(erased.partition, erased.table).set_back(erased.key);
  }
}

void Service::scan(Request request, rdma::RpcReply& reply) {
  const auto wanted = MessageReader(request).take<ScanRequest>();
  KeyIndex& index = index_of_(wanted.partition, wanted.table);
  const std::size_t most = (worker_.rpc().max_payload() - sizeof(ScanReply)) / sizeof(ListedKey);
  listed_.resize(std::min<std::size_t>(most, wanted.room));
  KeyIndex::Stop stop;
  std::uint32_t probes = 0;
  const Nanoseconds now = worker_.now();
  const auto name_of = [&wanted](const ListedKey& listed) {
    return RecordName{.table = wanted.table, .partition = wanted.partition, .key = listed.key};
  };
  KnownVector held;
  KnownVector settled;
  if (collector_ != nullptr && index.collects()) {
    held = collector_->vectors().numbered(wanted.holds);
    settled = collector_->vectors().settled();
  }
  const auto gone = [&](const ListedKey& listed) {
    if (collector_ == nullptr) return false;
    if (collector_->takes(name_of(listed), listed.entry, listed.version, now)) return true;
    return deleted(listed.version) && held.holds(stamp_of(listed.version));
  };
  const auto was_set_aside = [&](const ListedKey& listed) {
    worker_.core().reach("nam: erased key set aside");
    worker_.core().spend(Work::kIndexInsert);
    collector_->was_set_aside(name_of(listed), listed.entry, listed.version);
  };
  listed_.resize(index.list({.first = wanted.first,
                             .last = wanted.last,
                             .descending = wanted.descending,
                             .inserted_only = false,
                             .holds = wanted.holds},
                            wanted.limit, listed_, stop, probes, gone, settled, was_set_aside));
  worker_.core().spend(Work::kIndexProbe, probes);
  const ScanReply head{.reached = stop.reached,
                       .keys = static_cast<std::uint32_t>(listed_.size()),
                       .more = stop.more ? 1U : 0U,
                       .read = collector_ != nullptr ? collector_->vectors().latest().number : 0};
  const std::span<std::byte> out = reply.allocate(sizeof head + listed_.size() * sizeof(ListedKey));
  std::memcpy(out.data(), &head, sizeof head);
  std::ranges::copy(std::as_bytes(std::span(listed_)), out.begin() + sizeof head);
}

}  // namespace verbena::txn::nam
