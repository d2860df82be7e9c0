// Result<T>: a value or an error sentence, for code that is linked into the injected library.
//
// The command uses absl::StatusOr<T>; the library may not carry Abseil (see docs/architecture.md),
// so everything below analysis/import, export and cli reports failure through this one type. It
// never throws. An error is a complete sentence: what failed, where (file, byte offset), what was
// expected.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace deepprof {

struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }

  // Precondition: !ok().
  const std::string& error() const { return std::get_if<1>(&state_)->message; }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace deepprof
