// The requests under way, with their payloads and their lists of pieces.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simnic/engine/slab.h"
#include "simnic/nic/objects.h"

namespace verbena::simnic {

/// Requests by number. A request owns its payload and its pieces.
class RequestPool {
 public:
  Request& operator[](std::uint32_t number) { return requests_[number]; }

  /// Returns a request with its number; its other members have any value.
  Request& allocate() {
    const std::uint32_t number = requests_.allocate();
    Request& request = requests_[number];
    request.number = number;
    return request;
  }
  /// Returns a copy that takes over the payload, as a message that outlives `request`.
  Request& duplicate(const Request& request) {
    Request& copy = allocate();
    const std::uint32_t number = copy.number;
    const std::uint32_t generation = copy.generation;
    copy = request;
    copy.number = number;
    copy.generation = generation;
    copy.queue_pair = nullptr;
    copy.scattered = nullptr;
    return copy;
  }
  void release(Request& request);

  /// Gives `request` room for a payload of its length.
  void make_payload(Request& request) {
    request.payload_bytes = request.bytes;
    request.payload = payloads_.allocate(request.bytes);
  }
  std::byte* new_payload(std::uint32_t bytes) { return payloads_.allocate(bytes); }

  std::vector<ibv_sge>* new_pieces(const ibv_sge* pieces, int count);
  /// Takes back what new_pieces returned; null: nothing.
  void release_pieces(std::vector<ibv_sge>* pieces) {
    if (pieces != nullptr) free_pieces_.push_back(pieces);
  }

 private:
  Slab<Request> requests_;
  PayloadPool payloads_;
  std::vector<std::unique_ptr<std::vector<ibv_sge>>> pieces_;  ///< owns all `scattered` lists
  std::vector<std::vector<ibv_sge>*> free_pieces_;
};

}  // namespace verbena::simnic
