// Descending, splitting and giving back nodes.
#include "txn/index/key_tree.h"

#include <algorithm>
#include <cassert>

namespace verbena::txn {
namespace {

// How many of the sorted `count` keys are less than `key`, or not greater; without branches that
// depend on the keys.
template <bool kOrEqual>
std::uint32_t count_below(const Key* keys, std::uint32_t count, Key key) {
  auto below = [key](Key other) { return kOrEqual ? other <= key : other < key; };
  std::uint32_t base = 0;
  while (count > 1) {
    const std::uint32_t half = count / 2;
    base += below(keys[base + half - 1]) ? half : 0;
    count -= half;
  }
  return base + (count == 1 && below(keys[base]) ? 1 : 0);
}

template <typename T>
void open_gap(T* array, std::uint32_t count, std::uint32_t at) {
  std::copy_backward(array + at, array + count, array + count + 1);
}

template <typename T>
void close_gap(T* array, std::uint32_t count, std::uint32_t at) {
  std::copy(array + at + 1, array + count, array + at);
}

}  // namespace

template <typename T>
T* KeyTree::Pool<T>::take() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<T>());
    return all_.back().get();
  }
  T* node = free_.back();
  free_.pop_back();
  *node = T{};
  return node;
}

const KeyTree::Leaf* KeyTree::leaf_of(Key key) const {
  const Node* node = root_;
  for (std::size_t level = height_; level > 0; --level) {
    const auto* inner = static_cast<const Inner*>(node);
    node = inner->children[count_below<true>(inner->separators.data(), inner->count - 1, key)];
  }
  return static_cast<const Leaf*>(node);
}

KeyTree::Leaf* KeyTree::descend(Key key, Path& path) {
  Node* node = root_;
  for (std::size_t level = height_; level > 0; --level) {
    auto* inner = static_cast<Inner*>(node);
    const std::uint32_t child = count_below<true>(inner->separators.data(), inner->count - 1, key);
    path[level] = {.inner = inner, .child = child};
    node = inner->children[child];
  }
  return static_cast<Leaf*>(node);
}

std::uint32_t* KeyTree::find(Key key) {
  if (root_ == nullptr) return nullptr;
  Path path;
  Leaf* leaf = descend(key, path);
  const std::uint32_t at = count_below<false>(leaf->keys.data(), leaf->count, key);
  return at < leaf->count && leaf->keys[at] == key ? &leaf->values[at] : nullptr;
}

KeyTree::Cursor KeyTree::first_from(Key key, std::uint32_t& nodes) const {
  if (root_ == nullptr) return {nullptr, 0};
  nodes += static_cast<std::uint32_t>(height_) + 1;
  const Leaf* leaf = leaf_of(key);
  const std::uint32_t at = count_below<false>(leaf->keys.data(), leaf->count, key);
  if (at < leaf->count) return {leaf, at};
  ++nodes;
  return {leaf->next, 0};
}

KeyTree::Cursor KeyTree::last_up_to(Key key, std::uint32_t& nodes) const {
  if (root_ == nullptr) return {nullptr, 0};
  nodes += static_cast<std::uint32_t>(height_) + 1;
  const Leaf* leaf = leaf_of(key);
  const std::uint32_t at = count_below<true>(leaf->keys.data(), leaf->count, key);
  if (at > 0) return {leaf, at - 1};
  ++nodes;
  return {leaf->previous, leaf->previous == nullptr ? 0 : leaf->previous->count - 1};
}

bool KeyTree::insert(Key key, std::uint32_t value) {
  if (root_ == nullptr) root_ = leaves_.take();
  Path path;
  Leaf* leaf = descend(key, path);
  std::uint32_t at = count_below<false>(leaf->keys.data(), leaf->count, key);
  if (at < leaf->count && leaf->keys[at] == key) return false;
  if (leaf->count == kLeafKeys) {
    Leaf* right = split(leaf, at, key, path);
    if (at > leaf->count || right->count == 0) {
      at -= leaf->count;
      leaf = right;
    }
  }
  open_gap(leaf->keys.data(), leaf->count, at);
  open_gap(leaf->values.data(), leaf->count, at);
  leaf->keys[at] = key;
  leaf->values[at] = value;
  ++leaf->count;
  ++size_;
  return true;
}

// A new leaf to the right of a full one, into which `key` is to come at `at`: with the upper half
// of the keys, or empty if `key` is appended, so that ascending keys leave full leaves behind.
KeyTree::Leaf* KeyTree::split(Leaf* full, std::uint32_t at, Key key, Path& path) {
  Leaf* right = leaves_.take();
  right->previous = full;
  right->next = full->next;
  if (right->next != nullptr) right->next->previous = right;
  full->next = right;
  const std::uint32_t kept = at == kLeafKeys ? kLeafKeys : kLeafKeys / 2;
  std::copy(full->keys.begin() + kept, full->keys.end(), right->keys.begin());
  std::copy(full->values.begin() + kept, full->values.end(), right->values.begin());
  right->count = kLeafKeys - kept;
  full->count = kept;
  add_child(path, 1, kept == kLeafKeys ? key : right->keys[0], right);
  return right;
}

// Adds a child to the right of the one that the path leads to at `level`.
void KeyTree::add_child(Path& path, std::size_t level, Key separator, Node* child) {
  if (level > height_) {
    Inner* root = inners_.take();
    root->count = 1;
    root->children[0] = root_;
    root_ = root;
    ++height_;
    assert(height_ < kMaxHeight);
    path[level] = {.inner = root, .child = 0};
  }
  Inner* inner = path[level].inner;
  std::uint32_t at = path[level].child + 1;
  if (inner->count == kChildren) {
    if (at == kChildren) {
      Inner* right = inners_.take();
      right->count = 1;
      right->children[0] = child;
      return add_child(path, level + 1, separator, right);
    }
    Key middle = 0;
    Inner* right = split(inner, middle);
    add_child(path, level + 1, middle, right);
    if (at > inner->count) {
      at -= inner->count;
      inner = right;
    }
  }
  open_gap(inner->children.data(), inner->count, at);
  open_gap(inner->separators.data(), inner->count - 1, at - 1);
  inner->children[at] = child;
  inner->separators[at - 1] = separator;
  ++inner->count;
}

// Moves the upper half of the children to a new node, which `separator` separates from the rest.
KeyTree::Inner* KeyTree::split(Inner* full, Key& separator) {
  constexpr std::uint32_t kKept = kChildren / 2;
  Inner* right = inners_.take();
  std::copy(full->children.begin() + kKept, full->children.end(), right->children.begin());
  std::copy(full->separators.begin() + kKept, full->separators.end(), right->separators.begin());
  separator = full->separators[kKept - 1];
  right->count = kChildren - kKept;
  full->count = kKept;
  return right;
}

bool KeyTree::erase(Key key) {
  if (root_ == nullptr) return false;
  Path path;
  Leaf* leaf = descend(key, path);
  const std::uint32_t at = count_below<false>(leaf->keys.data(), leaf->count, key);
  if (at == leaf->count || leaf->keys[at] != key) return false;
  close_gap(leaf->keys.data(), leaf->count, at);
  close_gap(leaf->values.data(), leaf->count, at);
  --leaf->count;
  --size_;
  if (leaf->count == 0) remove_leaf(leaf, path);
  return true;
}

void KeyTree::remove_leaf(Leaf* empty, Path& path) {
  if (empty->previous != nullptr) empty->previous->next = empty->next;
  if (empty->next != nullptr) empty->next->previous = empty->previous;
  leaves_.give_back(empty);
  std::size_t level = 1;
  for (; level <= height_ && path[level].inner->count == 1; ++level) {
    inners_.give_back(path[level].inner);
  }
  if (level > height_) {
    root_ = nullptr;
    height_ = 0;
    return;
  }
  Inner* inner = path[level].inner;
  const std::uint32_t at = path[level].child;
  close_gap(inner->children.data(), inner->count, at);
  close_gap(inner->separators.data(), inner->count - 1, at == 0 ? 0 : at - 1);
  --inner->count;
  while (height_ > 0 && static_cast<Inner*>(root_)->count == 1) {
    auto* lone = static_cast<Inner*>(root_);
    root_ = lone->children[0];
    inners_.give_back(lone);
    --height_;
  }
}

}  // namespace verbena::txn
