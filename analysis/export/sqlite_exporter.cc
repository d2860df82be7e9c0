// --to sqlite: a database for queries, one table a kind of row. Built in a temporary file and then
// copied, as an exporter's sink may be a pipe.
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/export/exporter.h"
#include "analysis/export/range_source.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

// The application_id is what import/own_output.h knows the file by: "DPRF".
constexpr const char* kSchema = R"(
  PRAGMA application_id = 0x44505246;
  CREATE TABLE fact(key TEXT, value TEXT);
  CREATE TABLE loss(key TEXT, count INTEGER, about TEXT);
  CREATE TABLE device(id INTEGER PRIMARY KEY, name TEXT, sm_count INTEGER, memory_bytes INTEGER);
  CREATE TABLE thread(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);
  CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT);
  CREATE TABLE op(id INTEGER PRIMARY KEY, start_ns INTEGER, duration_ns INTEGER, device INTEGER, stream INTEGER,
    kind TEXT, name INTEGER REFERENCES name, correlation INTEGER, graph_node INTEGER,
    launch INTEGER REFERENCES call, payload_bytes INTEGER, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
    block_x INTEGER, block_y INTEGER, block_z INTEGER, registers INTEGER, shared_bytes INTEGER);
  CREATE TABLE call(id INTEGER PRIMARY KEY, start_ns INTEGER, duration_ns INTEGER, thread INTEGER,
    kind TEXT, name INTEGER REFERENCES name, correlation INTEGER, stream INTEGER);
  CREATE TABLE range(start_ns INTEGER, duration_ns INTEGER, thread INTEGER, name INTEGER REFERENCES name,
    source TEXT);
  CREATE TABLE sample(time_ns INTEGER, device INTEGER, metric INTEGER REFERENCES name, value REAL);
  CREATE TABLE allocation(time_ns INTEGER, device INTEGER, memory_kind TEXT, step TEXT,
    piece_bytes INTEGER, in_use_bytes INTEGER, address INTEGER, correlation INTEGER);
)";

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// A database in a file of its own under TMPDIR that keeps its first error. In a file, because in
// memory it would take twice its size before the first byte is written. The file has no name once
// it is open, so that it is gone with the process, whatever ends that.
class Database {
 public:
  Database() : path_(concat(temporary_folder(), "/deepprof.XXXXXX")) {
    file_ = ::mkstemp(path_.data());
    if (file_ < 0) {
      error_ = concat("cannot create ", path_, ": ", std::strerror(errno));
      return;
    }
    sqlite3* opened = nullptr;
    const int result = sqlite3_open(path_.c_str(), &opened);
    ::unlink(path_.c_str());
    handle_.reset(opened);
    note(result, SQLITE_OK);
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  }
  ~Database() {
    handle_.reset();
    if (file_ >= 0) ::close(file_);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // What was committed, as the bytes of a database file.
  void copy_to(Sink& sink) {
    std::vector<char> buffer(kCopiedAtOnce);
    ssize_t got = 0;
    while ((got = ::read(file_, buffer.data(), buffer.size())) > 0)
      sink.write({buffer.data(), static_cast<size_t>(got)});
    if (got < 0) error_ = concat("cannot read ", path_, ": ", std::strerror(errno));
  }
  sqlite3* handle() { return handle_.get(); }
  void execute(const char* sql) {
    note(sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr), SQLITE_OK);
  }
  void note(int result, int expected) {
    if (result == expected || !error_.empty()) return;
    error_ = concat("cannot write ", path_,
                    " (a temporary file; TMPDIR says where): ", sqlite3_errmsg(handle()));
  }
  const std::string& error() const { return error_; }

 private:
  static constexpr size_t kCopiedAtOnce = 256 * 1024;

  static std::string temporary_folder() {
    const char* told = std::getenv("TMPDIR");
    return told != nullptr && *told != 0 ? told : "/tmp";
  }

  std::string path_;
  int file_ = -1;
  std::unique_ptr<sqlite3, Close> handle_;
  std::string error_;
};

// One prepared INSERT; values are bound in the order of the columns.
class Insert {
 public:
  Insert(Database& database, const std::string& table, int columns) : database_(database) {
    std::string sql = "INSERT INTO " + table + " VALUES(?";
    for (int i = 1; i < columns; ++i) sql += ",?";
    sql += ")";
    sqlite3_stmt* statement = nullptr;
    database.note(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr),
                  SQLITE_OK);
    statement_.reset(statement);
  }
  Insert& number(int64_t value) {
    sqlite3_bind_int64(statement_.get(), ++column_, value);
    return *this;
  }
  Insert& known(bool is_known, int64_t value) {
    if (is_known) return number(value);
    sqlite3_bind_null(statement_.get(), ++column_);
    return *this;
  }
  Insert& real(double value) {
    sqlite3_bind_double(statement_.get(), ++column_, value);
    return *this;
  }
  Insert& text(std::string_view value) {
    sqlite3_bind_text(statement_.get(), ++column_, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  void end() {
    database_.note(sqlite3_step(statement_.get()), SQLITE_DONE);
    sqlite3_reset(statement_.get());
    column_ = 0;
  }

 private:
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  int column_ = 0;
};

void insert_tables(Database& database, const Trace& trace) {
  Insert fact(database, "fact", 2);
  const ProcessInfo& process = trace.process;
  fact.text("host").text(process.host).end();
  fact.text("pid").text(std::to_string(process.pid)).end();
  fact.text("command_line").text(process.command_line).end();
  fact.text("source").text(process.source).end();
  if (process.rank >= 0) fact.text("rank").text(std::to_string(process.rank)).end();
  for (const auto& [key, value] : process.facts) fact.text(key).text(value).end();

  Insert loss(database, "loss", 3);
  for (const LossInfo& info : losses()) {
    loss.text(info.name)
        .number(static_cast<int64_t>(trace.losses[info.loss]))
        .text(info.words(trace.losses[info.loss]))
        .end();
  }
  Insert device(database, "device", 4);
  for (const Device& d : trace.devices) {
    device.number(d.id).text(d.name).known(d.sm_count != 0, d.sm_count);
    device.known(d.memory_bytes != 0, static_cast<int64_t>(d.memory_bytes)).end();
  }
  Insert thread(database, "thread", 4);
  for (size_t i = 0; i < trace.threads.size(); ++i) {
    const Thread& t = trace.threads[i];
    thread.number(static_cast<int64_t>(i))
        .number(t.pid)
        .number(static_cast<int64_t>(t.tid))
        .text(t.name)
        .end();
  }
  Insert name(database, "name", 2);
  for (NameId id = 0; id < trace.names.size(); ++id) name.number(id).text(trace.names[id]).end();
}

void insert_ops(Database& database, const Trace& trace) {
  Insert insert(database, "op", 19);
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    const Op& op = trace.ops[i];
    const Detail& detail = trace.details[op.detail];
    const bool kernel = op.kind == Kind::kernel && op.detail != 0;
    const bool moves = op.kind != Kind::kernel && op.detail != 0;
    insert.number(static_cast<int64_t>(i))
        .number(op.start_ns)
        .number(op.duration_ns)
        .number(op.device);
    insert.number(op.stream).text(kind_info(op.kind).name).number(op.name);
    insert.known(op.correlation != 0, op.correlation).known(op.graph_node != 0, op.graph_node);
    insert.known(op.launch != kNone, op.launch).known(moves, static_cast<int64_t>(detail.bytes));
    insert.known(kernel, detail.grid_x).known(kernel, detail.grid_y).known(kernel, detail.grid_z);
    insert.known(kernel, detail.block_x)
        .known(kernel, detail.block_y)
        .known(kernel, detail.block_z);
    insert.known(kernel, detail.registers).known(kernel, detail.shared_bytes).end();
  }
}

void insert_host(Database& database, const Trace& trace) {
  Insert insert_call(database, "call", 8);
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    const HostCall& call = trace.calls[i];
    insert_call.number(static_cast<int64_t>(i)).number(call.start_ns).number(call.duration_ns);
    insert_call.known(call.thread != kNone, call.thread)
        .text(kind_info(call.kind).name)
        .number(call.name);
    insert_call.known(call.correlation != 0, call.correlation)
        .known(call.stream != kNone, call.stream)
        .end();
  }
  Insert insert_range(database, "range", 5);
  for (const Range& range : trace.ranges) {
    insert_range.number(range.start_ns)
        .number(range.duration_ns)
        .number(range.thread)
        .number(range.name)
        .text(range_source_name(range.source))
        .end();
  }
  Insert insert_sample(database, "sample", 4);
  for (const Sample& sample : trace.samples) {
    insert_sample.number(sample.time_ns).known(sample.device != kHostDevice, sample.device);
    insert_sample.number(sample.metric).real(sample.value).end();
  }
  Insert insert_allocation(database, "allocation", 8);
  for (const Allocation& step : trace.allocations) {
    insert_allocation.number(step.time_ns)
        .known(step.device != kHostDevice, step.device)
        .text(allocation_kind_name(step.kind))
        .text(allocation_step_name(step.step))
        .number(static_cast<int64_t>(step.bytes))
        .number(static_cast<int64_t>(step.in_use_bytes))
        .number(static_cast<int64_t>(step.address))
        .known(step.correlation != 0, step.correlation)
        .end();
  }
}

// What a column holds, by its first known cell.
const char* type_of(const Table& table, size_t column) {
  for (const std::vector<Cell>& row : table.rows) {
    if (std::holds_alternative<int64_t>(row[column])) return " INTEGER";
    if (std::holds_alternative<double>(row[column])) return " REAL";
    if (std::holds_alternative<std::string>(row[column])) return " TEXT";
  }
  return "";
}

void insert_cell(const Cell& cell, Insert& insert) {
  if (const auto* number = std::get_if<int64_t>(&cell)) insert.number(*number);
  else if (const auto* real = std::get_if<double>(&cell)) insert.real(*real);
  else if (const auto* text = std::get_if<std::string>(&cell)) insert.text(*text);
  else insert.known(false, 0);
}

// Column for column what `deepprof iterations --format csv` prints, of the iterations of this part;
// its first column, iteration, is called number.
void insert_iterations(Database& database, const Table& table, const Mined& mined) {
  std::string columns;
  size_t device_at = 0, start_at = 0;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    if (name == "device") device_at = c;
    if (name == "start_ns") start_at = c;
    columns +=
        (columns.empty() ? "" : ", ") + (name == "iteration" ? "number" : name) + type_of(table, c);
  }
  database.execute(("CREATE TABLE iteration(" + columns + ")").c_str());
  std::set<std::pair<int64_t, int64_t>> wanted;  // device, start
  for (const DeviceMined& device : mined.devices) {
    for (const Iteration& iteration : device.iterations)
      wanted.emplace(device.device, iteration.start_ns);
  }
  Insert insert(database, "iteration", static_cast<int>(table.columns.size()));
  for (const std::vector<Cell>& row : table.rows) {
    if (!wanted.contains({std::get<int64_t>(row[device_at]), std::get<int64_t>(row[start_at])}))
      continue;
    for (const Cell& cell : row) insert_cell(cell, insert);
    insert.end();
  }
}

class SqliteExporter final : public Exporter {
 public:
  const char* name() const override { return "sqlite"; }
  const char* suffix() const override { return ".sqlite"; }
  const char* about() const override {
    return "a database; its tables: op, call, range, sample, allocation, iteration, name, device, "
           "thread, fact, loss";
  }

  bool takes_iterations_table() const override { return true; }
  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    Database database;
    if (!database.error().empty()) return absl::InternalError(database.error());
    database.execute(kSchema);
    database.execute("BEGIN");
    insert_tables(database, part.trace);
    insert_ops(database, part.trace);
    insert_host(database, part.trace);
    if (part.iterations != nullptr) insert_iterations(database, *part.iterations, part.mined);
    database.execute("COMMIT; CREATE INDEX op_by_start ON op(start_ns)");
    if (database.error().empty()) database.copy_to(sink);
    if (!database.error().empty()) return absl::InternalError(database.error());
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_sqlite_exporter() { return std::make_unique<SqliteExporter>(); }

}  // namespace deepprof
