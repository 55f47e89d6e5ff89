// Scripts of bash and zsh, with every command's flags.
#include "experiments/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/cli/command_line.h"
#include "experiments/cli/text/key_text.h"
#include "experiments/config/commands/registry.h"

namespace verbena::experiments {
namespace {

// A flag, and what its value may be.
struct Flag {
  std::string name;  // with its dashes
  std::string help;
  bool is_switch = false;
  std::vector<std::string> values = {};
  bool file = false;
  bool directory = false;
};

Flag flag_of(const Key& key) {
  const Parameter& parameter = key.parameter;
  return {.name = "--" + key.name(),
          .help = parameter.help,
          .is_switch = parameter.is_switch(),
          .values = parameter.choices,
          .file = parameter.or_file || parameter.placeholder.starts_with("FILE"),
          .directory = parameter.placeholder == "DIR"};
}

// "rdma.signal_interval=", of which a value is still to be written.
std::vector<std::string> settings_of(const Keys& keys) {
  std::vector<std::string> settings;
  for (const Key& key : keys) {
    if (!key.is_flag()) settings.push_back(key.name() + "=");
  }
  return settings;
}

std::vector<Flag> flags_of(const CommandRow& row) {
  std::vector<Flag> flags;
  const Keys& own = known_keys(row.command);
  for (const Key& key : own) {
    if (key.is_flag()) flags.push_back(flag_of(key));
  }
  if (row.settings == Settings::kOwn) {
    flags.push_back({.name = "--config", .help = "read settings from a file", .file = true});
  }
  if (row.settings != Settings::kNone) {
    const Keys& settable = row.settings == Settings::kOwn ? own : known_keys();
    flags.push_back({.name = "--set", .help = "set any key", .values = settings_of(settable)});
  }
  flags.push_back({.name = "--help", .help = "explain the command", .is_switch = true});
  return flags;
}

std::string command_words() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  for (const TextCommand& text : text_commands()) names.push_back(text.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// The branches of bash's case for one command.
std::string bash_branches(const CommandRow& row) {
  std::string branches;
  std::string without;  // flags whose values are numbers, times and the like
  std::string flags;
  for (const Flag& flag : flags_of(row)) {
    flags += flag.name + " ";
    if (flag.is_switch) continue;
    const std::string pattern = fmt::format("'{} {}'", row.name, flag.name);
    if (flag.values.empty() && !flag.file && !flag.directory) {
      without += (without.empty() ? "" : "|") + pattern;
      continue;
    }
    branches += fmt::format("    {}) words='{}'", pattern, fmt::join(flag.values, " "));
    if (flag.file) branches += " paths=-f";
    if (flag.directory) branches += " paths=-d";
    if (flag.name == "--set") branches += "; compopt -o nospace";
    branches += " ;;\n";
  }
  if (!without.empty()) branches += fmt::format("    {}) ;;\n", without);
  return branches + fmt::format("    '{} '*) words='{}{}'{} ;;\n", row.name, flags,
                                fmt::join(row.words, " "),
                                row.command == Command::kCompare ? " paths=-f" : "");
}

std::string bash_script() {
  std::string script =
      "# Completion of verbena in bash: eval \"$(verbena completion bash)\"\n"
      "_verbena() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local words='' paths=''\n"
      "  # --flag=value comes as three words.\n"
      "  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  [[ $current == = ]] && current=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  script += fmt::format("    words='{} --help --version'\n", command_words());
  script += "  else\n    case \"${COMP_WORDS[1]} $previous\" in\n";
  for (const CommandRow& row : command_table()) script += bash_branches(row);
  for (const TextCommand& text : text_commands()) {
    script += fmt::format("    '{} {}') words='{}' ;;\n", text.name, text.name,
                          fmt::join(text.topics, " "));
  }
  return script +
         "    esac\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  [[ -z $paths ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$paths\" -- "
         "\"$current\")\n"
         "}\n"
         "complete -F _verbena verbena ./verbena\n";
}

// For the inside of '...' of _arguments and _describe.
std::string zsh_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_argument(const Flag& flag) {
  std::string text = fmt::format("        '{}{}[{}]", flag.name, flag.is_switch ? "" : "=",
                                 zsh_escaped(flag.help));
  if (flag.name == "--set") text.insert(text.find('\'') + 1, "*");
  if (flag.is_switch) return text + "' \\\n";
  const char* action = flag.directory ? "_files -/" : flag.file ? "_files" : " ";
  if (flag.values.empty()) return text + fmt::format(":value:{}' \\\n", action);
  return text + fmt::format(":value:({})' \\\n",
                            zsh_escaped(fmt::format("{}", fmt::join(flag.values, " "))));
}

std::string zsh_script() {
  std::string script =
      "#compdef verbena\n"
      "# Completion of verbena in zsh: eval \"$(verbena completion zsh)\"\n"
      "_verbena() {\n"
      "  local -a commands=(\n";
  for (const CommandRow& row : command_table()) {
    script += fmt::format("    '{}:{}'\n", row.name, zsh_escaped(row.help));
  }
  for (const TextCommand& text : text_commands()) {
    script += fmt::format("    '{}:{}'\n", text.name, zsh_escaped(text.help));
  }
  script +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const CommandRow& row : command_table()) {
    script += fmt::format("    {})\n      _arguments \\\n", row.name);
    for (const Flag& flag : flags_of(row)) script += zsh_argument(flag);
    script += row.words.empty() ? "        '*:file:_files'\n"
                                : fmt::format("        '1:what:({})'\n", fmt::join(row.words, " "));
    script += "      ;;\n";
  }
  for (const TextCommand& text : text_commands()) {
    script += fmt::format("    {}) _arguments '1:what:({})' ;;\n", text.name,
                          fmt::join(text.topics, " "));
  }
  return script + "  esac\n}\ncompdef _verbena verbena\n";
}

}  // namespace

const std::vector<std::string>& completed_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh"};
  return shells;
}

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script() : zsh_script();
}

}  // namespace verbena::experiments
