// Trains on lines of source<TAB>target, measures on others and answers standard input: train DATA TEST FOLDER < lines
#include <fovea.h>

#include <cstdio>
#include <exception>
#include <iostream>

int main(int count, char** words) try {
  if (count != 4) {
    std::fputs("usage: train DATA TEST FOLDER < lines\n", stderr);
    return 2;
  }
  fovea::TrainRequest request;
  request.data.file = words[1];
  request.config.settings = {"encoder.size=32", "decoder.size=32"};  // all others are chosen to suit the data
  request.folder = words[3];
  request.stop_after = fovea::parse_period("100u");
  std::fprintf(stderr, "%lld updates\n", static_cast<long long>(fovea::train(request).updates));

  fovea::Predictor predictor(words[3], 1);
  fovea::PairOptions test;
  test.file = words[2];
  for (const fovea::Figure& figure : fovea::evaluate(predictor, test, {}).figures) {
    std::fprintf(stderr, "%s %g\n", figure.name.c_str(), figure.value);
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << predictor.predict({&line, 1}, {})[0].output.text << '\n';
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
