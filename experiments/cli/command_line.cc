// CLI11 splits the arguments; names, values and messages are the registry's business.
#include "experiments/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/cli/completion.h"
#include "experiments/cli/man_page.h"
#include "experiments/cli/text/key_text.h"
#include "experiments/cli/text/wrap_text.h"
#include "experiments/config/commands/registry.h"
#include "experiments/config/config_file.h"
#include "experiments/config/keys/units.h"
#include "experiments/config/named_files.h"
#include "experiments/report/build_info.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/nearest_name.h"

namespace verbena::experiments {
namespace {

constexpr std::size_t kExplanationColumn = 34;

// CLI11's options of one command.
struct CommandParser {
  const CommandRow& row;
  CLI::App* app = nullptr;
  std::vector<std::pair<const Key*, CLI::Option*>> flags = {};
  CLI::Option* config = nullptr;
  CLI::Option* set = nullptr;
  CLI::Option* operation = nullptr;
  CLI::Option* names = nullptr;
};

// Takes exactly one value each time it is there.
CLI::Option* add_value(CLI::App& app, const std::string& name, const std::string& placeholder,
                       const std::string& help) {
  CLI::Option* option = app.add_option(name, CLI::callback_t{}, help);
  option->type_name(placeholder)->allow_extra_args(false);
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_flags(CommandParser& parser) {
  for (const Key& key : known_keys(parser.row.command)) {
    if (!key.is_flag()) continue;
    CLI::Option* option =
        key.parameter.is_switch()
            ? parser.app->add_flag("--" + key.name())
                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            : add_value(*parser.app, "--" + key.name(), placeholder(key.parameter), "");
    parser.flags.emplace_back(&key, option);
  }
  if (parser.row.settings == Settings::kOfOthers) {
    parser.set = add_value(*parser.app, "--set", "KEY=VALUE",
                           "a key of whatever is measured, for a what-if; repeatable");
  }
  if (parser.row.settings != Settings::kOwn) return;
  parser.config = add_value(
      *parser.app, "--config", "FILE",
      "read settings from a TOML file, or from the results of an earlier run; flags win over "
      "it, --set wins over flags");
  parser.set = add_value(*parser.app, "--set", "KEY=VALUE",
                         "set any key, as a flag or in a configuration file; repeatable; `verbena "
                         "list keys` explains them");
}

// Only for those who ask: defaults that differ by operation take long to find.
void describe_flags(const std::vector<CommandParser>& parsers) {
  for (const CommandParser& parser : parsers) {
    if (!parser.app->parsed()) continue;
    for (const auto& [key, option] : parser.flags) {
      option->description(help_text(*key, parser.row.command));
    }
  }
}

// Adds what stands behind a command besides flags; null for `name` "".
CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& help) {
  if (name.empty()) return nullptr;
  CLI::Option* option = app.add_option(name, CLI::callback_t{}, help)->type_name("");
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<CommandParser> add_commands(CLI::App& app) {
  std::vector<CommandParser> parsers;
  for (const CommandRow& row : command_table()) {
    CommandParser parser{.row = row, .app = app.add_subcommand(row.name, row.help)};
    parser.app->allow_extras();
    if (!row.words.empty()) {
      const char* between = *row.without_word == '\0' ? "" : "; ";
      parser.operation = add_words(
          *parser.app, row.word,
          fmt::format("one of {}{}{}", fmt::join(row.words, ", "), between, row.without_word));
    }
    parser.names = add_words(*parser.app, row.names, row.names_help);
    if (parser.names != nullptr) parser.names->allow_extra_args(true);
    add_flags(parser);
    parsers.push_back(std::move(parser));
  }
  return parsers;
}

struct TextParser {
  const TextCommand* command;
  CLI::App* app;
  CLI::Option* topic;
};

std::vector<TextParser> add_text_commands(CLI::App& app) {
  std::vector<TextParser> parsers;
  for (const TextCommand& command : text_commands()) {
    CLI::App* own = app.add_subcommand(command.name, command.help);
    own->allow_extras();
    CLI::Option* topic = nullptr;
    if (!command.topics.empty()) {
      topic =
          add_words(*own, "topic",
                    fmt::format("one of {}{}{}", fmt::join(command.topics, ", "),
                                command.without_topic.empty() ? "" : "; ", command.without_topic));
    }
    parsers.push_back({&command, own, topic});
  }
  return parsers;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  for (const TextCommand& command : text_commands()) names.push_back(command.name);
  return names;
}

[[noreturn]] void refuse_extra(const std::string& extra, const CLI::App& app, bool is_command) {
  if (extra.size() > 1 && extra[0] == '-') {
    const std::string name = extra.substr(0, extra.find('='));
    const Key* elsewhere =
        find_key(known_keys(), name.substr(std::min<std::size_t>(2, name.size())));
    if (is_command && elsewhere != nullptr) {
      throw ConfigurationError(
          fmt::format("{}: does not apply to {}", printable(name), app.get_name()));
    }
    if (!is_command && elsewhere != nullptr) {
      throw ConfigurationError(
          fmt::format("{}: flags follow the command, as in verbena run {}", name, name));
    }
    throw ConfigurationError(
        fmt::format("unknown flag {}{}", printable(name), did_you_mean(name, flag_names(app))));
  }
  if (is_command) {
    throw ConfigurationError(
        fmt::format("unexpected argument '{}' of {}", printable(extra), app.get_name()));
  }
  throw ConfigurationError(fmt::format("unknown command '{}'{}", printable(extra),
                                       did_you_mean(extra, command_names())));
}

void take_once(const CLI::Option* option, const std::string& name) {
  if (option->results().size() > 1) {
    throw ConfigurationError(fmt::format("{}: given {} times", name, option->results().size()));
  }
}

Assignment split_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigurationError(
        fmt::format("--set {}: expected KEY=VALUE, e.g. fabric.ud_loss=0.01", refused_text(text)));
  }
  const std::string key = text.substr(0, equals);
  return {key, text.substr(equals + 1), is_override(key) ? "--set" : "--set " + refused_text(key)};
}

std::optional<ConfigFile> config_of(const CommandParser& parser) {
  if (parser.config == nullptr || parser.config->count() == 0) return std::nullopt;
  take_once(parser.config, "--config");
  return open_config(parser.config->results().front());
}

// Where it is left open, it is that of the results that --config names.
std::string checked_operation(const CommandParser& parser,
                              const std::optional<ConfigFile>& config) {
  const CommandRow& row = parser.row;
  std::vector<std::string> results = parser.operation->results();
  if (results.empty() && config) {
    const std::string operation = operation_of_results(*config);
    if (!operation.empty()) results.push_back(operation);
  }
  if (results.empty() && *row.without_word != '\0') return "";
  if (results.empty()) {
    throw ConfigurationError(
        fmt::format("{}: an operation is missing: {}", row.name, fmt::join(row.words, ", ")));
  }
  if (std::ranges::find(row.words, results[0]) == row.words.end()) {
    throw ConfigurationError(
        fmt::format("unknown {} '{}' of {}{}; known: {}", row.word, printable(results[0]), row.name,
                    did_you_mean(results[0], row.words), fmt::join(row.words, ", ")));
  }
  if (results.size() > 1) {
    throw ConfigurationError(
        fmt::format("unexpected argument '{}' of {}", printable(results[1]), row.name));
  }
  return results[0];
}

CommandLine read_command(const CommandParser& parser) {
  const std::vector<std::string> extras = parser.app->remaining();
  if (!extras.empty()) refuse_extra(extras.front(), *parser.app, true);
  CommandLine line;
  line.command = parser.row.command;
  for (const auto& [key, option] : parser.flags) {
    const std::string name = "--" + key->name();
    if (option->count() == 0) continue;
    take_once(option, name);
    line.flags.push_back({key->name(), option->results().front(), name});
  }
  const std::optional<ConfigFile> config = config_of(parser);
  if (parser.operation != nullptr) line.operation = checked_operation(parser, config);
  if (parser.names != nullptr) line.names = parser.names->results();
  if (parser.set != nullptr) {
    for (const std::string& text : parser.set->results()) {
      Assignment assignment = split_set(text);
      const bool twice =
          std::any_of(line.sets.begin(), line.sets.end(),
                      [&](const Assignment& set) { return set.key == assignment.key; });
      if (twice) {
        throw ConfigurationError(fmt::format("--set {}: given twice", printable(assignment.key)));
      }
      line.sets.push_back(std::move(assignment));
    }
  }
  if (config) {
    line.config = read_config(*config, line);
    line.results = config->name;
    if (config->document) {
      const std::string place = fmt::format("--config {}", printable(config->name));
      line.files = files_of_results(config->document->at("config"), place).value_or(line.files);
    }
  }
  return line;
}

std::string text_of(const TextParser& parser) {
  const TextCommand& command = *parser.command;
  const std::vector<std::string> extras = parser.app->remaining();
  if (!extras.empty()) refuse_extra(extras.front(), *parser.app, true);
  if (parser.topic == nullptr) return command.text("");
  const std::vector<std::string>& results = parser.topic->results();
  const std::string known = fmt::format("{}", fmt::join(command.topics, ", "));
  if (results.empty() && !command.without_topic.empty()) return command.text("");
  if (results.empty()) {
    throw ConfigurationError(fmt::format("{}: expected one of {}", command.name, known));
  }
  const bool is_known = std::ranges::find(command.topics, results[0]) != command.topics.end();
  if (!is_known || results.size() > 1) {
    throw ConfigurationError(fmt::format("{} {}: expected one of {}", command.name,
                                         refused_text(fmt::format("{}", fmt::join(results, " "))),
                                         known));
  }
  return command.text(results[0]);
}

// CLI11 takes a flag for the value of the one before it, and an empty value of a switch for true.
void refuse_missing_values(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) continue;
    const std::size_t equals = argument.find('=');
    const bool joined = equals != std::string::npos;
    const std::string name = argument.substr(2, joined ? equals - 2 : equals);
    const std::string value = joined ? argument.substr(equals + 1) : "";
    const Key* key = find_key(known_keys(), name);
    if (key != nullptr && key->parameter.is_switch()) {
      if (!joined || (!value.empty() && value != "{}")) continue;
      throw ConfigurationError(fmt::format("--{} '{}': expected true or false", name, value));
    }
    if (key == nullptr && name != "config" && name != "set") continue;
    const bool missing =
        joined ? value.empty() : i + 1 == arguments.size() || arguments[i + 1].starts_with("--");
    if (missing) throw ConfigurationError(fmt::format("--{}: needs a value", name));
    if (!joined) ++i;
  }
}

// As --help does.
std::string help_of(const std::string& command) {
  std::vector<std::string> arguments = {"--help"};
  if (!command.empty()) arguments.insert(arguments.begin(), command);
  return parse_arguments(arguments).text.value();
}

std::vector<TextCommand> make_text_commands() {
  std::vector<TextCommand> commands = {
      {.name = "completion",
       .help = "print a script by which a shell completes commands, flags and values: bash or zsh",
       .topics = completed_shells(),
       .without_topic = "",
       .text = completion_script},
      {.name = "man",
       .help = "print the manual page, for man -l -",
       .topics = {},
       .without_topic = "",
       .text = [](const std::string&) { return man_page(); }},
      {.name = "help",
       .help = "print this help, or that of a command",
       .topics = {},
       .without_topic = "without it, this help",
       .text = help_of}};
  std::vector<std::string>& topics = commands.back().topics;
  for (const CommandRow& row : command_table()) topics.emplace_back(row.name);
  for (const TextCommand& command : commands) topics.push_back(command.name);
  return commands;
}

}  // namespace

const std::vector<TextCommand>& text_commands() {
  static const std::vector<TextCommand> commands = make_text_commands();
  return commands;
}

ParsedArguments parse_arguments(const std::vector<std::string>& arguments) {
  refuse_missing_values(arguments);
  CLI::App app("Distributed transactions over RDMA, on real NICs or on a simulated cluster.",
               "verbena");
  app.set_version_flag("--version", fmt::format("verbena {}", build_commit()));
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.get_formatter()->column_width(kExplanationColumn);
  const std::vector<CommandParser> parsers = add_commands(app);
  const std::vector<TextParser> texts = add_text_commands(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    describe_flags(parsers);
    return {.text = wrapped(app.help(), help_width(), kExplanationColumn), .line = {}};
  } catch (const CLI::CallForVersion&) {
    return {.text = fmt::format("verbena {}\n", build_commit()), .line = {}};
  } catch (const CLI::ParseError& error) {
    throw ConfigurationError(printable(error.what()));
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) refuse_extra(extras.front(), app, false);
  for (const CommandParser& parser : parsers) {
    if (parser.app->parsed()) return {.text = std::nullopt, .line = read_command(parser)};
  }
  for (const TextParser& parser : texts) {
    if (parser.app->parsed()) return {.text = text_of(parser), .line = {}};
  }
  throw ConfigurationError(fmt::format("a command is missing: one of {} (verbena --help explains)",
                                       fmt::join(command_names(), ", ")));
}

}  // namespace verbena::experiments
