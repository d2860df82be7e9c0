#include "analysis/report/counted_text.h"

#include <algorithm>
#include <utility>

#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {

namespace {

// How many there are, and how long they take together.
struct LeftOut {
  size_t sections = 0, iterations = 0;
  int64_t ns = 0;
};

// Each thing with its own time: one time behind a list would be taken for that of its last word.
class List {
 public:
  void add(const std::string& what, int64_t ns) {
    text_ += (text_.empty() ? "" : ", ") + what;
    if (ns > 0) text_ += " (" + time_text(ns) + ")";
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string number(size_t value) { return count_text(static_cast<int64_t>(value)); }

int64_t length_ns(const Iteration& iteration) { return iteration.end_ns - iteration.start_ns; }

void add_sections(const DeviceMined& mined, const std::vector<bool>& is_counted, List& list) {
  for (int each = 0; each <= static_cast<int>(SectionKind::irregular); ++each) {
    const auto kind = static_cast<SectionKind>(each);
    LeftOut out, without;  // with iterations, and without
    for (size_t s = 0; s < mined.sections.size(); ++s) {
      const Section& section = mined.sections[s];
      if (section.kind != kind || is_counted[s]) continue;
      LeftOut& of = section.iterations > 0 ? out : without;
      ++of.sections;
      of.iterations += section.iterations;
      of.ns += section.end_ns - section.start_ns;
    }
    const std::string name = section_name(kind);
    if (out.iterations > 0)
      list.add(number(out.iterations) + " " + name + " iteration" + plural(out.iterations), out.ns);
    if (without.sections > 0)
      list.add(
          number(without.sections) + " " + name + " stretch" + (without.sections == 1 ? "" : "es"),
          without.ns);
  }
}

}  // namespace

std::string excluded_text(const DeviceFigures& device) {
  const DeviceMined& mined = *device.mined;
  std::vector<bool> is_counted(mined.sections.size(), false);
  for (const uint32_t i : device.counted) is_counted[mined.iterations[i].section] = true;
  if (device.last_left_out) is_counted[mined.iterations.back().section] = true;  // told by itself
  List list;
  add_sections(mined, is_counted, list);
  LeftOut partial;
  for (const Iteration& iteration : mined.iterations) {
    if (!iteration.partial || !is_counted[iteration.section]) continue;
    ++partial.iterations;
    partial.ns += length_ns(iteration);
  }
  if (partial.iterations > 0)
    list.add(number(partial.iterations) + " cut by an end of the recording or a hole in it",
             partial.ns);
  if (device.last_left_out)
    list.add("the last one, whose end is that of the recording",
             length_ns(mined.iterations.back()));
  return std::move(list).text();
}

namespace {

std::string counted_text(const Figures& figures, const DeviceFigures& device) {
  const View& view = figures.view;
  if (view.whole_run || !device.has_iterations()) {
    const std::string why = view.whole_run           ? ""
                            : device.none_is_whole() ? " (no whole iteration lies in it)"
                            : says_little(device)
                                ? " (what was found is uncertain, and little of its time)"
                                : " (no iterations were found)";
    return view.within ? "of all that ran in the stretch that was asked for" + why
                       : "of the whole recording" + why;
  }
  const size_t counted = device.counted.size(), all = device.mined->iterations.size();
  const std::string of = "of " + number(counted) + " of " + number(all) + " iterations";
  if (view.counts || view.within) return of + ", those that were asked for";
  const std::string excluded = excluded_text(device);
  return of + (excluded.empty() ? std::string() : "; left out: " + excluded) +
         "; --whole-run: of everything";
}

}  // namespace

std::vector<std::string> counted_notes(const Figures& figures) {
  std::vector<std::string> notes;
  for (const DeviceFigures& device : figures.devices)
    notes.push_back(counted_text(figures, device));
  const bool alike = std::all_of(notes.begin(), notes.end(),
                                 [&](const std::string& note) { return note == notes[0]; });
  if (alike && !notes.empty()) return {notes[0]};
  for (size_t i = 0; i < notes.size(); ++i)
    notes[i] = format_text("GPU %u: ", figures.devices[i].device) + notes[i];
  return notes;
}

void add_counted_notes(const Figures& figures, Table& table) {
  for (std::string& note : counted_notes(figures)) table.notes.push_back(std::move(note));
}

namespace {

// ", warm-up and evaluation included": of what figures per iteration leave out, what there is.
std::string included_text(const Figures& figures) {
  std::string text;
  for (const SectionKind kind : {SectionKind::warm_up, SectionKind::evaluation}) {
    const bool there = std::any_of(
        figures.devices.begin(), figures.devices.end(), [&](const DeviceFigures& device) {
          return device.mined != nullptr &&
                 std::any_of(device.mined->sections.begin(), device.mined->sections.end(),
                             [&](const Section& section) { return section.kind == kind; });
        });
    if (there) text += (text.empty() ? ", " : " and ") + std::string(section_name(kind));
  }
  return text.empty() ? text : text + " included";
}

}  // namespace

std::string shown_note(const Figures& figures) {
  if (figures.view.counts) return "of the iterations that were asked for";
  if (figures.view.within) return "of the stretch that was asked for";
  return "of the whole recording" + included_text(figures);
}

}  // namespace deepprof
