// The requests that are not answered, with their inlined data and their lists of pieces.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simnic/engine/slab.h"
#include "simnic/nic/objects.h"
#include "simnic/nic/packet_pool.h"

namespace verbena::simnic {

/// A node's requests by number. A request owns its inlined data and its pieces.
class RequestPool {
 public:
  /// `packets` has the buffers for inlined data, and must outlive this.
  explicit RequestPool(PacketPool& packets) : packets_(packets) {}

  Request& operator[](std::uint32_t number) { return requests_[number]; }

  /// Returns a request with its number; its other members have any value.
  Request& allocate() {
    const std::uint32_t number = requests_.allocate();
    Request& request = requests_[number];
    request.number = number;
    return request;
  }
  void release(Request& request) {
    if (request.inlined) {
      packets_.payloads().release(request.payload, request.message.bytes);
    } else {
      release_pieces(request.scattered);
    }
    ++request.generation;
    requests_.release(request.number);
  }

  /// Gives `request` room for its inlined data.
  void make_payload(Request& request) {
    request.payload = packets_.payloads().allocate(request.message.bytes);
  }

  std::vector<ibv_sge>* new_pieces(const ibv_sge* pieces, int count);
  /// Takes back what new_pieces returned; null: nothing.
  void release_pieces(std::vector<ibv_sge>* pieces) {
    if (pieces != nullptr) free_pieces_.push_back(pieces);
  }

 private:
  PacketPool& packets_;
  Slab<Request> requests_;
  std::vector<std::unique_ptr<std::vector<ibv_sge>>> pieces_;  ///< owns all `scattered` lists
  std::vector<std::vector<ibv_sge>*> free_pieces_;
};

}  // namespace verbena::simnic
