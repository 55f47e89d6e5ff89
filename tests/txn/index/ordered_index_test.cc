// The ordered index and its tree against ordered maps, what they cost, and threads.
#include "txn/index/ordered_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "txn/index/key_tree.h"

namespace verbena::txn {
namespace {

using Model = std::map<Key, std::uint32_t>;

// The tree's keys in both directions are the model's.
void expect_equal(const KeyTree& tree, const Model& model) {
  std::uint32_t nodes = 0;
  RC_ASSERT(tree.size() == model.size());
  KeyTree::Cursor up = tree.first_from(0, nodes);
  for (const auto& [key, value] : model) {
    RC_ASSERT(up.valid() && up.key() == key && up.value() == value);
    up.next(nodes);
  }
  RC_ASSERT(!up.valid());
  KeyTree::Cursor down = tree.last_up_to(kNoKey, nodes);
  for (auto it = model.rbegin(); it != model.rend(); ++it) {
    RC_ASSERT(down.valid() && down.key() == it->first);
    down.previous(nodes);
  }
  RC_ASSERT(!down.valid());
}

void expect_bounds(KeyTree& tree, const Model& model, Key key) {
  std::uint32_t nodes = 0;
  const auto at = model.lower_bound(key);
  const KeyTree::Cursor from = tree.first_from(key, nodes);
  RC_ASSERT(from.valid() == (at != model.end()));
  if (from.valid()) RC_ASSERT(from.key() == at->first);
  const auto after = model.upper_bound(key);
  const KeyTree::Cursor up_to = tree.last_up_to(key, nodes);
  RC_ASSERT(up_to.valid() == (after != model.begin()));
  if (up_to.valid()) RC_ASSERT(up_to.key() == std::prev(after)->first);
  const std::uint32_t* value = tree.find(key);
  RC_ASSERT((value != nullptr) == model.contains(key));
  if (value != nullptr) RC_ASSERT(*value == model.at(key));
}

// Keys in random, ascending or descending order, so that nodes split at both ends and in the
// middle.
Key choose_key(Random& random, std::uint64_t range, unsigned order, std::uint64_t step) {
  if (order == 1) return step;
  if (order == 2) return range - std::min(range, step);
  return random.below(range);
}

RC_GTEST_PROP(KeyTree, BehavesLikeAMap, (std::uint64_t seed)) {
  Random random(seed);
  KeyTree tree;
  Model model;
  for (int phase = 0; phase < 6; ++phase) {
    const std::uint64_t range = 1 + random.below(20'000);
    const auto order = static_cast<unsigned>(random.below(3));
    const std::uint64_t erasures = random.below(101);  // percent
    for (std::uint64_t step = 0; step < 3000; ++step) {
      const Key key = choose_key(random, range, order, step);
      if (random.below(100) < erasures) {
        RC_ASSERT(tree.erase(key) == (model.erase(key) == 1));
      } else {
        const auto value = static_cast<std::uint32_t>(random.next());
        RC_ASSERT(tree.insert(key, value) == model.emplace(key, value).second);
      }
    }
    expect_equal(tree, model);
    for (int i = 0; i < 100; ++i) expect_bounds(tree, model, random.below(range + 2));
  }
  while (!model.empty()) {
    RC_ASSERT(tree.erase(model.begin()->first));
    model.erase(model.begin());
  }
  RC_ASSERT(tree.nodes() == 0U);
}

TEST(KeyTree, AscendingKeysFillTheirNodes) {
  KeyTree tree;
  for (Key key = 0; key < 40'000; ++key) tree.insert(key, 0);
  EXPECT_LE(tree.nodes(), 1000U + 1000 / 31 + 5);
}

TEST(KeyTree, AQueueKeepsNoNodesBehind) {
  KeyTree tree;
  for (Key key = 0; key < 100'000; ++key) {
    tree.insert(key, 0);
    if (key < 500) continue;
    EXPECT_TRUE(tree.erase(key - 500));
  }
  EXPECT_LE(tree.nodes(), 30U);
}

struct Table {
  KeyShape shape;
  OrderedIndex index;
  Model model;

  explicit Table(const KeyShape& initial) : shape(initial), index(initial) {
    for (std::uint64_t i = 0; i < initial.count(); ++i) {
      model[initial.key_of(i)] = static_cast<std::uint32_t>(i);
    }
  }
};

KeyShape random_shape(Random& random) {
  const std::uint64_t first = 1 + random.below(40);
  const std::uint64_t second = 1 + random.below(8);
  const std::uint64_t third = 1 + random.below(4);
  switch (random.below(4)) {
    case 0:
      return {random.below(300), {}};
    case 1:
      return {first * second, std::vector<KeyLevel>{{first, 8}, {second, 0}}};
    case 2:
      return {first * second * third, std::vector<KeyLevel>{{first, 20}, {second, 10}, {third, 2}}};
    default:
      return {0, std::vector<KeyLevel>{{first, 8}, {0, 0}}};
  }
}

// A key of the shape, near one, or any.
Key random_key(Random& random, const KeyShape& shape) {
  const std::uint64_t choice = random.below(10);
  if (choice == 0) return random.next() >> random.below(64);
  const std::uint64_t count = std::max<std::uint64_t>(shape.count(), 1);
  const Key key = shape.count() == 0 ? random.below(1000) : shape.key_of(random.below(count));
  return choice < 7 ? key : key + random.below(20);
}

std::vector<OrderedIndex::Item> expected(const Model& model, const OrderedIndex::Query& query,
                                         std::size_t most) {
  std::vector<OrderedIndex::Item> items;
  if (query.first > query.last) return items;
  const auto begin = model.lower_bound(query.first);
  const auto end = model.upper_bound(query.last);
  for (auto it = begin; it != end; ++it) items.push_back({it->first, it->second});
  if (query.descending) std::reverse(items.begin(), items.end());
  if (items.size() > most) items.resize(most);
  return items;
}

void expect_list(const Table& table, const OrderedIndex::Query& query, std::size_t most) {
  std::vector<OrderedIndex::Item> items(most);
  std::uint32_t nodes = 0;
  items.resize(table.index.list(query, items, nodes));
  const auto wanted = expected(table.model, query, most);
  RC_ASSERT(items.size() == wanted.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    RC_ASSERT(items[i].key == wanted[i].key && items[i].entry == wanted[i].entry);
  }
}

void change(Table& table, Random& random) {
  const Key key = random_key(random, table.shape);
  if (table.model.contains(key)) {
    table.index.erase(key);
    table.model.erase(key);
  } else if (random.below(2) == 0) {
    const auto entry = static_cast<std::uint32_t>(random.next());
    table.index.insert(key, entry);
    table.model[key] = entry;
  }
}

RC_GTEST_PROP(OrderedIndex, BehavesLikeAMap, (std::uint64_t seed)) {
  Random random(seed);
  Table table(random_shape(random));
  for (int phase = 0; phase < 5; ++phase) {
    for (std::uint64_t i = random.below(400); i > 0; --i) change(table, random);
    for (int i = 0; i < 20; ++i) {
      Key first = random_key(random, table.shape);
      Key last = random_key(random, table.shape);
      if (random.below(4) != 0 && first > last) std::swap(first, last);
      const OrderedIndex::Query query{
          .first = first, .last = last, .descending = random.below(2) == 0};
      expect_list(table, query, random.below(30));
      expect_list(table, {.first = 0, .last = last, .descending = query.descending}, 10'000);
      const auto at = table.model.find(first);
      const auto found = table.index.find(first);
      RC_ASSERT(found.has_value() == (at != table.model.end()));
      if (found) RC_ASSERT(*found == at->second);
    }
  }
}

RC_GTEST_PROP(OrderedIndex, CountsInitialAndListsInsertedKeysApart, (std::uint64_t seed)) {
  Random random(seed);
  Table table(random_shape(random));
  Model initial = table.model;
  for (int i = 0; i < 300; ++i) {
    change(table, random);
    std::erase_if(initial, [&](const auto& item) { return !table.model.contains(item.first); });
  }
  Model inserted = table.model;
  for (const auto& item : initial) inserted.erase(item.first);
  const Key first = random_key(random, table.shape);
  const Key last = random_key(random, table.shape);
  const bool descending = random.below(2) == 0;
  RC_ASSERT(table.index.count_initial(first, last) ==
            expected(initial, {.first = first, .last = last}, 100'000).size());
  std::vector<OrderedIndex::Item> items(1000);
  std::uint32_t nodes = 0;
  const OrderedIndex::Query query{
      .first = first, .last = last, .descending = descending, .inserted_only = true};
  items.resize(table.index.list(query, items, nodes));
  const auto wanted = expected(inserted, query, 1000);
  RC_ASSERT(items.size() == wanted.size());
  for (std::size_t i = 0; i < items.size(); ++i) RC_ASSERT(items[i].key == wanted[i].key);
}

// Queries that may need keys which were set aside list them as if they were not.
RC_GTEST_PROP(OrderedIndex, ListsKeysThatAreSetAsideToWhomMayNeedThem, (std::uint64_t seed)) {
  Random random(seed);
  Table table(random_shape(random));
  Model aside;
  for (std::uint64_t since = 1; since < 300; ++since) {
    change(table, random);
    std::erase_if(aside, [&](const auto& item) { return !table.model.contains(item.first); });
    const Key key = random_key(random, table.shape);
    if (random.below(2) == 0) {
      const bool may = table.model.contains(key) && !aside.contains(key);
      RC_ASSERT(!table.index.set_aside(key, since, [] { return false; }));
      RC_ASSERT(table.index.set_aside(key, since, [] { return true; }) == may);
      if (may) aside[key] = table.model[key];
    } else if (random.below(3) == 0) {
      RC_ASSERT(table.index.set_back(key) == (aside.erase(key) == 1));
    }
  }
  RC_ASSERT(table.index.aside() == aside.size());
  Table others(table.shape);
  others.model = table.model;
  for (const auto& item : aside) others.model.erase(item.first);
  for (int i = 0; i < 20; ++i) {
    const OrderedIndex::Query query{.first = random_key(random, table.shape),
                                    .last = random_key(random, table.shape),
                                    .descending = random.below(2) == 0};
    expect_list(table, query, random.below(30));
    OrderedIndex::Query later = query;
    later.holds = 300;
    std::vector<OrderedIndex::Item> items(1000);
    std::uint32_t nodes = 0;
    items.resize(table.index.list(later, items, nodes));
    const auto wanted = expected(others.model, later, 1000);
    RC_ASSERT(items.size() == wanted.size());
    for (std::size_t k = 0; k < items.size(); ++k) RC_ASSERT(items[k].key == wanted[k].key);
  }
}

const std::vector<KeyLevel> kOrderLines{{3840, 40}, {3000, 8}, {10, 0}};
constexpr std::uint64_t kOrderLineCount = 3840ULL * 3000 * 10;

TEST(OrderedIndex, ManyInitialRecordsCostNothing) {
  const OrderedIndex index(KeyShape(kOrderLineCount, kOrderLines));
  EXPECT_EQ(index.nodes(), 0U);
  EXPECT_EQ(index.count_initial(0, kNoKey), kOrderLineCount);
  std::array<OrderedIndex::Item, 3> items{};
  std::uint32_t nodes = 0;
  const Key order = Key{3839} << 40 | 2999 << 8;
  ASSERT_EQ(index.list({.first = order + 8, .last = kNoKey}, items, nodes), 2U);
  EXPECT_EQ(items[1].key, order + 9);
  EXPECT_EQ(items[1].entry, kOrderLineCount - 1);
}

TEST(OrderedIndex, AnErasedPrefixIsOneStep) {
  OrderedIndex index(KeyShape(kOrderLineCount, kOrderLines));
  const Key district = Key{77} << 40;
  for (Key order = 0; order < 2900; ++order) {
    for (Key line = 0; line < 10; ++line) index.erase(district | order << 8 | line);
  }
  EXPECT_EQ(index.nodes(), 1U);
  std::array<OrderedIndex::Item, 1> items{};
  std::uint32_t nodes = 0;
  ASSERT_EQ(index.list({.first = district, .last = kNoKey}, items, nodes), 1U);
  EXPECT_EQ(items[0].key, district | 2900 << 8);
  EXPECT_EQ(items[0].entry, 77U * 30'000 + 29'000);
  EXPECT_LE(nodes, 4U);
  ASSERT_EQ(
      index.list({.first = 0, .last = district | 2900 << 8, .descending = true}, items, nodes), 1U);
  EXPECT_EQ(index.count_initial(district, district | 0xff'ffff'ffff), 1000U);
}

// Keys of one district, of which nobody knows yet that they are gone from all snapshots.
TEST(OrderedIndex, ManyKeysThatAreSetAsideAreInNobodysWay) {
  OrderedIndex index(KeyShape(kOrderLineCount, kOrderLines));
  const Key district = Key{7} << 40;
  for (Key order = 3000; order < 9000; ++order) index.insert(district | order << 8, 1);
  std::array<OrderedIndex::Item, 1> items{};
  for (Key order = 3000; order < 8999; ++order) {
    ASSERT_TRUE(index.set_aside(district | order << 8, 5, [] { return true; }));
  }
  std::uint32_t nodes = 0;
  const OrderedIndex::Query query{
      .first = district | 3000 << 8, .last = district | 0xff'ffff'ffff, .holds = 5};
  ASSERT_EQ(index.list(query, items, nodes), 1U);
  EXPECT_EQ(items[0].key, district | 8999 << 8);
  EXPECT_LE(nodes, 8U);
}

TEST(OrderedIndex, ChangesThatAreMistakesAreRefused) {
  OrderedIndex index(KeyShape(10, {}));
  EXPECT_THROW(index.insert(3, 3), std::logic_error);
  EXPECT_THROW(index.erase(10), std::logic_error);
  index.erase(3);
  EXPECT_THROW(index.erase(3), std::logic_error);
  index.insert(3, 20);
  EXPECT_THROW(index.insert(3, 21), std::logic_error);
  EXPECT_EQ(index.find(3), 20U);
}

// Writers work on districts of their own and on a shared one; a reader sees what nobody touches and
// never an order that is wrong.
TEST(OrderedIndex, TakesSeveralThreads) {
  const std::vector<KeyLevel> levels{{70, 40}, {50, 0}};
  OrderedIndex index(KeyShape(70 * 50, levels));
  constexpr Key kShared = Key{69} << 40;
  std::atomic<bool> done{false};
  auto write = [&](std::uint64_t thread) {
    const Key own = thread << 40;
    for (Key i = 0; i < 3000; ++i) {
      index.insert(own | (50 + i), static_cast<std::uint32_t>(i));
      index.insert(kShared | (1000 + i * 2 + thread), static_cast<std::uint32_t>(i));
      if (i >= 100) index.erase(own | (i - 100));
      if (i % 2 == 0) index.erase(kShared | (1000 + i * 2 + thread));
    }
  };
  auto read = [&] {
    std::array<OrderedIndex::Item, 64> items{};
    std::uint32_t nodes = 0;
    for (bool descending = false; !done; descending = !descending) {
      const std::size_t found = index.list(
          {.first = Key{30} << 40, .last = (Key{31} << 40) - 1, .descending = descending}, items,
          nodes);
      ASSERT_EQ(found, 50U);
      const std::size_t shared =
          index.list({.first = kShared, .last = kNoKey, .descending = descending}, items, nodes);
      for (std::size_t i = 1; i < shared; ++i) {
        ASSERT_EQ(items[i - 1].key > items[i].key, descending);
      }
    }
  };
  std::jthread reader(read);
  {
    std::jthread first(write, 0);
    std::jthread second(write, 1);
  }
  done = true;
  reader.join();
  std::vector<OrderedIndex::Item> items(10'000);
  std::uint32_t nodes = 0;
  EXPECT_EQ(index.list({.first = 0, .last = (Key{1} << 40) - 1}, items, nodes), 150U);
  EXPECT_EQ(index.list({.first = kShared | 50, .last = kNoKey}, items, nodes), 3000U);
}

}  // namespace
}  // namespace verbena::txn
