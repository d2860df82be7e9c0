# ring_bench, decode_bench, allocation_bench, sample_bench: run by hand. capture_cost.py runs whole jobs on the stand-ins.
foreach(name ring decode allocation sample)
  add_executable(${name}_bench ${name}_bench.cc)
  deepprof_flags(${name}_bench)
  target_link_libraries(${name}_bench PRIVATE deepprof::capture)
endforeach()
