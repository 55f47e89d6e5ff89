// Merging computed initial keys, without those that were erased, with inserted ones.
#include "txn/index/ordered_index.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

namespace verbena::txn {

// Goes through the indexes of a query's initial records that were not erased, in its direction.
class OrderedIndex::InitialKeys {
 public:
  InitialKeys(const KeyShape& shape, const KeyTree& erased, const Query& query,
              std::uint32_t& nodes)
      : shape_(shape),
        erased_(erased),
        descending_(query.descending),
        begin_(shape.rank(query.first)),
        end_(shape.rank_after(query.last)),
        nodes_(nodes),
        walk_(shape) {
    if (query.inserted_only || begin_ >= end_) return;
    if (descending_) {
      enter_descending(end_ - 1);
    } else {
      enter_ascending(begin_);
    }
  }

  bool valid() const { return valid_; }
  Item item() const {
    return {.key = walk_.key(), .entry = static_cast<std::uint32_t>(walk_.index())};
  }

  void advance() {
    if (descending_) {
      if (walk_.index() != edge_) return walk_.previous();
      if (edge_ == begin_) return leave();
      enter_descending(edge_ - 1);
    } else {
      if (walk_.index() != edge_) return walk_.next();
      enter_ascending(edge_ + 1);
    }
  }

 private:
  void leave() { valid_ = false; }

  // Enters the next run of records that are there, from `index` on; `edge_` becomes its last.
  void enter_ascending(std::uint64_t index) {
    const KeyTree::Cursor gap = erased_.last_up_to(index, nodes_);
    if (gap.valid()) index = std::max<std::uint64_t>(index, gap.value());
    if (index >= end_) return leave();
    const KeyTree::Cursor next_gap = erased_.first_from(index, nodes_);
    edge_ = (next_gap.valid() ? std::min(end_, next_gap.key()) : end_) - 1;
    walk_ = KeyShape::Walk(shape_, index);
    valid_ = true;
  }

  void enter_descending(std::uint64_t index) {
    KeyTree::Cursor gap = erased_.last_up_to(index, nodes_);
    if (gap.valid() && gap.value() > index) {
      if (gap.key() <= begin_) return leave();
      index = gap.key() - 1;
      gap.previous(nodes_);
    }
    edge_ = gap.valid() ? std::max<std::uint64_t>(begin_, gap.value()) : begin_;
    walk_ = KeyShape::Walk(shape_, index);
    valid_ = true;
  }

  const KeyShape& shape_;
  const KeyTree& erased_;
  bool descending_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint32_t& nodes_;
  KeyShape::Walk walk_;
  bool valid_ = false;
  std::uint64_t edge_ = 0;
};

// Goes through the keys of a query in a tree, in its direction; null: there are none.
class OrderedIndex::TreeKeys {
 public:
  TreeKeys(const KeyTree* tree, const Query& query, std::uint32_t& nodes)
      : query_(query), nodes_(nodes) {
    if (tree == nullptr) return;
    at_ = query.descending ? tree->last_up_to(query.last, nodes)
                           : tree->first_from(query.first, nodes);
  }

  bool valid() const {
    return at_.valid() &&
           (query_.descending ? at_.key() >= query_.first : at_.key() <= query_.last);
  }
  Item item() const { return {.key = at_.key(), .entry = at_.value()}; }
  void advance() { query_.descending ? at_.previous(nodes_) : at_.next(nodes_); }

 private:
  const Query& query_;
  std::uint32_t& nodes_;
  KeyTree::Cursor at_;
};

OrderedIndex::OrderedIndex(const KeyShape& initial)
    : initial_(initial),
      top_shift_(initial.top_shift()),
      part_count_(top_shift_ ? kParts : 1),
      parts_(std::make_unique<Part[]>(part_count_)) {}

bool OrderedIndex::erased(const Part& part, std::uint64_t index) {
  std::uint32_t nodes = 0;
  const KeyTree::Cursor gap = part.erased.last_up_to(index, nodes);
  return gap.valid() && gap.value() > index;
}

std::optional<std::uint32_t> OrderedIndex::find(Key key) const {
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  if (const std::uint32_t* entry = part.aside.find(key)) return *entry;
  return listed(part, key);
}

std::optional<std::uint32_t> OrderedIndex::listed(Part& part, Key key) const {
  if (const std::uint32_t* entry = part.inserted.find(key)) return *entry;
  const std::uint64_t index = initial_.index_of(key);
  if (index == KeyShape::kNoIndex || erased(part, index)) return std::nullopt;
  return static_cast<std::uint32_t>(index);
}

void OrderedIndex::insert(Key key, std::uint32_t entry) {
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  const std::uint64_t index = initial_.index_of(key);
  const bool initially = index != KeyShape::kNoIndex && !erased(part, index);
  if (initially || part.aside.find(key) != nullptr || !part.inserted.insert(key, entry)) {
    throw std::logic_error("ordered index: key " + std::to_string(key) + " is there already");
  }
  changes_.add(key, entry);
}

void OrderedIndex::erase(Key key) {
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  changes_.add(key, RecentChanges::kNoEntry);
  if (part.aside.erase(key)) {
    if (part.aside.size() == 0) part.aside_since = 0;
    return;
  }
  unlist(part, key);
}

void OrderedIndex::unlist(Part& part, Key key) const {
  if (part.inserted.erase(key)) return;
  const std::uint64_t index = initial_.index_of(key);
  if (index == KeyShape::kNoIndex || erased(part, index)) {
    throw std::logic_error("ordered index: key " + std::to_string(key) + " is not there");
  }
  erase_initial(part, index);
}

bool OrderedIndex::set_aside(Key key, std::uint64_t since, const std::function<bool()>& still) {
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  const std::optional<std::uint32_t> entry = listed(part, key);
  if (!entry || !still()) return false;
  unlist(part, key);
  part.aside.insert(key, *entry);
  part.aside_since = std::max(part.aside_since, since);
  return true;
}

// One that was loaded is an inserted one from now on, in its entry of before.
bool OrderedIndex::set_back(Key key) {
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  const std::uint32_t* entry = part.aside.find(key);
  if (entry == nullptr) return false;
  part.inserted.insert(key, *entry);
  part.aside.erase(key);
  if (part.aside.size() == 0) part.aside_since = 0;
  return true;
}

std::uint64_t OrderedIndex::aside() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < part_count_; ++i) {
    const std::lock_guard guard(parts_[i].lock);
    count += parts_[i].aside.size();
  }
  return count;
}

// Runs of erased records that touch become one.
void OrderedIndex::erase_initial(Part& part, std::uint64_t index) const {
  auto end = static_cast<std::uint32_t>(index) + 1;
  if (const std::uint32_t* end_of_next = part.erased.find(end)) {
    const std::uint32_t further = *end_of_next;
    part.erased.erase(end);
    end = further;
  }
  std::uint32_t nodes = 0;
  const KeyTree::Cursor before = part.erased.last_up_to(index, nodes);
  if (before.valid() && before.value() == index) {
    *part.erased.find(before.key()) = end;
  } else {
    part.erased.insert(index, end);
  }
}

std::size_t OrderedIndex::list_part(const Part& part, const Query& query, std::span<Item> items,
                                    std::uint32_t& nodes) const {
  const std::lock_guard guard(part.lock);
  InitialKeys initial(initial_, part.erased, query, nodes);
  TreeKeys inserted(&part.inserted, query, nodes);
  TreeKeys aside(part.needed_aside(query), query, nodes);
  const auto before = [&query](const auto& a, const auto& b) {
    return a.valid() && (!b.valid() || (a.item().key < b.item().key) != query.descending);
  };
  std::size_t found = 0;
  for (; found < items.size(); ++found) {
    TreeKeys& tree = before(aside, inserted) ? aside : inserted;
    if (before(tree, initial)) {
      items[found] = tree.item();
      tree.advance();
    } else if (initial.valid()) {
      items[found] = initial.item();
      initial.advance();
    } else {
      break;
    }
  }
  return found;
}

// The lowest first digit above `digit` under which there may be keys of the query.
std::optional<std::uint64_t> OrderedIndex::digit_after(std::uint64_t digit,
                                                       const Query& query) const {
  const std::uint64_t most = digit_of(query.last);
  if (digit == most) return std::nullopt;
  const Key from = first_of(digit + 1);
  std::uint64_t lowest = UINT64_MAX;
  const std::uint64_t index = initial_.rank(from);
  if (!query.inserted_only && index < initial_.count()) lowest = digit_of(initial_.key_of(index));
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < part_count_ && lowest > digit + 1; ++i) {
    const std::lock_guard guard(parts_[i].lock);
    for (const KeyTree* tree : parts_[i].trees(query)) {
      if (tree == nullptr) continue;
      const KeyTree::Cursor next = tree->first_from(from, nodes);
      if (next.valid()) lowest = std::min(lowest, digit_of(next.key()));
    }
  }
  return lowest <= most ? std::optional(lowest) : std::nullopt;
}

// The highest first digit below `digit` under which there may be keys of the query.
std::optional<std::uint64_t> OrderedIndex::digit_before(std::uint64_t digit,
                                                        const Query& query) const {
  const std::uint64_t least = digit_of(query.first);
  if (digit == least) return std::nullopt;
  const Key up_to = first_of(digit) - 1;
  std::optional<std::uint64_t> highest;
  const std::uint64_t index = initial_.rank_after(up_to);
  if (!query.inserted_only && index > 0) highest = digit_of(initial_.key_of(index - 1));
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < part_count_ && highest != digit - 1; ++i) {
    const std::lock_guard guard(parts_[i].lock);
    for (const KeyTree* tree : parts_[i].trees(query)) {
      if (tree == nullptr) continue;
      const KeyTree::Cursor previous = tree->last_up_to(up_to, nodes);
      if (previous.valid()) highest = std::max(highest.value_or(0), digit_of(previous.key()));
    }
  }
  return highest && *highest >= least ? highest : std::nullopt;
}

std::size_t OrderedIndex::list(const Query& query, std::span<Item> items,
                               std::uint32_t& nodes) const {
  if (query.first > query.last) return 0;
  std::size_t found = 0;
  std::optional<std::uint64_t> digit = digit_of(query.descending ? query.last : query.first);
  while (digit) {
    Query within = query;
    within.first = std::max(query.first, first_of(*digit));
    within.last = std::min(query.last, last_of(*digit));
    found += list_part(part_of(*digit), within, items.subspan(found), nodes);
    if (found == items.size()) break;
    digit = query.descending ? digit_before(*digit, query) : digit_after(*digit, query);
  }
  return found;
}

bool OrderedIndex::lists_initially(Key key) const {
  const std::uint64_t index = initial_.index_of(key);
  if (index == KeyShape::kNoIndex) return false;
  Part& part = part_of(digit_of(key));
  const std::lock_guard guard(part.lock);
  return !erased(part, index);
}

std::uint64_t OrderedIndex::count_initial(Key first, Key last) const {
  const std::uint64_t begin = initial_.rank(first);
  const std::uint64_t end = initial_.rank_after(last);
  if (first > last || begin >= end) return 0;
  std::uint64_t count = end - begin;
  std::uint32_t nodes = 0;
  for (std::size_t i = 0; i < part_count_; ++i) {
    const std::lock_guard guard(parts_[i].lock);
    const KeyTree& erased = parts_[i].erased;
    KeyTree::Cursor gap = erased.last_up_to(begin, nodes);
    if (!gap.valid()) gap = erased.first_from(begin, nodes);
    for (; gap.valid() && gap.key() < end; gap.next(nodes)) {
      const std::uint64_t from = std::max(begin, gap.key());
      const std::uint64_t to = std::min<std::uint64_t>(end, gap.value());
      if (from < to) count -= to - from;
    }
  }
  return count;
}

std::size_t OrderedIndex::nodes() const {
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < part_count_; ++i) {
    const std::lock_guard guard(parts_[i].lock);
    nodes += parts_[i].inserted.nodes() + parts_[i].erased.nodes() + parts_[i].aside.nodes();
  }
  return nodes;
}

}  // namespace verbena::txn
