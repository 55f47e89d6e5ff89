// Verbs for one request, and an observer that adds up.
#include "experiments/explain/request_charges.h"

#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "experiments/session/make_fabric.h"
#include "rdma/base/errors.h"
#include "rdma/seam/fabric.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;

constexpr std::uint32_t kQkey = 1;
constexpr std::uint32_t kGrhBytes = 40;
constexpr Nanoseconds kRest = kMillisecond;     ///< in which everything before has ended
constexpr Nanoseconds kLongest = 10 * kSecond;  ///< that a datagram is on its way

/// Adds up what one request is charged, while told to.
class Adder final : public simnic::Observer {
 public:
  explicit Adder(simnic::Observer* also) : also_(also) {}

  void start() { recording_ = true; }
  void stop() { recording_ = false; }

  void begin(Stage stage, const simnic::RequestIdentity& request, Picoseconds time) override {
    if (also_ != nullptr) also_->begin(stage, request, time);
    stage_ = stage;
    if (!recording_) return;
    if (first_ < 0) first_ = time;
    if (stage == Stage::kPost) {
      result_.requester_nic = request.from;
      result_.responder_nic = request.to;
    }
  }

  void visit(const simnic::Visit& visit) override {
    if (also_ != nullptr) also_->visit(visit);
    if (!recording_) return;
    add_charge(visit);
    add_load(visit);
    if (visit.resource != Resource::kLink) return;
    auto& route = stage_ == Stage::kIssue ? result_.request_route : result_.response_route;
    route.push_back(link_names_.at(visit.number));
  }

  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override {
    if (also_ != nullptr) also_->end(wait, ready, time);
    if (!recording_) return;
    if (wait + time - ready != 0) result_.waits[stage_] += wait + (time - ready);
    result_.total = time - first_;
  }

  void name_link(std::uint32_t number, const std::string& name) override {
    if (also_ != nullptr) also_->name_link(number, name);
    link_names_[number] = name;
  }
  void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) override {
    if (also_ != nullptr) also_->core_ran(node, worker, from, to);
  }
  void on_core(NodeId node, WorkerId worker) override {
    if (also_ != nullptr) also_->on_core(node, worker);
  }

  RequestCharges take() {
    Picoseconds sum = 0;
    for (const StationCharge& charge : result_.charges) sum += charge.latency;
    for (const auto& [stage, wait] : result_.waits) sum += wait;
    if (sum != result_.total) {
      throw std::logic_error(fmt::format("the stations charged {} ps, the request took {} ps",
                                         sum.count(), result_.total.count()));
    }
    return std::move(result_);
  }

 private:
  void add_charge(const simnic::Visit& visit) {
    auto& all = result_.charges;
    auto charge = std::find_if(all.begin(), all.end(), [&](const StationCharge& one) {
      return one.stage == stage_ && one.station == visit.station;
    });
    if (charge == all.end()) {
      all.push_back({.stage = stage_, .station = visit.station});
      charge = all.end() - 1;
    }
    charge->latency += visit.latency;
    charge->service = std::max(charge->service, visit.service);
  }

  void add_load(const simnic::Visit& visit) {
    if (visit.service == 0) return;
    auto& all = result_.loads;
    auto load = std::find_if(all.begin(), all.end(), [&](const ResourceLoad& one) {
      return one.resource == visit.resource && one.number == visit.number;
    });
    if (load == all.end()) {
      all.push_back({.resource = visit.resource, .number = visit.number});
      load = all.end() - 1;
    }
    load->busy += visit.service;
  }

  simnic::Observer* also_;
  bool recording_ = false;
  Stage stage_ = Stage::kPost;
  Picoseconds first_{-1};
  std::map<std::uint32_t, std::string> link_names_;
  RequestCharges result_;
};

/// What one node brings: a device, registered memory, and queue pairs made on demand.
class End {
 public:
  End(rdma::Fabric& fabric, NodeId node, std::size_t bytes)
      : verbs_(fabric.verbs(node)), memory_(bytes + kGrhBytes) {
    ibv_device** list = verbs_.get_device_list(nullptr);
    context_ = verbs_.open_device(list[0]);
    verbs_.free_device_list(list);
    verbs_.query_port(context_, 1, &port_);
    pd_ = verbs_.alloc_pd(context_);
    cq_ = verbs_.create_cq(context_, 16, nullptr, nullptr, 0);
    mr_ = verbs_.reg_mr(pd_, memory_.data(), memory_.size(),
                        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
                            IBV_ACCESS_REMOTE_ATOMIC);
  }
  ~End() {
    for (ibv_ah* handle : handles_) verbs_.destroy_ah(handle);
    for (ibv_qp* qp : queue_pairs_) verbs_.destroy_qp(qp);
    verbs_.destroy_cq(cq_);
    verbs_.dereg_mr(mr_);
    verbs_.dealloc_pd(pd_);
    verbs_.close_device(context_);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  ibv_qp* create(ibv_qp_type type, std::uint32_t inline_bytes) {
    ibv_qp_init_attr init{};
    init.qp_type = type;
    init.send_cq = init.recv_cq = cq_;
    init.cap = {16, 16, 1, 1, inline_bytes};
    ibv_qp* qp = verbs_.create_qp(pd_, &init);
    if (qp == nullptr) {
      throw ConfigurationError(
          fmt::format("--payload {}: --inline takes at most nic.max_inline_bytes, {} bytes",
                      inline_bytes, most_inline_bytes(init)));
    }
    queue_pairs_.push_back(qp);
    return qp;
  }

  /// Less than what `init` asks for, found by trying, as verbs tell it in no other way.
  std::uint32_t most_inline_bytes(ibv_qp_init_attr init) {
    std::uint32_t low = 0;
    std::uint32_t high = init.cap.max_inline_data;
    while (low + 1 < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      init.cap.max_inline_data = middle;
      ibv_qp* qp = verbs_.create_qp(pd_, &init);
      (qp != nullptr ? low : high) = middle;
      if (qp != nullptr) verbs_.destroy_qp(qp);
    }
    return low;
  }

  void connect(ibv_qp* qp, const End& peer, std::uint32_t peer_qp) {
    const bool datagram = qp->qp_type == IBV_QPT_UD;
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qkey = kQkey;
    attr.qp_access_flags =
        IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    modify(qp, attr,
           IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
               (datagram ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = port_.active_mtu;
    attr.dest_qp_num = peer_qp;
    attr.max_dest_rd_atomic = attr.max_rd_atomic = 1;
    attr.ah_attr = peer.address_vector();
    constexpr int kConnection = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    modify(qp, attr, IBV_QP_STATE | (datagram ? 0 : kConnection));
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = attr.rnr_retry = 7;
    constexpr int kRequester =
        IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    modify(qp, attr, IBV_QP_STATE | IBV_QP_SQ_PSN | (datagram ? 0 : kRequester));
  }

  ibv_ah* handle_to(const End& peer) {
    ibv_ah_attr attr = peer.address_vector();
    handles_.push_back(verbs_.create_ah(pd_, &attr));
    return handles_.back();
  }

  void post_receive(ibv_qp* qp) {
    ibv_sge all = piece(memory_.size());
    ibv_recv_wr wr{};
    wr.sg_list = &all;
    wr.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    if (ibv_post_recv(qp, &wr, &bad) != 0) throw std::logic_error("no room for a receive request");
  }

  /// Idles until a completion is there, and takes it. False when there is none until `deadline`.
  bool await(rdma::Core& core, Nanoseconds deadline) {
    ibv_wc wc{};
    while (ibv_poll_cq(cq_, 1, &wc) == 0) {
      if (core.now() >= deadline) return false;
      core.idle(deadline);
    }
    if (wc.status != IBV_WC_SUCCESS) {
      throw std::runtime_error(fmt::format("the request ended in status {}", int{wc.status}));
    }
    return true;
  }

  ibv_sge piece(std::size_t bytes) const {
    return {address(), static_cast<std::uint32_t>(bytes), mr_->lkey};
  }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_.data()); }
  std::uint32_t key() const { return mr_->rkey; }
  std::uint32_t mtu() const { return 128U << port_.active_mtu; }

 private:
  /// How others reach this end. RoCE has no LIDs.
  ibv_ah_attr address_vector() const {
    ibv_ah_attr attr{};
    attr.dlid = port_.lid;
    attr.port_num = 1;
    if (port_.link_layer == IBV_LINK_LAYER_ETHERNET) {
      attr.is_global = 1;
      verbs_.query_gid(context_, 1, 0, &attr.grh.dgid);
    }
    return attr;
  }

  void modify(ibv_qp* qp, ibv_qp_attr attr, int mask) const {
    if (verbs_.modify_qp(qp, &attr, mask) != 0) {
      throw std::logic_error("a queue pair cannot be connected");
    }
  }

  const rdma::VerbsTable verbs_;
  std::vector<std::byte> memory_;
  ibv_context* context_ = nullptr;
  ibv_port_attr port_{};
  ibv_pd* pd_ = nullptr;
  ibv_cq* cq_ = nullptr;
  ibv_mr* mr_ = nullptr;
  std::vector<ibv_qp*> queue_pairs_;
  std::vector<ibv_ah*> handles_;
};

ibv_wr_opcode opcode_of(const std::string& operation) {
  if (operation == "read") return IBV_WR_RDMA_READ;
  if (operation == "write") return IBV_WR_RDMA_WRITE;
  if (operation == "send") return IBV_WR_SEND;
  if (operation == "cas") return IBV_WR_ATOMIC_CMP_AND_SWP;
  return IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/// The two ends and up to two pairs of queue pairs between them.
class Exchange {
 public:
  Exchange(const ExplainCommand& command, rdma::Fabric& fabric, Adder& adder)
      : command_(command),
        adder_(adder),
        send_(command.record.operation == "send"),
        near_(fabric, 0, command.payload),
        far_(fabric, static_cast<NodeId>(command.cluster.nodes - 1), command.payload) {
    if (send_ && command.payload > near_.mtu()) {
      throw ConfigurationError(fmt::format("--payload {}: a datagram holds at most {} bytes",
                                           command.payload, near_.mtu()));
    }
    // With a queue pair that is new to the NIC, but memory that is not.
    if (command.state != "cold") pairs_.push_back(connect());
    if (command.state != "warm") pairs_.push_back(connect());
  }

  void run(rdma::Fabric& fabric) {
    std::vector<rdma::CoreTask> tasks = {{0, 0, [this](rdma::Core& core) { request(core); }}};
    if (send_) {
      tasks.push_back({static_cast<NodeId>(command_.cluster.nodes - 1), 1,
                       [this](rdma::Core& core) { receive(core); }});
    }
    fabric.run(std::move(tasks));
  }

 private:
  using Pair = std::pair<ibv_qp*, ibv_qp*>;

  Pair connect() {
    const ibv_qp_type type = send_ ? IBV_QPT_UD : IBV_QPT_RC;
    ibv_qp* near = near_.create(type, command_.inlined ? command_.payload : 0);
    ibv_qp* far = far_.create(type, 0);
    near_.connect(near, far_, far->qp_num);
    far_.connect(far, near_, near->qp_num);
    handle_ = send_ ? near_.handle_to(far_) : nullptr;
    return {near, far};
  }

  /// One request to warm the caches, unless they are to be cold, and the one that counts.
  int rounds() const { return command_.state == "cold" ? 1 : 2; }

  void request(rdma::Core& core) {
    for (int round = 0; round < rounds(); ++round) {
      core.idle(core.now() + kRest);
      const bool counts = round + 1 == rounds();
      if (counts) adder_.start();
      post(counts ? pairs_.back() : pairs_.front());
      if (!send_) near_.await(core, kNever);
      if (counts && !send_) adder_.stop();
    }
  }

  void receive(rdma::Core& core) {
    for (const Pair& pair : pairs_) {
      for (int i = 0; i < 2; ++i) far_.post_receive(pair.second);
    }
    for (int round = 0; round < rounds(); ++round) {
      if (far_.await(core, core.now() + kLongest)) continue;
      throw ConfigurationError(
          "the request was lost, as datagrams are with fabric.ud_loss: there is nothing to "
          "explain");
    }
    adder_.stop();
  }

  void post(const Pair& pair) {
    ibv_sge piece = near_.piece(command_.payload);
    ibv_send_wr wr{};
    wr.opcode = opcode_of(command_.record.operation);
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.send_flags = (send_ ? 0U : static_cast<unsigned>(IBV_SEND_SIGNALED)) |
                    (command_.inlined ? static_cast<unsigned>(IBV_SEND_INLINE) : 0U);
    if (send_) {
      wr.wr.ud = {handle_, pair.second->qp_num, kQkey};
    } else if (wr.opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
      wr.wr.atomic.remote_addr = far_.address();
      wr.wr.atomic.rkey = far_.key();
    } else {
      wr.wr.rdma = {far_.address(), far_.key()};
    }
    ibv_send_wr* bad = nullptr;
    if (ibv_post_send(pair.first, &wr, &bad) != 0) {
      throw std::logic_error("the request cannot be posted");
    }
  }

  const ExplainCommand& command_;
  Adder& adder_;
  bool send_;
  End near_;
  End far_;
  std::vector<Pair> pairs_;
  ibv_ah* handle_ = nullptr;
};

}  // namespace

RequestCharges charge_request(const ExplainCommand& command, simnic::Observer* also) {
  ExplainCommand adjusted = command;
  // A chain is announced by a doorbell and fetched; so is what does not fit.
  if (command.doorbell == rdma::Doorbell::kBatched) {
    adjusted.fabric.constants.set("nic.blueflame_bytes", "0");
  }
  Adder adder(also);
  const auto fabric = make_fabric(adjusted, &adder);
  {
    Exchange exchange(command, *fabric, adder);
    exchange.run(*fabric);
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
