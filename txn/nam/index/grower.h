// Making hash tables grow.
#pragma once

#include "rdma/worker.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// The body of a fiber in the background of a memory server's first worker, for as long as others
/// run and there is a table that can grow: tables whose hash buckets have become too few get more
/// of them, one after the other, and the catalog, whose home may be another memory server, is told
/// by RPC (Method::kAlter).
void grow_tables(rdma::Worker& worker, const Layout& layout, const IndexOf& index_of);

}  // namespace verbena::txn::nam
