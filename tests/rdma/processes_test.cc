// A cluster whose nodes are processes of their own, on this machine's RDMA device.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "rdma/hardware/hardware_fabric.h"
#include "rdma/one_sided/request_batch.h"
#include "rdma/rpc/rpc_batch.h"
#include "tests/support/rpc_payloads.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::bytes_of;
using testing::Executions;
using testing::value_of;

constexpr NodeId kNodes = 3;
constexpr std::uint64_t kRounds = 20;
constexpr RpcMethod kCount = 1;

/// Work of one worker: adds to a counter at every node, calls every node, notifies every node.
void work(Worker& worker) {
  RequestBatch batch(worker.connections());
  RpcBatch calls(worker.rpc());
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const std::uint64_t number = worker.node() * kRounds + round;
    calls.clear();
    for (NodeId peer = 0; peer < kNodes; ++peer) {
      batch.fetch_and_add({peer, 0, 0}, 1, nullptr);
      calls.add(peer, kCount, bytes_of(2 * number));
      worker.rpc().notify(peer, kCount, bytes_of(2 * number + 1));
    }
    batch.post();
    calls.post();
    batch.wait();
    calls.wait();
    for (std::size_t i = 0; i < kNodes; ++i) {
      ASSERT_EQ(value_of<std::uint64_t>(calls.reply(i)), 2 * number + 1);
    }
  }
}

/// Lives one process's nodes from bring-up to the end. Checks what they hold then.
void live(const std::vector<NodeId>& hosted, const std::vector<std::string>& addresses) {
  const auto fabric = make_hardware_fabric({kNodes, hosted, addresses, true});
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::map<NodeId, Executions> executions;
  const EndpointOptions options = testing::options_for({.nodes = kNodes});
  for (const NodeId node : hosted) {
    endpoints.push_back(std::make_unique<Endpoint>(*fabric, node, options));
    endpoints.back()->add_region("counter", 4096, {});
    executions[node].serve(endpoints.back()->worker(0), kCount);
  }
  for (const auto& endpoint : endpoints) endpoint->publish();
  for (const auto& endpoint : endpoints) endpoint->connect();
  for (int phase = 0; phase < 2; ++phase) {
    std::vector<CoreTask> tasks;
    for (const auto& endpoint : endpoints) {
      Worker& worker = endpoint->worker(0);
      if (phase == 0) worker.spawn([&worker] { work(worker); });
      tasks.push_back({worker.node(), 0, [&worker](Core& core) { worker.run(core); }});
    }
    fabric->run(std::move(tasks));
  }
  for (const auto& endpoint : endpoints) {
    EXPECT_EQ(value_of<std::uint64_t>({endpoint->region(0).at(0, 8), 8}), kNodes * kRounds);
    executions[endpoint->node()].expect_each_once(2 * kNodes * kRounds);
  }
}

/// Runs `live` in a child. Its exit code says whether all went well.
pid_t start(const std::vector<NodeId>& hosted, const std::vector<std::string>& addresses) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 0;
  try {
    live(hosted, addresses);
    code = ::testing::Test::HasFailure() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "process of node %d: %s\n", int{hosted.front()}, error.what());
    code = 2;
  }
  std::fflush(nullptr);
  _exit(code);
}

int exit_code_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void run_cluster(const std::vector<std::vector<NodeId>>& processes, int first_port) {
  std::vector<std::string> addresses;
  addresses.reserve(kNodes);
  for (int node = 0; node < kNodes; ++node) {
    addresses.push_back("127.0.0.1:" + std::to_string(first_port + node));
  }
  std::vector<pid_t> children;
  children.reserve(processes.size());
  for (const auto& hosted : processes) children.push_back(start(hosted, addresses));
  for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 0);
}

TEST(Processes, OneNodeEach) { run_cluster({{0}, {1}, {2}}, 17000); }

TEST(Processes, SeveralNodesInOneOfThem) { run_cluster({{0, 2}, {1}}, 17010); }

}  // namespace
}  // namespace verbena::rdma
