// deepprof compare A B [C ...]: what differs between runs, and what of it is more than chance.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/cli/command.h"
#include "analysis/cli/output_options.h"
#include "analysis/cli/run_labels.h"
#include "analysis/cli/value_checks.h"
#include "analysis/compare/comparison_table.h"
#include "analysis/compare/gate.h"
#include "analysis/compare/sweep.h"
#include "analysis/compare/words.h"
#include "analysis/import/load.h"
#include "analysis/import/message.h"
#include "analysis/online/find_iterations.h"

namespace deepprof {
namespace {

constexpr const char* kTables[] = {"changes", "measures", "ops", "calls", "runs", "sweep", "gate"};

class CompareCommand final : public Command {
 public:
  const char* name() const override { return "compare"; }
  const char* about() const override {
    return "Compare runs: time, breakdown, kernels, energy; what differs by more than chance";
  }
  const char* examples() const override {
    return "  deepprof compare before.dprof after.dprof\n"
           "  deepprof compare main.dprof branch.dprof --gate 5      # exit code 3: over 5 % "
           "slower, not by chance\n"
           "  deepprof compare a100.json.gz h100.sqlite --table ops --format csv > ops.csv\n"
           "  deepprof compare b32.dprof b64.dprof b128.dprof --by batch         # DEEPPROF_BATCH "
           "was set, or --batch\n"
           "  deepprof compare cpu.dprof gpu.dprof --by gpu --price CPU=0.4,H200=3.5 --batch 64\n"
           "  deepprof compare run*.dprof --by tag:lr                             # "
           "DEEPPROF_TAG_LR was set\n"
           "Exit codes: 0 ok, or the gate passed; 1 wrong usage or unreadable input; 2 "
           "inconclusive: no iterations to compare, or\n"
           "the gate cannot tell (too few or too unlike iterations for its limit, records lost; "
           "stderr says why); 3 the gate\n"
           "failed. `|| [ $? -eq 2 ]` lets inconclusive ones pass. A gate that passes may not rule "
           "out more than its limit; stderr\n"
           "says so, and with --strict it is inconclusive.";
  }
  void add_options(CLI::App& app) override {
    app.add_option("FILE", paths_, "the traces; the first is what the others are compared with")
        ->required()
        ->expected(2, -1)
        ->type_name("");
    app.add_option(
           "--gate", gate_,
           "exit with code 3 if a run is slower than the first by more than PERCENT, not by chance")
        ->check(positive_number())
        ->option_text("PERCENT");
    app.add_flag("--strict", strict_,
                 "with --gate: code 2 also where more than PERCENT is not ruled out (the 99 % "
                 "interval goes beyond it), which passes else");
    app.add_option("--batch", batches_,
                   "items per iteration: one number for all runs, or one each (64,128)")
        ->delimiter(',')
        ->check(positive_number())
        ->option_text("N");
    app.add_option("--label", labels_, "names of the runs in the tables, one each (old,new)")
        ->delimiter(',')
        ->option_text("NAME");
    app.add_option("--by", by_,
                   "a row for each run instead, by what was varied: batch, gpu, tag:NAME; best "
                   "first in words")
        ->option_text("WHAT");
    app.add_option(
           "--price", prices_,
           "what an hour of a GPU costs, by part of its name (CPU: a run without one): adds cost")
        ->delimiter(',')
        ->option_text("GPU=PRICE");
    app.add_option("--device", device_,
                   "number of the GPU; of the one with most GPU time unless told")
        ->check(whole_number())
        ->option_text("N")
        ->group("Filters");
    app.add_option("--table", table_,
                   "print only this table: changes, measures, ops, calls, runs, sweep or gate")
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTables), std::end(kTables)))
                    .description(""))
        ->option_text("NAME")
        ->group("Output");
    app.add_option("--categories", categories_, "file of rules for kernel categories")
        ->option_text("PATH");
    output_.add_to(app, 30);
  }

  absl::StatusOr<ExitCode> run(Console& console) override {
    if (absl::Status fits = check_lists(); !fits.ok()) return fits;
    auto sweep = sweep_options();
    if (!sweep.ok()) return sweep.status();
    if (labels_.empty()) labels_ = run_labels(paths_);
    std::vector<RunProfile> runs;
    for (size_t i = 0; i < paths_.size(); ++i) {
      auto profile = profile_file(i, console);
      if (!profile.ok()) return profile.status();
      runs.push_back(std::move(*profile));
    }
    std::vector<Comparison> comparisons;
    for (size_t i = 1; i < runs.size(); ++i) comparisons.push_back(compare_runs(runs[0], runs[i]));
    std::vector<GateAnswer> answers;
    for (size_t i = 0; gate_ > 0 && i < comparisons.size(); ++i)
      answers.push_back(ask_gate(runs[0], runs[i + 1], comparisons[i], gate_ / 100));
    std::vector<Table> verdicts;
    if (table_ == "gate" || (gate_ > 0 && table_.empty() && !output_.for_people()))
      verdicts.push_back(gate_table(runs, comparisons, answers, gate_ / 100));
    const bool swept = !by_.empty() || !prices_.empty() || table_ == "sweep";
    const absl::Status printed =
        swept ? print_sweep(sweep_runs(runs, *sweep), std::move(verdicts), console)
              : print(runs, comparisons, std::move(verdicts), console);
    if (!printed.ok()) return printed;
    return gate_ > 0 ? tell_gate(answers, console) : tell_unknown(runs, comparisons, console);
  }

 private:
  absl::Status check_lists() const {
    if (batches_.size() > 1 && batches_.size() != paths_.size())
      return bad_input("--batch: ", batches_.size(), " numbers for ", paths_.size(),
                       " runs: give one, or one each");
    if (!labels_.empty() && labels_.size() != paths_.size())
      return bad_input("--label: ", labels_.size(), " names for ", paths_.size(),
                       " runs: give one each");
    if (strict_ && gate_ <= 0)
      return bad_input("--strict: there is no gate without --gate PERCENT");
    if (table_ == "gate" && gate_ <= 0)
      return bad_input("--table gate: there is no gate without --gate PERCENT");
    return absl::OkStatus();
  }

  absl::StatusOr<SweepOptions> sweep_options() const {
    SweepOptions options;
    options.by = by_;
    if ((!by_.empty() || !prices_.empty()) && !table_.empty() && table_ != "sweep")
      return bad_input(
          "--table ", table_,
          " has no rows by configuration: leave out --by and --price, or print --table sweep");
    if (!by_.empty() && !is_sweep_word(by_))
      return bad_input("--by ", by_, ": expected batch, gpu or tag:NAME");
    for (const std::string& text : prices_) {
      const size_t sign = text.rfind('=');
      char* end = nullptr;
      const double price =
          sign == std::string::npos ? 0 : std::strtod(text.c_str() + sign + 1, &end);
      if (sign == 0 || !std::isfinite(price) || price <= 0 || *end != 0)
        return bad_input("--price ", text, ": expected GPU=PRICE, as in H200=3.5");
      options.prices.emplace_back(text.substr(0, sign), price);
    }
    return options;
  }

  // A row by what its run does not say would have no name.
  absl::Status check_varied(const Sweep& sweep) const {
    for (const SweepPoint& point : sweep.points) {
      if (by_.empty() || !point.value.empty()) continue;
      const std::string remedy =
          is_tag(sweep.by) ? concat("record with DEEPPROF_TAG_<NAME> set, as in ",
                                    "DEEPPROF_TAG_LR for --by tag:lr")
                           : "give --batch N (N,N,... one each), or record with DEEPPROF_BATCH set";
      return bad_input("--by ", by_, ": ", point.run->path, " does not say its ",
                       varied_name(sweep.by), "; ", remedy);
    }
    return absl::OkStatus();
  }

  absl::Status print_sweep(const Sweep& sweep, std::vector<Table> verdicts,
                           Console& console) const {
    if (absl::Status varied = check_varied(sweep); !varied.ok()) return varied;
    std::vector<Table> tables{sweep_table(sweep, output_.for_people())};
    for (Table& table : verdicts) tables.push_back(std::move(table));
    if (absl::Status arranged = output_.arrange(tables); !arranged.ok()) return arranged;
    std::string text = output_.render(tables, console);
    if (output_.format() == Format::text) text += "\n" + sweep_text(sweep, console.width());
    if (output_.format() == Format::markdown) {
      for (const std::string& finding : sweep.findings) text += "\n- " + finding;
      text += "\n";
    }
    return output_.write(text, console);
  }

  // One trace at a time is in memory.
  absl::StatusOr<RunProfile> profile_file(size_t index, Console& console) const {
    const std::string& path = paths_[index];
    LoadOptions options;
    options.progress = console.progress("reading " + path);
    auto trace = load_trace(path, options);
    console.end_progress();
    if (!trace.ok()) return trace.status();
    const Mined mined = find_iterations(*trace);
    FigureOptions figure_options;
    figure_options.categories_path = categories_;
    const Figures figures = compute_figures(*trace, mined, figure_options);
    if (!figures.category_error.empty()) return bad_input(figures.category_error);
    ProfileOptions profile;
    profile.path = path;
    profile.label = labels_[index];
    if (!batches_.empty()) profile.batch = batches_[batches_.size() == 1 ? 0 : index];
    if (figures.devices.empty()) return profile_host_run(*trace, profile);
    if (!device_) return profile_run(*trace, figures, figures.main(), profile);
    for (const DeviceFigures& device : figures.devices) {
      if (device.device == *device_) return profile_run(*trace, figures, device, profile);
    }
    return bad_input(path, ": no ops of GPU ", *device_);
  }

  absl::Status print(const std::vector<RunProfile>& runs,
                     const std::vector<Comparison>& comparisons, std::vector<Table> verdicts,
                     Console& console) const {
    const Names names = output_.for_people() ? Names::short_form : Names::raw;
    const auto wanted = [&](const char* name) { return table_.empty() || table_ == name; };
    const bool page = output_.format() == Format::text && wanted("changes");
    std::vector<Table> tables;
    if (wanted("runs")) tables.push_back(runs_table(runs));
    const size_t above = tables.size();  // what a page has before its sentences
    for (size_t i = 0; i < comparisons.size(); ++i) {
      const RunProfile &a = runs[0], &b = runs[i + 1];
      const Comparison& of = comparisons[i];
      if (wanted("changes") && !page) tables.push_back(changes_table(a, b, of));
      if (wanted("measures")) tables.push_back(measures_table(a, b, of, names));
      if (wanted("ops")) tables.push_back(ops_table(a, b, of, names));
      if (tables.size() > above + 1 && output_.for_people() && tables.back().rows.empty())
        tables.pop_back();
      if (table_ == "calls" || (table_.empty() && !output_.for_people()))
        tables.push_back(calls_table(a, b, of));
    }
    for (Table& table : verdicts) tables.push_back(std::move(table));
    if (absl::Status arranged = output_.arrange(tables); !arranged.ok()) return arranged;
    if (!page) return output_.write(output_.render(tables, console), console);
    const auto below = tables.begin() + static_cast<std::ptrdiff_t>(above);
    std::string text = output_.render({tables.begin(), below}, console);
    for (size_t i = 0; i < comparisons.size(); ++i)
      text += "\n" + changes_text(runs[0], runs[i + 1], comparisons[i], console.width());
    if (table_.empty()) text += "\n";
    return output_.write(text + output_.render({below, tables.end()}, console), console);
  }

  ExitCode tell_unknown(const std::vector<RunProfile>& runs,
                        const std::vector<Comparison>& comparisons, Console& console) const {
    if (std::all_of(comparisons.begin(), comparisons.end(),
                    [](const Comparison& of) { return of.pace.known; }))
      return ExitCode::ok;
    for (const RunProfile& run : runs) {
      if (run.iterations == 0)
        console.say(concat("deepprof compare: ", run.path, ": no iterations to compare"));
    }
    return ExitCode::inconclusive;
  }

  // Of several runs a failed one decides, then an inconclusive one.
  ExitCode tell_gate(const std::vector<GateAnswer>& answers, Console& console) const {
    bool failed = false, inconclusive = false;
    for (const GateAnswer& answer : answers) {
      failed = failed || answer.verdict == GateVerdict::failed;
      inconclusive = inconclusive || answer.verdict == GateVerdict::inconclusive ||
                     (strict_ && answer.not_ruled_out());
      if (!answer.reason.empty())
        console.say(concat("deepprof compare: gate ", gate_verdict_name(answer.verdict), ": ",
                           answer.reason));
    }
    return failed ? ExitCode::gate_failed : inconclusive ? ExitCode::inconclusive : ExitCode::ok;
  }

  std::vector<std::string> paths_, labels_, prices_;
  std::string by_;
  std::vector<double> batches_;
  std::optional<int64_t> device_;
  std::string table_, categories_;
  bool strict_ = false;
  double gate_ = 0;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace deepprof
