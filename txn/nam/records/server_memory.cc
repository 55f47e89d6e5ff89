// Requests, and what the CPU does instead.
#include "txn/nam/records/server_memory.h"

#include <span>
#include <utility>

#include "txn/index/bucket.h"

namespace verbena::txn::nam {

using rdma::Work;

void ServerMemory::read_image(RemoteAddress from, RecordImage to, const ImageFormat& format) {
  if (!own(from)) return batch_.read(from, to.bytes(), format.bytes());
  by_cpu_.push_back({.what = What::kReadImage,
                     .live = live(from, format.bytes()),
                     .copy = to.bytes(),
                     .format = &format});
}

void ServerMemory::write_image(RemoteAddress to, RecordImage image, const ImageFormat& format) {
  if (!own(to)) return batch_.write(to, image.bytes(), format.bytes());
  by_cpu_.push_back({.what = What::kWriteImage,
                     .live = live(to, format.bytes()),
                     .copy = image.bytes(),
                     .format = &format});
}

void ServerMemory::read_headers(RemoteAddress from, OldHeader* to, std::uint32_t count) {
  const auto bytes = static_cast<std::uint32_t>(count * sizeof(OldHeader));
  if (!own(from)) return batch_.read(from, to, bytes);
  by_cpu_.push_back({.what = What::kReadHeaders,
                     .live = live(from, bytes),
                     .copy = reinterpret_cast<std::byte*>(to),
                     .headers = count});
}

void ServerMemory::write_header(RemoteAddress to, OldHeader* header) {
  if (!own(to)) return batch_.write(to, header, sizeof(OldHeader));
  by_cpu_.push_back({.what = What::kWriteHeader,
                     .live = live(to, sizeof(OldHeader)),
                     .copy = reinterpret_cast<std::byte*>(header)});
}

void ServerMemory::read_bucket(RemoteAddress from, std::byte* to) {
  if (!own(from)) return batch_.read(from, to, Bucket::kBytes);
  by_cpu_.push_back({.what = What::kReadBucket, .live = live(from, Bucket::kBytes), .copy = to});
}

void ServerMemory::unlock(RemoteAddress record, RecordImage image) {
  if (!own(record)) return batch_.write(record, image.bytes() + kLockOffset, 8);
  by_cpu_.push_back({.what = What::kUnlock, .live = live(record, 8), .copy = image.bytes()});
}

void ServerMemory::compare_and_swap(RemoteAddress at, std::uint64_t expected, std::uint64_t desired,
                                    std::uint64_t* found) {
  batch_.compare_and_swap(at, expected, desired, found);
}

void ServerMemory::post() {
  if (!batch_.empty()) batch_.post();
  for (const ByCpu& access : by_cpu_) perform(access);
  works_long_ |= !by_cpu_.empty();
  by_cpu_.clear();
}

void ServerMemory::wait() {
  batch_.wait();
  // Others may be changing what was torn.
  if (std::exchange(torn_, false)) {
    worker_.yield();
  } else if (std::exchange(works_long_, false)) {
    worker_.give_way();
  }
}

void ServerMemory::perform(const ByCpu& access) {
  rdma::Core& core = worker_.core();
  core.spend(Work::kRecordAccess);
  switch (access.what) {
    case What::kReadImage:
      core.spend(Work::kCopyLine, access.format->lines());
      read_live(access.live, *access.format, RecordImage(access.copy), core);
      torn_ |= !access.format->whole(RecordImage(access.copy));
      return;
    case What::kWriteImage:
      core.spend(Work::kCopyLine, access.format->lines());
      return write_live(access.live, *access.format, RecordImage(access.copy), core);
    case What::kReadHeaders:
      core.spend(Work::kCopyLine, cache_lines(access.headers * sizeof(OldHeader)));
      return read_live(access.live,
                       std::span(reinterpret_cast<OldHeader*>(access.copy), access.headers), core);
    case What::kWriteHeader:
      return write_live(access.live, *reinterpret_cast<OldHeader*>(access.copy), core);
    case What::kReadBucket: {
      core.spend(Work::kCopyLine, cache_lines(Bucket::kBytes));
      auto& bucket = *reinterpret_cast<Bucket*>(access.copy);
      read_live(access.live, bucket, core);
      torn_ |= !bucket.untorn();
      return;
    }
    case What::kUnlock:
      return unlock_live(access.live, RecordImage(access.copy));
  }
}

}  // namespace verbena::txn::nam
