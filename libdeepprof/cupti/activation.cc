#include "libdeepprof/cupti/activation.h"

#include <span>

#include "libdeepprof/cupti/callbacks.h"
#include "libdeepprof/event/api_calls.h"

namespace deepprof::cupti {
namespace {

constexpr int kFirstDriverWithSharing = 13030;  // r610: the v2 family works from here on

void no_callback(void*, uint32_t, uint32_t, const void*) {}

// One face for the two families of calls, which may not be mixed.
class Family {
 public:
  Family(const Api& api, Subscriber subscriber) : api_(api), subscriber_(subscriber) {}

  ResultCode register_callbacks() const {
    return subscriber_ != nullptr
               ? api_.register_callbacks_v2(subscriber_, &buffer_requested_v2, &buffer_completed_v2)
               : api_.register_callbacks(&buffer_requested, &buffer_completed);
  }
  ResultCode enable(uint32_t kind) const {
    return subscriber_ != nullptr ? api_.enable_v2(subscriber_, kind, nullptr) : api_.enable(kind);
  }
  bool can_select_calls() const {
    return subscriber_ != nullptr ? api_.enable_runtime_api_v2 && api_.enable_driver_api_v2
                                  : api_.enable_runtime_api && api_.enable_driver_api;
  }
  ResultCode select(bool runtime, uint32_t cbid) const {
    if (subscriber_ != nullptr) {
      return (runtime ? api_.enable_runtime_api_v2 : api_.enable_driver_api_v2)(subscriber_, cbid,
                                                                                1);
    }
    return (runtime ? api_.enable_runtime_api : api_.enable_driver_api)(cbid, 1);
  }
  bool promise_zeroed_buffers() const {
    // Only where the attribute is ours alone: in v1 it is global, and another tool in this process
    // that registers its callbacks later (torch.profiler) hands out buffers that are not zeroed.
    if (subscriber_ == nullptr) return false;
    uint8_t on = 1;
    size_t bytes = sizeof on;
    return api_.set_attribute_v2(subscriber_, kAttributeZeroedOutBuffer, &bytes, &on) == kSuccess;
  }

 private:
  const Api& api_;
  Subscriber subscriber_;
};

Subscriber subscribe_beside_others(const Library& library, std::string& note) {
  if (!library.api.has_v2() || library.driver_version < kFirstDriverWithSharing) return nullptr;
  // CUPTI refuses one family to a process that has used the other, and torch.profiler uses v1: with
  // v2 we would share CUPTI with every tool but the one that a PyTorch job is most likely to use.
  if (is_mapped("libtorch_cpu.so")) {
    note = "not shared with other tools, because torch.profiler uses CUPTI's older interface";
    return nullptr;
  }
  char holder[256] = "";
  SubscriberParams params;
  params.name = "DeepProf";
  params.old_name = holder;
  params.old_name_bytes = sizeof holder;
  params.allow_multiple = 1;
  Subscriber subscriber = nullptr;
  const ResultCode code = library.api.subscribe_v2(
      &subscriber, reinterpret_cast<void*>(&no_callback), nullptr, &params);
  if (code == kSuccess && subscriber != nullptr) return subscriber;
  holder[sizeof holder - 1] = '\0';
  note = "cuptiSubscribe_v2: " + result_text(code) +
         (holder[0] != '\0' ? std::string(", held by ") + holder : "");
  return nullptr;
}

struct KindRow {
  ActivityKind kind;
  const char* word;
  bool gpu_op;
  bool wanted;
};

// Does this CUPTI know the call? v1's functions that select calls do not promise to refuse one that
// is newer.
bool is_known(const Api& api, bool runtime, uint32_t cbid) {
  const char* name = nullptr;
  return api.get_callback_name == nullptr ||
         api.get_callback_name(runtime ? kDomainRuntime : kDomainDriver, cbid, &name) == kSuccess;
}

// True if at least one call of the domain could be selected.
bool select_calls(const Api& api, const Family& family, bool runtime) {
  bool any = false;
  for (const ApiCall& call : runtime ? runtime_calls() : driver_calls()) {
    if (call.role == ApiRole::query || !is_known(api, runtime, call.cbid)) continue;
    any |= family.select(runtime, call.cbid) == kSuccess;
  }
  return any;
}

ResultCode enable_calls(const Api& api, const Family& family, ApiSelection selection, bool runtime,
                        bool& selected) {
  if (selection == ApiSelection::launch && family.can_select_calls() &&
      select_calls(api, family, runtime)) {
    selected = true;
    return kSuccess;
  }
  return family.enable(
      static_cast<uint32_t>(runtime ? ActivityKind::runtime : ActivityKind::driver));
}

bool record_witness_call(const Family& family, ApiSelection api, const Activation& activation) {
  const bool all_calls = api != ApiSelection::off && !activation.selected_calls;
  return all_calls || (family.can_select_calls() && family.select(false, kWitnessCall) == kSuccess);
}

// Why CUPTI will not take our callbacks, or record what was asked for, and what to do. It says the
// same where there is no GPU and where the driver is too old.
std::string refusal_text(ResultCode code) {
  switch (code) {
    case kNotInitialized:
    case kUnknownError:
      return result_text(code) +
             ", as without a usable GPU, or with a driver older than this CUPTI";
    case kMultipleSubscribers:
    case kNotCompatible:
      return result_text(code) +
             ": another tool in this process had CUPTI first, and only one can have it; run the "
             "job without that tool, or with it and without deepprof";
    default: return result_text(code);
  }
}

Result<Activation> activate_through(const Api& api, const Wanted& wanted, Activation activation) {
  const Family family(api, activation.subscriber);
  if (const ResultCode code = family.register_callbacks(); code != kSuccess) {
    return Error{"cuptiActivityRegisterCallbacks: " + refusal_text(code)};
  }
  activation.zeroed_buffers = family.promise_zeroed_buffers();
  const KindRow rows[] = {
      {ActivityKind::concurrent_kernel, "kernel", true, wanted.kernels},
      {ActivityKind::memcpy, "memcpy", true, wanted.copies},
      {ActivityKind::memcpy2, "peer copy", true, wanted.copies},
      {ActivityKind::memset, "memset", true, wanted.fills},
      {ActivityKind::graph_trace, "graph", true, wanted.whole_graphs},
      {ActivityKind::synchronization, "sync", false, wanted.syncs},
      {ActivityKind::overhead, "overhead", false, wanted.overheads},
      {ActivityKind::memory2, "allocation", false, wanted.allocations},
  };
  bool any_gpu_op = false;
  ResultCode first_refusal = kSuccess;
  const auto note_refusal = [&](const char* word, ResultCode why) {
    activation.refused.push_back(std::string(word) + ": " + result_text(why));
    if (first_refusal == kSuccess) first_refusal = why;
  };
  for (const KindRow& row : rows) {
    if (!row.wanted) continue;
    const auto kind = static_cast<uint32_t>(row.kind);
    if (const ResultCode code = family.enable(kind); code != kSuccess) {
      note_refusal(row.word, code);
    } else {
      any_gpu_op |= row.gpu_op;
    }
  }
  if (!any_gpu_op) return Error{"cuptiActivityEnable: " + refusal_text(first_refusal)};
  if (wanted.api != ApiSelection::off) {
    for (const bool runtime : {true, false}) {
      const ResultCode code =
          enable_calls(api, family, wanted.api, runtime, activation.selected_calls);
      if (code != kSuccess) note_refusal(runtime ? "runtime calls" : "driver calls", code);
    }
  }
  // The other tools that v1 has to be on guard against cannot harm a v2 subscriber.
  if (!activation.v2) activation.witness_call = record_witness_call(family, wanted.api, activation);
  return activation;
}

}  // namespace

Result<Activation> activate(const Library& library, const Wanted& wanted) {
  Activation activation;
  activation.subscriber = subscribe_beside_others(library, activation.note);
  activation.v2 = activation.subscriber != nullptr;
  return activate_through(library.api, wanted, std::move(activation));
}

Result<Activation> reactivate(const Library& library, const Wanted& wanted) {
  return activate_through(library.api, wanted, Activation{});
}

Strides probe_strides(const Library& library, const Activation& activation) {
  if (!activation.v2) return probe_strides(library.api.get_next_record);
  return probe_strides([&](uint8_t* buffer, size_t valid_bytes, void** record) {
    return library.api.get_next_record_v2(activation.subscriber, buffer, valid_bytes, record);
  });
}

}  // namespace deepprof::cupti
