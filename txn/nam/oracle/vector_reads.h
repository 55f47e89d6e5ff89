// READs of the vector of commits, in all its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Adds READs of the whole vector to `batch`. `counts`: one for each slot, in scratch memory.
inline void read_vector(rdma::RequestBatch& batch, const Layout& layout,
                        std::span<std::uint32_t> counts) {
  for (std::uint32_t first = 0; first < layout.vector().slots();
       first += layout.vector().part_slots()) {
    const auto part = counts.subspan(
        first, std::min(layout.vector().part_slots(), layout.vector().slots() - first));
    batch.read(layout.vector().address(first), part.data(),
               static_cast<std::uint32_t>(part.size_bytes()));
  }
}

}  // namespace verbena::txn::nam
