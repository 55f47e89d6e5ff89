// The link that was down for longest, and how many others were.
#include "experiments/report/text/outage_text.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "experiments/report/text/precision_text.h"
#include "rdma/base/text/counted.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

/// Shorter ones are felt only where requests are lost, which precision tells.
constexpr double kGoodPart = 0.05;

std::string measured_text(const Measurement& measurement, double share) {
  if (share == 0) return "";
  const auto time = [&](double part) {
    return time_text(Nanoseconds(std::llround(part * measurement.seconds * 1e9)));
  };
  return fmt::format(", for {} of the measured {}", time(share), time(1));
}

}  // namespace

bool is_disturbed_by_outage(const Measurement& measurement) {
  const std::vector<workloads::LinkDown>& links = measurement.utilization.links_down;
  if (links.empty()) return false;
  const auto& throughput = measurement.precision.throughput_per_s;
  const double stalled_s = static_cast<double>(measurement.precision.stalled.count()) / 1e9;
  const bool stalled = stalled_s >= kGoodPart * measurement.seconds;
  // Before the measured time, where it may be felt still.
  if (links.front().share == 0) return stalled || measurement.committed == 0;
  return stalled || links.front().share >= kGoodPart || !throughput ||
         throughput->course == workloads::Course::kChanging;
}

bool any_link_down(const Measurement& measurement) {
  const std::vector<workloads::LinkDown>& links = measurement.utilization.links_down;
  return !links.empty() && links.front().share > 0;
}

std::string links_down_text(const Measurement& measurement) {
  const std::vector<workloads::LinkDown>& links = measurement.utilization.links_down;
  const workloads::LinkDown& most = links.front();
  std::string text =
      fmt::format("link {} {} {}", most.link, most.until ? "was down from" : "is down since",
                  format_duration(most.from));
  if (most.until) text += " until " + format_duration(*most.until);
  text += " by the simulation's clock" + measured_text(measurement, most.share);
  if (most.times > 1) text += fmt::format(", in {} outages", most.times);
  if (links.size() == 1) return text;
  return text + fmt::format("; {} {} down, too", counted(links.size() - 1, "other link"),
                            links.size() == 2 ? "was" : "were");
}

}  // namespace verbena::experiments
