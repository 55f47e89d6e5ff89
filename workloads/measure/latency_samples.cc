// Thinning out what does not fit.
#include "workloads/measure/latency_samples.h"

#include <algorithm>
#include <cassert>

namespace verbena::workloads {

namespace {

constexpr std::size_t kSamples = std::size_t{1} << 21;  // of all workers
constexpr std::size_t kLeastSamples = 256;              // of each

}  // namespace

LatencySamples LatencySamples::of_one_of(std::uint32_t workers) {
  return LatencySamples(std::max(kLeastSamples, kSamples / workers / 2 * 2));
}

LatencySamples::LatencySamples(std::size_t most) : most_(most) {
  assert(most % 2 == 0);
  samples_.reserve(most);
}

void LatencySamples::begin_again() {
  samples_.clear();
  stride_ = 1;
  passed_ = 0;
}

// Keeps the later one of each two. One that came now has passed half of the way to the next.
void LatencySamples::thin_out() {
  for (std::size_t i = 0; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i + 1];
  samples_.resize(samples_.size() / 2);
  passed_ = stride_;
  stride_ *= 2;
}

}  // namespace verbena::workloads
