// Growth of hash tables.
#pragma once

#include "rdma/worker.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Grows hash tables whose buckets have become too few, one after the other, and tells the catalog
/// by RPC (Method::kAlter), at whichever memory server its home is. Body of a background fiber of a
/// memory server's first worker; runs as long as others do and a table can grow.
void grow_tables(rdma::Worker& worker, const Layout& layout, const IndexOf& index_of);

}  // namespace verbena::txn::nam
