// Composing images and taking them apart.
#include "txn/nam/records/record_image.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

constexpr std::uint32_t kFirstPiece = kCacheLineBytes - kPayloadOffset;
constexpr std::uint32_t kTagBytes = 8;
constexpr std::uint32_t kPiece = kCacheLineBytes - kTagBytes;

constexpr std::uint32_t up_to_words(std::uint32_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

void refuse_installs(const RecordName& name) {
  throw std::runtime_error("key " + std::to_string(name.key) + " of table " +
                           std::to_string(name.table) + " in partition " +
                           std::to_string(name.partition) + ": its record has had " +
                           std::to_string(kMostInstalls) + " versions; no record can have more");
}

ImageFormat::ImageFormat(std::uint32_t payload_bytes) : payload_bytes_(payload_bytes) {
  if (payload_bytes <= kFirstPiece) {
    bytes_ = kPayloadOffset + up_to_words(payload_bytes);
    return;
  }
  const std::uint32_t further = payload_bytes - kFirstPiece;
  const std::uint32_t rest = further % kPiece;
  bytes_ =
      kCacheLineBytes * (1 + further / kPiece) + (rest == 0 ? 0 : kTagBytes + up_to_words(rest));
}

// Calls visit(offset in the image, offset in the payload, bytes) for each piece of payload.
template <typename Visit>
void ImageFormat::for_each_piece(Visit&& visit) const {
  std::uint32_t piece = std::min(payload_bytes_, kFirstPiece);
  visit(kPayloadOffset, 0U, piece);
  std::uint32_t done = piece;
  for (std::uint32_t line = kCacheLineBytes; done < payload_bytes_;
       line += kCacheLineBytes, done += piece) {
    piece = std::min(payload_bytes_ - done, kPiece);
    visit(line + kTagBytes, done, piece);
  }
}

bool ImageFormat::whole(const RecordImage& image) const {
  if (changing(image.lock())) return false;
  const std::uint64_t version = image.version();
  for (std::uint32_t line = kCacheLineBytes; line < bytes_; line += kCacheLineBytes) {
    std::uint64_t tag;
    std::memcpy(&tag, image.bytes() + line, sizeof tag);
    if (tag != version) return false;
  }
  return true;
}

void ImageFormat::compose(RecordImage image, std::uint64_t version, std::uint32_t installs, Key key,
                          const std::byte* payload) const {
  std::byte* bytes = image.bytes();
  std::memset(bytes, 0, bytes_);
  std::memcpy(bytes + kLockOffset, &version, sizeof version);
  std::memcpy(bytes + kVersionOffset, &version, sizeof version);
  std::memcpy(bytes + kInstallsOffset, &installs, sizeof installs);
  std::memcpy(bytes + kKeyOffset, &key, sizeof key);
  for (std::uint32_t line = kCacheLineBytes; line < bytes_; line += kCacheLineBytes) {
    std::memcpy(bytes + line, &version, sizeof version);
  }
  for_each_piece([&](std::uint32_t at, std::uint32_t from, std::uint32_t length) {
    std::memcpy(bytes + at, payload + from, length);
  });
}

void ImageFormat::write_unused(std::byte* live, const RecordImage& image, std::uint64_t lock,
                               rdma::Core& core) const {
  const auto store = [](std::byte* at, std::uint64_t word) {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at)).store(word, std::memory_order_release);
  };
  for (std::uint32_t at = kVersionOffset; at < bytes_; at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, image.bytes() + at, sizeof word);
    store(live + at, word);
    core.step(live);
  }
  store(live + kLockOffset, lock);
}

void ImageFormat::extract(const RecordImage& image, std::byte* payload) const {
  for_each_piece([&](std::uint32_t at, std::uint32_t from, std::uint32_t length) {
    std::memcpy(payload + from, image.bytes() + at, length);
  });
}

}  // namespace verbena::txn::nam
