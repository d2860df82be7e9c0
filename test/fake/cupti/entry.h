// What the exported functions share: is there a driver, is an error demanded, which family is in
// use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "test/fake/cupti/client.h"
#include "test/fake/cupti/version.h"

namespace deepprof::fake {

// Every entry point that needs a driver starts with one of these and returns what is not 0.
// `detail` is the kind or attribute, for errors that are demanded for one of them.
int begin(const char* function, int64_t detail = -1);
int begin_v1(const char* function, int64_t detail = -1);  // error 14 once v2 functions were used
int begin_v2(const char* function, int64_t detail = -1);  // error 14 once v1 functions were used

int subscribe(Client& client, Client** handle,
              void (*callback)(void*, uint32_t, uint32_t, const void*), void* data);
int set_kind(Client& client, uint32_t kind, bool wanted);
int set_attribute(Client& client, uint32_t attribute, const size_t* size, const void* value);
int get_attribute(const Client& client, uint32_t attribute, size_t* size, void* value);
// The clock of every record and of cuptiGetTimestamp: the wall clock, or a client's, for good.
void set_records_clock(uint64_t (*now)());
uint64_t records_clock();
int64_t ahead_of_wall_clock();          // of that clock, now
int timestamp_v1(uint64_t* timestamp);  // from 13.3 on error 14 once v2 functions were used
int next_record(uint8_t* buffer, size_t valid_bytes, uint8_t** record);

// nullptr: no such call, or no driver.
const char* driver_api_name(uint32_t domain, uint32_t id);

}  // namespace deepprof::fake
