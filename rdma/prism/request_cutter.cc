// Cutting requests into messages.
#include "rdma/prism/request_cutter.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "rdma/base/cache_line.h"

namespace verbena::rdma {
namespace {

RequestOpcode opcode_of(const OneSidedRequest& request) {
  switch (request.opcode) {
    case IBV_WR_RDMA_READ:
      return RequestOpcode::kRead;
    case IBV_WR_RDMA_WRITE:
      return RequestOpcode::kWrite;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
      return RequestOpcode::kCompareAndSwap;
    default:
      return RequestOpcode::kFetchAndAdd;
  }
}

template <typename T>
void append(std::vector<std::byte>& message, const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  message.insert(message.end(), begin, begin + sizeof value);
}

const std::byte* local(std::uint64_t address) {
  return reinterpret_cast<const std::byte*>(address);
}

}  // namespace

void RequestCutter::cut(RequestMessageHeader header, std::vector<std::byte>& message,
                        std::vector<ReplyPart>& parts) {
  message.clear();
  append(message, header);
  reply_ = sizeof(RequestStatus);
  while (left_ > 0 && add_part(message, parts)) {
  }
}

// As the batch knows it: an address of the server.
RequestHeader RequestCutter::header(const OneSidedRequest& request) const {
  for (std::uint32_t id = 0; id < peers_->control_regions[place_]; ++id) {
    const PeerTable::RegionAddress& region = peers_->region(place_, RegionId(id));
    const std::uint64_t offset = request.remote_address - region.base;
    if (request.remote_address < region.base || request.length > region.bytes ||
        offset > region.bytes - request.length) {
      continue;
    }
    return {.offset = offset,
            .length = request.length,
            .region = static_cast<std::uint16_t>(id),
            .opcode = static_cast<std::uint8_t>(opcode_of(request)),
            .unused = 0};
  }
  throw std::logic_error("a request by cores to node " + std::to_string(peers_->peers[place_]) +
                         " of what only NICs access there");
}

// 0: none of it fits.
std::uint32_t RequestCutter::part_length(const OneSidedRequest& request, std::size_t room) const {
  const std::uint32_t length = request.length - begun_;
  if (whole_words(length) <= room) return length;
  const std::uint64_t begin = request.remote_address + begun_;
  const std::uint64_t end = (begin + room / 8 * 8) / kCacheLineBytes * kCacheLineBytes;
  return end > begin ? static_cast<std::uint32_t>(end - begin) : 0;
}

void RequestCutter::add_source(const OneSidedRequest& request, std::uint32_t length,
                               std::vector<std::byte>& message) const {
  const std::size_t at = message.size();
  message.resize(at + whole_words(length));
  const std::uint32_t first = request.length - request.rest_length;
  const std::uint32_t of_first = begun_ < first ? std::min(length, first - begun_) : 0;
  if (of_first > 0) std::memcpy(&message[at], local(request.local_address) + begun_, of_first);
  if (of_first == length) return;
  const std::uint32_t skipped = begun_ + of_first - first;
  std::memcpy(&message[at + of_first], local(request.rest_address) + skipped, length - of_first);
}

// False: the message is full.
bool RequestCutter::add_part(std::vector<std::byte>& message, std::vector<ReplyPart>& parts) {
  const OneSidedRequest& request = requests_[next_];
  const bool writes = request.opcode == IBV_WR_RDMA_WRITE;
  const std::size_t header_bytes =
      sizeof(RequestHeader) + (request.atomic() ? sizeof(AtomicOperands) : 0);
  if (message.size() + header_bytes > most_) return false;
  const std::size_t room = writes ? most_ - message.size() - header_bytes : most_ - reply_;
  const std::uint32_t length = part_length(request, room);
  if (length == 0 && request.length > 0) return false;
  RequestHeader part = header(request);
  part.offset += begun_;
  part.length = length;
  append(message, part);
  if (request.atomic()) append(message, AtomicOperands{request.compare_add, request.swap});
  if (writes) {
    add_source(request, length, message);
  } else {
    parts.push_back({static_cast<std::uint32_t>(reply_), length,
                     reinterpret_cast<std::byte*>(request.local_address) + begun_});
    reply_ += whole_words(length);
  }
  begun_ += length;
  if (begun_ == request.length) {
    begun_ = 0;
    next_ = request.next;
    --left_;
  }
  return true;
}

}  // namespace verbena::rdma
