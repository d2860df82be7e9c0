// deepprof iter FILE [N]: one iteration beside the typical one, part by part and op by op.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/iterations/nested.h"

namespace deepprof {
namespace {

// People want to see what differs: largest change of an op or of the gap before it first.
void sort_by_change(Table& table) {
  const auto change = [&](const std::vector<Cell>& row) {
    int64_t sum = 0;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& name = table.columns[c].name;
      const auto* value = std::get_if<int64_t>(&row[c]);
      if (value != nullptr && (name == "growth_ns" || name == "gap_growth_ns"))
        sum += std::abs(*value);
    }
    return sum;
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return change(a) > change(b); });
}

CLI::Validator iteration_number() {
  return CLI::Validator(
      [](std::string& text) {
        if (is_whole_number(text)) return std::string();
        return "expected a whole number, not \"" + text + "\"" +
               (::access(text.c_str(), F_OK) == 0 ? "; FILE comes first: deepprof iter FILE N"
                                                  : "");
      },
      "");
}

class IterCommand final : public Command {
 public:
  const char* name() const override { return "iter"; }
  const char* about() const override { return "Show one iteration beside a typical one, op by op"; }
  const char* examples() const override {
    return "  deepprof iter train.dprof 212\n"
           "  deepprof iter trace.json.gz           (the slowest)\n"
           "  deepprof iter trace.json.gz 3 --format csv > ops.csv";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app, 20);
    app.add_option("N", number_,
                   "number of the iteration as in `deepprof iterations` (default: the slowest)")
        ->check(iteration_number());
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (is_whole_number(input_.input().path()) &&
        ::access(input_.input().path().c_str(), F_OK) != 0)
      return bad_input("FILE comes first: deepprof iter FILE ", input_.input().path());
    if (number_ && input_.filters().by_iteration())
      return bad_input("iteration ", *number_,
                       " is shown: --iter and --section choose one only where no N is given");
    auto loaded = input_.load(console, false);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    if (of.figures.devices.empty() || !of.figures.main().has_iterations()) {
      console.say("deepprof iter: " +
                  why_empty(of, !of.figures.devices.empty() && of.figures.main().none_is_whole()
                                    ? "no whole iteration lies in the stretch that was asked for"
                                    : "no iteration structure found in this trace; see deepprof "
                                      "timeline for the whole run"));
      return ExitCode::inconclusive;
    }
    const DeviceFigures& device = of.figures.main();
    const SlowFigures slow = find_slow(device);
    const auto longest =
        std::max_element(device.counted.begin(), device.counted.end(), [&](uint32_t a, uint32_t b) {
          return device.iterations[a].wall_ns < device.iterations[b].wall_ns;
        });
    const DeviceMined& mined = *device.mined;
    const auto named = input_.filters().one_iteration();
    if (!named.ok()) return named.status();
    const int64_t wanted = number_.value_or(named->value_or(mined.iterations[*longest].number));
    const std::optional<uint32_t> found = mined.find(wanted);
    if (!found)
      return bad_input("iteration ", wanted, ": GPU ", device.device, " has ",
                       mined.numbers_text());
    const uint32_t iteration = *found;

    Table ops = iteration_ops_table(of.trace, device, iteration, slow.typical, input_.names());
    // Rows for programs stay in the order of the ops.
    if (!input_.output().for_people()) return input_.print(std::move(ops), console);
    Table parts = iteration_parts_table(device, iteration, slow);
    parts.title = concat("iteration ", wanted, " of GPU ", device.device, " against the median");
    if (const std::string inside = nested_words(device.mined->nested); !inside.empty())
      parts.notes.push_back("the usual iteration holds " + inside);
    ops.title = concat("its ops against iteration ", mined.iterations[slow.typical].number,
                       " (the nearest to the median), largest change first");
    sort_by_change(ops);
    if (absl::Status printed = input_.output().print({std::move(parts), std::move(ops)}, console);
        !printed.ok())
      return printed;
    return ExitCode::ok;
  }

 private:
  FiguresInput input_;
  std::optional<int64_t> number_;
};

}  // namespace

std::unique_ptr<Command> make_iter_command() { return std::make_unique<IterCommand>(); }

}  // namespace deepprof
