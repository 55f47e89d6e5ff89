// The memory of servers, other machines' or the own, as a fiber accesses it.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/records/live_memory.h"
#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

/// A fiber's accesses to records, to their old versions and to hash buckets: by one-sided requests,
/// or at its own machine, where that is a memory server too, by the CPU (NAM-DB paper, section 7.3:
/// locality). Accesses are added, posted together and waited for together, as those of a
/// RequestBatch, whose rules for targets and sources are these, too. The CPU does its part in
/// post(), in the order in which it was added, while requests are on their way; so accesses of one
/// server take effect in order, as all of a RequestBatch do.
///
/// Locks are taken by NICs only, at the own machine by way of a queue pair to itself: atomics of
/// NICs do not exclude those of the CPU. Whoever holds a lock gives it back by an ordinary store,
/// of his CPU at his own machine, and NICs may be in the midst of a compare-and-swap of that word.
/// Such a one fails: it expects a version that somebody found unlocked, and until the store the
/// word is a lock. So what is taken for granted is that a compare-and-swap that fails does not
/// write, as the paper does, which unlocks by WRITE: a NIC orders WRITEs and atomics of different
/// queue pairs no more than a CPU's store and its atomics, so that a WRITE to oneself would be no
/// safer, and takes two ways over PCIe for one.
///
/// The vector of commits tells what has been installed, so it is accessed through the NIC always:
/// what comes to memory behind others' WRITEs, over PCIe in order, shows that they have come.
///
/// Belongs to its fiber.
class ServerMemory {
 public:
  /// `batch` is also used by others, between these. `own`: the region of records of the worker's
  /// machine, if its CPU is to access it; else null.
  ServerMemory(rdma::Worker& worker, rdma::RequestBatch& batch, rdma::Region* own)
      : worker_(worker), batch_(batch), own_(own) {}

  /// True if there is such a region, so that a transaction may go on for long without waiting.
  bool by_cpu() const { return own_ != nullptr; }
  /// True if accesses to what lies there are the CPU's.
  bool own(const RemoteAddress& at) const { return own_ != nullptr && at.node == worker_.node(); }

  // Accesses to an image, also when it is an old version's; it may turn out not to be whole().
  void read_image(RemoteAddress from, RecordImage to, const ImageFormat& format);
  void write_image(RemoteAddress to, RecordImage image, const ImageFormat& format);
  // Accesses to the headers of a record's old versions.
  void read_headers(RemoteAddress from, OldHeader* to, std::uint32_t count);
  void write_header(RemoteAddress to, OldHeader* header);
  /// It may turn out not to be untorn().
  void read_bucket(RemoteAddress from, std::byte* to);
  /// Unlocks the current version at `record`, for a caller who has it.
  void unlock(RemoteAddress record, RecordImage image);
  /// See RequestBatch. By the NIC, wherever.
  void compare_and_swap(RemoteAddress at, std::uint64_t expected, std::uint64_t desired,
                        std::uint64_t* found);

  bool empty() const { return batch_.empty() && by_cpu_.empty(); }
  void post();
  /// Lets others have a turn where the CPU found something torn, so that it can be read again.
  void wait();

 private:
  enum class What : std::uint8_t {
    kReadImage,
    kWriteImage,
    kReadHeaders,
    kWriteHeader,
    kReadBucket,
    kUnlock
  };
  struct ByCpu {
    What what;
    std::byte* live;
    std::byte* copy;
    const ImageFormat* format = nullptr;  // of an image
    std::uint32_t headers = 0;
  };

  std::byte* live(const RemoteAddress& at, std::uint32_t bytes) {
    return own_->at(at.offset, bytes);
  }
  void perform(const ByCpu& access);

  rdma::Worker& worker_;
  rdma::RequestBatch& batch_;
  rdma::Region* own_;
  std::vector<ByCpu> by_cpu_;
  bool torn_ = false;
  bool works_long_ = false;  // by CPU, since the last wait
};

}  // namespace verbena::txn::nam
