// Several observers of one simulation.
#pragma once

#include <string>
#include <vector>

#include "simnic/observe/observer.h"

namespace verbena::simnic {

/// Passes every call on to all observers, in their order.
class ObserverList final : public Observer {
 public:
  /// Adds an observer, which must outlive this; does nothing for null.
  void add(Observer* observer) {
    if (observer != nullptr) observers_.push_back(observer);
  }

  /// Returns the observer to use instead of this: null when there is none, itself if it is the only
  /// one.
  Observer* shortest() {
    if (observers_.size() > 1) return this;
    return observers_.empty() ? nullptr : observers_.front();
  }

  void begin(Stage stage, const RequestIdentity& request, Picoseconds time) override;
  void visit(const Visit& visit) override;
  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override;
  void name_link(std::uint32_t number, const std::string& name) override;
  void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) override;
  void on_core(NodeId node, WorkerId worker) override;
  void noted(const CoreMoment& core, rdma::Notice notice, std::uint64_t what) override;
  void posts(const CoreMoment& core, const RequestIdentity& request,
             std::uint64_t address) override;
  void polls(const CoreMoment& core, const RequestIdentity& request) override;
  void lands(const RequestIdentity& request, std::uint64_t address, Picoseconds time) override;

 private:
  std::vector<Observer*> observers_;
};

}  // namespace verbena::simnic
