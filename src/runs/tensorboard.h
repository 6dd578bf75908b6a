// The curves of a run as an event file of TensorBoard.
#pragma once

#include <string>

#include "training/journal.h"

namespace fovea {

// A file of that name in a folder of its own is a run to TensorBoard.
inline constexpr const char* tensorboard_file_name = "events.out.tfevents.fovea";
inline constexpr std::string_view tensorboard_version = "brain.Event:2";  // what its first record says

// Every figure of the events, over updates; their times are seconds of training, since 1970 if one asks for the hour.
std::string tensorboard_events(const JournalEvents& events);

}  // namespace fovea
