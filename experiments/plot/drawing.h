// Drawings that gnuplot has made.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// Reads `stem`.svg. Returns an empty text when there is none. Returns nothing when it is
/// truncated, as on a full disk, and then removes it as remove_drawing does.
std::optional<std::string> read_drawing(const std::string& stem);

/// Reads the drawing of each of `stems`; empty where there is none or it is truncated. Calls
/// `complain` with a sentence about each truncated one.
std::vector<std::string> read_drawings(const std::vector<std::string>& stems,
                                       const std::function<void(const std::string&)>& complain);

/// Removes `stem`.svg and `stem`.png, which a failed gnuplot leaves incomplete. Returns true if it
/// removed any.
bool remove_drawing(const std::string& stem);

/// Removes links named `stem`.svg or `stem`.png: gnuplot would write where they lead.
void remove_drawing_links(const std::string& stem);

/// True if `stem`.svg or `stem`.png is there.
bool has_drawing(const std::string& stem);

}  // namespace verbena::experiments
