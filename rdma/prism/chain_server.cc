// The software executor: calls of peers, and accesses to the server's memory.
#include "rdma/prism/chain_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "rdma/prism/prism_methods.h"
#include "rdma/prism/shared_copy.h"

namespace verbena::rdma {
namespace {

/// Marks an executor as busy while it exists.
class Busy {
 public:
  Busy(OperationEpochs& epochs, WorkerId executor) : epochs_(epochs), executor_(executor) {
    epochs_.begin(executor_);
  }
  ~Busy() { epochs_.end(executor_); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  OperationEpochs& epochs_;
  WorkerId executor_;
};

}  // namespace

void ChainServer::add_memory(Region& region, MemoryRights rights) {
  memories_.push_back({&region, rights, {}, std::make_unique<LineLocks>()});
  memories_.back().lists.resize(lists_.size());
}

FreeListId ChainServer::add_free_list(RegionId region, std::uint64_t first,
                                      std::uint32_t buffer_bytes, std::uint32_t buffers) {
  const Memory* const memory = memory_of(region);
  if (memory == nullptr) throw std::logic_error("buffers in a region that is not served");
  const bool lines = first % kCacheLineBytes == 0 && buffer_bytes % kCacheLineBytes == 0;
  if (!lines || first == 0 || buffer_bytes == 0) {
    throw std::logic_error("buffers that do not begin with cache lines, or at the null pointer");
  }
  const std::uint64_t bytes = std::uint64_t{buffer_bytes} * buffers;
  if (bytes > memory->region->size() || first > memory->region->size() - bytes) {
    throw std::logic_error("buffers outside of region " + memory->region->name());
  }
  lists_.push_back(std::make_unique<FreeList>(first, buffer_bytes, buffers, epochs_));
  holders_.push_back(std::make_unique<BufferHolders>(first, buffer_bytes, buffers));
  for (Memory& other : memories_) {
    other.lists.push_back(&other == memory ? lists_.back().get() : nullptr);
  }
  const auto id = static_cast<FreeListId>(lists_.size() - 1);
  if (device_ != nullptr) make_on_nic(id);
  return id;
}

ChainServer::Memory* ChainServer::memory_of(RegionId region) {
  for (Memory& memory : memories_) {
    if (memory.region->id() == region) return &memory;
  }
  return nullptr;
}

Epochs::InFlight ChainServer::ServerEpochs::now() const {
  if (device == nullptr) return cores.now();
  return {{0, device->table.prism->begun(device->context.get())}};
}

bool ChainServer::ServerEpochs::over(InFlight& in_flight) const {
  if (device == nullptr) return cores.over(in_flight);
  if (in_flight.empty()) return true;
  return device->table.prism->all_ended_before(device->context.get()) >= in_flight.front().second;
}

void ChainServer::go_to(const DeviceContext& device) {
  device_ = epochs_.device = &device;
  for (FreeListId id = 0; id < lists_.size(); ++id) make_on_nic(id);
}

void ChainServer::make_on_nic(FreeListId id) {
  if (keeps_lists_) return;
  const prismdv_table& table = *device_->table.prism;
  FreeList& list = *lists_[id];
  const auto memory =
      std::ranges::find_if(memories_, [&](const Memory& one) { return one.lists[id] != nullptr; });
  const prismdv_free_list_attr attr{.mr = device_->regions[memory->region->id()].get(),
                                    .first = list.first(),
                                    .buffer_bytes = list.buffer_bytes(),
                                    .buffers = list.buffers()};
  prismdv_free_list* const made = table.create_free_list(device_->context.get(), &attr);
  if (made != nullptr && made->number != id) {
    throw std::logic_error("the NIC has lists of others: its next has number " +
                           std::to_string(made->number) + ", not " + std::to_string(id));
  }
  if (made == nullptr) {
    throw_verbs_error(device_->table, "prismdv create_free_list", device_->context.get(), nullptr,
                      errno);
  }
  on_nic_.push_back({&table, made, std::make_unique<SpinLock>()});
  list.forward([&table, made](std::uint64_t offset) {
    if (table.post_free(made, &offset, 1) == 0) return;
    throw std::logic_error("the NIC has the buffer at " + std::to_string(offset) + " already");
  });
}

// Lists are first in, first out, so what a NIC has taken are those that came first.
FreeList& ChainServer::free_list(FreeListId id) {
  FreeList& list = *lists_[id];
  if (!on_nic_.empty()) {
    const NicFreeList& nic = on_nic_[id];
    const std::lock_guard guard(*nic.lock);
    const std::uint64_t popped = nic.table->popped(nic.list);
    while (list.popped() < popped) {
      if (!list.pop()) throw std::logic_error("a NIC has taken a buffer that was never posted");
    }
  }
  return list;
}

void ChainServer::serve(Rpc& rpc) {
  rpc.serve(kCarryOutChain,
            [this, &rpc](const RpcCaller& from, std::span<const std::byte> request,
                         RpcReply& reply) { carry_out(rpc, from.node, request, reply); });
  rpc.serve(kGiveBuffersBack,
            [this, &rpc](const RpcCaller& from, std::span<const std::byte> notification,
                         RpcReply&) { give_back(rpc.thread().core(), from.node, notification); });
}

// All of a request is read before any of it is carried out, so that one that no peer sends does
// nothing.
void ChainServer::carry_out(Rpc& rpc, NodeId client, std::span<const std::byte> request,
                            RpcReply& reply) {
  ChainRequestReader reader(request);
  Memory* memory = memory_of(reader.region());
  Executor& executor = executors_[rpc.thread().id()];
  executor.client = client;
  executor.operations.clear();
  executor.taken.clear();
  std::size_t most = 0;
  for (std::size_t i = 0; i < reader.operations(); ++i) {
    executor.operations.push_back(reader.take());
    check_within(executor.operations.back().length, 0, rpc.max_payload(), "the length");
    most += most_reply_bytes(executor.operations.back());
  }
  check_within(most, 0, rpc.max_payload(), "bytes of results");
  executor.reply.resize(most);
  MessageWriter writer(executor.reply);
  const std::size_t written = carry_out(rpc, memory, executor, writer);
  const std::span<std::byte> answer = reply.allocate(written);
  std::copy_n(executor.reply.begin(), written, answer.begin());
}

// Does nothing for a client that is dead by now: who knows of the death, and waits until what is in
// flight has ended, finds all that it has done. Returns the bytes of the results.
std::size_t ChainServer::carry_out(Rpc& rpc, Memory* memory, Executor& executor,
                                   MessageWriter& writer) {
  const Busy busy(epochs_.cores, rpc.thread().id());
  if (rpc.health().is_dead(executor.client)) return 0;
  std::size_t written = 0;
  ChainState state;
  for (const Operation& operation : executor.operations) {
    rpc.thread().core().spend(Work::kPrismOp);
    written += take_turn(rpc.thread().core(), memory, operation, state, executor, writer);
  }
  note_kept(executor);
  return written;
}

// Carries an operation of a chain out if its turn comes. Returns the bytes that its result takes.
std::size_t ChainServer::take_turn(Core& core, Memory* memory, const Operation& operation,
                                   ChainState& state, Executor& executor, MessageWriter& reply) {
  OperationResult result{.outcome = ChainOutcome::kAccessError, .length = 0, .data = {}};
  std::optional<OperationRun> run;  // holds data of the result
  if (!state.begin(operation)) {
    result.outcome = state.outcome();
  } else if (memory != nullptr) {
    std::vector<std::byte>& room = executor.room;
    room.resize(std::max<std::size_t>(room.size(), OperationRun::room_for(operation)));
    const ChainMemory served{memory->region->size(), memory->rights, memory->lists};
    run.emplace(operation, served, state.scratch(), room);
    for (; run->next() != nullptr; run->done()) access(core, *memory, operation, executor, *run);
    result = run->result();
    if (operation.opcode == ChainOpcode::kAllocate) note_taken(operation, result, executor);
  }
  state.end(result.outcome);
  put_result(reply, result);
  return reply_bytes(result);
}

void ChainServer::access(Core& core, Memory& memory, const Operation& operation, Executor& executor,
                         OperationRun& run) {
  const OperationRun::Access& access = *run.next();
  const bool writes = access.kind == OperationRun::Kind::kWrite;
  const bool updates = access.kind == OperationRun::Kind::kUpdate;
  const std::size_t bytes = writes ? access.from.size() : access.into.size();
  core.spend(Work::kHostAccess, updates ? 2 : 1);  // an update reads before it writes
  if (updates) {
    core.spend(Work::kLocalAtomic);
  } else if (access.kind != OperationRun::Kind::kPointer) {
    core.spend(Work::kCopyLine, cache_lines(bytes));
  }
  const auto give_way = [&core] { core.give_way(); };
  std::span<const std::byte> changed;
  for_each_line(access.offset, bytes, [&](std::uint64_t at, std::size_t done, std::size_t part) {
    std::byte* const shared = memory.region->at(at, part);
    core.step(shared);
    if (writes) {
      memory.locks->write(
          at, [&] { copy_to_shared(shared, access.from.data() + done, part); }, give_way);
    } else if (!updates) {
      memory.locks->read(
          at, [&] { copy_from_shared(access.into.data() + done, shared, part); }, give_way);
    } else {
      memory.locks->write(
          at,
          [&] {
            copy_from_shared(access.into.data(), shared, part);
            changed = run.apply();
            copy_to_shared(shared, changed.data(), changed.size());
          },
          give_way);
    }
  });
  note_replaced(operation, executor, access.into, changed);
}

void ChainServer::note_taken(const Operation& operation, const OperationResult& result,
                             Executor& executor) {
  if (!successful(result.outcome)) return;
  Taken taken{.list = operation.free_list, .buffer = 0, .at = operation.redirect};
  std::memcpy(&taken.buffer, result.data.data(), sizeof taken.buffer);
  executor.taken.push_back(taken);
}

// The words that were swapped come from the scratch, as later operations find it. Only this client
// may report what they replace, once it has the answer.
void ChainServer::note_replaced(const Operation& operation, Executor& executor,
                                std::span<const std::byte> before,
                                std::span<const std::byte> after) {
  if (operation.data.where != Place::Where::kScratch) return;
  for (Taken& one : executor.taken) {
    if (one.at.where != Place::Where::kScratch || one.at.offset < operation.data.offset) continue;
    const std::uint64_t word = one.at.offset - operation.data.offset;
    if (word + sizeof one.buffer > after.size()) continue;
    std::uint64_t pointer = 0;
    std::uint64_t replaced = 0;
    std::memcpy(&pointer, after.data() + word, sizeof pointer);
    std::memcpy(&replaced, before.data() + word, sizeof replaced);
    if (pointer != one.buffer || replaced == pointer) continue;
    one.placed = true;
    holders_[one.list]->take(replaced, executor.client);
  }
}

// Until the client is told of them, which it may not live to see.
void ChainServer::note_kept(const Executor& executor) {
  for (const Taken& one : executor.taken) {
    if (!one.placed) holders_[one.list]->take(one.buffer, executor.client);
  }
}

std::uint64_t ChainServer::scavenge(FreeListId list, NodeId client) {
  const std::vector<std::uint64_t> left = holders_[list]->collect(client);
  for (const std::uint64_t buffer : left) {
    if (lists_[list]->post(buffer) == FreeList::Post::kPosted) continue;
    throw std::logic_error("a buffer that a client has is free");
  }
  return left.size();
}

void ChainServer::give_back(Core& core, NodeId client, std::span<const std::byte> notification) {
  MessageReader reader(notification);
  const auto given = reader.take<GivenBack>();
  if (lists_.empty()) throw Malformed("gives buffers back where there are none");
  check_below(given.free_list, lists_.size(), "the free list");
  const std::size_t offsets = reader.count<std::uint64_t>();
  core.spend(Work::kPrismOp, static_cast<std::uint32_t>(offsets));
  for (std::size_t i = 0; i < offsets; ++i) {
    const auto offset = reader.take<std::uint64_t>();
    // Nobody notes what a NIC does.
    if (device_ == nullptr) {
      const BufferHolders::Report report = holders_[given.free_list]->give_back(offset, client);
      if (report == BufferHolders::Report::kCollected) return;
      if (report == BufferHolders::Report::kNotHeld) {
        throw Malformed("gives back " + std::to_string(offset) + ", where it has no buffer");
      }
    }
    // It may have put a pointer to a free buffer where it replaced it.
    if (free_list(given.free_list).post(offset) == FreeList::Post::kPosted) continue;
    throw Malformed("gives back the buffer at " + std::to_string(offset) +
                    ", which is free already");
  }
}

}  // namespace verbena::rdma
