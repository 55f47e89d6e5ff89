// Copying records while others write them.
#include "txn/nam/durability/checkpoint.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/errors.h"
#include "rdma/base/random.h"
#include "rdma/one_sided/request_batch.h"
#include "txn/nam/durability/saved_file.h"
#include "txn/nam/oracle/vector_reads.h"
#include "txn/nam/records/live_memory.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/touched_entries.h"

namespace verbena::txn::nam {
namespace {

constexpr std::size_t kWord = 8;

void put(std::vector<std::byte>& content, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  content.insert(content.end(), first, first + bytes);
  content.resize((content.size() + kWord - 1) / kWord * kWord);
}

void put(std::vector<std::byte>& content, std::uint64_t value) {
  put(content, &value, sizeof value);
}

bool somebody_died(rdma::Worker& worker) {
  const rdma::Endpoint& endpoint = worker.endpoint();
  for (std::uint32_t n = 0; n < endpoint.nodes(); ++n) {
    if (endpoint.is_dead(static_cast<NodeId>(n))) return true;
  }
  return false;
}

std::size_t counts_bytes(const Layout& layout) {
  return (layout.vector().slots() * sizeof(std::uint32_t) + kWord - 1) / kWord * kWord;
}

}  // namespace

std::uint64_t layout_digest(const Layout& layout) {
  std::uint64_t digest = mix64(layout.vector().slots());
  const auto add = [&digest](std::uint64_t one) { digest = mix64(digest ^ one); };
  for (std::uint32_t n = 0; n < layout.view().nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    add(layout.keeps(node) ? layout.records_bytes(node) : n);
  }
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    const Layout::Table& table = layout.table(static_cast<TableId>(t));
    add(table.format.payload_bytes());
    add(table.entries);
    add(table.keys.count());
  }
  return digest;
}

std::string checkpoint_file(NodeId server) { return "checkpoint." + std::to_string(server); }
std::string journals_file(NodeId server) { return "journals." + std::to_string(server); }

Checkpoints::Checkpoints(const Layout& layout, const JournalLayout& journals,
                         const NodeOptions& options, NodeId server, rdma::Region& records,
                         rdma::Region& journal_region, IndexOf index_of)
    : layout_(layout),
      journals_(journals),
      options_(options),
      server_(server),
      records_(records),
      journal_region_(journal_region),
      index_of_(std::move(index_of)) {}

void Checkpoints::run(rdma::Worker& worker) {
  const std::span<std::byte> memory = worker.allocate_scratch(layout_.vector().bytes());
  const std::span counts(reinterpret_cast<std::uint32_t*>(memory.data()), layout_.vector().slots());
  rdma::RequestBatch batch(worker.connections());
  for (bool over = false; !over;) {
    over = worker.over();
    const Nanoseconds began = worker.now();
    read_vector(batch, layout_, counts);
    batch.post();
    batch.wait();
    take(worker, counts);
    holds_since_.store(began, std::memory_order_release);
    // Nobody wakes it when the run is over.
    const Nanoseconds next = began + options_.checkpoint_interval;
    while (!over && worker.now() < next && !worker.over()) {
      worker.sleep_until(std::min(next, worker.now() + kMillisecond));
    }
  }
  if (somebody_died(worker)) save_journals();
}

// Nothing runs yet.
void Checkpoints::begin(std::span<const std::uint32_t> counts) {
  save(counts, [](std::byte* live, const ImageFormat& format, RecordImage copy) {
    std::memcpy(copy.bytes(), live, format.bytes());
  });
  remove_file(options_.checkpoints, journals_file(server_));
}

void Checkpoints::take(rdma::Worker& worker, std::span<const std::uint32_t> counts) {
  constexpr std::uint32_t kAtOnce = 32;  // so that others have their turns
  std::uint32_t copied = 0;
  save(counts, [&](std::byte* live, const ImageFormat& format, RecordImage copy) {
    if (copied++ % kAtOnce == 0) {
      worker.core().reach("nam: checkpoint is being taken");
      worker.yield();
    }
    worker.core().spend(rdma::Work::kCopyLine, format.lines());
    for (read_live(live, format, copy, worker.core()); !format.whole(copy);
         read_live(live, format, copy, worker.core())) {
      worker.core().reach("nam: record changes while it is saved");
      worker.yield();
    }
  });
  worker.core().reach("nam: checkpoint written");
}

void Checkpoints::save(std::span<const std::uint32_t> counts, const Copy& copy) {
  std::vector<std::byte> content;
  put(content, counts.data(), counts.size_bytes());
  for (const PartitionId partition : layout_.view().primaries(server_)) {
    for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
      add_table({.table = static_cast<TableId>(t), .partition = partition, .key = 0}, copy,
                content);
    }
  }
  save_file(options_.checkpoints, checkpoint_file(server_), layout_digest(layout_), content);
  tell(counts);
}

void Checkpoints::add_table(const RecordName& name, const Copy& copy,
                            std::vector<std::byte>& content) {
  const ImageFormat& format = layout_.table(name.table).format;
  const std::uint64_t used = index_of_(name.partition, name.table).used_entries();
  put(content, used);
  const std::size_t count_at = content.size();
  put(content, 0);
  std::uint64_t count = 0;
  std::vector<std::byte> image(format.bytes());
  for_each_touched(layout_, records_.memory(), name, 0, used, [&](std::uint64_t entry) {
    copy(records_.at(layout_.current(name, entry).offset, format.bytes()), format,
         RecordImage(image.data()));
    // Nothing but its number was taken yet: whatever comes there is in the journals.
    if (RecordImage(image.data()).installs() == 0) return;
    put(content, entry);
    put(content, image.data(), image.size());
    ++count;
  });
  std::memcpy(content.data() + count_at, &count, sizeof count);
}

void Checkpoints::tell(std::span<const std::uint32_t> counts) {
  std::byte* told = journal_region_.at(journals_.told(server_, 0).offset, counts.size_bytes());
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    auto& word = *reinterpret_cast<std::uint32_t*>(told + slot * sizeof(std::uint32_t));
    std::atomic_ref(word).store(counts[slot], std::memory_order_release);
  }
}

// Saves a copy, since NICs may write into the rings while the file, which has a checksum, is made.
void Checkpoints::save_journals() {
  const std::byte* rings = journal_region_.at(0, journals_.rings_bytes());
  const std::vector<std::byte> content(rings, rings + journals_.rings_bytes());
  save_file(options_.checkpoints, journals_file(server_), layout_digest(layout_), content);
}

Checkpoint::Checkpoint(const std::string& directory, const Layout& layout, NodeId server)
    : layout_(layout) {
  const std::string path = directory + "/" + checkpoint_file(server);
  auto content = load_file(directory, checkpoint_file(server), layout_digest(layout));
  if (!content) throw ConfigurationError(path + ": is not there");
  content_ = *std::move(content);
  try {
    BoundedReader rest(content_);
    read_counts(rest);
    for (const PartitionId partition : layout.view().primaries(server)) {
      for (std::size_t t = 0; t < layout.schema().size(); ++t) {
        read_table({.table = static_cast<TableId>(t), .partition = partition, .key = 0}, rest);
      }
    }
    rest.expect_end();
  } catch (const Malformed& wrong) {
    throw ConfigurationError(path + ": " + wrong.what());
  }
}

void Checkpoint::read_counts(BoundedReader& rest) {
  const auto counts = rest.take_bytes(counts_bytes(layout_));
  counts_.resize(layout_.vector().slots());
  std::memcpy(counts_.data(), counts.data(), counts_.size() * sizeof(std::uint32_t));
}

// Entries come in their order, each once.
void Checkpoint::read_table(const RecordName& name, BoundedReader& rest) {
  const Layout::Table& table = layout_.table(name.table);
  const auto used = rest.take<std::uint64_t>();
  check_within(used, table.keys.count(), table.entries, "entries in use");
  used_.push_back(used);
  const auto count = rest.take<std::uint64_t>();
  check_within(count, 0, used, "records");
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = rest.take<std::uint64_t>();
    check_within(entry, next, used - 1, "entry");
    next = entry + 1;
    const auto image = rest.take_bytes(table.format.bytes());
    check_image(layout_, name.table, entry, image);
    entries_.push_back({.name = name, .entry = entry, .image = image});
  }
}

std::uint64_t Checkpoint::used_entries(PartitionId partition, TableId table) const {
  return used_[layout_.place(partition) * layout_.schema().size() + table];
}

}  // namespace verbena::txn::nam
