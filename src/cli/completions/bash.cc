#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/shell_word.h"
#include "cli/completions/writers.h"

namespace fovea {

namespace {

// Needs nothing but bash, not even its package of completions.
constexpr const char* bash_code = R"bash(
_fovea() {
  local current flag='' command='' place=1 takes flags values name word
  local before='' # the part of the word that stays as it is
  local -a words=()
  COMPREPLY=()
  # Bash cuts words at =, so that a.b=c comes as three.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((${#words[@]})) && [[ $word == = || ${words[-1]} == *= ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${words[-1]}
  unset 'words[-1]'

  for word in "${words[@]}"; do
    if [[ -n $flag ]]; then
      flag=''
    elif [[ $word == -* ]]; then
      _fovea_takes "$command" "$word"
      [[ -z $takes ]] || flag=$word
    elif [[ -z $command ]]; then
      command=$word
    else
      ((++place))
    fi
  done

  if [[ -z $flag && $current == --*=* ]]; then
    flag=${current%%=*} before=${current%%=*}=
    current=${current#*=}
  fi
  if [[ -n $flag ]]; then
    _fovea_takes "$command" "$flag"
  elif [[ $current == -* ]]; then
    _fovea_flags "$command"
    takes=$flags
  elif [[ -n $command ]]; then
    _fovea_takes "$command" "$place"
  else
    _fovea_takes '' ''
  fi

  case $takes in
    @nothing | '') ;;
    @files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    @folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      ;;
    @settings)
      if [[ $current == *=* ]]; then
        name=${current%%=*} before+=${current%%=*}= current=${current#*=}
        if [[ $current == *,* ]]; then
          before+=${current%,*}, current=${current##*,}
        fi
        _fovea_values "$name"
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
      else
        compopt -o nospace 2>/dev/null
        _fovea_values ''
        mapfile -t COMPREPLY < <(compgen -W "$values" -S = -- "$current")
      fi
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$takes" -- "$current") ;;
  esac
  # Bash replaces what stands behind the last = alone, if it cuts there.
  [[ $COMP_WORDBREAKS != *=* ]] || before=${before##*=}
  COMPREPLY=("${COMPREPLY[@]/#/$before}")
}
complete -F _fovea fovea
)bash";

std::string in_a_line(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string bash_offer(const Argument& argument) {
  switch (argument.offer) {
    case Offer::nothing:
      return "@nothing";
    case Offer::choices:
      return in_a_line(argument.choices);
    case Offer::files:
      return "@files";
    case Offer::folders:
      return "@folders";
    case Offer::settings:
      return "@settings";
  }
  return {};
}

std::string bash_case(const std::string& pattern, const char* variable, const std::string& value) {
  return fmt::format("    {}) {}={} ;;\n", in_quotes(pattern), variable, in_quotes(value));
}

}  // namespace

std::string bash_completions(const ProgramHelp& help) {
  std::string takes, flags, values;
  std::vector<std::string> commands, settings;
  const auto add = [&](const std::string& name, const CommandHelp& command) {
    std::vector<std::string> names;
    int place = 0;
    for (const Argument& argument : command.arguments) {
      if (argument.is_flag) names.insert(names.end(), argument.names.begin(), argument.names.end());
      if (argument.value.empty()) continue;
      const std::vector<std::string> keys = argument.is_flag ? argument.names : std::vector{std::to_string(++place)};
      for (const std::string& key : keys) {
        takes += bash_case(fmt::format("{} {}", name, key), "takes", bash_offer(argument));
      }
      if (!argument.is_flag && argument.again) {  // in all places from there on
        takes += fmt::format("    {}[0-9]*) takes={} ;;\n", in_quotes(name + " "), in_quotes(bash_offer(argument)));
      }
    }
    flags += bash_case(name, "flags", in_a_line(names));
  };
  for (const CommandHelp& command : help.commands) {
    commands.push_back(command.name);
    add(command.name, command);
  }
  add("", help.program);
  takes += bash_case(" ", "takes", in_a_line(commands));  // neither command nor flag yet
  for (const SettingHelp& setting : help.settings) {
    settings.push_back(setting.name);
    if (!setting.choices.empty()) values += bash_case(setting.name, "values", in_a_line(setting.choices));
  }
  values += bash_case("", "values", in_a_line(settings));
  const auto function = [](const char* name, const char* comment, const char* variable, const std::string& cases) {
    return fmt::format("\n# {}\n{}() {{\n  {}=\n  case \"$*\" in\n{}  esac\n}}\n", comment, name, variable, cases);
  };
  return "# Bash completion for fovea, written by: fovea completions bash\n" +
         function("_fovea_takes", "COMMAND FLAG, or COMMAND and the number of a place: what is wanted there", "takes",
                  takes) +
         function("_fovea_flags", "COMMAND: its flags", "flags", flags) +
         function("_fovea_values", "SETTING: what it can be; of none: all settings", "values", values) + bash_code;
}

}  // namespace fovea
