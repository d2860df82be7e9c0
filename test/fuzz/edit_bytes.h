// One small change to stored bytes, drawn at random: another byte, another bit, a byte more, a few
// less.
#pragma once

#include <random>
#include <string>

namespace deepprof::test {

// Precondition: there is a byte.
inline void edit_bytes(std::mt19937& random, std::string& bytes) {
  const size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0: bytes[at] = static_cast<char>(random()); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8); break;
    case 2: bytes.insert(at, 1, static_cast<char>(random())); break;
    default: bytes.erase(at, 1 + random() % 8);
  }
}

}  // namespace deepprof::test
