// Where a record is built: of the ring that it is for, or beside it.
#pragma once

#include "libdeepprof/event/event.h"

namespace deepprof {

struct EventPlace {
  Event& event;
  Detail& detail;
};

}  // namespace deepprof
