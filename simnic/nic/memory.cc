// Local memory of work requests: key and bounds checks, gathering and scattering.
#include "simnic/nic/memory.h"

#include <algorithm>
#include <cstddef>

#include "simnic/nic/nic.h"

namespace verbena::simnic {

bool scattered_pieces_valid(const QueuePair& qp, const Request& request, bool write) {
  for (const ibv_sge& piece : *request.scattered) {
    if (piece.length != 0 &&
        local_region(qp, piece.lkey, piece.addr, piece.length, write) == nullptr) {
      return false;
    }
  }
  return true;
}

void gather(const Request& request, std::byte* to) {
  Nic& nic = *request.message.from;
  if (request.scattered == nullptr) {
    if (request.message.bytes == 0) return;
    copy_from_region(*nic.find_region(request.local_key), request.local_address,
                     request.message.bytes, to);
    return;
  }
  for (const ibv_sge& piece : *request.scattered) {
    if (piece.length == 0) continue;
    copy_from_region(*nic.find_region(piece.lkey), piece.addr, piece.length, to);
    to += piece.length;
  }
}

void scatter(const Request& request, const std::byte* from) {
  // A region may have been deregistered since the request was checked: then the NIC has nowhere to
  // write.
  Nic& nic = *request.message.from;
  if (request.scattered == nullptr) {
    const Region* region = nic.find_region(request.local_key);
    if (region != nullptr)
      copy_to_region(*region, request.local_address, request.message.bytes, from);
    return;
  }
  for (const ibv_sge& piece : *request.scattered) {
    const Region* region = nic.find_region(piece.lkey);
    if (region != nullptr) copy_to_region(*region, piece.addr, piece.length, from);
    from += piece.length;
  }
}

bool chain_memory_valid(const QueuePair& qp, const Request& request) {
  const auto valid = [&qp](const ibv_sge& piece, bool write) {
    return piece.length == 0 ||
           local_region(qp, piece.lkey, piece.addr, piece.length, write) != nullptr;
  };
  const ChainWork& work = work_of(request);
  return valid(work.source, false) && valid(work.result, true);
}

void gather_chain(const Request& request, std::byte* to) {
  const ChainWork& work = work_of(request);
  const ibv_sge& source = work.source;
  const std::uint32_t inlined = source.length != 0 ? 0 : request.message.chain.carried;
  std::memcpy(to, request.payload, sizeof work + inlined);
  if (source.length == 0) return;
  const Region* region = request.message.from->find_region(source.lkey);
  copy_from_region(*region, source.addr, source.length, to + sizeof work);
}

void scatter_chain(Request& request, const std::byte* answer) {
  ChainReply reply;
  std::memcpy(&reply, answer, sizeof reply);
  ChainWork& work = work_of(request);
  work.length = reply.length;
  work.outcome = reply.outcome;
  const std::uint32_t bytes = std::min(reply.bytes, work.result.length);
  if (bytes == 0) return;
  const Region* region = request.message.from->find_region(work.result.lkey);
  if (region != nullptr) {
    copy_to_region(*region, work.result.addr, bytes, answer + sizeof reply);
  }
}

Scattered scatter(const QueuePair& qp, const ReceiveRequest& receive, const std::byte* from,
                  std::uint32_t bytes, std::uint32_t skip) {
  const ReceiveRequest::Pieces* several = receive.scattered();
  const ibv_sge single{receive.address, receive.length, receive.key};
  const ibv_sge* pieces = several != nullptr ? several->data() : &single;
  const std::size_t count = several != nullptr ? several->size() : 1;
  std::uint64_t room = 0;
  for (std::size_t i = 0; i < count; ++i) room += pieces[i].length;
  if (std::uint64_t{bytes} + skip > room) return Scattered::kTooLong;
  for (std::size_t i = 0; i < count && bytes != 0; ++i) {
    const std::uint32_t skipped = std::min(skip, pieces[i].length);
    skip -= skipped;
    const std::uint32_t part = std::min(bytes, pieces[i].length - skipped);
    if (part == 0) continue;
    const std::uint64_t address = pieces[i].addr + skipped;
    const Region* region = local_region(qp, pieces[i].lkey, address, part, true);
    if (region == nullptr) return Scattered::kNotAllowed;
    copy_to_region(*region, address, part, from);
    from += part;
    bytes -= part;
  }
  return Scattered::kDone;
}

std::uintptr_t place_received(const QueuePair& qp, const ReceiveRequest& receive,
                              std::uint32_t skip) {
  const Region* region = qp.nic->find_region(receive.first_key());
  const std::uint64_t address = receive.first_address() + skip;
  if (region == nullptr || !region->covers(address, 1)) return 0;
  return reinterpret_cast<std::uintptr_t>(region_memory(*region, address));
}

}  // namespace verbena::simnic
