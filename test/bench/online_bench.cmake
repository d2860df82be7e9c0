# online_week: run by hand, in the background: minutes.
add_executable(online_week online_week.cc)
deepprof_flags(online_week)
target_link_libraries(online_week PRIVATE deepprof::mining)
if(TARGET deepprof_test_truth)
  add_executable(online_accuracy online_accuracy.cc)
  deepprof_flags(online_accuracy)
  target_link_libraries(online_accuracy PRIVATE deepprof_test_truth)
endif()
