// Slices and their JSON.
#include "experiments/report/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "experiments/config/units.h"
#include "experiments/report/publish.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;
using simnic::Station;

// Threads of a node's process: cores, then those of its NICs.
constexpr std::uint32_t kFirstNicThread = 10'000;
constexpr std::uint32_t kThreadsPerNic = 1'000;
constexpr std::uint32_t kThreadsPerResource = 100;

const char* opcode_name(std::uint8_t opcode) {
  constexpr const char* kNames[] = {"WRITE", "WRITE_IMM", "SEND", "SEND_IMM", "READ", "CAS", "FAA"};
  return opcode < std::size(kNames) ? kNames[opcode] : "request";
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
    // What a core does for a request follows on each other.
    add({core_, core_clock_, visit.service, stage_, visit.station, true, request_});
    core_clock_ += visit.service;
    return;
  }
  add({track_of(visit), visit.begin, visit.service, stage_, visit.station, true, request_});
}

void TraceRecorder::end(Picoseconds, Picoseconds, Picoseconds) {}

void TraceRecorder::name_link(std::uint32_t number, const std::string& name) {
  link_names_[number] = name;
}

void TraceRecorder::core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) {
  add({{node, worker}, from, to - from, Stage::kPost, Station::kPost, false, {}});
}

std::string TraceRecorder::name_of(const Track& track) const {
  if (track.process == kNetwork) return plain(link_names_.at(track.thread));
  if (track.thread < kFirstNicThread) return fmt::format("core {}", track.thread);
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

// A chain of arrows for each request: an event at the begin of each of its slices, which "bp": "e"
// makes belong to the slice there.
void TraceRecorder::add_arrows(fmt::memory_buffer& text) const {
  using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Name, std::vector<const Slice*>> requests;
  for (const Slice& slice : slices_) {
    // Completions of received messages have no number at their queue pair.
    if (!slice.of_request || slice.request.index == 0) continue;
    const simnic::RequestIdentity& request = slice.request;
    requests[{request.from, request.queue_pair, request.index}].push_back(&slice);
  }
  std::uint64_t number = 0;
  for (auto& [name, slices] : requests) {
    if (slices.size() < 2) continue;
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice* a, const Slice* b) { return a->begin < b->begin; });
    ++number;
    for (const Slice* slice : slices) {
      const char* phase = slice == slices.front() ? "s" : slice == slices.back() ? "f" : "t";
      fmt::format_to(std::back_inserter(text),
                     ",\n{{\"name\":\"request\",\"cat\":\"request\",\"ph\":\"{}\",\"bp\":\"e\","
                     "\"id\":{},\"pid\":{},\"tid\":{},",
                     phase, number, slice->track.process, slice->track.thread);
      add_time(text, "ts", slice->begin);
      fmt::format_to(std::back_inserter(text), "}}");
    }
  }
}

std::string TraceRecorder::document() const {
  std::vector<Slice> sorted = slices_;
  // What encloses others comes before them.
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
    const char* station = station_name(slice.station);
    const bool poll = slice.station == Station::kPoll;
    fmt::format_to(out,
                   "{}{{\"name\":\"{}{}{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},",
                   separator, !slice.of_request || poll ? "" : opcode_name(slice.request.opcode),
                   !slice.of_request || poll ? "" : " ", slice.of_request ? station : "code",
                   slice.of_request ? stage_name(slice.stage) : "core", slice.track.process,
                   slice.track.thread);
    add_time(text, "ts", slice.begin);
    fmt::format_to(out, ",");
    add_time(text, "dur", slice.duration);
    if (slice.of_request) {
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
  throw NotMeasured(fmt::format("--trace-from {}: nothing begins from then on, the last at {} ns",
                                format_duration(to_nanoseconds(from_)),
                                to_nanoseconds(last_).count()));
}

void TraceRecorder::commit() const { file_.commit(document()); }

}  // namespace verbena::experiments
