// Slices and their JSON.
#include "experiments/report/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "experiments/config/keys/units.h"
#include "experiments/report/publish.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using rdma::Notice;
using simnic::Resource;
using simnic::Stage;
using simnic::Station;

// Threads of a node's process: cores, then those of its NICs.
constexpr std::uint32_t kFirstNicThread = 10'000;
constexpr std::uint32_t kThreadsPerNic = 1'000;
constexpr std::uint32_t kThreadsPerResource = 100;
// Behind them those of coroutines.
constexpr std::uint32_t kFirstCoroutineThread = 1'000'000;
constexpr std::uint32_t kCoroutinesPerCore = 10'000;

const char* opcode_name(std::uint8_t opcode) {
  constexpr const char* kNames[] = {"WRITE", "WRITE_IMM", "SEND", "SEND_IMM", "READ", "CAS", "FAA"};
  constexpr const char* kPrismNames[] = {"PRISM READ", "PRISM WRITE", "ALLOCATE", "PRISM CAS",
                                         "PRISM FAA"};
  if (opcode < std::size(kNames)) return kNames[opcode];
  const unsigned of_prism = opcode - simnic::kFirstPrismOpcode;
  return of_prism < std::size(kPrismNames) ? kPrismNames[of_prism] : "request";
}

// Microseconds, exactly.
void add_time(fmt::memory_buffer& text, const char* name, Picoseconds time) {
  fmt::format_to(std::back_inserter(text), "\"{}\":{}.{:06d}", name, time.count() / 1'000'000,
                 time.count() % 1'000'000);
}

// Names are ours or a platform's: what JSON does not allow in strings is left out.
std::string plain(const std::string& name) {
  std::string result = printable(name);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == '"' || c == '\\'; }, '?');
  return result;
}

}  // namespace

TraceRecorder::TraceRecorder(const FabricCommand& command)
    : file_(command.output.trace, "--trace"),
      nics_per_node_(command.cluster.endpoint.nics),
      limit_(command.output.trace_limit),
      from_(to_picoseconds(command.output.trace_from)) {}

void TraceRecorder::add(const Slice& slice) {
  if (slice.duration == 0) return;
  last_ = std::max(last_, slice.begin);
  if (slice.begin < from_) return;
  if (slices_.size() < limit_) {
    slices_.push_back(slice);
  } else {
    ++left_out_;
  }
}

void TraceRecorder::begin(Stage stage, const simnic::RequestIdentity& request, Picoseconds time) {
  stage_ = stage;
  request_ = request;
  core_clock_ = time;
}

void TraceRecorder::on_core(NodeId node, WorkerId worker) { core_ = {node, worker}; }

TraceRecorder::Track TraceRecorder::track_of(const simnic::Visit& visit) const {
  if (visit.resource == Resource::kLink) return {kNetwork, visit.number};
  return {visit.number / nics_per_node_,
          kFirstNicThread + visit.number % nics_per_node_ * kThreadsPerNic +
              static_cast<std::uint32_t>(visit.resource) * kThreadsPerResource + visit.part};
}

void TraceRecorder::visit(const simnic::Visit& visit) {
  if (visit.resource == Resource::kNone || visit.resource == Resource::kAtomicSlot) return;
  if (visit.resource == Resource::kCore) {
    // The pieces of a core's work for a request follow on each other.
    add({core_, core_clock_, visit.service, Kind::kRequest, stage_, visit.station, request_});
    core_clock_ += visit.service;
    return;
  }
  add({track_of(visit), visit.begin, visit.service, Kind::kRequest, stage_, visit.station,
       request_});
}

void TraceRecorder::end(Picoseconds, Picoseconds, Picoseconds) {}

void TraceRecorder::name_link(std::uint32_t number, const std::string& name) {
  link_names_[number] = name;
}

void TraceRecorder::core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) {
  add({{node, worker}, from, to - from, Kind::kCode});
}

TraceRecorder::Track TraceRecorder::coroutine_of(const simnic::CoreMoment& core) const {
  const auto fiber = static_cast<std::uint32_t>(running_.at({core.node, core.worker}));
  return {core.node, kFirstCoroutineThread + core.worker * kCoroutinesPerCore + fiber};
}

void TraceRecorder::noted(const simnic::CoreMoment& core, Notice notice, std::uint64_t what) {
  const Track track{core.node, core.worker};
  if (notice == Notice::kGoesOn) running_[track] = what;
  const auto runs = running_.find(track);
  if (runs == running_.end() || runs->second == rdma::kEventLoop) return;
  const Track coroutine = coroutine_of(core);
  if (notice == Notice::kBegun) {
    begun_[coroutine] = core.time;
  } else if (notice == Notice::kFree) {
    if (const auto begun = begun_.extract(coroutine); !begun.empty()) {
      add({coroutine, begun.mapped(), core.time - begun.mapped(), Kind::kTransaction});
    }
  } else if (notice == Notice::kComposed && begun_.contains(coroutine)) {
    composed_[what] = {coroutine, core.time};
  }
}

void TraceRecorder::posts(const simnic::CoreMoment& core, const simnic::RequestIdentity& request,
                          std::uint64_t address) {
  const auto message = composed_.extract(address);
  if (core.time < from_ || slices_.size() >= limit_) return;
  const Name name{request.from, request.queue_pair, request.index};
  if (!message.empty()) {
    origins_[name] = message.mapped();
    return;
  }
  const auto runs = running_.find({core.node, core.worker});
  if (runs == running_.end() || runs->second == rdma::kEventLoop) return;
  if (const Track coroutine = coroutine_of(core); begun_.contains(coroutine)) {
    origins_[name] = {coroutine, core.time};
  }
}

std::string TraceRecorder::name_of(const Track& track) const {
  if (track.process == kNetwork) return plain(link_names_.at(track.thread));
  if (track.thread < kFirstNicThread) return fmt::format("core {}", track.thread);
  if (track.thread >= kFirstCoroutineThread) {
    const std::uint32_t number = track.thread - kFirstCoroutineThread;
    return fmt::format("core {} coroutine {}", number / kCoroutinesPerCore,
                       number % kCoroutinesPerCore);
  }
  const std::uint32_t within = (track.thread - kFirstNicThread) % kThreadsPerNic;
  const auto resource = static_cast<Resource>(within / kThreadsPerResource);
  const std::uint32_t nic = (track.thread - kFirstNicThread) / kThreadsPerNic;
  if (resource == Resource::kProcessing || resource == Resource::kReceiving) {
    return fmt::format("NIC {} {} unit {}", nic,
                       resource == Resource::kReceiving ? "receive" : "processing",
                       within % kThreadsPerResource);
  }
  return fmt::format("NIC {} {}", nic, resource_name(resource));
}

// Moments in which each request is seen, in its order: the transaction, if that is written, and
// slices.
std::map<TraceRecorder::Name, std::vector<TraceRecorder::Moment>> TraceRecorder::chains() const {
  std::map<Name, std::vector<Moment>> chains;
  std::map<Track, std::vector<const Slice*>> transactions;
  for (const Slice& slice : slices_) {
    if (slice.kind == Kind::kTransaction) transactions[slice.track].push_back(&slice);
    // Completions of received messages have no number at their queue pair.
    if (slice.kind != Kind::kRequest || slice.request.index == 0) continue;
    const simnic::RequestIdentity& request = slice.request;
    chains[{request.from, request.queue_pair, request.index}].push_back({slice.track, slice.begin});
  }
  for (auto& [name, chain] : chains) {
    std::ranges::stable_sort(chain, {}, &Moment::time);
    const auto origin = origins_.find(name);
    if (origin == origins_.end()) continue;
    const Picoseconds time = origin->second.time;
    const std::vector<const Slice*>& own = transactions[origin->second.track];
    const auto next = std::ranges::upper_bound(own, time, {}, &Slice::begin);
    if (next != own.begin() && time < next[-1]->begin + next[-1]->duration)
      chain.insert(chain.begin(), origin->second);
  }
  return chains;
}

// A chain of arrows for each request: an event in each of its slices, which "bp": "e" makes belong
// to the slice there.
void TraceRecorder::add_arrows(fmt::memory_buffer& text) const {
  std::uint64_t number = 0;
  for (const auto& [name, chain] : chains()) {
    if (chain.size() < 2) continue;
    ++number;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const char* phase = i == 0 ? "s" : i + 1 == chain.size() ? "f" : "t";
      fmt::format_to(std::back_inserter(text),
                     ",\n{{\"name\":\"request\",\"cat\":\"request\",\"ph\":\"{}\",\"bp\":\"e\","
                     "\"id\":{},\"pid\":{},\"tid\":{},",
                     phase, number, chain[i].track.process, chain[i].track.thread);
      add_time(text, "ts", chain[i].time);
      fmt::format_to(std::back_inserter(text), "}}");
    }
  }
}

std::pair<std::string, const char*> TraceRecorder::texts_of(const Slice& slice) {
  if (slice.kind == Kind::kCode) return {"code", "core"};
  if (slice.kind == Kind::kTransaction) return {"transaction", "transaction"};
  const std::string station = station_name(slice.station);
  const bool poll = slice.station == Station::kPoll;
  return {poll ? station : opcode_name(slice.request.opcode) + (" " + station),
          stage_name(slice.stage)};
}

std::string TraceRecorder::document() const {
  std::vector<Slice> sorted = slices_;
  // Slices that enclose others come before them.
  std::stable_sort(sorted.begin(), sorted.end(), [](const Slice& a, const Slice& b) {
    if (a.track != b.track) return a.track < b.track;
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.duration > b.duration;
  });
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"slices_left_out\":{}}},"
                 "\"traceEvents\":[",
                 left_out_);
  const char* separator = "\n";
  const auto add_name = [&](const char* what, const Track& track, const std::string& name) {
    fmt::format_to(out,
                   "{}{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},"
                   "\"args\":{{\"name\":\"{}\"}}}}",
                   separator, what, track.process, track.thread, name);
    separator = ",\n";
  };
  std::set<Track> tracks;
  for (const Slice& slice : sorted) tracks.insert(slice.track);
  std::uint32_t last = UINT32_MAX;
  for (const Track& track : tracks) {
    if (track.process != last) {
      add_name("process_name", {track.process, 0},
               track.process == kNetwork ? "network" : fmt::format("node {}", track.process));
    }
    last = track.process;
    add_name("thread_name", track, name_of(track));
  }
  for (const Slice& slice : sorted) {
    const auto [name, category] = texts_of(slice);
    fmt::format_to(out, "{}{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},",
                   separator, name, category, slice.track.process, slice.track.thread);
    add_time(text, "ts", slice.begin);
    fmt::format_to(out, ",");
    add_time(text, "dur", slice.duration);
    if (slice.kind == Kind::kRequest) {
      const simnic::RequestIdentity& request = slice.request;
      fmt::format_to(out,
                     ",\"args\":{{\"node\":{},\"nic\":{},\"to_nic\":{},\"qp\":{},\"index\":{},"
                     "\"wr_id\":{},\"bytes\":{}}}",
                     request.node, request.from, request.to, request.queue_pair, request.index,
                     request.wr_id, request.bytes);
    }
    fmt::format_to(out, "}}");
    separator = ",\n";
  }
  add_arrows(text);
  fmt::format_to(out, "\n]}}\n");
  return fmt::to_string(text);
}

std::unique_ptr<TraceRecorder> make_trace(const FabricCommand& command) {
  return command.output.trace.empty() ? nullptr : std::make_unique<TraceRecorder>(command);
}

void TraceRecorder::check() const {
  if (!slices_.empty()) return;
  throw NotMeasured(fmt::format("--trace-from {}: nothing begins from then on, the last at {}",
                                format_duration(to_nanoseconds(from_)),
                                format_duration(to_nanoseconds(last_))));
}

void TraceRecorder::commit() const { file_.commit(document()); }

}  // namespace verbena::experiments
