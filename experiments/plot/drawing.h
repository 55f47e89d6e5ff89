// Drawings that gnuplot made of scripts.
#pragma once

#include <optional>
#include <string>

namespace verbena::experiments {

/// The text of `stem`.svg: empty where there is none; nothing where it is cut off, as on a full
/// disk, and then it is removed as by remove_drawing.
std::optional<std::string> read_drawing(const std::string& stem);

/// Removes `stem`.svg and `stem`.png, of which a gnuplot that failed leaves pieces.
void remove_drawing(const std::string& stem);

}  // namespace verbena::experiments
