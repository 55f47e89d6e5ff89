// Access of a fiber to servers' memory, on its own machine or others.
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

/// Accesses records, old versions and hash buckets: by one-sided requests, or by the CPU if the
/// fiber's machine is their memory server (NAM-DB paper, section 7.3: locality). Accesses are
/// added, posted together and awaited together; the rules of a RequestBatch for targets and sources
/// hold. The CPU does its accesses in post(), in the order in which they were added, while requests
/// are in flight. So accesses to one server take effect in order, as in a RequestBatch.
///
/// Only NICs take locks, at the own machine through a queue pair to itself, since atomics of NICs
/// do not exclude those of the CPU. The holder releases a lock at its own machine by an ordinary
/// store, while a NIC may be in the midst of a compare-and-swap of that word. Such a
/// compare-and-swap fails: it expects a version that somebody found unlocked, but the word is a
/// lock until the store. So the code assumes that a failing compare-and-swap does not write. The
/// paper assumes the same, as it unlocks by WRITE: a NIC orders WRITEs and atomics of different
/// queue pairs no more than a CPU's store and its atomics. A WRITE to oneself would be no safer,
/// and would take two trips over PCIe instead of one.
///
/// The vector of commits is always accessed through the NIC: it tells what has been installed, and
/// a value that comes to memory behind others' WRITEs, over PCIe in order, shows that these have
/// come.
///
/// Belongs to its fiber.
class ServerMemory {
 public:
  /// `batch` may be used by others between accesses. `own`: the region of records of the worker's
  /// machine if its CPU is to access it; else null.
  ServerMemory(rdma::Worker& worker, rdma::RequestBatch& batch, rdma::Region* own)
      : worker_(worker), batch_(batch), own_(own) {}

  /// True if the CPU accesses its own region, so that a transaction may run long without waiting.
  bool by_cpu() const { return own_ != nullptr; }
  /// True if the CPU accesses this address.
  bool own(const RemoteAddress& at) const { return own_ != nullptr && at.node == worker_.node(); }

  // Accesses to an image, current or old; what is read may not be whole().
  void read_image(RemoteAddress from, RecordImage to, const ImageFormat& format);
  void write_image(RemoteAddress to, RecordImage image, const ImageFormat& format);
  // Accesses to the headers of a record's old versions.
  void read_headers(RemoteAddress from, OldHeader* to, std::uint32_t count);
  void write_header(RemoteAddress to, OldHeader* header);
  /// Reads a bucket, which may not be untorn().
  void read_bucket(RemoteAddress from, std::byte* to);
  /// Unlocks the current version at `record`; the caller holds the lock.
  void unlock(RemoteAddress record, RecordImage image);
  /// Adds a compare-and-swap, see RequestBatch. Always by the NIC.
  void compare_and_swap(RemoteAddress at, std::uint64_t expected, std::uint64_t desired,
                        std::uint64_t* found);

  bool empty() const { return batch_.empty() && by_cpu_.empty(); }
  void post();
  /// Waits. Yields to other fibers if the CPU found something torn, so that it can be read again.
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
