// Answers each line of standard input: answer MODEL < lines
#include <fovea.h>

#include <cstdio>
#include <exception>
#include <iostream>

int main(int count, char** words) try {
  if (count != 2) {
    std::fputs("usage: answer MODEL < lines\n", stderr);
    return 2;
  }
  fovea::Predictor predictor(words[1], 1);
  for (std::string line; std::getline(std::cin, line);) {
    const fovea::Prediction answered = predictor.predict({&line, 1}, {})[0];
    std::cout << answered.output.text << '\n';
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
