// Follows each transaction of a simulated run through fibers, requests, messages and handlers, and
// finds what its latency was made of.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/paths/critical_path.h"
#include "experiments/paths/stage_visits.h"
#include "experiments/paths/way.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// A transaction's way is that of its fiber. What the fiber posts or composes branches off: it goes
/// through stations, and, of a message, through the handler and what that composes. When the fiber
/// goes on because of it, its way takes the place of what the fiber did meanwhile. So at each
/// moment a way has no gap and leads back to the transaction's begin along what was waited for
/// last: the critical path.
class PathRecorder final : public simnic::Observer {
 public:
  explicit PathRecorder(std::uint32_t nics_per_node) : nics_per_node_(nics_per_node) {}

  void begin(simnic::Stage stage, const simnic::RequestIdentity& request,
             Picoseconds time) override;
  void visit(const simnic::Visit& visit) override;
  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override;
  void name_link(std::uint32_t, const std::string&) override {}
  void core_ran(NodeId, WorkerId, Picoseconds, Picoseconds) override {}
  void on_core(NodeId node, WorkerId worker) override;
  void noted(const simnic::CoreMoment& moment, rdma::Notice notice, std::uint64_t what) override;
  void posts(const simnic::CoreMoment& moment, const simnic::RequestIdentity& request,
             std::uint64_t address) override;
  void polls(const simnic::CoreMoment& moment, const simnic::RequestIdentity& request) override;
  void lands(const simnic::RequestIdentity& request, std::uint64_t address,
             Picoseconds time) override;

  /// Means of the transactions that were measured.
  CriticalPath critical_path() const { return sums_.means(); }
  /// Way of the transaction that was measured last, to the moment when its code said so.
  const Way& latest() const { return latest_; }

 private:
  /// Which transaction: the `serial`-th of a fiber.
  struct Owner {
    std::uint32_t core;
    std::uint32_t fiber;
    std::uint32_t serial;
    bool operator==(const Owner&) const = default;
  };
  /// Something that a transaction may come to wait for.
  struct Branch {
    Owner owner;
    Way way;
    Picoseconds arrived = 0;  ///< once it is taken up: when it could have been
  };
  struct FiberState {
    Way way;
    std::uint32_t serial = 0;
    bool active = false;      ///< runs a transaction
    bool ready = false;       ///< and may go on
    Picoseconds gave_up = 0;  ///< the core, when it ran last
    Picoseconds free = 0;     ///< since when it had no transaction, before this one
  };
  struct CoreState {
    NodeId node;
    WorkerId worker;
    Picoseconds time = 0;  ///< until which it has been accounted for
    std::array<Picoseconds, rdma::kActivities> spent{};
    std::uint64_t fiber = rdma::kEventLoop;  ///< that runs
    std::optional<Branch> branch;            ///< what the event loop deals with
    std::vector<FiberState> fibers;
    /// By wr_id: of completions that were polled and not taken up yet.
    std::vector<std::pair<std::uint64_t, Branch>> polled;
  };
  /// A request until its completion is polled; a SEND until it lands.
  struct Pending {
    Branch branch;
    bool message;  ///< a SEND
    bool issued = false;
    bool executed = false;
  };
  struct Posting {
    simnic::RequestIdentity request;
    Branch branch;
  };

  CoreState& core_at(const simnic::CoreMoment& moment);
  FiberState& fiber_at(CoreState& core, std::uint64_t fiber);
  FiberState* running(CoreState& core);
  std::uint32_t number_of(const CoreState& core) const;
  bool is_current(const Owner& owner) const;
  Viewpoint viewpoint(const Owner& owner) const;
  std::optional<Branch> fork(CoreState& core);

  void account(CoreState& core, const simnic::CoreMoment& moment);
  void go_on_as(CoreState& core, std::uint64_t fiber);
  void ready(CoreState& core, std::uint64_t number);
  void awake(CoreState& core, std::uint64_t number);
  void composed(CoreState& core, std::uint64_t address);
  void repeated(const CoreState& core, std::uint64_t address);
  void take_up(CoreState& core, std::optional<Branch> branch);
  std::optional<Branch> take_polled(CoreState& core, std::uint64_t wr_id);
  std::optional<Branch> take_arrival(std::uint64_t address);
  void free(CoreState& core);
  void begun(CoreState& core, Nanoseconds start);

  Pending* find(const simnic::RequestIdentity& request);
  void end_post(Picoseconds wait, Picoseconds time);
  const Branch* earlier(const Owner& owner, Picoseconds time) const;
  void forget_before(std::map<std::uint32_t, Pending>& requests, std::uint32_t index) const;

  std::uint32_t nics_per_node_;
  std::vector<CoreState> cores_;
  std::map<std::pair<NodeId, WorkerId>, std::uint32_t> core_numbers_;
  std::vector<Posting> posting_;  ///< in the call that posts now
  /// By the requester's NIC and queue pair, then by their index there.
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, Pending>> requests_;
  std::unordered_map<std::uint64_t, Branch> messages_;  ///< composed, by address
  std::unordered_map<std::uint64_t, Branch> arrivals_;  ///< not taken up yet, by address
  StageVisits stage_;
  simnic::RequestIdentity request_of_stage_{};
  Pending* of_stage_ = nullptr;  ///< whose stage it is; null when nobody follows that
  PathSums sums_;
  Way latest_;
};

}  // namespace verbena::experiments
