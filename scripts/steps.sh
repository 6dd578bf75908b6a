# shellcheck shell=bash
# What ./quickstart and ./check share: steps that say what they do and how long it took.

# Read by CMake when a build folder is configured for the first time.
use_ccache() {
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_SLOPPINESS=pch_defines,time_macros  # without it nothing with a precompiled header is kept
  fi
}

heading() {
  printf '\n== %s\n' "$*" >&2
}

# The words of a command, quoted only where a shell needs it.
command_line() {
  local word line=
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./:=,+@%-]+$ ]]; then
      line+=" $word"
    else
      line+=" '${word//\'/\'\\\'\'}'"
    fi
  done
  echo "${line# }"
}

# time_since STARTED: the time since STARTED, an earlier $EPOCHREALTIME (whose decimal sign depends on the locale).
time_since() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 100000))
  echo "$((tenths / 10)).$((tenths % 10)) s"
}

# run COMMAND...: shows it, runs it, says how long it took; passes its exit code on.
run() {
  printf '\n$ %s\n' "$(command_line "$@")" >&2
  timed "$@"
}

# run_to FILE COMMAND...: the same with the output in FILE, which is complete or not there.
run_to() {
  local file=$1
  shift
  printf '\n$ %s > %s\n' "$(command_line "$@")" "$file" >&2
  timed "$@" >"$file.part" && mv "$file.part" "$file"
}

timed() {
  local started=$EPOCHREALTIME status=0
  "$@" || status=$?
  if ((status)); then
    printf '  failed with exit code %s after %s\n' "$status" "$(time_since "$started")" >&2
  else
    printf '  %s\n' "$(time_since "$started")" >&2
  fi
  return "$status"
}
