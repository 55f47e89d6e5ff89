// The way of a worker to its peers' cores.
#include "rdma/prism/software_path.h"

#include <string>

#include "rdma/base/errors.h"
#include "rdma/prism/request_message.h"
#include "rdma/prism/software_requests.h"

namespace verbena::rdma {

SoftwarePath::SoftwarePath(Rpc& rpc, const Connections& connections, bool ordered)
    : rpc_(rpc), connections_(connections), ordered_(ordered) {
  if (rpc.max_payload() >= kLeastRequestPayload) return;
  throw ConfigurationError(
      "rdma.rpc_max_message_bytes: messages of " + std::to_string(rpc.max_payload()) +
      " B of payload; prism=software needs " + std::to_string(kLeastRequestPayload));
}

std::unique_ptr<CoreRequests> SoftwarePath::open() {
  return std::make_unique<SoftwareRequests>(*this);
}

PassiveLane& SoftwarePath::lane(std::uint16_t place) {
  if (lanes_.empty()) lanes_.resize(peers().peers.size());
  if (lanes_[place] == nullptr) {
    lanes_[place] = std::make_unique<PassiveLane>(rpc_, server(place));
  }
  return *lanes_[place];
}

std::uint32_t SoftwarePath::behind(std::uint16_t place) {
  if (!ordered_ || lanes_.empty() || lanes_[place] == nullptr) return 0;
  return lanes_[place]->sent();
}

void SoftwarePath::check_passive() {
  for (const auto& lane : lanes_) {
    if (lane != nullptr) lane->check();
  }
}

}  // namespace verbena::rdma
