// Requests of a batch to one server, cut into messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/device/peer_table.h"
#include "rdma/one_sided/one_sided_request.h"
#include "rdma/prism/request_message.h"

namespace verbena::rdma {

/// Destination of a part of a reply.
struct ReplyPart {
  std::uint32_t at;  ///< in the reply, in bytes
  std::uint32_t bytes;
  std::byte* to;
};

/// Writes a chain's requests into messages, as many as fit into each. A request that does not fit
/// goes in parts that end with cache lines, the lowest address first.
class RequestCutter {
 public:
  /// Makes messages of at most `most` bytes, no less than kLeastRequestPayload. The other arguments
  /// must stay unchanged meanwhile.
  RequestCutter(std::span<const OneSidedRequest> requests, const OneSidedChain& chain,
                const PeerTable& peers, std::size_t most)
      : requests_(requests),
        peers_(&peers),
        place_(chain.place),
        next_(chain.first),
        left_(chain.count),
        most_(most) {}

  std::uint16_t place() const { return place_; }
  bool done() const { return left_ == 0; }

  /// Replaces `message` by the next one, and adds the destinations of its reply to `parts`.
  void cut(RequestMessageHeader header, std::vector<std::byte>& message,
           std::vector<ReplyPart>& parts);

 private:
  RequestHeader header(const OneSidedRequest& request) const;
  std::uint32_t part_length(const OneSidedRequest& request, std::size_t room) const;
  bool add_part(std::vector<std::byte>& message, std::vector<ReplyPart>& parts);
  void add_source(const OneSidedRequest& request, std::uint32_t length,
                  std::vector<std::byte>& message) const;

  std::span<const OneSidedRequest> requests_;
  const PeerTable* peers_;
  std::uint16_t place_;
  std::uint32_t next_;       // request
  std::uint32_t begun_ = 0;  // bytes of it that have gone
  std::uint32_t left_;       // requests
  std::size_t most_;
  std::size_t reply_ = 0;  // bytes, of the message at hand
};

}  // namespace verbena::rdma
