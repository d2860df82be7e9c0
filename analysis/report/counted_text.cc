#include "analysis/report/counted_text.h"

#include <algorithm>

#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {

std::string excluded_text(const DeviceFigures& device) {
  std::string text;
  int64_t left_out_ns = 0;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  std::vector<bool> is_counted(device.mined->sections.size(), false);
  for (const uint32_t i : device.counted) is_counted[device.mined->iterations[i].section] = true;
  for (const SectionKind kind :
       {SectionKind::warm_up, SectionKind::training, SectionKind::evaluation,
        SectionKind::checkpoint, SectionKind::irregular}) {
    size_t sections = 0, iterations = 0;
    for (size_t s = 0; s < device.mined->sections.size(); ++s) {
      const Section& section = device.mined->sections[s];
      if (section.kind != kind || is_counted[s]) continue;
      ++sections;
      iterations += section.iterations;
      left_out_ns += section.end_ns - section.start_ns;
    }
    if (sections == 0) continue;
    if (iterations > 0)
      add(count_text(static_cast<int64_t>(iterations)) + " " + section_name(kind) + " iteration" +
          plural(iterations));
    else
      add(count_text(static_cast<int64_t>(sections)) + " " + section_name(kind) + " stretch" +
          (sections == 1 ? "" : "es"));
  }
  size_t partial = 0;
  for (const Iteration& iteration : device.mined->iterations) partial += iteration.partial;
  if (partial > 0)
    add(count_text(static_cast<int64_t>(partial)) +
        " cut by an end of the recording or a hole in it");
  if (device.last_left_out) add("the last one, whose end is that of the recording");
  if (device.last_left_out) {
    const Iteration& last = device.mined->iterations.back();
    left_out_ns += last.end_ns - last.start_ns;
  }
  if (!text.empty() && left_out_ns > 0) text += " (" + time_text(left_out_ns) + ")";
  return text;
}

namespace {

std::string counted_text(const Figures& figures, const DeviceFigures& device) {
  const View& view = figures.view;
  if (view.whole_run || !device.has_iterations()) {
    const std::string why = view.whole_run ? "" : " (no iterations were found)";
    return view.within ? "of all that ran in the stretch that was asked for" + why
                       : "of the whole recording" + why;
  }
  const auto number = [](size_t value) { return count_text(static_cast<int64_t>(value)); };
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

std::string shown_note(const Figures& figures) {
  if (figures.view.counts) return "of the iterations that were asked for";
  if (figures.view.within) return "of the stretch that was asked for";
  return "of the whole recording, warm-up and evaluation included";
}

}  // namespace deepprof
