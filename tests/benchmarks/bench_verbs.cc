// Wall time per verb: the same READ traffic through simnic and as SimGrid communications.
#include <infiniband/verbs.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simnic/sim_fabric.h"

namespace {

using namespace verbena;  // NOLINT: a program of its own

struct Load {
  std::uint32_t nodes = 16;
  std::uint32_t cores = 24;
  std::uint32_t nics = 2;
  std::uint32_t window = 8;
  std::uint32_t batch = 1;
  std::uint64_t verbs = 4'000'000;
};

struct Result {
  double wall_ns_per_verb;
  double simulated_seconds;
  std::uint64_t digest;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One core's queue pairs, one to the core of the same number on every other node.
struct Worker {
  ibv_context* context;
  ibv_pd* pd;
  ibv_cq* cq;
  ibv_mr* mr;
  std::vector<ibv_qp*> queue_pairs;
  std::vector<std::byte> memory;
  std::vector<ibv_send_wr> requests;
  std::vector<ibv_sge> pieces;
};

class ReadTraffic {
 public:
  ReadTraffic(rdma::Fabric& fabric, const Load& load) : fabric_(fabric), load_(load) {
    for (std::uint32_t i = 0; i < load.nodes * load.cores; ++i) open(i);
    for (std::uint32_t a = 0; a < workers_.size(); ++a) {
      for (std::uint32_t node = 0; node < load_.nodes; ++node) {
        if (node != a / load_.cores) connect(a, node);
      }
    }
  }

  void run() {
    std::vector<rdma::CoreTask> tasks;
    for (std::uint32_t i = 0; i < workers_.size(); ++i) {
      tasks.push_back({static_cast<NodeId>(i / load_.cores), static_cast<WorkerId>(i % load_.cores),
                       [this, i](rdma::Core& core) { read(core, i); }});
    }
    fabric_.run(std::move(tasks));
  }

 private:
  void open(std::uint32_t number) {
    const rdma::VerbsTable& verbs = fabric_.verbs(static_cast<NodeId>(number / load_.cores));
    Worker worker;
    ibv_device** list = verbs.get_device_list(nullptr);
    worker.context = verbs.open_device(list[number % load_.cores * load_.nics / load_.cores]);
    verbs.free_device_list(list);
    worker.pd = verbs.alloc_pd(worker.context);
    worker.cq = verbs.create_cq(worker.context, 4096, nullptr, nullptr, 0);
    worker.memory.resize(8192);
    worker.requests.resize(load_.batch);
    worker.pieces.resize(load_.batch);
    worker.mr = verbs.reg_mr(worker.pd, worker.memory.data(), worker.memory.size(),
                             IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
    for (std::uint32_t node = 0; node < load_.nodes; ++node) {
      ibv_qp_init_attr init{};
      init.qp_type = IBV_QPT_RC;
      init.send_cq = init.recv_cq = worker.cq;
      init.cap = {128, 1, 1, 1, 0};
      worker.queue_pairs.push_back(verbs.create_qp(worker.pd, &init));
    }
    workers_.push_back(std::move(worker));
  }

  void connect(std::uint32_t from, std::uint32_t node) {
    const rdma::VerbsTable& verbs = fabric_.verbs(0);
    Worker& peer = workers_[node * load_.cores + from % load_.cores];
    ibv_qp* qp = workers_[from].queue_pairs[node];
    ibv_port_attr port{};
    verbs.query_port(peer.context, 1, &port);
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    int failed = verbs.modify_qp(
        qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_4096;
    attr.dest_qp_num = peer.queue_pairs[from / load_.cores]->qp_num;
    attr.max_dest_rd_atomic = attr.max_rd_atomic = 16;
    attr.ah_attr.dlid = port.lid;
    attr.ah_attr.port_num = 1;
    failed += verbs.modify_qp(qp, &attr,
                              IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = attr.rnr_retry = 7;
    failed += verbs.modify_qp(qp, &attr,
                              IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    if (failed != 0) std::abort();
  }

  void post(std::uint32_t number, std::uint64_t sequence, std::uint32_t count) {
    Worker& own = workers_[number];
    const std::uint32_t step = 1 + static_cast<std::uint32_t>(sequence / count % (load_.nodes - 1));
    const std::uint32_t node = (number / load_.cores + step) % load_.nodes;
    const Worker& peer = workers_[node * load_.cores + number % load_.cores];
    std::vector<ibv_send_wr>& requests = own.requests;
    std::vector<ibv_sge>& pieces = own.pieces;
    for (std::uint32_t i = 0; i < count; ++i) {
      pieces[i] = {reinterpret_cast<std::uint64_t>(own.memory.data()) + (sequence + i) % 64 * 64,
                   64, own.mr->lkey};
      requests[i].next = i + 1 < count ? &requests[i + 1] : nullptr;
      requests[i].sg_list = &pieces[i];
      requests[i].num_sge = 1;
      requests[i].opcode = IBV_WR_RDMA_READ;
      requests[i].send_flags = IBV_SEND_SIGNALED;
      requests[i].wr.rdma.remote_addr =
          reinterpret_cast<std::uint64_t>(peer.memory.data()) + 4096 + (sequence + i) % 64 * 64;
      requests[i].wr.rdma.rkey = peer.mr->rkey;
    }
    ibv_send_wr* bad = nullptr;
    if (ibv_post_send(own.queue_pairs[node], requests.data(), &bad) != 0) std::abort();
  }

  void read(rdma::Core& core, std::uint32_t number) {
    const std::uint64_t all = load_.verbs / workers_.size() / load_.batch * load_.batch;
    std::uint64_t posted = 0;
    std::uint64_t done = 0;
    while (done < all) {
      while (posted < all && posted + load_.batch - done <= load_.window) {
        post(number, posted, load_.batch);
        posted += load_.batch;
      }
      ibv_wc completions[16];
      const int count = ibv_poll_cq(workers_[number].cq, 16, completions);
      done += static_cast<std::uint64_t>(count);
      if (count == 0 || posted + load_.batch - done > load_.window) core.idle(kNever);
    }
  }

  rdma::Fabric& fabric_;
  Load load_;
  std::vector<Worker> workers_;
};

Result through_simnic(const Load& load) {
  simnic::SimOptions options;
  options.nodes = load.nodes;
  options.cores_per_node = load.cores;
  options.nics_per_node = load.nics;
  auto fabric = simnic::make_sim_fabric(options);
  ReadTraffic traffic(*fabric, load);
  Nanoseconds end = 0;
  const auto start = std::chrono::steady_clock::now();
  traffic.run();
  const double wall = seconds_since(start);
  fabric->run({{0, 0, [&](rdma::Core& core) { end = core.now(); }}});
  return {wall * 1e9 / static_cast<double>(load.verbs), to_seconds(end), fabric->trace_digest()};
}

/// A READ as SimGrid has it: a request and a response, each a communication, answered by an actor
/// of the target.
Result through_communications(const Load& load) {
  namespace s4u = simgrid::s4u;
  std::string name = "bench";
  char* arguments[] = {name.data(), nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments);
  s4u::NetZone* zone = s4u::create_star_zone("cluster");
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t i = 0; i < load.nodes; ++i) {
    const std::string host = "node-" + std::to_string(i);
    hosts.push_back(zone->create_host(host, 1e9));
    const auto* cable =
        zone->create_split_duplex_link("cable-" + host, 12.5e9)->set_latency(7e-8)->seal();
    zone->add_route(hosts[i]->get_netpoint(), nullptr, nullptr, nullptr,
                    {{cable, s4u::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();
  const std::uint32_t cores = load.nodes * load.cores;
  const std::uint64_t each = load.verbs / cores / load.window * load.window;
  for (std::uint32_t i = 0; i < cores; ++i) {
    auto* requests = s4u::Mailbox::by_name("requests-" + std::to_string(i));
    auto* responses = s4u::Mailbox::by_name("responses-" + std::to_string(i));
    const std::uint32_t target = (i / load.cores + 1 + i % (load.nodes - 1)) % load.nodes;
    s4u::Actor::create("server", hosts[target], [=] {
      for (std::uint64_t k = 0; k < each; ++k)
        responses->put_init(requests->get<char>(), 94)->detach();
    });
    s4u::Actor::create("client", hosts[i / load.cores], [=] {
      char token = 0;
      for (std::uint32_t k = 0; k < load.window; ++k) requests->put_init(&token, 42)->detach();
      for (std::uint64_t k = 0; k < each; ++k) {
        responses->get<char>();
        if (k + load.window < each) requests->put_init(&token, 42)->detach();
      }
    });
  }
  const double begin = s4u::Engine::get_clock();
  const auto start = std::chrono::steady_clock::now();
  engine.run();
  return {seconds_since(start) * 1e9 / static_cast<double>(each * cores),
          s4u::Engine::get_clock() - begin, 0};
}

}  // namespace

int main(int argc, char** argv) {
  Load load;
  if (argc > 1) load.verbs = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) load.window = static_cast<std::uint32_t>(std::atoi(argv[2]));
  if (argc > 3) load.batch = static_cast<std::uint32_t>(std::atoi(argv[3]));
  const Result simnic = through_simnic(load);
  std::printf(
      "simnic:         %7.1f ns of wall time per READ, %.2f M READs/s; simulated %.1f M/s per "
      "node; digest %016llx\n",
      simnic.wall_ns_per_verb, 1e3 / simnic.wall_ns_per_verb,
      static_cast<double>(load.verbs) / simnic.simulated_seconds / load.nodes * 1e-6,
      static_cast<unsigned long long>(simnic.digest));
  if (argc > 4) return 0;
  Load few = load;
  few.verbs = load.verbs / 16;
  const Result communications = through_communications(few);
  std::printf("communications: %7.1f ns of wall time per READ, %.2f M READs/s\n",
              communications.wall_ns_per_verb, 1e3 / communications.wall_ns_per_verb);
  std::printf("ratio:          %7.1f\n", communications.wall_ns_per_verb / simnic.wall_ns_per_verb);
  return 0;
}
