// Commands, flags, settings and exit codes as sections of a manual page.
#include "experiments/cli/man_page.h"

#include <fmt/format.h>

#include "experiments/cli/command_line.h"
#include "experiments/cli/text/key_text.h"
#include "experiments/config/commands/registry.h"
#include "experiments/report/build_info.h"
#include "experiments/report/exit_code.h"

namespace verbena::experiments {
namespace {

std::string roff(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string item(const std::string& bold, const std::string& italic, const std::string& text) {
  std::string head = fmt::format("\\fB{}\\fR", roff(bold));
  if (!italic.empty()) head += fmt::format(" \\fI{}\\fR", roff(italic));
  return fmt::format(".TP\n{}\n{}\n", head, roff(text));
}

std::string section(const std::string& title) { return fmt::format(".SH \"{}\"\n", title); }

std::string flags_of(Command command) {
  std::string text;
  for (const Key& key : known_keys(command)) {
    if (!key.is_flag()) continue;
    text += item("--" + key.name(), key.parameter.is_switch() ? "" : placeholder(key.parameter),
                 help_text(key, command));
  }
  return text;
}

}  // namespace

std::string man_page() {
  std::string page = fmt::format(".TH VERBENA 1 \"\" \"verbena {}\" \"verbena\"\n", build_commit());
  page += section("NAME");
  page +=
      "verbena \\- distributed transactions over RDMA, on real NICs or on a simulated cluster\n";
  page += section("SYNOPSIS");
  page +=
      "\\fBverbena\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fB\\-\\-set\\fR "
      "\\fIKEY\\fR=\\fIVALUE\\fR]... [\\fB\\-\\-config\\fR \\fIFILE\\fR]\n";
  page += section("COMMANDS");
  for (const CommandRow& row : command_table()) page += item(row.name, "", row.help);
  for (const TextCommand& text : text_commands()) page += item(text.name, "", text.help);
  for (const CommandRow& row : command_table()) {
    const std::string flags = flags_of(row.command);
    if (flags.empty()) continue;
    page += section(fmt::format("OPTIONS OF {}", row.name));
    page += flags;
  }
  page += section("SETTINGS");
  page += "Keys of \\fB\\-\\-set\\fR and of configuration files, besides the options.\n";
  for (const Key& key : explained_keys()) {
    if (!key.is_flag()) page += item(key.name(), "", full_text(key));
  }
  page += section("EXIT STATUS");
  for (const ExitCodeText& code : kExitCodes)
    page += item(std::to_string(code.code), "", code.text);
  page += section("EXAMPLES");
  page += item("verbena run", "", "the cluster of the DrTM+H paper, simulated");
  page += item("verbena bench read --payload 8,64,512", "", "one-sided READs of three sizes");
  page += item("verbena list keys", "", "every setting with its range");
  return page;
}

}  // namespace verbena::experiments
