// A fiber that calls, and an observer of what the call takes.
#include "experiments/explain/call_charges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "experiments/explain/called_service.h"
#include "experiments/explain/two_ends.h"
#include "experiments/paths/path_recorder.h"
#include "experiments/session/make_fabric.h"
#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/transport/rpc_message.h"
#include "rdma/worker.h"
#include "simnic/observe/observer_list.h"
#include "simnic/profile/profile.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;

constexpr Nanoseconds kRest = kMillisecond;  ///< in which what is left of an earlier call ends

/// Adds up what resources do from the begin of the call that counts to its end.
class LoadAdder final : public simnic::Observer {
 public:
  void start(const rdma::FabricUse& use) {
    recording_ = true;
    before_ = use;
  }
  void stop(const rdma::FabricUse& use, std::uint32_t nics_per_node) {
    recording_ = false;
    for (std::size_t i = 0; i < use.cores.size(); ++i) {
      add_load(result_.loads, Resource::kCore, use.cores[i].node * nics_per_node,
               worked(use.cores[i]) - worked(before_.cores[i]));
    }
  }

  void begin(simnic::Stage stage, const simnic::RequestIdentity& request, Picoseconds) override {
    route_ = nullptr;
    if (!recording_ || stage != simnic::Stage::kIssue) return;
    if (result_.request_route.empty()) {
      result_.requester_nic = request.from;
      result_.responder_nic = request.to;
    }
    const bool call = request.from == result_.requester_nic;
    route_ = call ? &result_.request_route : &result_.response_route;
    route_->clear();
  }
  void visit(const simnic::Visit& visit) override {
    if (!recording_ || visit.resource == Resource::kCore) return;
    add_load(result_.loads, visit.resource, visit.number, visit.service);
    if (visit.resource == Resource::kLink && route_ != nullptr) {
      route_->push_back(link_names_.at(visit.number));
    }
  }
  void end(Picoseconds, Picoseconds, Picoseconds) override {}
  void name_link(std::uint32_t number, const std::string& name) override {
    link_names_[number] = name;
  }
  void core_ran(NodeId, WorkerId, Picoseconds, Picoseconds) override {}
  void on_core(NodeId, WorkerId) override {}

  RequestCharges take() { return std::move(result_); }

 private:
  static Picoseconds worked(const rdma::CoreUse& core) {
    const auto empty = static_cast<std::size_t>(rdma::Activity::kEmptyPolls);
    return std::accumulate(core.spent.begin(), core.spent.end(), -core.spent[empty]);
  }

  bool recording_ = false;
  rdma::FabricUse before_;
  std::vector<std::string>* route_ = nullptr;  ///< of the message of the stage
  std::map<std::uint32_t, std::string> link_names_;
  RequestCharges result_;
};

// The bytes that a message takes that carries its payload, of so many bytes at most, inline.
std::uint32_t inline_bytes(const ExplainCommand& command, std::size_t payload) {
  constexpr std::size_t kAround =
      sizeof(rdma::MessageHeader) + 1;  // the byte that ends it in a ring
  const auto most =
      simnic::load_nic_profile(command.fabric.nic, command.fabric.constants).max_inline;
  if (payload + kAround > static_cast<std::size_t>(most)) {
    throw ConfigurationError(fmt::format(
        "--payload {}: --inline takes at most nic.max_inline_bytes, {} bytes, with {} of the "
        "message's own",
        command.payload, most, kAround + payload - command.payload));
  }
  return static_cast<std::uint32_t>(most);
}

rdma::EndpointOptions two_ends(const ExplainCommand& command, std::size_t payload) {
  rdma::EndpointOptions options;
  options.links = links_of_two_ends(command.cluster.nodes, 1);
  // The shorter one of a chain's messages is inline anyway, as workers have it.
  if (command.inlined) {
    options.max_inline_bytes = inline_bytes(command, payload);
  } else if (!command.is_chain()) {
    options.max_inline_bytes = 0;
  }
  options.rpc.batch_replies = command.doorbell == rdma::Doorbell::kBatched;
  if (command.record.operation == "write-rpc") {
    options.rpc.transport = rdma::MessagePath::kWriteRing;
  }
  return options;
}

/// The two ends, and the call between them.
class Calls {
 public:
  Calls(const ExplainCommand& command, rdma::Fabric& fabric, LoadAdder& loads)
      : command_(command),
        fabric_(fabric),
        loads_(loads),
        service_(called_service(command)),
        last_(static_cast<NodeId>(command.cluster.nodes - 1)) {
    const rdma::EndpointOptions options = two_ends(command, service_->message_bytes());
    for (const NodeId node : {NodeId{0}, last_}) {
      ends_.push_back(std::make_unique<rdma::Endpoint>(fabric, node, options));
    }
    check_fits();
    service_->add_memory(*ends_.back());
    for (auto& end : ends_) end->publish();
    for (auto& end : ends_) end->connect();
    service_->serve(*ends_.back());
    caller().spawn([this] { call(); });
  }

  void run() {
    std::vector<rdma::CoreTask> tasks;
    tasks.reserve(ends_.size());
    for (auto& end : ends_) {
      tasks.push_back({end->node(), 0, [&end](rdma::Core& core) { end->worker(0).run(core); }});
    }
    fabric_.run(std::move(tasks));
  }

 private:
  rdma::Worker& caller() { return ends_.front()->worker(0); }

  void check_fits() {
    const std::size_t most = caller().rpc().max_payload();
    const std::size_t own = service_->message_bytes() - command_.payload;
    if (command_.payload + own <= most) return;
    throw ConfigurationError(fmt::format("--payload {}: a message holds at most {} bytes{}",
                                         command_.payload, most,
                                         own == 0 ? "" : fmt::format(", with {} of a chain", own)));
  }

  void call() {
    rest();
    if (command_.state != "cold") {
      service_->call(caller(), last_);
      rest();
    }
    loads_.start(fabric_.use());
    note(rdma::Notice::kBegun);
    service_->call(caller(), last_);
    note(rdma::Notice::kMeasured);
    loads_.stop(fabric_.use(), command_.cluster.endpoint.nics);
  }

  void rest() { caller().sleep_until(caller().now() + kRest); }

  void note(rdma::Notice notice) {
    caller().core().note(notice, static_cast<std::uint64_t>(caller().now().count()));
  }

  const ExplainCommand& command_;
  rdma::Fabric& fabric_;
  LoadAdder& loads_;
  std::unique_ptr<CalledService> service_;
  NodeId last_;
  std::vector<std::unique_ptr<rdma::Endpoint>> ends_;
};

/// The parts of the way, in its order; what is met again in the same leg is added.
std::vector<StationCharge> charges_of(const Way& way) {
  std::vector<StationCharge> charges;
  int requests = 0;
  Picoseconds from = way.begin();
  for (const Way::Segment& segment : way.segments()) {
    requests += segment.begins_request ? 1 : 0;
    if (segment.part.kind == Part::Kind::kDelay &&
        segment.part.number == static_cast<std::uint8_t>(Delay::kLost)) {
      throw ConfigurationError(
          "a message of the call was lost or late, as datagrams are with fabric.ud_loss and "
          "fabric.ud_reorder: there is nothing to explain but a time-out");
    }
    const std::string stage = requests < 2 ? "call" : "reply";
    const std::string station =
        fmt::format("{}: {}", place_name(segment.part.place), part_name(segment.part));
    const auto known = std::ranges::find_if(charges, [&](const StationCharge& charge) {
      return charge.stage == stage && charge.station == station;
    });
    if (known == charges.end()) {
      charges.push_back({.stage = stage, .station = station, .latency = segment.until - from});
    } else {
      known->latency += segment.until - from;
    }
    from = segment.until;
  }
  return charges;
}

}  // namespace

RequestCharges charge_call(const ExplainCommand& command, simnic::Observer* also,
                           simnic::LoadedPlatform* platform) {
  PathRecorder paths(command.cluster.endpoint.nics);
  LoadAdder loads;
  simnic::ObserverList observers;
  observers.add(also);
  observers.add(&paths);
  observers.add(&loads);
  const auto fabric = make_fabric(command, observers.shortest(), platform);
  {
    Calls calls(command, *fabric, loads);
    calls.run();
  }
  RequestCharges result = loads.take();
  result.charges = charges_of(paths.latest());
  result.total = paths.latest().until() - paths.latest().begin();
  return result;
}

}  // namespace verbena::experiments
