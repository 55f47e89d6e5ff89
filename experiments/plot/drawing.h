// Drawings that gnuplot made of scripts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace verbena::experiments {

/// The text of `stem`.svg: empty where there is none; nothing where it is cut off, as on a full
/// disk, and then it is removed as by remove_drawing.
std::optional<std::string> read_drawing(const std::string& stem);

/// The same of each of `stems`, empty where it is cut off too: then `complain` is called with a
/// sentence that says so.
std::vector<std::string> read_drawings(const std::vector<std::string>& stems,
                                       const std::function<void(const std::string&)>& complain);

/// Removes `stem`.svg and `stem`.png, of which a gnuplot that failed leaves pieces.
void remove_drawing(const std::string& stem);

}  // namespace verbena::experiments
