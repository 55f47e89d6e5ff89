// Follows each transaction of a simulated run through fibers, requests, messages and handlers, and
// finds the parts of its latency.
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
#include "simnic/observe/observer.h"

namespace verbena::experiments {

/// Records the way of each transaction, which is that of its fiber. A request or message of the
/// fiber branches off: its own way leads through stations and, for a message, through the handler
/// and that handler's messages. When the fiber resumes because of a branch, the branch's way
/// replaces what the fiber did meanwhile. So a way always has no gap and leads back to the
/// transaction's begin along what was waited for last: the critical path.
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

  /// Means of the measured transactions.
  CriticalPath critical_path() const { return sums_.means(); }
  /// Way of the transaction that was measured last, up to the moment when its code reported its
  /// end.
  const Way& latest() const { return latest_; }

 private:
  /// A transaction: the `serial`-th of a fiber.
  struct Owner {
    std::uint32_t core;
    std::uint32_t fiber;
    std::uint32_t serial;
    bool operator==(const Owner&) const = default;
  };
  /// Way of something that a transaction may come to wait for.
  struct Branch {
    Owner owner;
    Way way;
    Picoseconds arrived = 0;  ///< time at which it could have been taken up
  };
  struct FiberState {
    Way way;
    std::uint32_t serial = 0;
    bool active = false;      ///< runs a transaction
    bool ready = false;       ///< runnable
    Picoseconds gave_up = 0;  ///< time when it last gave up the core
    Picoseconds free = 0;     ///< time since when it had no transaction, before this one
  };
  struct CoreState {
    NodeId node;
    WorkerId worker;
    Picoseconds time = 0;  ///< time until which the core's work is recorded
    std::array<Picoseconds, rdma::kActivities> spent{};
    std::uint64_t fiber = rdma::kEventLoop;  ///< the one that runs
    std::optional<Branch> branch;            ///< what the event loop is handling
    std::vector<FiberState> fibers;
    /// Completions that are polled but not taken up yet, by wr_id.
    std::vector<std::pair<std::uint64_t, Branch>> polled;
  };
  /// A request until its completion is polled; a SEND until it arrives.
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
  std::vector<Posting> posting_;  ///< requests of the current post
  /// Requests by the requester's NIC and queue pair, then by index on that queue pair.
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, Pending>> requests_;
  std::unordered_map<std::uint64_t, Branch> messages_;  ///< composed, by address
  std::unordered_map<std::uint64_t, Branch> arrivals_;  ///< not taken up yet, by address
  StageVisits stage_;
  simnic::RequestIdentity request_of_stage_{};
  Pending* of_stage_ = nullptr;  ///< request of the current stage; null when nobody follows it
  PathSums sums_;
  Way latest_;
};

}  // namespace verbena::experiments
