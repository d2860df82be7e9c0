#include "analysis/iterations/mined.h"

namespace deepprof {

const char* section_name(SectionKind kind) {
  switch (kind) {
    case SectionKind::warm_up: return "warm-up";
    case SectionKind::training: return "training";
    case SectionKind::evaluation: return "evaluation";
    case SectionKind::checkpoint: return "checkpoint";
    case SectionKind::irregular: return "irregular";
  }
  return "irregular";
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::none: return "none";
    case Verdict::repeating_block: return "repeating block";
    case Verdict::iteration: return "iteration";
  }
  return "none";
}

}  // namespace deepprof
