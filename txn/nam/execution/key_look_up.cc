// Buckets by the catalog that is remembered, and what they tell.
#include "txn/nam/execution/key_look_up.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "txn/index/bucket.h"

namespace verbena::txn::nam {

KeyLookUp::KeyLookUp(Attempt& attempt, AccessSet& accesses, CatalogCache* catalog)
    : attempt_(attempt), accesses_(accesses), layout_(attempt.layout()), catalog_(catalog) {
  if (catalog == nullptr) return;
  const std::span<std::byte> memory =
      attempt.worker().allocate_scratch(scratch_bytes(attempt.layout()));
  versions_ = {reinterpret_cast<std::uint64_t*>(memory.data()), memory.size() / 8};
}

std::size_t KeyLookUp::scratch_bytes(const Layout& layout) {
  const std::size_t lines = cache_lines(layout.view().nodes() * sizeof(std::uint64_t));
  return layout.grows() ? lines * kCacheLineBytes : 0;
}

void KeyLookUp::begin() { homes_.clear(); }

// The version of each home is READ once, together with buckets. That is after the snapshot was
// taken: while it is what it was when the generation was told, keys that came before that are in
// this generation, and so are all that the snapshot holds. That its buckets are READ later is no
// harm: they stay as they are when the next generation takes over. But then they keep keys that go,
// too.
void KeyLookUp::find_buckets() {
  if (catalog_ != nullptr) ask_for_unknown();
  for (Access& access : accesses_.unfetched()) {
    if (!access.bucket_wanted()) continue;
    const CatalogCache::Entry entry =
        catalog_ != nullptr ? *catalog_->find(access.name()) : CatalogCache::Entry{};
    access.read_first_bucket(layout_.bucket(access.name(), entry.generation), entry);
    if (catalog_ != nullptr) read_version(layout_.catalog_home(access.name()));
  }
}

void KeyLookUp::ask_for_unknown() {
  std::vector<RecordName> unknown;
  for (const Access& access : accesses_.unfetched()) {
    if (access.bucket_wanted() && catalog_->find(access.name()) == nullptr) {
      unknown.push_back(access.name());
    }
  }
  if (unknown.empty()) return;
  attempt_.reach("nam: table is not in the catalog that was remembered");
  attempt_.count(Counter::kCatalogCalls);
  catalog_->ask(attempt_.calls(), unknown);
}

void KeyLookUp::read_version(NodeId home) {
  if (std::ranges::count(homes_, home) > 0) return;
  homes_.push_back(home);
  attempt_.batch().read(layout_.catalog_version(home), &versions_[home], sizeof(std::uint64_t));
}

void KeyLookUp::request(Access& access) {
  attempt_.count(Counter::kBucketReads);
  attempt_.servers().read_bucket(access.bucket(), access.image().bytes());
}

void KeyLookUp::check_catalog() {
  if (catalog_ == nullptr) return;
  std::vector<RecordName> altered;
  for (Access& access : accesses_.unfetched()) {
    if (!access.bucket_known()) continue;
    if (versions_[layout_.catalog_home(access.name())] <= access.catalog().version) continue;
    access.forget_bucket();
    altered.push_back(access.name());
  }
  if (altered.empty()) return;
  attempt_.reach("nam: catalog has changed since it was remembered");
  attempt_.count(Counter::kCatalogCalls);
  catalog_->ask(attempt_.calls(), altered);
}

// A key that has no entry after the snapshot was taken is in no commit that this holds.
void KeyLookUp::take(Access& access) {
  if (!access.bucket_known()) return;
  Bucket bucket;
  std::memcpy(&bucket, access.image().bytes(), sizeof bucket);
  if (!bucket.untorn()) return attempt_.reach("nam: READ of a bucket is torn");
  if (const auto entry = bucket.find(access.name().key)) {
    access.found_entry(*entry);
  } else if (const auto next = bucket.next()) {
    attempt_.reach("nam: link to another bucket followed");
    access.read_next_bucket(
        layout_.indirect_bucket(access.name(), access.catalog().generation, *next));
  } else {
    attempt_.reach("nam: key found nowhere");
    accesses_.settle(access, false);
  }
}

// Perhaps it has gone from its bucket by now; perhaps that is of an earlier generation and keeps
// it.
void KeyLookUp::seek_again(Access& access) {
  access.lost_entry();
  if (catalog_ != nullptr) std::erase(homes_, layout_.catalog_home(access.name()));
}

}  // namespace verbena::txn::nam
