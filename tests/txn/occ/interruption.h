// Transactions of one node that come between two steps of a transaction of another, in simulated
// time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tests/txn/occ/transaction_cluster.h"

namespace verbena::txn::occ {

/// Runs `body` on node 0. When it calls `pause`, which it does at most once, `other` runs on
/// node 1, and `pause` returns when that has taken effect.
void run_interrupted(
    TransactionCluster& cluster,
    const std::function<void(Transaction&, const std::function<void()>& pause)>& body,
    const std::function<void(Transaction&)>& other);

// Each of these is a transaction of its own, repeated until it commits (within reason), and has
// taken effect when it returns. Words are all those of the payload.

void update(Transaction& transaction, const RecordName& name, std::uint64_t word);
void insert(Transaction& transaction, const RecordName& name, std::uint64_t word);
void erase(Transaction& transaction, const RecordName& name);

/// Inserts a record and rolls back: what is left is an absent record that has the key.
void give_up_insert(Transaction& transaction, const RecordName& name);

/// Test of a plan, by its name.
class PlanTest : public ::testing::TestWithParam<std::string> {};

/// Letters for the name of a plan.
std::string plan_test_name(const ::testing::TestParamInfo<std::string>& info);

}  // namespace verbena::txn::occ
