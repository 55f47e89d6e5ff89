// Measures of one worker's transactions.
#pragma once

#include "txn/nam/measures.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::nam {

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter, Time>;

}  // namespace verbena::txn::nam
