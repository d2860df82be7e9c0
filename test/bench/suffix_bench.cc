// Time of the suffix array and of the permuted LCP array beside their peers, in one process, the
// runs of all of them interleaved: whatever the machine does at the moment, it does to each.
// Medians.
//
//   suffix_bench [millions of symbols]...      default: 1 10
//
// The input is what the miner sees: a period of 997 symbols over an alphabet of 500, 1 % of them
// replaced. The peers are optional (see CMakeLists.txt): libsais wants LIBSAIS_DIR, divsufsort its
// Debian package. divsufsort sorts bytes, so it gets the symbols modulo 256.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/suffix/lcp.h"
#include "analysis/suffix/page_array.h"
#include "analysis/suffix/suffix_array.h"

#ifdef DEEPPROF_HAVE_LIBSAIS
#include "libsais.h"
#include "libsais16.h"
#endif
#ifdef DEEPPROF_HAVE_DIVSUFSORT
#include "divsufsort.h"
#endif

namespace {

constexpr uint32_t kAlphabet = 500, kPeriod = 997;

deepprof::PageArray<uint32_t> noisy_periodic_text(size_t n) {
  std::mt19937_64 random(1);
  std::vector<uint32_t> pattern(kPeriod);
  for (uint32_t& symbol : pattern) symbol = static_cast<uint32_t>(random() % kAlphabet);
  deepprof::PageArray<uint32_t> text(n);
  for (size_t i = 0; i < n; ++i)
    text[i] =
        random() % 100 == 0 ? static_cast<uint32_t>(random() % kAlphabet) : pattern[i % kPeriod];
  return text;
}

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds{};

  double median() {
    std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    return seconds[seconds.size() / 2];
  }
};

void run_interleaved(std::vector<Contender>& contenders, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      const auto start = std::chrono::steady_clock::now();
      contender.run();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (round > 0 || rounds == 1)
        contender.seconds.push_back(took.count());  // the first warms up
    }
  }
}

void print(const char* title, std::vector<Contender>& contenders, size_t n) {
  std::printf("%s, %zu M symbols\n", title, n / 1'000'000);
  const double ours = contenders.front().median();
  for (Contender& contender : contenders) {
    const double median = contender.median();
    std::printf("  %-28s %8.1f ms  %6.1f M symbols/s   ours / this %.2f\n", contender.name.c_str(),
                median * 1e3, static_cast<double>(n) / median / 1e6, ours / median);
  }
}

void measure(size_t n) {
  deepprof::PageArray<uint32_t> text = noisy_periodic_text(n);
  deepprof::PageArray<int32_t> sa(n), plcp(n), lcp(n);
  const int rounds = n <= 2'000'000 ? 16 : n <= 20'000'000 ? 8 : 4;

  std::vector<Contender> sorts{
      {"deepprof", [&] { deepprof::build_suffix_array(text.span(), kAlphabet, sa.span()); }}};
#ifdef DEEPPROF_HAVE_LIBSAIS
  std::vector<uint16_t> text16(text.begin(), text.end());
  const auto size = static_cast<int32_t>(n);
  auto* signed_text = reinterpret_cast<int32_t*>(text.data());
  sorts.push_back({"libsais, 32-bit integers",
                   [&] { libsais_int(signed_text, sa.data(), size, kAlphabet, 0); }});
  sorts.push_back({"libsais16", [&] { libsais16(text16.data(), sa.data(), size, 0, nullptr); }});
#endif
#ifdef DEEPPROF_HAVE_DIVSUFSORT
  std::vector<uint8_t> bytes(text.begin(), text.end());
  sorts.push_back(
      {"divsufsort, bytes", [&] { divsufsort(bytes.data(), sa.data(), static_cast<int32_t>(n)); }});
#endif
  run_interleaved(sorts, rounds);
  print("suffix array", sorts, n);

  deepprof::build_suffix_array(text.span(), kAlphabet, sa.span());
  std::vector<Contender> prefixes{
      {"deepprof, Phi", [&] { deepprof::build_plcp(text.span(), sa.span(), plcp.span()); }}};
#ifdef DEEPPROF_HAVE_LIBSAIS
  prefixes.push_back(
      {"libsais, Phi", [&] { libsais_plcp_int(signed_text, sa.data(), plcp.data(), size); }});
#endif
  prefixes.push_back({"deepprof, by rank as well", [&] {
                        deepprof::build_lcp(text.span(), sa.span(), lcp.span(), plcp.span());
                      }});
  run_interleaved(prefixes, rounds);
  print("permuted LCP", prefixes, n);
}

}  // namespace

int main(int argc, char** argv) {
#ifndef DEEPPROF_HAVE_LIBSAIS
  std::printf("libsais: n/a (configure with LIBSAIS_DIR=<checkout>)\n");
#endif
#ifndef DEEPPROF_HAVE_DIVSUFSORT
  std::printf("divsufsort: n/a (package libdivsufsort-dev not found)\n");
#endif
  std::vector<size_t> millions;
  for (int i = 1; i < argc; ++i) millions.push_back(std::strtoul(argv[i], nullptr, 10));
  if (millions.empty()) millions = {1, 10};
  for (const size_t m : millions) {
    if (m == 0 || m > 2'000) return std::fprintf(stderr, "usage: suffix_bench [millions]...\n"), 1;
    measure(m * 1'000'000);
  }
}
