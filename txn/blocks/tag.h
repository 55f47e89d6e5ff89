// Versions of a block, which all clients order alike.
#pragma once

#include <compare>
#include <cstdint>

#include "txn/prism/clients.h"

namespace verbena::txn::blocks {

/// Version of a block's value: a counter and the number of the client that wrote it, so that no two
/// writes have the same (PRISM paper, section 7.1). Stored as one word; the greater word is the
/// later version.
struct Tag {
  std::uint64_t word = 0;

  static constexpr Tag of(std::uint64_t counter, std::uint64_t client) {
    return {counter << prism::kClientBits | client};
  }
  constexpr std::uint64_t counter() const { return word >> prism::kClientBits; }
  constexpr std::uint64_t client() const { return word & prism::kMostClients; }

  /// Returns the tag with which `client`, numbered from 1, overwrites this version.
  constexpr Tag next(std::uint64_t client) const { return of(counter() + 1, client); }

  constexpr auto operator<=>(const Tag&) const = default;
};

/// Tag of initial data.
inline constexpr Tag kLoadedTag = Tag::of(1, 0);

}  // namespace verbena::txn::blocks
