#include "analysis/import/chrome_event.h"

#include <cstring>

#include "analysis/import/json_text.h"

namespace deepprof {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;
namespace ondemand = simdjson::ondemand;

// `key` points behind the opening quote; text is padded, so comparing beyond its end is safe.
template <size_t N>
bool is_key(const char* key, const char (&wanted)[N]) {
  return std::memcmp(key, wanted, N - 1) == 0 && key[N - 1] == '"';
}

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

RawScalar scalar_of(ondemand::value value) {
  std::string_view token = without_trailing_blanks(value.raw_json_token());
  if (token.empty() || token[0] != '"') return {token, false};
  token.remove_prefix(1);
  if (!token.empty() && token.back() == '"') token.remove_suffix(1);
  return {token, true};
}

std::string_view text_of(ondemand::value value) { return scalar_of(value).text; }

error_code read_triple(ondemand::value value, std::array<std::string_view, 3>& out) {
  ondemand::array array;
  if (const error_code error = value.get_array().get(array))
    return error == simdjson::INCORRECT_TYPE ? SUCCESS : error;
  size_t at = 0;
  for (auto item : array) {
    ondemand::value element;
    if (const error_code error = item.get(element)) return error;
    if (at < out.size()) out[at++] = text_of(element);
  }
  return SUCCESS;
}

error_code read_argument(const char* key, ondemand::value value, ChromeEvent& event) {
  switch (key[0]) {
    case 'A':
      if (is_key(key, "Addr")) event.address = text_of(value);
      break;
    case 'B':
      if (is_key(key, "Bytes")) event.bytes = text_of(value);
      break;
    case 'D':
      if (is_key(key, "Device Id")) event.device = text_of(value);
      else if (is_key(key, "Device Type")) event.device_type = text_of(value);
      break;
    case 'T':
      if (is_key(key, "Total Allocated")) event.in_use_bytes = text_of(value);
      else if (is_key(key, "Total Reserved")) event.held_bytes = text_of(value);
      break;
    case 'b':
      if (is_key(key, "bytes")) event.bytes = text_of(value);
      else if (is_key(key, "block")) return read_triple(value, event.block);
      break;
    case 'c':
      if (is_key(key, "correlation")) event.correlation = text_of(value);
      else if (is_key(key, "context")) event.context = text_of(value);
      else if (is_key(key, "cuda_sync_kind")) event.sync_kind = scalar_of(value);
      break;
    case 'd':
      if (is_key(key, "device")) event.device = text_of(value);
      else if (is_key(key, "dtype")) event.element_type = text_of(value);
      break;
    case 'G':
      if (is_key(key, "Group size")) event.group_size = text_of(value);
      break;
    case 'I':
      if (is_key(key, "In msg nelems")) event.in_elements = text_of(value);
      break;
    case 'O':
      if (is_key(key, "Out msg nelems")) event.out_elements = text_of(value);
      break;
    case 'g':
      if (is_key(key, "grid")) return read_triple(value, event.grid);
      else if (is_key(key, "graph node id")) event.graph_node = text_of(value);
      break;
    case 'k':
      if (is_key(key, "kind")) event.kind = scalar_of(value);
      break;
    case 'n':
      if (is_key(key, "name")) event.arg_name = scalar_of(value);
      break;
    case 'r':
      if (is_key(key, "registers per thread")) event.registers = text_of(value);
      break;
    case 's':
      if (is_key(key, "stream")) event.stream = text_of(value);
      else if (is_key(key, "shared memory")) event.shared_bytes = text_of(value);
      break;
    default: break;
  }
  return SUCCESS;
}

error_code read_arguments(ondemand::value value, ChromeEvent& event) {
  ondemand::object arguments;
  if (const error_code error = value.get_object().get(arguments))
    return error == simdjson::INCORRECT_TYPE ? SUCCESS : error;
  for (auto item : arguments) {
    ondemand::field field;
    if (const error_code error = std::move(item).get(field)) return error;
    if (const error_code error = read_argument(field.key().raw(), field.value(), event))
      return error;
  }
  return SUCCESS;
}

bool has_times(const ChromeEvent& event) {
  return !event.ts.empty() && !event.dur.empty() && !event.name.empty() && !event.pid.empty() &&
         !event.tid.empty();
}

}  // namespace

std::string RawScalar::decoded() const {
  if (!is_string || text.find('\\') == std::string_view::npos) return std::string(text);
  return unescape_json(text);
}

error_code read_chrome_event(ondemand::object object, const EventSelector& selector,
                             ChromeEvent& event) {
  Reading reading = Reading::everything;
  const auto decide = [&] {
    if (event.phase == 0) return;
    const bool lasts = event.phase == 'X' || event.phase == 'B' || event.phase == 'b';
    if (lasts && event.category.empty()) return;
    reading = selector.reading(event.phase, event.category.text);
  };
  for (auto item : object) {
    ondemand::field field;
    if (const error_code error = std::move(item).get(field)) return error;
    const char* key = field.key().raw();
    ondemand::value value = field.value();
    // Kineto writes the fields in this order.
    if (is_key(key, "ph")) {
      const std::string_view phase = text_of(value);
      event.phase = phase.empty() ? 0 : phase[0];
      decide();
    } else if (is_key(key, "cat")) {
      event.category = scalar_of(value);
      decide();
    } else if (is_key(key, "name")) {
      event.name = scalar_of(value);
    } else if (is_key(key, "pid")) {
      event.pid = scalar_of(value);
    } else if (is_key(key, "tid")) {
      event.tid = scalar_of(value);
    } else if (is_key(key, "ts")) {
      event.ts = text_of(value);
    } else if (is_key(key, "dur")) {
      event.dur = text_of(value);
    } else if (is_key(key, "args") && reading == Reading::everything) {
      if (const error_code error = read_arguments(value, event)) return error;
    }
    if (reading == Reading::ignore || (reading == Reading::times && has_times(event)))
      return SUCCESS;
  }
  return SUCCESS;
}

}  // namespace deepprof
