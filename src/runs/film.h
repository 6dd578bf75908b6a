// film.jsonl of a run: a frame for each validation, or for every second, fourth, ... of a long one. A run that was
// stopped and went on has the same bytes as one that was not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "show/film.h"
#include "tasks/model.h"
#include "training/observer.h"
#include "training/progress.h"

namespace fovea {

class Film {
 public:
  // Frames that are not part of the progress yet are forgotten: a resumed run makes them again.
  Film(Files& files, std::filesystem::path folder, const Progress& progress);

  // The frame of a validation, whose number is `validation`; null: a long film leaves it out. Throws if it cannot be
  // written; it is with the next one.
  const std::string* add(const ValidationReport& report, int validation, const Model& model);

 private:
  void write();

  Files& files_;
  std::filesystem::path path_;
  struct Kept {
    int validation;
    std::string line;
  };
  std::vector<Kept> frames_;
  std::vector<FilmPoint> last_;  // where the points lay in the last of them
};

// How many validations there are from one frame to the next, once there have been so many.
int film_stride(int validations);

// Those of a run, at least one. Throws a data_error or, if the run has none, a usage_error.
std::vector<FilmFrame> read_film(Files& files, const std::filesystem::path& folder);

}  // namespace fovea
