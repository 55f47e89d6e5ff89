// One-sided requests of one fiber, posted together and waited for together.
#include "rdma/one_sided/request_batch.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "rdma/one_sided/connections.h"

namespace verbena::rdma {
namespace {

constexpr std::uint32_t kNoRequest = UINT32_MAX;

}  // namespace

RequestBatch::RequestBatch(Connections& connections, RequestsBy by)
    : connections_(connections), owner_(connections.add_owner()) {
  CorePath* const path = connections.core_path();
  if (path != nullptr && by != RequestsBy::kNic) cores_ = path->open();
}

RequestBatch::~RequestBatch() {
  std::vector<BufferId> buffers;
  for (const FoundValue& found : found_) {
    if (found.staging != kNoBuffer) buffers.push_back(found.staging);
  }
  connections_.remove_owner(owner_, std::move(buffers));
}

void RequestBatch::refuse(RemoteAddress at, std::uint32_t length) const {
  const PeerTable& peers = connections_.peers();
  if (peers.place(at.node) == ClusterLinks::kNone) peers.throw_unconnected(at.node);
  throw std::logic_error("access to node " + std::to_string(at.node) + ", region " +
                         std::to_string(at.region) + ", offset " + std::to_string(at.offset) +
                         ", length " + std::to_string(length) + " is outside");
}

OneSidedRequest& RequestBatch::add(RemoteAddress at, std::uint32_t length, ibv_wr_opcode opcode) {
  const PeerTable& peers = connections_.peers();
  const std::uint16_t place = peers.place(at.node);
  if (place == ClusterLinks::kNone || at.region >= peers.regions ||
      length > peers.region(place, at.region).bytes ||
      at.offset > peers.region(place, at.region).bytes - length) {
    refuse(at, length);
  }
  const auto index = static_cast<std::uint32_t>(requests_.size());
  OneSidedRequest& request = requests_.emplace_back();
  request.remote_address = peers.region(place, at.region).base + at.offset;
  request.length = length;
  request.rest_length = 0;
  request.remote_key = connections_.remote_key(place, at.region);
  request.next = kNoRequest;
  request.staging = kNoBuffer;
  request.opcode = static_cast<std::uint16_t>(opcode);
  request.inlined = false;
  request.copy_source = false;
  for (OneSidedChain& chain : chains_) {
    if (chain.place != place) continue;
    requests_[chain.last].next = index;
    chain.last = index;
    ++chain.count;
    return request;
  }
  chains_.push_back({place, index, index, 1});
  return request;
}

void RequestBatch::read(RemoteAddress from, void* to, std::uint32_t length) {
  if (!connections_.memory().in_scratch(to, length)) {
    throw std::logic_error("a read's target must be in scratch memory");
  }
  OneSidedRequest& request = add(from, length, IBV_WR_RDMA_READ);
  request.local_address = reinterpret_cast<std::uint64_t>(to);
  ++connections_.counters.reads;
}

void RequestBatch::write(RemoteAddress to, const void* from, std::uint32_t length) {
  OneSidedRequest& request = add(to, length, IBV_WR_RDMA_WRITE);
  request.local_address = reinterpret_cast<std::uint64_t>(from);
  request.inlined = length <= connections_.inline_bytes();
  request.copy_source = !request.inlined && !connections_.memory().in_scratch(from, length);
  ++connections_.counters.writes;
}

void RequestBatch::write(RemoteAddress to, std::span<const std::byte> first,
                         std::span<const std::byte> rest) {
  const WorkerMemory& memory = connections_.memory();
  if (!memory.in_scratch(first.data(), first.size()) ||
      !memory.in_scratch(rest.data(), rest.size())) {
    throw std::logic_error("both sources of a write must be in scratch memory");
  }
  OneSidedRequest& request =
      add(to, static_cast<std::uint32_t>(first.size() + rest.size()), IBV_WR_RDMA_WRITE);
  request.local_address = reinterpret_cast<std::uint64_t>(first.data());
  request.rest_address = reinterpret_cast<std::uint64_t>(rest.data());
  request.rest_length = static_cast<std::uint32_t>(rest.size());
  ++connections_.counters.writes;
}

void RequestBatch::add_atomic(RemoteAddress at, ibv_wr_opcode opcode, std::uint64_t compare_add,
                              std::uint64_t swap, std::uint64_t* found) {
  if (at.offset % sizeof(std::uint64_t) != 0) {
    throw std::logic_error("an atomic at offset " + std::to_string(at.offset) +
                           " is not aligned to 8 bytes");
  }
  std::byte* target = connections_.memory().sink();
  BufferId staging = kNoBuffer;
  if (found != nullptr && connections_.memory().in_scratch(found, sizeof *found)) {
    target = reinterpret_cast<std::byte*>(found);
  } else if (found != nullptr) {
    staging = connections_.take_staging(sizeof *found);
    target = connections_.staging(staging).address;
    found_.push_back({reinterpret_cast<const std::uint64_t*>(target), found, staging});
  }
  OneSidedRequest& request = add(at, sizeof(std::uint64_t), opcode);
  request.compare_add = compare_add;
  request.swap = swap;
  request.local_address = reinterpret_cast<std::uint64_t>(target);
  ++connections_.counters.atomics;
}

void RequestBatch::compare_and_swap(RemoteAddress at, std::uint64_t expected, std::uint64_t desired,
                                    std::uint64_t* found) {
  add_atomic(at, IBV_WR_ATOMIC_CMP_AND_SWP, expected, desired, found);
}

void RequestBatch::fetch_and_add(RemoteAddress at, std::uint64_t add, std::uint64_t* found) {
  add_atomic(at, IBV_WR_ATOMIC_FETCH_AND_ADD, add, 0, found);
}

void RequestBatch::post(Doorbell doorbell) {
  if (cores_ != nullptr) [[unlikely]]
    return post_by_cores(doorbell, false);
  connections_.post(*this, doorbell, false);
}

void RequestBatch::wait() {
  if (cores_ != nullptr) [[unlikely]]
    return wait_for_cores();
  const std::optional<std::size_t> failed = connections_.wait(owner_);
  finish_found(!failed);
  if (failed) connections_.throw_failure(*failed);
}

void RequestBatch::finish_found(bool copy) {
  for (const FoundValue& found : found_) {
    if (copy) *found.to = *found.from;
    connections_.release_staging(found.staging);
  }
  found_.clear();
}

void RequestBatch::post_passive(Doorbell doorbell) {
  for (OneSidedRequest& request : requests_) {
    if (request.opcode == IBV_WR_RDMA_READ) {
      throw std::logic_error("a read cannot be passive");
    }
    if (request.opcode == IBV_WR_RDMA_WRITE) {
      request.copy_source = !request.inlined;
      ++connections_.counters.passive_writes;
    }
  }
  if (cores_ != nullptr) [[unlikely]]
    return post_by_cores(doorbell, true);
  connections_.post(*this, doorbell, true);
}

void RequestBatch::post_by_cores(Doorbell doorbell, bool passive) {
  try {
    if (passive) {
      cores_->post_passive(requests_, chains_, doorbell);
    } else {
      cores_->post(requests_, chains_, doorbell);
    }
  } catch (...) {
    requests_.clear();
    chains_.clear();
    throw;
  }
  requests_.clear();
  chains_.clear();
}

void RequestBatch::wait_for_cores() {
  try {
    cores_->wait();
  } catch (...) {
    finish_found(false);
    throw;
  }
  finish_found(true);
}

}  // namespace verbena::rdma
