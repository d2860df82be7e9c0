#include "analysis/cli/doctor/subscriber.h"

#include <dlfcn.h>

namespace deepprof {
namespace {

using Subscribe = cupti::ResultCode (*)(cupti::Subscriber*, void (*callback)(), void* user_data);
using Unsubscribe = cupti::ResultCode (*)(cupti::Subscriber);

void never_called() {}

}  // namespace

Symptom check_subscriber(const cupti::Library& library) {
  void* const file = ::dlopen(library.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  Subscribe subscribe = nullptr;
  Unsubscribe unsubscribe = nullptr;
  if (file != nullptr) {
    subscribe = reinterpret_cast<Subscribe>(::dlsym(file, "cuptiSubscribe"));
    unsubscribe = reinterpret_cast<Unsubscribe>(::dlsym(file, "cuptiUnsubscribe"));
  }
  if (subscribe == nullptr || unsubscribe == nullptr)
    return {"subscriber", Health::unknown, "this CUPTI does not say", ""};
  cupti::Subscriber subscriber = nullptr;
  const cupti::ResultCode code = subscribe(&subscriber, &never_called, nullptr);
  if (code == cupti::kSuccess) {
    unsubscribe(subscriber);
    return {"subscriber", Health::good, "nobody holds it; tracing needs none", ""};
  }
  if (code != cupti::kMultipleSubscribers)
    return {"subscriber", Health::unknown, cupti::result_text(code), ""};
  return {"subscriber", Health::limited, "another tool in this process holds it",
          "Tracing needs none, but such a tool may take the records: the report tells of it"};
}

}  // namespace deepprof
