// Exponentials and logarithms that have the same bits on every machine.
#pragma once

namespace verbena::workloads {

/// Exponentials and logarithms for reproducible results. Those of the C library may differ in their
/// last bits between machines, since it chooses instructions by CPU. These use only IEEE additions,
/// multiplications and divisions in a fixed order, compiled without fused ones. Results are within
/// a few units of the last place.

/// ln x of a positive normal number.
double natural_log(double x);

/// e^x; 0 for x below -708, and e^709 for x above 709.
double exponential(double x);

/// ln(1 + t) / t, and 1 at t = 0; `t` >= -1 + 2^-53.
double log1p_ratio(double t);

/// (e^t - 1) / t, and 1 at t = 0; `t` is limited as by exponential().
double expm1_ratio(double t);

}  // namespace verbena::workloads
