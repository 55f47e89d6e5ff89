// Exponentials and logarithms that have the same bits on every machine.
#pragma once

namespace verbena::workloads {

/// The C library's functions may differ in their last bits from one machine to the next: it chooses
/// instructions by the CPU that it runs on. These consist of IEEE additions, multiplications and
/// divisions in a fixed order, which are compiled without fused ones. Results are within some units
/// of the last place.

/// ln x of a positive normal number.
double natural_log(double x);

/// e^x; 0 below e^-708, and not more than e^709.
double exponential(double x);

/// ln(1 + t) / t, and 1 at t = 0; `t` >= -1 + 2^-53.
double log1p_ratio(double t);

/// (e^t - 1) / t, and 1 at t = 0; `t` as far as exponential() reaches.
double expm1_ratio(double t);

}  // namespace verbena::workloads
