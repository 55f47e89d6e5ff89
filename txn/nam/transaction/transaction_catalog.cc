// Finding hash buckets by what is remembered of the catalog, and finding out when that has changed.
#include <algorithm>
#include <span>
#include <vector>

#include "txn/nam/transaction/transaction.h"

namespace verbena::txn::nam {

std::size_t NamTransaction::catalog_bytes(const Layout& layout) {
  const std::size_t lines = cache_lines(layout.view().nodes() * sizeof(std::uint64_t));
  return layout.grows() ? lines * kCacheLineBytes : 0;
}

// The version of each home is READ once, together with buckets. That is after the snapshot was
// taken: while it is what it was when the generation was told, keys that came before that are in
// this generation, and so are all that the snapshot holds. That its buckets are READ later is no
// harm: they stay as they are when the next generation takes over. But then they keep keys that go,
// too.
void NamTransaction::find_buckets() {
  const auto wanted = [](const Access& access) {
    return access.state == State::kBucket && !access.bucket_known;
  };
  const std::span unsettled = std::span(accesses_).subspan(fetched_);
  if (catalog_ != nullptr) {
    std::vector<RecordName> unknown;
    for (const Access& access : unsettled) {
      if (wanted(access) && catalog_->find(access.name) == nullptr) unknown.push_back(access.name);
    }
    if (!unknown.empty()) {
      worker_.core().reach("nam: table is not in the catalog that was remembered");
      metrics_.count(worker_.now(), Counter::kCatalogCalls);
      catalog_->ask(calls_, unknown);
    }
  }
  for (Access& access : unsettled) {
    if (!wanted(access)) continue;
    if (catalog_ != nullptr) access.catalog = *catalog_->find(access.name);
    access.bucket = layout_.bucket(access.name, access.catalog.generation);
    access.bucket_known = true;
    if (catalog_ != nullptr) read_catalog_version(layout_.catalog_home(access.name));
  }
}

// The key has gone from its entry. Perhaps it has gone from its bucket by now; perhaps that is of
// an earlier generation and keeps it.
void NamTransaction::look_at_catalog_again(Access& access) {
  access.bucket_known = false;
  if (catalog_ != nullptr) std::erase(catalog_homes_, layout_.catalog_home(access.name));
}

void NamTransaction::read_catalog_version(NodeId home) {
  if (std::ranges::count(catalog_homes_, home) > 0) return;
  catalog_homes_.push_back(home);
  batch_.read(layout_.catalog_version(home), &catalog_versions_[home], sizeof(std::uint64_t));
}

void NamTransaction::check_catalog() {
  if (catalog_ == nullptr) return;
  std::vector<RecordName> altered;
  for (Access& access : std::span(accesses_).subspan(fetched_)) {
    if (access.state != State::kBucket || !access.bucket_known) continue;
    if (catalog_versions_[layout_.catalog_home(access.name)] <= access.catalog.version) continue;
    access.bucket_known = false;
    altered.push_back(access.name);
  }
  if (altered.empty()) return;
  worker_.core().reach("nam: catalog has changed since it was remembered");
  metrics_.count(worker_.now(), Counter::kCatalogCalls);
  catalog_->ask(calls_, altered);
}

}  // namespace verbena::txn::nam
