// Replies that come late or twice, and notifications that come twice: each message is taken for
// what it is of, whatever has its place by then.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/cable.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::bytes_of;
using testing::Cable;
using testing::Cluster;
using testing::Executions;
using testing::FabricShape;
using testing::value_of;

constexpr RpcMethod kSlow = 1;  // the answer is the question, and takes as long as it says
constexpr RpcMethod kNotice = 2;
constexpr RpcMethod kDeath = 3;  // the caller is found dead in its midst, and the answer is empty

struct Question {
  std::uint64_t number;
  Nanoseconds busy;
};

FabricShape shape_of(MessagePath transport) { return {.nodes = 2, .transport = transport}; }

EndpointOptions options_of(const FabricShape& shape) {
  EndpointOptions options = testing::options_for(shape);
  options.rpc.timeout = 30 * kMicrosecond;
  options.rpc.max_timeout = 60 * kMicrosecond;
  options.rpc.ack_delay = 5 * kMicrosecond;
  options.rpc.retries = 4;
  options.rpc.slots_per_peer = 1;
  return options;
}
constexpr Nanoseconds kPatience = (30 + 4 * 60) * kMicrosecond;

// Node 1 does nothing else meanwhile.
void compute(Worker& worker, Nanoseconds busy) {
  const Nanoseconds end = worker.now() + busy;
  while (worker.now() < end) worker.core().spend(Work::kTransactionInput);
}

void serve_slowly(Worker& worker, std::vector<std::uint64_t>& executed) {
  worker.rpc().serve(kSlow,
                     [&](const RpcCaller&, std::span<const std::byte> request, RpcReply& reply) {
                       const auto question = value_of<Question>(request);
                       executed.push_back(question.number);
                       compute(worker, question.busy);
                       std::memcpy(reply.allocate(sizeof question.number).data(), &question.number,
                                   sizeof question.number);
                     });
}

// The answer of node 1; nothing if patience ended.
std::optional<std::uint64_t> ask(Worker& worker, const Question& question) {
  RpcBatch batch(worker.rpc());
  batch.add(1, kSlow, bytes_of(question));
  batch.post();
  try {
    batch.wait();
  } catch (const PeerMissing&) {
    return std::nullopt;
  }
  return value_of<std::uint64_t>(batch.reply(0));
}

class LateReplies : public ::testing::TestWithParam<MessagePath> {
 protected:
  // Runs `body` on node 0, and its questions on node 1.
  void run(const std::function<void(Worker&)>& body) {
    cluster_.for_each_worker([this](Worker& worker) { serve_slowly(worker, executed_); });
    cluster_.worker(0).spawn([&] { body(cluster_.worker(0)); });
    cluster_.run();
  }

  Cluster cluster_{shape_of(GetParam()), options_of(shape_of(GetParam()))};
  std::vector<std::uint64_t> executed_;
};

INSTANTIATE_TEST_SUITE_P(Over, LateReplies,
                         ::testing::Values(MessagePath::kDatagrams, MessagePath::kWriteRing),
                         [](const auto& info) {
                           return info.param == MessagePath::kDatagrams ? "Datagrams" : "WriteRing";
                         });

// Its caller has given up; the next call has its slot when the reply comes.
TEST_P(LateReplies, OfACallThatWasGivenUpIsNotTheNextOnes) {
  const Nanoseconds too_long = kPatience + 40 * kMicrosecond;
  run([&](Worker& worker) {
    EXPECT_EQ(ask(worker, {.number = 1, .busy = too_long}), std::nullopt);
    EXPECT_EQ(ask(worker, {.number = 2, .busy = 10 * kMicrosecond}), 2U);
    EXPECT_EQ(ask(worker, {.number = 3, .busy = 0}), 3U);
  });
  EXPECT_EQ(executed_, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_GT(cluster_.worker(0).counters().duplicates, 0U) << "the late reply";
}

// The batch went with its call in flight, and another has its number.
TEST_P(LateReplies, OfABatchThatIsGoneIsNotTheNextOnes) {
  run([&](Worker& worker) {
    const Question question{.number = 1, .busy = 10 * kMicrosecond};
    {
      RpcBatch batch(worker.rpc());
      batch.add(1, kSlow, bytes_of(question));
      batch.post();
    }
    EXPECT_EQ(ask(worker, {.number = 2, .busy = 0}), 2U);
  });
  EXPECT_EQ(executed_, (std::vector<std::uint64_t>{1, 2}));
}

// Requests that were repeated in vain are answered again, when the next call has the slot.
TEST_P(LateReplies, OfARepeatedCallAreNotTheNextOnes) {
  run([&](Worker& worker) {
    for (std::uint64_t number = 1; number <= 20; ++number) {
      // Longer than some repetitions take, and not as long as patience.
      EXPECT_EQ(ask(worker, {.number = number, .busy = (number * 11) * kMicrosecond}), number);
    }
  });
  EXPECT_EQ(executed_.size(), 20U) << "each once";
  for (std::size_t i = 0; i < executed_.size(); ++i) EXPECT_EQ(executed_[i], i + 1);
  if (GetParam() == MessagePath::kDatagrams) {
    EXPECT_GT(cluster_.worker(0).counters().retransmissions, 0U);
    EXPECT_GT(cluster_.worker(0).counters().duplicates, 0U) << "replies that came again";
    EXPECT_GT(cluster_.worker(1).counters().duplicates, 0U) << "requests that came again";
  } else {
    EXPECT_EQ(cluster_.worker(0).counters().retransmissions, 0U);
  }
}

// It is alive, and would take the empty answer for one.
TEST_P(LateReplies, OfACallerThatWasFoundDeadMeanwhileAreNotSent) {
  cluster_.for_each_worker([this](Worker& worker) {
    worker.rpc().serve(kDeath, [this](const RpcCaller&, std::span<const std::byte>, RpcReply&) {
      cluster_.endpoint(1).mark_dead(0);
    });
  });
  run([&](Worker& worker) {
    RpcBatch batch(worker.rpc());
    batch.add(1, kDeath, bytes_of(Question{.number = 1, .busy = 0}));
    batch.post();
    EXPECT_THROW(batch.wait(), PeerMissing);
    cluster_.endpoint(0).mark_dead(1);
  });
}

// Datagrams of node 0, or of node 1, that are lost until one of the two has repeated some.
class LostDatagrams : public ::testing::Test {
 protected:
  explicit LostDatagrams(FabricShape shape = {.nodes = 2})
      : shape_(std::move(shape)), cluster_(shape_, options_of(shape_)) {}

  // Runs `body` on node 0; executes its notifications on node 1.
  void run(const std::function<void(Worker&)>& body) {
    cluster_.for_each_worker([this](Worker& worker) { serve_slowly(worker, executed_); });
    notices_.serve(cluster_.worker(1), kNotice);
    cluster_.worker(0).spawn([&] { body(cluster_.worker(0)); });
    cluster_.run();
  }
  void notify(Worker& worker, std::uint64_t number) {
    worker.rpc().notify(1, kNotice, bytes_of(number));
  }
  static void wait(Worker& worker, Nanoseconds time) { worker.sleep_until(worker.now() + time); }

  FabricShape shape_;
  Cluster cluster_;
  std::vector<std::uint64_t> executed_;
  Executions notices_;
};

class EveryDatagramTwice : public LostDatagrams {
 protected:
  EveryDatagramTwice()
      : LostDatagrams(
            {.nodes = 2,
             .overrides = {{"fabric.ud_duplicate", "1"}, {"fabric.ud_reorder_delay_ns", "2000"}}}) {
  }
};

// The reply is lost again and again; the request, repeated, is not executed again.
TEST_F(LostDatagrams, OfRepliesLetRequestsBeExecutedOnce) {
  run([&](Worker& worker) {
    RpcBatch batch(worker.rpc());
    batch.add(1, kSlow, bytes_of(Question{.number = 1, .busy = 0}));
    Cable replies = Cable::from(1);
    replies.interrupt();
    batch.post();
    wait(worker, 100 * kMicrosecond);
    EXPECT_EQ(executed_, (std::vector<std::uint64_t>{1}));
    replies.mend();
    batch.wait();
    EXPECT_EQ(value_of<std::uint64_t>(batch.reply(0)), 1U);
  });
  EXPECT_EQ(executed_, (std::vector<std::uint64_t>{1}));
  EXPECT_GT(cluster_.worker(1).counters().duplicates, 0U);
}

// The first is lost; those behind it are repeated with it, because acknowledgements are lost too.
TEST_F(LostDatagrams, OfAcknowledgementsLetNotificationsBeExecutedOnce) {
  run([&](Worker& worker) {
    Cable requests = Cable::to(1);
    Cable acknowledgements = Cable::from(1);
    acknowledgements.interrupt();
    requests.interrupt();
    notify(worker, 0);
    wait(worker, 5 * kMicrosecond);
    requests.mend();
    for (std::uint64_t number = 1; number < 8; ++number) notify(worker, number);
    wait(worker, 100 * kMicrosecond);
    acknowledgements.mend();
  });
  notices_.expect_each_once(8);
  EXPECT_GT(cluster_.worker(0).counters().retransmissions, 7U);
  EXPECT_GT(cluster_.worker(1).counters().duplicates, 0U);
}

// Notifications behind a lost one come twice before that one comes at all.
TEST_F(EveryDatagramTwice, NotificationsBehindALostOneAreExecutedOnce) {
  run([&](Worker& worker) {
    Cable requests = Cable::to(1);
    requests.interrupt();
    notify(worker, 0);
    wait(worker, 5 * kMicrosecond);
    requests.mend();
    for (std::uint64_t number = 1; number < 8; ++number) notify(worker, number);
    wait(worker, 10 * kMicrosecond);
    EXPECT_GE(cluster_.worker(1).counters().duplicates, 7U) << "while the first is missing";
  });
  notices_.expect_each_once(8);
}

TEST_F(EveryDatagramTwice, CallsAndNotificationsAreExecutedOnce) {
  run([&](Worker& worker) {
    for (std::uint64_t number = 0; number < 300; ++number) {
      notify(worker, number);
      EXPECT_EQ(ask(worker, {.number = number, .busy = 0}), number);
    }
  });
  EXPECT_EQ(executed_.size(), 300U);
  notices_.expect_each_once(300);
  EXPECT_GT(cluster_.worker(0).counters().duplicates, 0U) << "replies";
  EXPECT_GT(cluster_.worker(1).counters().duplicates, 300U) << "requests and notifications";
}

}  // namespace
}  // namespace verbena::rdma
