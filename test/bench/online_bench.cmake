# online_week: run by hand, in the background: minutes.
add_executable(online_week online_week.cc)
deepprof_flags(online_week)
target_link_libraries(online_week PRIVATE deepprof::mining)
