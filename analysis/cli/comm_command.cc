// deepprof comm FILE...: what communication costs beyond the compute beside it, and how much of it
// is waiting for another rank.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/report/ranks.h"

namespace deepprof {
namespace {

class CommCommand final : public Command {
 public:
  const char* name() const override { return "comm"; }
  const char* about() const override {
    return "Split communication into transfer and waiting, across ranks; name the straggler";
  }
  const char* examples() const override {
    return "  deepprof comm train.dprof\n"
           "  deepprof comm rank0.dprof rank1.dprof --ranks\n"
           "  deepprof comm profiles/ --each -s waited_most -n 20     (a folder: all traces in "
           "it)\n"
           "  deepprof comm trace.json.gz -s exposed --format csv";
  }
  void add_options(CLI::App& app) override {
    input_.add_several_to(app);
    CLI::Option* ranks = app.add_flag("--ranks", ranks_, "a row for each rank instead");
    app.add_flag("--each", each_, "a row for each matched collective instead")->excludes(ranks);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    const auto files = input_.files(console);
    if (!files.ok()) return files.status();
    auto ranks = input_.load_ranks(*files, console);
    if (!ranks.ok()) return ranks.status();
    return input_.print(ranks_  ? ranks_table(*ranks)
                        : each_ ? collectives_table(*ranks, input_.names())
                                : communication_table(*ranks, input_.names()),
                        console, why_none(*ranks));
  }

 private:
  static std::string why_none(const Ranks& ranks) {
    if (ranks.figures.empty()) return "no GPU op was recorded";
    for (const RankCommunication& sum : ranks.sums) {
      if (sum.count > 0)
        return "no collective was matched with another rank: give the files of the ranks of one "
               "job";
    }
    return "no communication kernel (NCCL, RCCL, ...) ran: a job on one GPU has none; deepprof "
           "categories shows what ran";
  }

  FiguresInput input_;
  bool ranks_ = false, each_ = false;
};

}  // namespace

std::unique_ptr<Command> make_comm_command() { return std::make_unique<CommCommand>(); }

}  // namespace deepprof
