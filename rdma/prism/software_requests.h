// One batch's requests as calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/message_io.h"
#include "rdma/one_sided/core_path.h"
#include "rdma/prism/request_cutter.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::rdma {

class SoftwarePath;

/// Sends the requests of one RequestBatch by a SoftwarePath, which must outlive it. Used by the
/// batch's fiber.
class SoftwareRequests final : public CoreRequests {
 public:
  explicit SoftwareRequests(SoftwarePath& path);

  void post(std::span<const OneSidedRequest> requests, std::span<const OneSidedChain> chains,
            Doorbell doorbell) override;
  void post_passive(std::span<const OneSidedRequest> requests,
                    std::span<const OneSidedChain> chains, Doorbell doorbell) override;
  void wait() override;

 private:
  // A call that is in flight, [index in calls_].
  struct Sent {
    std::uint16_t place;
    std::uint32_t first_part;  // in parts_, up to that of the next one
  };
  struct Overtaken {
    std::uint16_t place;
    std::vector<std::byte> message;
    std::vector<ReplyPart> parts;
  };

  bool in_flight_to_one_of(std::span<const OneSidedChain> chains) const;
  void post_calls(Doorbell doorbell);
  void forget();
  void give_way_if_own();
  std::span<const ReplyPart> parts_of(std::size_t call) const;
  std::vector<Overtaken> take_replies();
  void send_again(const std::vector<Overtaken>& overtaken);

  SoftwarePath& path_;
  RpcBatch calls_;
  std::vector<Sent> sent_;
  std::vector<ReplyPart> parts_;
  std::vector<RequestCutter> cutters_;
  std::vector<std::byte> message_;
  bool broken_ = false;  // posting has failed: what is in flight is only waited for
};

}  // namespace verbena::rdma
