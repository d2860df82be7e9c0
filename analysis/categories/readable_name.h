// What people read of a kernel's name. The raw name stays the key everywhere (two kernels may share
// a short name); these make a readable and a short form of it, whatever bytes it holds and however
// long it is: bounded time, bounded output, never an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deepprof {

// The name with C++ mangling undone. Names that are not mangled come back as they are; so do
// mangled names that the demangler refuses, but for those over its limit (about 1,000 characters,
// as CUTLASS makes them) at least the qualified function name is read: "cutlass::Kernel2<...>".
std::string demangled_name(std::string_view raw);

// "void f<int>(float*) const" -> "void f<int>". Works on a demangled name; "operator()" and
// "(anonymous namespace)" are not argument lists.
std::string_view without_arguments(std::string_view name);

// The name in at most `width` columns of text: no return type, no argument list, no namespaces, and
// of the template arguments only those that tell kernels apart:
//   "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>,
//   at::detail:: Array<char*, 3>>(int, ...)" -> "vectorized_elementwise_kernel<CUDAFunctor_add>".
// What is still too long loses its middle ("ampere_sgemm_128x64..nn_align4"). Printable UTF-8 only.
std::string short_name(std::string_view raw, size_t width = 60);

// printable(text) (report/utf8.h) in at most `width` columns, with ".." for what was cut out of its
// middle.
std::string cut_middle(std::string_view text, size_t width);

}  // namespace deepprof
