// Pieces of self-contained HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace verbena::experiments {

/// The begin of a page up to and including <body>, with the styles of all pages. Rows of tables may
/// have the classes holds, fails and unknown.
std::string page_head(std::string_view title);

/// The end of a page.
std::string page_end();

/// Escapes `text` for the content of an element or of an attribute.
std::string escaped(std::string_view text);

/// Embeds a drawing in a page.
std::string image(std::string_view svg, std::string_view what_it_shows);

}  // namespace verbena::experiments
