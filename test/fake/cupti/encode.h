// Turns what the driver is given to do into activity records and API callbacks of every client.
#pragma once

#include "test/fake/driver.h"

namespace deepprof::fake {

// On the launching thread.
void encode_work(const Work& work);
void announce_context();

}  // namespace deepprof::fake
