// By one READ and one chain, or by what they take instead.
#include "txn/blocks/rs/rs_access.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "txn/blocks/rs/rs_locked_tags.h"
#include "txn/blocks/rs/rs_operations.h"
#include "txn/prism/access/checked_reads.h"
#include "txn/prism/access/installs.h"
#include "txn/prism/access/server_chains.h"
#include "txn/prism/install_newer.h"

namespace verbena::txn::blocks {
namespace {

// Tags are the versions that are compared.
static_assert(sizeof(Metadata) == sizeof(prism::VersionAndPointer));
static_assert(offsetof(Metadata, pointer) == offsetof(prism::VersionAndPointer, pointer));

constexpr std::size_t kPointerWord = offsetof(Metadata, pointer) / sizeof(std::uint64_t);

constexpr prism::SlotShape kShape = {.bytes = sizeof(Metadata),
                                     .pointer_word = kPointerWord,
                                     .same_bits = {~std::uint64_t{0}, 0, 0, 0}};

// Writes where a compare-and-swap finds an older tag.
class GreaterTags final : public RsAccess {
 public:
  GreaterTags(prism::Without without, rdma::Worker& worker, NodeId replica,
              prism::BufferStock* stock)
      : replica_(replica),
        chains_(worker.rpc(), prism::grouping(without)),
        installs_(prism::make_installs(without, chains_, stock)) {
    if (without == prism::Without::kIndirection) reads_.emplace(worker, chains_, kShape);
  }

  std::span<const std::byte> read(std::uint64_t metadata_at, std::uint32_t value_bytes,
                                  const prism::RoundTrip& round_trip) override {
    const auto bytes = static_cast<std::uint32_t>(sizeof(Tag)) + value_bytes;
    chains_.clear();
    if (reads_) {
      reads_->clear();
      reads_->add(replica_, metadata_at, bytes);
      reads_->carry_out(round_trip);
      return reads_->object(0);
    }
    return read_version(chains_, replica_, metadata_at, value_bytes, round_trip);
  }

  Tag read_tag(std::uint64_t metadata_at, const prism::RoundTrip& round_trip) override {
    chains_.clear();
    return blocks::read_tag(chains_, replica_, metadata_at, round_trip);
  }

  Written write(std::uint64_t metadata_at, rdma::FreeListId list,
                std::span<const std::byte> version, const prism::RoundTrip& round_trip) override {
    chains_.clear();
    installs_->add(replica_, prism::install_newer(list, metadata_at, version));
    installs_->carry_out(round_trip);
    const prism::Installed installed = installs_->installed(0);
    installs_->clear();
    return {.had_buffer = installed.how != prism::Installed::How::kNoBuffer,
            .newest = installed.done(),
            .unused = installed.done() ? installed.replaced[kPointerWord] : installed.buffer};
  }

 private:
  const NodeId replica_;
  prism::ServerChains chains_;
  std::optional<prism::CheckedReads> reads_;  // where no pointers are followed
  std::unique_ptr<prism::Installs> installs_;
};

std::uint32_t longest_object(const RsLayout& layout) {
  std::uint32_t longest = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    longest = std::max(longest, layout.object_bytes(static_cast<TableId>(t)));
  }
  return longest;
}

}  // namespace

std::unique_ptr<RsAccess> make_rs_access(prism::Without without, const RsClient& client,
                                         NodeId replica, prism::BufferStock* stock) {
  if (without == prism::Without::kCas) {
    return std::make_unique<LockedTags>(client.worker, replica, client.layout, client.clients,
                                        client.number);
  }
  return std::make_unique<GreaterTags>(without, client.worker, replica, stock);
}

std::size_t message_bytes(prism::Without without, const RsLayout& layout) {
  const std::vector<std::byte> object(longest_object(layout));
  const auto bytes = static_cast<std::uint32_t>(object.size());
  if (without == prism::Without::kCas) return locked_message_bytes(bytes);
  const std::size_t write = prism::longest_message(prism::install_newer(0, 0, object), without);
  if (without != prism::Without::kIndirection) return write;
  return std::max(write, prism::checked_read_bytes(kShape, bytes));
}

}  // namespace verbena::txn::blocks
