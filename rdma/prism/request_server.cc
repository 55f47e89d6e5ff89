// Requests taken apart, checked and carried out.
#include "rdma/prism/request_server.h"

#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/prism/shared_copy.h"

namespace verbena::rdma {
namespace {

bool atomic(RequestOpcode opcode) {
  return opcode == RequestOpcode::kCompareAndSwap || opcode == RequestOpcode::kFetchAndAdd;
}

std::size_t reply_bytes(RequestOpcode opcode, std::size_t length) {
  return opcode == RequestOpcode::kWrite ? 0 : whole_words(length);
}

// Copies a line as it was at one moment: other code of this node may be changing it, and whatever
// it does shows between two looks.
void copy_line(std::byte* to, const std::byte* shared, std::size_t bytes) {
  std::array<std::byte, kCacheLineBytes> again;
  do {
    copy_from_shared(to, shared, bytes);
    copy_from_shared(again.data(), shared, bytes);
  } while (std::memcmp(to, again.data(), bytes) != 0);
}

std::uint64_t change_word(std::byte* shared, RequestOpcode opcode, const AtomicOperands& operands) {
  const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(shared));
  if (opcode == RequestOpcode::kFetchAndAdd) return word.fetch_add(operands.compare_add);
  std::uint64_t found = operands.compare_add;
  word.compare_exchange_strong(found, operands.swap);
  return found;
}

}  // namespace

RequestServer::RequestServer(std::vector<Region*> regions, const PeerHealth& health,
                             std::uint32_t workers)
    : regions_(std::move(regions)), health_(health), executors_(workers) {}

void RequestServer::serve(Rpc& rpc) {
  rpc.serve(kCarryOutRequests,
            [this, &rpc](const RpcCaller& caller, std::span<const std::byte> message,
                         RpcReply& reply) { carry_out(rpc, caller, message, reply); });
}

// Pairs with access_line(): either it sees that the peer is dead, or this sees that it is there.
void RequestServer::await_last_access(NodeId peer) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const Executor& executor : executors_) {
    while (executor.accesses_for.load(std::memory_order_acquire) == peer) {
      std::this_thread::yield();
    }
  }
}

// Nobody lets time pass in a simulation while the mark is there. False: the caller is dead.
template <typename Access>
bool RequestServer::access_line(Executor& executor, NodeId caller, Access&& access) const {
  executor.accesses_for.store(caller, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool alive = !health_.is_dead(caller);
  if (alive) access();
  executor.accesses_for.store(kNobody, std::memory_order_release);
  return alive;
}

// All of a message is read before any of it is carried out, so that one that no peer sends does
// nothing.
void RequestServer::carry_out(Rpc& rpc, const RpcCaller& caller, std::span<const std::byte> message,
                              RpcReply& reply) {
  MessageReader reader(message);
  const auto header = reader.take<RequestMessageHeader>();
  check_within(header.passive, 0, 1, "the mark of passive messages");
  Executor& executor = executors_[rpc.thread().id()];
  const std::size_t bytes = take_requests(reader, rpc.max_payload(), executor.requests);
  std::uint32_t& passive = passive_of(executor, caller);
  if (static_cast<std::int32_t>(header.behind - passive) > 0) {
    rpc.thread().core().reach("prism: requests overtake a passive one");
    MessageWriter(reply.allocate(sizeof(RequestStatus))).put(RequestStatus::kOvertook);
    return;
  }
  MessageWriter writer(reply.allocate(sizeof(RequestStatus) + bytes));
  writer.put(RequestStatus::kDone);
  for (const Request& request : executor.requests) {
    if (carry_out(rpc.thread().core(), executor, caller.node, request, writer)) continue;
    rpc.thread().core().reach("prism: requests of a node that is fenced meanwhile");
    return;
  }
  passive += header.passive;
}

std::size_t RequestServer::take_requests(MessageReader& reader, std::size_t most,
                                         std::vector<Request>& to) {
  to.clear();
  std::size_t bytes = 0;
  while (!reader.rest().empty()) {
    to.push_back(take_request(reader));
    bytes += reply_bytes(to.back().opcode, to.back().length);
    check_within(bytes, 0, most - sizeof(RequestStatus), "bytes of results");
  }
  return bytes;
}

RequestServer::Request RequestServer::take_request(MessageReader& reader) {
  const auto header = reader.take<RequestHeader>();
  check_within(header.opcode, 0, static_cast<std::uint8_t>(RequestOpcode::kFetchAndAdd),
               "the operation");
  check_below(header.region, regions_.size(), "the region");
  Request request{.opcode = static_cast<RequestOpcode>(header.opcode),
                  .region = regions_[header.region],
                  .offset = header.offset,
                  .length = header.length,
                  .operands = {},
                  .payload = {}};
  check_within(request.length, 0, request.region->size(), "the length");
  check_within(request.offset, 0, request.region->size() - request.length, "the offset");
  if (atomic(request.opcode)) {
    check_within(request.length, 8, 8, "the length of an atomic");
    if (request.offset % 8 != 0) throw Malformed("has an atomic that is not aligned to 8 B");
    request.operands = reader.take<AtomicOperands>();
  } else if (request.opcode == RequestOpcode::kWrite) {
    request.payload = reader.take_bytes(whole_words(request.length)).first(request.length);
  }
  return request;
}

// Calls of a worker all go to the same one here.
std::uint32_t& RequestServer::passive_of(Executor& executor, const RpcCaller& caller) const {
  if (executor.passive.empty()) executor.passive.resize(health_.nodes());
  std::vector<std::uint32_t>& of_node = executor.passive[caller.node];
  if (of_node.size() <= caller.worker) of_node.resize(caller.worker + 1U);
  return of_node[caller.worker];
}

// False: the caller was declared dead meanwhile.
bool RequestServer::carry_out(Core& core, Executor& executor, NodeId caller, const Request& request,
                              MessageWriter& reply) {
  core.spend(Work::kPrismOp);
  core.spend(Work::kHostAccess, atomic(request.opcode) ? 2 : 1);
  if (!atomic(request.opcode)) {
    core.spend(Work::kCopyLine, cache_lines(request.length));
    const std::size_t room = reply_bytes(request.opcode, request.length);
    return copy(core, executor, caller, request, reply.skip(room).data());
  }
  core.spend(Work::kLocalAtomic);
  std::byte* const shared = request.region->at(request.offset, request.length);
  core.step(shared);
  return access_line(executor, caller,
                     [&] { reply.put(change_word(shared, request.opcode, request.operands)); });
}

bool RequestServer::copy(Core& core, Executor& executor, NodeId caller, const Request& request,
                         std::byte* to) {
  const auto give_way = [&core] { core.give_way(); };
  bool alive = true;
  for_each_line(
      request.offset, request.length, [&](std::uint64_t at, std::size_t done, std::size_t part) {
        if (!alive) return;
        std::byte* const shared = request.region->at(at, part);
        core.step(shared);
        alive = access_line(executor, caller, [&] {
          if (request.opcode == RequestOpcode::kWrite) {
            locks_.write(
                at, [&] { copy_to_shared(shared, request.payload.data() + done, part); }, give_way);
          } else {
            locks_.read(
                at, [&] { copy_line(to + done, shared, part); }, give_way);
          }
        });
      });
  return alive;
}

}  // namespace verbena::rdma
