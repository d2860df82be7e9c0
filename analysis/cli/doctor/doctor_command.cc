// deepprof doctor: whether a job would be captured here, and what to do if not.
#include <algorithm>

#include "analysis/cli/command.h"
#include "analysis/cli/doctor/examine.h"
#include "analysis/cli/output_options.h"

namespace deepprof {
namespace {

const char* word_of(Health health) {
  switch (health) {
    case Health::good: return "ok";
    case Health::limited: return "limited";
    case Health::broken: return "broken";
    case Health::unknown: return "unknown";
  }
  return "unknown";
}

class DoctorCommand final : public Command {
 public:
  const char* name() const override { return "doctor"; }
  const char* about() const override {
    return "Say whether jobs can be captured here, and what to do if not";
  }
  const char* examples() const override {
    return "  deepprof doctor\n"
           "  deepprof doctor --format json       (exit code 2 where jobs cannot be captured)";
  }
  void add_options(CLI::App& app) override { output_.add_to(app); }

  absl::StatusOr<ExitCode> run(Console& console) override {
    const std::vector<Symptom> symptoms = examine();
    Table table;
    table.name = "doctor";
    table.columns = {
        {"check", Unit::none, ""}, {"state", Unit::none, ""}, {"finding", Unit::none, ""}};
    for (const Symptom& symptom : symptoms) {
      table.rows.push_back(
          {symptom.subject, std::string(word_of(symptom.health)), symptom.finding});
      if (!symptom.advice.empty()) table.notes.push_back(symptom.subject + ": " + symptom.advice);
    }
    const bool broken = std::any_of(symptoms.begin(), symptoms.end(),
                                    [](const Symptom& s) { return s.health == Health::broken; });
    table.notes.push_back(broken ? "A job started here would run, but not be captured."
                                 : "A job started here would be captured.");
    if (absl::Status printed = output_.print({std::move(table)}, console); !printed.ok())
      return printed;
    return broken ? ExitCode::inconclusive : ExitCode::ok;
  }

 private:
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace deepprof
