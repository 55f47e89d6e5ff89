// The RC queue pairs of one worker: posting, completions, and what these free.
#include "rdma/one_sided/connections.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::rdma {
namespace {

/// Queue pairs that are asked for a completion at a time when staging memory has run out.
constexpr std::size_t kFlushChannels = 16;

/// Where the choices of a worker begin: unrelated streams for all workers of all nodes.
std::uint64_t first_choice(const WorkerThread& thread, std::uint64_t seed) {
  return mix64(seed) ^ (std::uint64_t{thread.node()} << 32 | thread.id());
}

}  // namespace

Connections::Connections(const WorkerContext& context)
    : thread_(context.thread),
      verbs_(context.verbs),
      health_(context.health),
      options_(context.options),
      memory_(context.memory),
      staging_(context.memory.staging()),
      queue_pairs_per_peer_(options_.qps_per_peer),
      depth_(options_.send_queue_depth),
      signal_interval_(options_.signal_interval),
      signal_all_(options_.signal_all),
      in_turn_(options_.qps_in_turn),
      choices_(first_choice(thread_, options_.seed)) {
  owners_.emplace_back();
}

Connections::~Connections() {
  for (const Channel& channel : channels_) QueuePair(verbs_.table, channel.qp);
}

void Connections::connected(const PeerTable& peers) {
  peers_ = &peers;
  remote_keys_ = peers.keys(thread_.id());
  local_key_ = verbs_.memory_registration->lkey;
  const std::size_t count = peers.peers.size() * queue_pairs_per_peer_;
  channels_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    channels_.push_back({.qp = verbs_.connected[i].release(), .queue = {}});
  }
  verbs_.connected.erase(verbs_.connected.begin(),
                         verbs_.connected.begin() + static_cast<std::ptrdiff_t>(count));
  verbs_.connected.shrink_to_fit();
  turns_.resize(in_turn_ ? peers.peers.size() : 0);
}

std::uint32_t Connections::choose_channel(std::uint16_t place) {
  const std::uint32_t first = place * queue_pairs_per_peer_;
  if (queue_pairs_per_peer_ == 1) return first;
  if (in_turn_) {
    std::uint32_t& turn = turns_[place];
    turn = turn + 1 < queue_pairs_per_peer_ ? turn + 1 : 0;
    return first + turn;
  }
  return first + choices_.below(queue_pairs_per_peer_);
}

void Connections::wait_for_room() {
  ++counters.send_queue_waits;
  blocked_.push_back(thread_.current_fiber());
  thread_.suspend();
}

BufferId Connections::take_staging(std::size_t bytes) {
  if (bytes > BufferPool::kLargest) {
    throw std::logic_error(
        "a source of " + std::to_string(bytes) +
        " bytes that is not in scratch memory is longer than what can be copied");
  }
  for (;;) {
    const BufferId buffer = staging_.take(bytes);
    if (buffer != kNoBuffer) return buffer;
    if (outstanding_ == 0) {
      throw ConfigurationError("staging_bytes: " + std::to_string(memory_.staging().size()) +
                               " is too little for copies of written data");
    }
    flush_unsignaled(kFlushChannels);
    wait_for_room();
  }
}

void Connections::add_ticket(Channel& channel, BufferId buffer, std::uint32_t number) {
  staging_[buffer].number = number;
  staging_[buffer].next = kNoBuffer;
  if (channel.first_ticket == kNoBuffer) {
    channel.first_ticket = buffer;
  } else {
    staging_[channel.last_ticket].next = buffer;
  }
  channel.last_ticket = buffer;
}

// `unposted` and what is linked to it were numbered but not taken by the device.
void Connections::take_back(Channel& channel, const ibv_send_wr* unposted) {
  std::uint32_t count = 0;
  for (; unposted != nullptr; unposted = unposted->next) {
    ++count;
    if ((unposted->send_flags & IBV_SEND_SIGNALED) != 0) --counters.signaled;
  }
  outstanding_ -= count;
  channel.queue.take_back(count);
  // Their staging buffers are the last ones.
  BufferId kept = kNoBuffer;
  BufferId ticket = channel.first_ticket;
  while (ticket != kNoBuffer && channel.queue.taken(staging_[ticket].number)) {
    kept = ticket;
    ticket = staging_[ticket].next;
  }
  (kept == kNoBuffer ? channel.first_ticket : staging_[kept].next) = kNoBuffer;
  channel.last_ticket = kept;
  while (ticket != kNoBuffer) {
    const BufferId next = staging_[ticket].next;
    staging_.give_back(ticket);
    ticket = next;
  }
}

void Connections::submit(Channel& channel, ibv_send_wr* first) {
  ibv_send_wr* bad = nullptr;
  ++counters.post_calls;
  const int result = ibv_post_send(channel.qp, first, &bad);
  if (result != 0) {
    const int error = result < 0 ? errno : result;
    take_back(channel, bad);
    throw_verbs_error(verbs_.table, "ibv_post_send", verbs_.context(), channel.qp, error);
  }
}

void Connections::post_some(RequestBatch& batch, std::uint32_t& next, std::uint32_t count,
                            std::uint32_t channel_number, std::uint16_t owner, bool whole) {
  if (chain_.size() < count) chain_.resize(count);
  Channel& channel = channels_[channel_number];
  assert(count <= channel.queue.room(depth_));
  for (std::uint32_t i = 0; i < count; ++i) {
    OneSidedRequest& request = batch.requests_[next];
    next = request.next;
    const bool last = whole && i + 1 == count && owner != kNoOwner;
    const bool signaled = last || signal_all_ || channel.queue.signal_due(signal_interval_);
    const std::uint32_t number = channel.queue.post(signaled);
    ibv_send_wr& wr = chain_[i].wr;
    wr.wr_id = WorkRequestId{static_cast<std::uint16_t>(number),
                             static_cast<std::uint16_t>(channel_number), owner,
                             owners_[owner].generation, last}
                   .encode();
    wr.next = i + 1 == count ? nullptr : &chain_[i + 1].wr;
    wr.sg_list = chain_[i].sge;
    wr.num_sge = request.rest_length > 0 ? 2 : 1;
    wr.opcode = static_cast<ibv_wr_opcode>(request.opcode);
    wr.send_flags = (signaled ? unsigned{IBV_SEND_SIGNALED} : 0U) |
                    (request.inlined ? unsigned{IBV_SEND_INLINE} : 0U);
    counters.signaled += signaled ? 1 : 0;
    chain_[i].sge[0] = {request.local_address, request.length - request.rest_length, local_key_};
    chain_[i].sge[1] = {request.rest_address, request.rest_length, local_key_};
    if (request.atomic()) {
      wr.wr.atomic = {request.remote_address, request.compare_add, request.swap,
                      request.remote_key};
    } else {
      wr.wr.rdma = {request.remote_address, request.remote_key};
    }
    if (request.staging != kNoBuffer) {
      add_ticket(channel, std::exchange(request.staging, kNoBuffer), number);
    }
  }
  outstanding_ += count;
  submit(channel, &chain_.front().wr);
}

void Connections::stage_sources(RequestBatch& batch, std::uint32_t index, std::uint32_t count) {
  for (; count > 0; --count, index = batch.requests_[index].next) {
    OneSidedRequest& request = batch.requests_[index];
    if (!request.copy_source || request.staging != kNoBuffer) continue;
    thread_.core().reach("one_sided: source of a WRITE copied");
    const BufferId buffer = take_staging(request.length);
    std::byte* copy = staging_[buffer].address;
    const std::uint32_t first = request.length - request.rest_length;
    std::memcpy(copy, reinterpret_cast<const void*>(request.local_address), first);
    if (request.rest_length > 0) {
      std::memcpy(copy + first, reinterpret_cast<const void*>(request.rest_address),
                  std::exchange(request.rest_length, 0));
    }
    thread_.core().spend(Work::kCopyLine, cache_lines(request.length));
    request.local_address = reinterpret_cast<std::uint64_t>(copy);
    request.staging = buffer;
  }
}

void Connections::post_chain(RequestBatch& batch, const OneSidedChain& chain, Doorbell doorbell,
                             std::uint16_t owner) {
  const std::uint32_t number = choose_channel(chain.place);
  Channel& channel = channels_[number];
  stage_sources(batch, chain.first, chain.count);
  std::uint32_t next = chain.first;
  std::uint32_t remaining = chain.count;
  while (remaining > 0) {
    if (channel.failed) throw_failure(number);
    const std::uint32_t room = channel.queue.room(depth_);
    if (room == 0) {
      thread_.core().reach("one_sided: send queue full");
      wait_for_room();
      continue;
    }
    const std::uint32_t count = doorbell == Doorbell::kEach ? 1 : std::min(remaining, room);
    const bool whole = count == remaining;
    if (doorbell == Doorbell::kBatched && !whole) {
      thread_.core().reach("one_sided: requests of one doorbell posted in parts");
    }
    const std::uint32_t posted = channel.queue.posted();
    try {
      post_some(batch, next, count, number, owner, whole);
    } catch (const VerbsError&) {
      const bool begun = remaining < chain.count || channel.queue.posted() != posted;
      if (begun && owner != kNoOwner) abandon_chain(number, owner);
      throw;
    }
    if (whole && owner != kNoOwner) ++owners_[owner].pending;
    remaining -= count;
  }
}

void Connections::post_list(std::uint16_t place, std::uint32_t count, std::uint16_t owner,
                            const PostList& post) {
  if (count > options_.send_queue_depth) {
    throw ConfigurationError("rdma.send_queue_depth is " +
                             std::to_string(options_.send_queue_depth) + "; a chain of " +
                             std::to_string(count) + " operations needs as many, the longest 16");
  }
  const std::uint32_t number = choose_channel(place);
  Channel& channel = channels_[number];
  while (channel.queue.room(depth_) < count && !channel.failed) {
    // The last requests may be without completion as long as the queue is not full.
    if (channel.queue.tail_unsignaled() && channel.queue.room(depth_) > 0)
      post_flush(number, kNoOwner);
    wait_for_room();
  }
  if (channel.failed) throw_failure(number);
  ids_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    ids_.push_back(WorkRequestId{static_cast<std::uint16_t>(channel.queue.post(true)),
                                 static_cast<std::uint16_t>(number), owner,
                                 owners_[owner].generation, i + 1 == count}
                       .encode());
  }
  outstanding_ += count;
  ++counters.post_calls;
  std::uint32_t posted = 0;
  const int error = post(channel.qp, ids_, posted);
  counters.signaled += posted;
  if (error == 0) {
    ++owners_[owner].pending;
    return;
  }
  outstanding_ -= count - posted;
  channel.queue.take_back(count - posted);
  if (posted != 0) abandon_chain(number, owner);
  throw_verbs_error(verbs_.table, "prismdv post_send", verbs_.context(), channel.qp,
                    error < 0 ? errno : error);
}

// A part of a chain is in flight that will never have its last request.
void Connections::abandon_chain(std::size_t number, std::uint16_t owner) {
  try {
    post_flush(number, owner);
    ++owners_[owner].pending;
  } catch (const VerbsError&) {
    // The device takes nothing any more. The caller tells why.
  }
}

void Connections::drop_requests(RequestBatch& batch) {
  for (const OneSidedRequest& request : batch.requests_) {
    if (request.staging != kNoBuffer) staging_.give_back(request.staging);
  }
  batch.requests_.clear();
  batch.chains_.clear();
}

void Connections::post(RequestBatch& batch, Doorbell doorbell, bool passive) {
  const std::uint16_t owner = passive ? kNoOwner : batch.owner_;
  try {
    for (const OneSidedChain& chain : batch.chains_) {
      post_chain(batch, chain, doorbell, owner);
    }
  } catch (...) {
    drop_requests(batch);
    throw;
  }
  batch.requests_.clear();
  batch.chains_.clear();
}

std::uint16_t Connections::add_owner() {
  if (options_.transport != Transport::kReliable) {
    throw std::logic_error("a batch of requests on unreliable queue pairs");
  }
  if (free_owners_.empty()) {
    if (owners_.size() > UINT16_MAX) throw std::logic_error("more than 65535 batches in a worker");
    owners_.emplace_back();
    return static_cast<std::uint16_t>(owners_.size() - 1);
  }
  const std::uint16_t owner = free_owners_.back();
  free_owners_.pop_back();
  return owner;
}

void Connections::remove_owner(std::uint16_t number, std::vector<BufferId> buffers) {
  Owner& owner = owners_[number];
  owner.removed = true;
  owner.waiter = kNoFiber;
  owner.buffers = std::move(buffers);
  if (owner.pending == 0) free_owner(number);
}

void Connections::free_owner(std::uint16_t number) {
  for (const BufferId buffer : owners_[number].buffers) staging_.give_back(buffer);
  const std::uint16_t reused = owners_[number].generation + 1U;
  owners_[number] = {};
  owners_[number].generation = reused & WorkRequestId::kGenerationMask;
  free_owners_.push_back(number);
}

std::optional<std::size_t> Connections::wait(std::uint16_t number) {
  if (owners_[number].pending > 0) thread_.look_if_alone();
  while (owners_[number].pending > 0) {
    owners_[number].waiter = thread_.current_fiber();
    thread_.suspend();
  }
  owners_[number].waiter = kNoFiber;
  const std::int32_t failed = std::exchange(owners_[number].failed_channel, -1);
  if (failed < 0) return std::nullopt;
  return static_cast<std::size_t>(failed);
}

void Connections::complete(const ibv_wc& completion) {
  const WorkRequestId id = WorkRequestId::decode(completion.wr_id);
  __builtin_prefetch(&owners_[id.owner]);
  assert(id.channel < channels_.size() && id.owner < owners_.size());
  Channel& channel = channels_[id.channel];
  const std::uint32_t before = channel.queue.completed();
  channel.queue.complete(id.number);
  assert(channel.queue.completed() - before <= outstanding_);
  outstanding_ -= channel.queue.completed() - before;
  while (channel.first_ticket != kNoBuffer &&
         channel.queue.covered(staging_[channel.first_ticket].number)) {
    const BufferId buffer = channel.first_ticket;
    channel.first_ticket = staging_[buffer].next;
    staging_.give_back(buffer);
  }
  Owner& owner = owners_[id.owner];
  // A batch that failed may leave requests behind, and another have its number since.
  const bool current = id.owner != kNoOwner && owner.generation == id.generation;
  if (completion.status != IBV_WC_SUCCESS) {
    if (!std::exchange(channel.failed, true)) {
      failed_.push_back({id.channel, completion.status, completion.vendor_err});
    }
    if (current) owner.failed_channel = id.channel;
  }
  if (current && owner.sink != nullptr) owner.sink->completed(completion);
  // Before the owner, who may post again at once, and go on like that for ever.
  if (!blocked_.empty()) {
    for (const FiberId fiber : blocked_) thread_.make_ready(fiber);
    blocked_.clear();
  }
  // An owner keeps its number until its last requests have completed.
  assert(!id.last || (current && owner.pending > 0));
  if (id.last && --owner.pending == 0) {
    if (owner.removed) {
      free_owner(id.owner);
    } else if (owner.waiter != kNoFiber) {
      thread_.make_ready(std::exchange(owner.waiter, kNoFiber));
    }
  }
}

bool Connections::flush_unsignaled(std::size_t channels) {
  bool all = true;
  for (std::size_t visited = 0; visited < channels_.size() && channels > 0; ++visited) {
    const std::size_t number = flush_cursor_;
    flush_cursor_ = flush_cursor_ + 1 == channels_.size() ? 0 : flush_cursor_ + 1;
    Channel& channel = channels_[number];
    if (!channel.queue.tail_unsignaled() || channel.failed) continue;
    if (channel.queue.room(depth_) == 0) {
      all = false;
      continue;
    }
    post_flush(number, kNoOwner);
    --channels;
  }
  return all && channels > 0;
}

void Connections::post_flush(std::size_t number, std::uint16_t owner) {
  // A READ of the peer's control region: a completion that changes nothing.
  thread_.core().reach("one_sided: completion asked for by a READ");
  Channel& channel = channels_[number];
  const auto place = static_cast<std::uint16_t>(number / queue_pairs_per_peer_);
  const RegionId control = peers_->control_regions[place];
  assert(channel.queue.room(depth_) > 0);
  ibv_sge sge{reinterpret_cast<std::uint64_t>(memory_.sink()), 8, local_key_};
  ibv_send_wr request{};
  request.wr_id = WorkRequestId{static_cast<std::uint16_t>(channel.queue.post(true)),
                                static_cast<std::uint16_t>(number), owner,
                                owners_[owner].generation, owner != kNoOwner}
                      .encode();
  request.sg_list = &sge;
  request.num_sge = 1;
  request.opcode = IBV_WR_RDMA_READ;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma.remote_addr = peers_->region(place, control).base;
  request.wr.rdma.rkey = remote_key(place, control);
  ++outstanding_;
  ++counters.signaled;
  submit(channel, &request);
}

bool Connections::idle() const {
  for (const Failure& failure : failed_) {
    if (!health_.is_dead(peer_of(failure.channel))) throw_failure(failure.channel);
  }
  return outstanding_ == 0;
}

void Connections::check_peer(NodeId peer) const {
  for (const Failure& failure : failed_) {
    if (peer_of(failure.channel) == peer) throw_failure(failure.channel);
  }
}

void Connections::throw_failure(std::size_t number) const {
  const auto failure = std::ranges::find(failed_, number, &Failure::channel);
  assert(failure != failed_.end());
  const std::string text =
      describe_completion(verbs_.table, channels_[number].qp, health_.describe(peer_of(number)),
                          failure->status, failure->vendor_error);
  // It was there at bring-up: so it, or the way to it, has failed since.
  if (failure->status == IBV_WC_RETRY_EXC_ERR || failure->status == IBV_WC_RNR_RETRY_EXC_ERR) {
    throw PeerMissing(text);
  }
  throw VerbsError(text);
}

}  // namespace verbena::rdma
