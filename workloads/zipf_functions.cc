// Power series, after a reduction to where they converge fast.
#include "workloads/zipf_functions.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace verbena::workloads {
namespace {

// ln 2 in two parts; whole numbers below 2^20 times the first one are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr int kBias = 1023;

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << 52);
}

// 1, 1/3, 1/5, ...: atanh(s) / s is the polynomial of s^2.
constexpr auto kAtanh = [] {
  std::array<double, 12> terms{};
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = 1.0 / static_cast<double>(2 * i + 1);
  return terms;
}();

// 1, 1/2!, 1/3!, ...: (e^t - 1) / t is the polynomial of t. The factorials are exact.
constexpr auto kExpm1 = [] {
  std::array<double, 16> terms{};
  double factorial = 1;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    factorial *= static_cast<double>(i + 1);
    terms[i] = 1 / factorial;
  }
  return terms;
}();

// Even and odd powers apart, so that the two sums do not wait for each other.
template <std::size_t kTerms>
double polynomial(const std::array<double, kTerms>& terms, double x) {
  static_assert(kTerms % 2 == 0);
  const double square = x * x;
  double even = terms[kTerms - 2];
  double odd = terms[kTerms - 1];
  for (std::size_t i = kTerms - 2; i > 0; i -= 2) {
    even = even * square + terms[i - 2];
    odd = odd * square + terms[i - 1];
  }
  return even + x * odd;
}

}  // namespace

double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - kBias;
  double mantissa = std::bit_cast<double>((bits & kMantissa) | std::uint64_t{kBias} << 52);
  if (mantissa > std::numbers::sqrt2) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double log_mantissa = 2 * s * polynomial(kAtanh, s * s);
  return exponent * kLn2High + (exponent * kLn2Low + log_mantissa);
}

double exponential(double x) {
  if (x < -708) return 0;
  if (x > 709) x = 709;
  const double exponent = std::floor(x * std::numbers::log2e + 0.5);
  const double rest = (x - exponent * kLn2High) - exponent * kLn2Low;
  return (1 + rest * polynomial(kExpm1, rest)) * power_of_two(static_cast<int>(exponent));
}

double log1p_ratio(double t) {
  // Further from 0 the rounding of 1 + t does no harm.
  if (std::abs(t) > 0.25) return natural_log(1 + t) / t;
  const double s = t / (2 + t);
  return 2 / (2 + t) * polynomial(kAtanh, s * s);
}

double expm1_ratio(double t) {
  return std::abs(t) > 0.5 ? (exponential(t) - 1) / t : polynomial(kExpm1, t);
}

}  // namespace verbena::workloads
