// One request between two ends, and an observer that adds up.
#include "experiments/explain/request_charges.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>

#include "experiments/explain/chain_request.h"
#include "experiments/explain/two_ends.h"
#include "experiments/session/make_fabric.h"
#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/device/worker_verbs.h"
#include "rdma/endpoint.h"
#include "rdma/one_sided/connections.h"
#include "rdma/one_sided/raw_connections.h"
#include "rdma/rpc/rpc.h"
#include "rdma/seam/fabric.h"
#include "rdma/worker.h"
#include "simnic/observe/observer_list.h"
#include "simnic/profile/profile.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;

constexpr std::uint32_t kDepth = 16;            ///< of send queues, more than is needed
constexpr Nanoseconds kRest = kMillisecond;     ///< in which what is left of a round ends
constexpr Nanoseconds kLongest = 10 * kSecond;  ///< that a datagram is on its way

/// Adds up what one request is charged, while told to.
class Adder final : public simnic::Observer {
 public:
  void start() { recording_ = true; }
  void stop() { recording_ = false; }

  void begin(Stage stage, const simnic::RequestIdentity& request, Picoseconds time) override {
    stage_ = stage;
    if (!recording_) return;
    if (first_ < 0) first_ = time;
    if (stage == Stage::kPost) {
      result_.requester_nic = request.from;
      result_.responder_nic = request.to;
    }
  }

  void visit(const simnic::Visit& visit) override {
    if (!recording_) return;
    StationCharge& charge = charge_of(station_name(visit.station));
    charge.latency += visit.latency;
    charge.service = std::max(charge.service, visit.service);
    add_load(result_.loads, visit.resource, visit.number, visit.service);
    if (visit.resource != Resource::kLink) return;
    // The last link of a route is entered where it ends.
    const bool requested = stage_ == Stage::kIssue || stage_ == Stage::kExecute;
    auto& route = requested ? result_.request_route : result_.response_route;
    route.push_back(link_names_.at(visit.number));
  }

  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override {
    if (!recording_) return;
    if (wait + time - ready != 0) charge_of("wait").latency += wait + (time - ready);
    result_.total = time - first_;
  }

  void name_link(std::uint32_t number, const std::string& name) override {
    link_names_[number] = name;
  }
  void core_ran(NodeId, WorkerId, Picoseconds, Picoseconds) override {}
  void on_core(NodeId, WorkerId) override {}

  RequestCharges take() {
    Picoseconds sum = 0;
    for (const auto& [stage, charges] : stages_) {
      for (const StationCharge& charge : charges) {
        sum += charge.latency;
        // Corrections of each other may leave nothing.
        if (charge.latency != 0 || charge.service != 0) result_.charges.push_back(charge);
      }
    }
    if (sum != result_.total) {
      throw std::logic_error(fmt::format("the stations charged {} ps, the request took {} ps",
                                         sum.count(), result_.total.count()));
    }
    return std::move(result_);
  }

 private:
  StationCharge& charge_of(const char* station) {
    std::vector<StationCharge>& all = stages_[stage_];
    const auto known = std::ranges::find(all, station, &StationCharge::station);
    if (known != all.end()) return *known;
    return all.emplace_back(StationCharge{.stage = stage_name(stage_), .station = station});
  }

  bool recording_ = false;
  Stage stage_ = Stage::kPost;
  Picoseconds first_{-1};
  std::map<Stage, std::vector<StationCharge>> stages_;
  std::map<std::uint32_t, std::string> link_names_;
  RequestCharges result_;
};

ibv_wr_opcode opcode_of(const std::string& operation) {
  if (operation == "read") return IBV_WR_RDMA_READ;
  if (operation == "write") return IBV_WR_RDMA_WRITE;
  if (operation == "send") return IBV_WR_SEND;
  if (operation == "cas") return IBV_WR_ATOMIC_CMP_AND_SWP;
  return IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/// Options of the two ends. For "qp-miss" there are two queue pairs of a kind on either side: of
/// one worker for one-sided requests, since the memory is the same then; of two workers for
/// datagrams, for which a worker has one.
rdma::EndpointOptions two_ends(const ExplainCommand& command, bool send) {
  const bool two_pairs = command.state == "qp-miss";
  rdma::EndpointOptions options;
  options.links = links_of_two_ends(command.cluster.nodes, send && two_pairs ? 2 : 1);
  options.qps_per_peer = !send && two_pairs ? 2 : 1;
  if (command.is_chain()) options.prism = rdma::PrismMode::kNic;
  options.send_queue_depth = kDepth;
  options.signal_interval = 1;  // at most half of the depth
  options.max_inline_bytes = command.inlined ? command.payload : 0;
  options.scratch_bytes = std::max<std::size_t>(64, command.payload);
  options.staging_bytes = 65536;
  options.rpc.send_queue_depth = kDepth;
  options.rpc.signal_interval = kDepth / 2;  // more than are sent: none is signaled
  options.rpc.receive_batch = 1;
  options.rpc.receive_depth = 2;
  options.rpc.max_message_bytes =
      std::clamp(command.payload, rdma::kLeastMessageBytes, rdma::kMostMessageBytes);
  options.rpc.message_pool_bytes = 65536;
  return options;
}

/// The two ends, and what is posted between them.
class Exchange {
 public:
  Exchange(const ExplainCommand& command, rdma::Fabric& fabric, Adder& adder)
      : command_(command),
        adder_(adder),
        fabric_(fabric),
        send_(command.record.operation == "send"),
        chain_(operation_of(command.record.operation), command.payload, command.inlined),
        last_(static_cast<NodeId>(command.cluster.nodes - 1)) {
    const rdma::EndpointOptions options = two_ends(command, send_);
    for (const NodeId node : std::set<NodeId>{0, last_}) {
      ends_.push_back(std::make_unique<rdma::Endpoint>(fabric, node, options));
    }
    const std::size_t most = near().worker(0).rpc().transport().most_bytes();
    if (send_ && command.payload > most) {
      throw ConfigurationError(
          fmt::format("--payload {}: a datagram holds at most {} bytes", command.payload, most));
    }
    if (command.is_chain()) {
      far().check_chains();
      memory_ = far().add_region("explained", chain_.region_bytes(), chain_.loader()).id();
    } else {
      memory_ = far().add_region("explained", command.payload, nullptr).id();
    }
    scratch_ = near().worker(0).allocate_scratch(command.payload);
    for (auto& end : ends_) end->publish();
    for (auto& end : ends_) end->connect();
    if (command.is_chain()) chain_.give_buffers(far(), rounds());
  }

  void run() {
    std::vector<rdma::CoreTask> tasks = {{0, 0, [this](rdma::Core& core) { request(core); }}};
    if (send_) tasks.push_back({last_, 1, [this](rdma::Core& core) { receive(core); }});
    fabric_.run(std::move(tasks));
  }

 private:
  rdma::Endpoint& near() { return *ends_.front(); }
  rdma::Endpoint& far() { return *ends_.back(); }

  /// One request to warm the caches, unless they are to be cold, and the one that counts.
  int rounds() const { return command_.state == "cold" ? 1 : 2; }
  bool counts(int round) const { return round + 1 == rounds(); }

  /// The one that counts takes for "qp-miss" the queue pair that is new to the NIC. The memory is
  /// not; of a datagram it is, which costs nothing.
  std::uint16_t queue_pair(int round) const {
    return command_.state == "qp-miss" && counts(round) ? 1 : 0;
  }

  void request(rdma::Core& core) {
    for (int round = 0; round < rounds(); ++round) {
      while (send_ && received_ < round) core.idle(core.now() + kRest);
      core.idle(core.now() + kRest);
      if (counts(round)) adder_.start();
      if (send_) {
        send(WorkerId(queue_pair(round)));
        continue;
      }
      post(core, queue_pair(round));
      if (counts(round)) adder_.stop();
    }
  }

  /// Posts a one-sided request and waits for its completion.
  void post(rdma::Core& core, std::uint32_t queue_pair) {
    const rdma::RawConnections connections(near().worker(0).connections());
    const rdma::RawConnections::Target target = connections.target(last_, memory_);
    if (command_.is_chain()) {
      post_chain(connections, target, queue_pair);
    } else {
      post_request(connections, target, queue_pair);
    }
    ibv_wc completion{};
    while (connections.poll({&completion, 1}) == 0) core.idle(kNever);
    if (completion.status != IBV_WC_SUCCESS) connections.throw_failure(completion);
  }

  void post_chain(const rdma::RawConnections& connections,
                  const rdma::RawConnections::Target& target, std::uint32_t queue_pair) {
    const rdma::WorkerVerbs& verbs = near().worker(0).verbs();
    ibv_qp* const qp = near().worker(0).connections().queue_pair(last_, queue_pair);
    const int error =
        chain_.post(*verbs.table.prism, qp, target, scratch_, connections.local_key());
    if (error != 0) {
      rdma::throw_verbs_error(verbs.table, "prismdv post_send", verbs.context(), qp, error);
    }
  }

  void post_request(const rdma::RawConnections& connections,
                    const rdma::RawConnections::Target& target, std::uint32_t queue_pair) {
    ibv_sge piece = {reinterpret_cast<std::uint64_t>(scratch_.data()), command_.payload,
                     connections.local_key()};
    ibv_send_wr wr{};
    wr.opcode = opcode_of(command_.record.operation);
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.send_flags =
        unsigned{IBV_SEND_SIGNALED} | (command_.inlined ? unsigned{IBV_SEND_INLINE} : 0U);
    if (wr.opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
      wr.wr.atomic.remote_addr = target.base;
      wr.wr.atomic.rkey = target.key;
    } else {
      wr.wr.rdma = {target.base, target.key};
    }
    connections.post(last_, queue_pair, &wr);
  }

  /// Sends a datagram from one of the workers, once each round.
  void send(WorkerId worker) {
    rdma::RpcTransport& transport = near().worker(worker).rpc().transport();
    const std::uint16_t link = near().links().link_number(0, last_, worker);
    if (!opened_[worker]) transport.open(link);
    opened_[worker] = true;
    const rdma::BufferId buffer = transport.reserve(command_.payload);
    transport[buffer].references = 1;
    const rdma::Outgoing datagram{buffer, link};
    transport.send({&datagram, 1});
    transport.release(buffer);
  }

  void receive(rdma::Core& core) {
    for (; received_ < rounds(); ++received_) {
      rdma::RpcTransport& transport =
          far().worker(WorkerId(queue_pair(received_))).rpc().transport();
      const Nanoseconds deadline = core.now() + kLongest;
      while (transport.poll().empty()) {
        if (core.now() >= deadline && fabric_.counters(0).at("ud_losses") == 0) {
          throw PeerMissing(fmt::format(
              "the datagram of node 0 has not come to node {} within {}, and nothing loses any",
              last_, format_duration(kLongest)));
        }
        if (core.now() >= deadline) {
          throw ConfigurationError(
              "the request was lost, as datagrams are with fabric.ud_loss: there is nothing to "
              "explain");
        }
        core.idle(deadline);
      }
      transport.dealt_with();
    }
    adder_.stop();
  }

  const ExplainCommand& command_;
  Adder& adder_;
  rdma::Fabric& fabric_;
  bool send_;
  ChainRequest chain_;
  NodeId last_;
  std::vector<std::unique_ptr<rdma::Endpoint>> ends_;
  RegionId memory_;               ///< of the far end
  std::span<std::byte> scratch_;  ///< of the near end
  std::array<bool, 2> opened_{};  ///< [worker]
  int received_ = 0;              ///< rounds
};

}  // namespace

void add_load(std::vector<ResourceLoad>& loads, Resource resource, std::uint32_t number,
              Picoseconds busy) {
  if (busy == 0) return;
  const auto known = std::ranges::find_if(loads, [&](const ResourceLoad& one) {
    return one.resource == resource && one.number == number;
  });
  if (known == loads.end()) {
    loads.push_back({.resource = resource, .number = number, .busy = busy});
  } else {
    known->busy += busy;
  }
}

RequestCharges charge_request(const ExplainCommand& command, simnic::Observer* also,
                              simnic::LoadedPlatform* platform) {
  const auto most =
      simnic::load_nic_profile(command.fabric.nic, command.fabric.constants).max_inline;
  if (command.inlined && command.payload > most) {
    throw ConfigurationError(
        fmt::format("--payload {}: --inline takes at most nic.max_inline_bytes, {} bytes",
                    command.payload, most));
  }
  ExplainCommand adjusted = command;
  // A chain is announced by a doorbell and fetched; so is what does not fit.
  if (command.doorbell == rdma::Doorbell::kBatched) {
    adjusted.fabric.constants.set("nic.blueflame_bytes", "0");
  }
  Adder adder;
  simnic::ObserverList observers;
  observers.add(also);
  observers.add(&adder);
  const auto fabric = make_fabric(adjusted, observers.shortest(), platform);
  {
    Exchange exchange(command, *fabric, adder);
    exchange.run();
  }
  const auto counters = fabric->counters(0);
  if (counters.at("ud_duplicates") + counters.at("ud_reordered") != 0) {
    throw ConfigurationError(
        "the request was doubled or late, as datagrams are with fabric.ud_duplicate and "
        "fabric.ud_reorder: that is not explained");
  }
  return adder.take();
}

}  // namespace verbena::experiments
