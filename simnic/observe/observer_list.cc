// Each call, for each observer.
#include "simnic/observe/observer_list.h"

namespace verbena::simnic {

void ObserverList::begin(Stage stage, const RequestIdentity& request, Picoseconds time) {
  for (Observer* one : observers_) one->begin(stage, request, time);
}

void ObserverList::visit(const Visit& visit) {
  for (Observer* one : observers_) one->visit(visit);
}

void ObserverList::end(Picoseconds wait, Picoseconds ready, Picoseconds time) {
  for (Observer* one : observers_) one->end(wait, ready, time);
}

void ObserverList::name_link(std::uint32_t number, const std::string& name) {
  for (Observer* one : observers_) one->name_link(number, name);
}

void ObserverList::core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) {
  for (Observer* one : observers_) one->core_ran(node, worker, from, to);
}

void ObserverList::on_core(NodeId node, WorkerId worker) {
  for (Observer* one : observers_) one->on_core(node, worker);
}

void ObserverList::noted(const CoreMoment& core, rdma::Notice notice, std::uint64_t what) {
  for (Observer* one : observers_) one->noted(core, notice, what);
}

void ObserverList::posts(const CoreMoment& core, const RequestIdentity& request,
                         std::uint64_t address) {
  for (Observer* one : observers_) one->posts(core, request, address);
}

void ObserverList::polls(const CoreMoment& core, const RequestIdentity& request) {
  for (Observer* one : observers_) one->polls(core, request);
}

void ObserverList::lands(const RequestIdentity& request, std::uint64_t address, Picoseconds time) {
  for (Observer* one : observers_) one->lands(request, address, time);
}

}  // namespace verbena::simnic
