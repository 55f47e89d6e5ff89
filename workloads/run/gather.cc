// Results on their way between processes.
#include "workloads/run/gather.h"

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "rdma/base/message_io.h"

namespace verbena::workloads {
namespace {

constexpr NodeId kTeller = 0;
constexpr const char* kKey = "result";
constexpr const char* kDoneKey = "result taken";
/// For how long the teller stays for peers to learn that it has taken theirs.
constexpr Nanoseconds kStay = 2 * kSecond;

template <typename T>
concept Plain = std::is_trivially_copyable_v<T>;

class Saver {
 public:
  template <Plain T>
  void operator()(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void operator()(const Histogram& histogram) { (*this)(histogram.exported()); }
  void operator()(const std::string& text) { all(text); }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    all(values);
  }
  template <typename T>
  void operator()(const std::map<std::string, T>& values) {
    (*this)(values.size());
    for (const auto& [name, value] : values) {
      (*this)(name);
      (*this)(value);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <typename Values>
  void all(const Values& values) {
    (*this)(values.size());
    for (const auto& value : values) (*this)(value);
  }

  std::vector<std::byte> bytes_;
};

class Loader {
 public:
  explicit Loader(std::span<const std::byte> bytes) : reader_(bytes), most_(bytes.size()) {}

  template <Plain T>
  void operator()(T& value) {
    value = reader_.take<T>();
  }
  void operator()(Histogram& histogram) {
    histogram = Histogram(reader_.take<Histogram::Exported>());
  }
  void operator()(std::string& text) { all(text); }
  template <typename T>
  void operator()(std::vector<T>& values) {
    all(values);
  }
  template <typename T>
  void operator()(std::map<std::string, T>& values) {
    for (std::size_t left = count(); left > 0; --left) {
      std::string name;
      (*this)(name);
      (*this)(values[name]);
    }
  }
  void expect_end() const { reader_.expect_end(); }

 private:
  // Each of them takes a byte at least.
  std::size_t count() {
    const auto values = reader_.take<std::size_t>();
    if (values > most_) throw Malformed("has more values than bytes");
    return values;
  }
  template <typename Values>
  void all(Values& values) {
    values.resize(count());
    for (auto& value : values) (*this)(value);
  }

  MessageReader reader_;
  std::size_t most_;
};

/// Members that are neither plain nor made of plain ones.
struct Series {
  Nanoseconds width = 0;
  std::vector<IntervalCounts> intervals;
  std::vector<LatencyBatches::Counts> batches;
  double squares = 0;
};

template <typename Archive, typename Result>
void visit_metrics(Archive& archive, Result& metrics) {
  archive(metrics.committed);
  archive(metrics.aborted);
  archive(metrics.counters);
  archive(metrics.latency);
  archive(metrics.phases);
  archive(metrics.served);
  archive(metrics.times);
}

template <typename Archive, typename Result, typename AnySeries>
void visit(Archive& archive, Result& result, AnySeries& series) {
  archive(result.computing_nodes);
  archive(result.lasting_nodes);
  archive(result.committed_by_lasting);
  visit_metrics(archive, result.metrics);
  archive(result.duration);
  archive(series.width);
  archive(series.intervals);
  archive(series.batches);
  archive(series.squares);
  archive(result.in_flight);
  archive(result.backlog);
  archive(result.in_flight_until);
  archive(result.lost);
  archive(result.given_up);
  archive(result.given_up_for);
  archive(result.stopped);
  archive(result.throughput_per_s);
  archive(result.committed_total);
  archive(result.committed_by_kind);
  archive(result.latency_by_kind);
  archive(result.squares_by_kind);
  archive(result.rolled_back);
  archive(result.rolling_back);
  archive(result.nic_counters);
  archive(result.total_nic_counters);
  archive(result.retrying);
  archive(result.verification.checked);
  archive(result.verification.records_checked);
  archive(result.verification.undecided);
  archive(result.verification.errors);
  archive(result.unsound);
}

template <typename T>
void add_to(std::map<std::string, T>& sums, const std::map<std::string, T>& more) {
  for (const auto& [name, value] : more) sums[name] += value;
}

void add_lines(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  for (const std::string& line : more) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
}

// Windows of processes are as long, but for one that was stopped: batches of both differ in length.
void add_series(RunResult& sum, const RunResult& other) {
  const bool alike = sum.series.width() == other.series.width() &&
                     sum.series.counts().size() == other.series.counts().size();
  if (alike) {
    sum.series.merge(other.series);
    sum.latency_batches.merge(other.latency_batches);
  } else {
    sum.series = {};
    sum.latency_batches = {};
  }
}

void add(RunResult& sum, const RunResult& other) {
  sum.computing_nodes += other.computing_nodes;
  sum.lasting_nodes += other.lasting_nodes;
  sum.committed_by_lasting += other.committed_by_lasting;
  sum.metrics.merge(other.metrics);
  sum.duration = std::max(sum.duration, other.duration);
  add_series(sum, other);
  sum.in_flight.merge(other.in_flight);
  sum.backlog += other.backlog;
  sum.in_flight_until = std::max(sum.in_flight_until, other.in_flight_until);
  for (const NodeId node : other.lost) {
    if (std::ranges::find(sum.lost, node) == sum.lost.end()) sum.lost.push_back(node);
  }
  sum.given_up += other.given_up;
  if (sum.given_up_for.empty()) sum.given_up_for = other.given_up_for;
  sum.stopped |= other.stopped;
  sum.throughput_per_s += other.throughput_per_s;
  sum.committed_total += other.committed_total;
  add_to(sum.committed_by_kind, other.committed_by_kind);
  add_to(sum.latency_by_kind, other.latency_by_kind);
  add_to(sum.squares_by_kind, other.squares_by_kind);
  sum.rolled_back += other.rolled_back;
  sum.rolling_back += other.rolling_back;
  add_to(sum.nic_counters, other.nic_counters);
  add_to(sum.total_nic_counters, other.total_nic_counters);
  sum.retrying += other.retrying;
  sum.verification.records_checked += other.verification.records_checked;
  sum.verification.undecided += other.verification.undecided;
  add_lines(sum.verification.errors, other.verification.errors);
  add_lines(sum.unsound, other.unsound);
}

ProcessPart part_of(NodeId node, const RunResult& result) {
  return {.node = node,
          .throughput_per_s = result.throughput_per_s,
          .committed = result.metrics.committed,
          .committed_total = result.committed_total};
}

// The teller waits as long for each, and says why it ends where one does not come.
void hand_over(rdma::Fabric& fabric, const RunResult& result, Nanoseconds timeout) {
  rdma::Rendezvous& rendezvous = fabric.rendezvous();
  rendezvous.publish(fabric.hosted().front(), kKey, bytes_of(result));
  if (std::ranges::find(result.lost, kTeller) != result.lost.end()) return;
  rendezvous.fetch(kTeller, kDoneKey, fabric.nodes() * timeout);
}

void take_all(rdma::Fabric& fabric, RunResult& result, Nanoseconds timeout) {
  const std::vector<NodeId>& hosted = fabric.hosted();
  const std::vector<NodeId> lost = result.lost;
  rdma::Rendezvous& rendezvous = fabric.rendezvous();
  std::vector<NodeId> others;
  result.processes.push_back(part_of(kTeller, result));
  for (std::uint32_t n = 0; n < fabric.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const bool own = std::ranges::find(hosted, node) != hosted.end();
    if (own || std::ranges::find(lost, node) != lost.end()) continue;
    const RunResult other = result_of(rendezvous.fetch(node, kKey, timeout));
    result.processes.push_back(part_of(node, other));
    add(result, other);
    others.push_back(node);
  }
  result.precision = precision_of(result.series);
  result.survival = {};
  rendezvous.publish(kTeller, kDoneKey, {});
  for (const NodeId node : others) rendezvous.await_fetch(kTeller, kDoneKey, node, kStay);
}

}  // namespace

std::vector<std::byte> bytes_of(const RunResult& result) {
  Saver saver;
  const Series series{result.series.width(), result.series.counts(),
                      result.latency_batches.counts(), result.latency_batches.squares()};
  visit(saver, result, series);
  return saver.take();
}

RunResult result_of(std::span<const std::byte> bytes) {
  Loader loader(bytes);
  RunResult result;
  Series series;
  visit(loader, result, series);
  loader.expect_end();
  result.series = IntervalSeries(series.width, std::move(series.intervals));
  result.latency_batches = LatencyBatches(std::move(series.batches), series.squares);
  return result;
}

void gather(rdma::Fabric& fabric, RunResult& result, Nanoseconds timeout) {
  const std::vector<NodeId>& hosted = fabric.hosted();
  if (hosted.size() == fabric.nodes()) return;
  if (hosted.front() == kTeller) {
    take_all(fabric, result, timeout);
  } else {
    hand_over(fabric, result, timeout);
  }
}

}  // namespace verbena::workloads
