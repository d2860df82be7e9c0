#include "analysis/cli/doctor/subscriber.h"

#include <dlfcn.h>

#include <string>

namespace deepprof {
namespace {

using Subscribe = cupti::ResultCode (*)(cupti::Subscriber*, void (*callback)(), void* user_data);
using Unsubscribe = cupti::ResultCode (*)(cupti::Subscriber);

void never_called() {}

// ": NAME" where this CUPTI tells it (13.0 and newer).
std::string name_of_holder(const cupti::Library& library) {
  if (library.api.subscribe_v2 == nullptr) return {};
  char name[256] = "";
  cupti::SubscriberParams params;
  params.old_name = name;
  params.old_name_bytes = sizeof name;
  cupti::Subscriber subscriber = nullptr;
  library.api.subscribe_v2(&subscriber, reinterpret_cast<void*>(&never_called), nullptr, &params);
  name[sizeof name - 1] = '\0';
  return name[0] == '\0' ? "" : std::string(": ") + name;
}

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
  return {"subscriber", Health::limited,
          "another tool in this process holds it" + name_of_holder(library),
          "Tracing needs none, but such a tool may take the records: the report tells of it"};
}

}  // namespace deepprof
