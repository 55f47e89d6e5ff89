// A B+ tree from keys to numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "txn/schema/key_shape.h"

namespace verbena::txn {

/// An ordered map from keys to 32-bit numbers, with nodes of eight cache lines. Keys that arrive in
/// ascending order fill their nodes; a node is given back when its last key is erased. An empty
/// tree takes no memory of its own. Not thread-safe.
class KeyTree {
  struct Leaf;

 public:
  /// A key in the tree, or the end. Any insertion or erasure invalidates it.
  class Cursor {
   public:
    Cursor() = default;
    bool valid() const { return leaf_ != nullptr; }
    Key key() const;
    std::uint32_t value() const;
    /// Moves to the next greater or lesser key. Increments `nodes` on the way to another node.
    void next(std::uint32_t& nodes);
    void previous(std::uint32_t& nodes);

   private:
    friend class KeyTree;
    Cursor(const Leaf* leaf, std::uint32_t at) : leaf_(leaf), at_(at) {}

    const Leaf* leaf_ = nullptr;
    std::uint32_t at_ = 0;
  };

  KeyTree() = default;
  KeyTree(const KeyTree&) = delete;
  KeyTree& operator=(const KeyTree&) = delete;

  /// Returns the number of `key`, to read or change; null if there is none.
  std::uint32_t* find(Key key);

  /// Returns false when `key` is there already.
  bool insert(Key key, std::uint32_t value);

  /// Returns false when `key` is not there.
  bool erase(Key key);

  /// Returns the first key that is not less than `key`. Adds the number of nodes visited to
  /// `nodes`.
  Cursor first_from(Key key, std::uint32_t& nodes) const;

  /// Returns the last key that is not greater than `key`.
  Cursor last_up_to(Key key, std::uint32_t& nodes) const;

  std::uint64_t size() const { return size_; }

  /// Number of nodes in use.
  std::size_t nodes() const { return leaves_.in_use() + inners_.in_use(); }

 private:
  static constexpr std::uint32_t kLeafKeys = 40;
  static constexpr std::uint32_t kChildren = 32;
  static constexpr std::size_t kMaxHeight = 16;

  struct Node {};
  struct alignas(64) Leaf : Node {
    Leaf* previous = nullptr;
    Leaf* next = nullptr;
    std::uint32_t count = 0;
    std::array<std::uint32_t, kLeafKeys> values;
    std::array<Key, kLeafKeys> keys;
  };
  struct alignas(64) Inner : Node {
    std::uint32_t count = 0;  // number of children
    // Keys under child i are less than separator i, those under child i + 1 are not.
    std::array<Key, kChildren - 1> separators;
    std::array<Node*, kChildren> children;
  };
  static_assert(sizeof(Leaf) == 512 && sizeof(Inner) == 512);

  // Owns nodes; those given back are used again.
  template <typename T>
  class Pool {
   public:
    T* take();
    void give_back(T* node) { free_.push_back(node); }
    std::size_t in_use() const { return all_.size() - free_.size(); }

   private:
    std::vector<std::unique_ptr<T>> all_;
    std::vector<T*> free_;
  };

  struct Step {
    Inner* inner;
    std::uint32_t child;
  };
  using Path = std::array<Step, kMaxHeight>;  // [level]; leaves are at level 0

  const Leaf* leaf_of(Key key) const;
  Leaf* descend(Key key, Path& path);
  Leaf* split(Leaf* full, std::uint32_t at, Key key, Path& path);
  void add_child(Path& path, std::size_t level, Key separator, Node* child);
  Inner* split(Inner* full, Key& separator);
  void remove_leaf(Leaf* empty, Path& path);

  Node* root_ = nullptr;
  std::size_t height_ = 0;  // levels above the leaves
  std::uint64_t size_ = 0;
  Pool<Leaf> leaves_;
  Pool<Inner> inners_;
};

inline Key KeyTree::Cursor::key() const { return leaf_->keys[at_]; }
inline std::uint32_t KeyTree::Cursor::value() const { return leaf_->values[at_]; }

inline void KeyTree::Cursor::next(std::uint32_t& nodes) {
  if (++at_ < leaf_->count) return;
  leaf_ = leaf_->next;
  at_ = 0;
  ++nodes;
}

inline void KeyTree::Cursor::previous(std::uint32_t& nodes) {
  if (at_-- > 0) return;
  leaf_ = leaf_->previous;
  if (leaf_ != nullptr) at_ = leaf_->count - 1;
  ++nodes;
}

}  // namespace verbena::txn
