add_executable(trace_bench trace_bench.cc)
deepprof_flags(trace_bench)
target_link_libraries(trace_bench PRIVATE deepprof::mining)
