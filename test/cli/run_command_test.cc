// deepprof run: which library it takes, and what it finds beside it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

namespace deepprof::test {
namespace {

// Installed as packages are, with the library and the step hook, and the command elsewhere.
ProgramResult run_with_steps(const std::string& prefix, const std::string& command_folder) {
  std::filesystem::create_directories(prefix + "/share/deepprof/scripts/step_hook");
  std::filesystem::create_directories(prefix + "/lib");
  std::filesystem::create_directories(command_folder);
  std::filesystem::copy_file(built_library(), prefix + "/lib/own.so");
  std::filesystem::copy_file(std::getenv("DEEPPROF_COMMAND"), command_folder + "/deepprof");
  return run_program({command_folder + "/deepprof", "run", "--steps", "--library",
                      prefix + "/lib/own.so", "--", "sh", "-c", "echo $PYTHONPATH"},
                     {"PYTHONPATH="});
}

}  // namespace

TEST_CASE("run refuses a library that jobs here could not load, before the job starts") {
  std::ostringstream genuine;
  genuine << std::ifstream(built_library(), std::ios::binary).rdbuf();
  const auto with_byte = [&](size_t at, char value) {
    std::string bytes = genuine.str();
    bytes[at] = value;
    return bytes;
  };
  constexpr size_t kClass = 4, kType = 16, kMachine = 18;
  const std::pair<std::string, const char*> cases[] = {
      {"", "is no shared library"},
      {"libcuda.so.1 is not here, but a text\n", "is no shared library"},
      {genuine.str().substr(0, 40), "is for another kind of machine"},
      {with_byte(kClass, 1), "is for another kind of machine"},
      {with_byte(kMachine, 8), "is for another kind of machine"},
      {with_byte(kType, 2), "no InitializeInjection"}};
  for (const auto& [bytes, says] : cases) {
    const TemporaryFile library(bytes);
    const ProgramResult result =
        run_deepprof({"run", "--library", library.path(), "--", "echo", "started"});
    CAPTURE(says, result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(has(result.err, says));
  }
  const ProgramResult program =
      run_deepprof({"run", "--library", std::getenv("DEEPPROF_COMMAND"), "--", "echo", "started"});
  CHECK(has(program.err, "is a program"));
  CHECK(has(run_deepprof({"run", "--library", "/", "--", "true"}).err, "is no file"));
}

TEST_CASE("a library whose path LD_PRELOAD would cut is refused where it would be preloaded") {
  const TemporaryFolder folder;
  for (const std::string name : {"a b", "a:b", "a$LIB"}) {
    const std::string library = folder / name;
    std::filesystem::copy_file(built_library(), library);
    for (const char* option : {"--preload", "--cpu"}) {
      CAPTURE(name, option);
      const ProgramResult result =
          run_deepprof({"run", "--library", library, option, "--", "echo", "started"});
      CHECK(result.exit_code == 1);
      CHECK(result.out.empty());
      CHECK(has(result.err, "LD_PRELOAD cannot name " + library));
    }
    CHECK(run_deepprof({"run", "--library", library, "--", "echo", "started"}).out == "started\n");
  }
}

TEST_CASE("the step hook is found beside the command and beside the library") {
  const TemporaryFolder folder;
  const std::string hook = "/share/deepprof/scripts/step_hook\n";
  CHECK(run_with_steps(folder / "a", folder / "a/bin").out == folder / "a" + hook);
  CHECK(run_with_steps(folder / "b", folder / "elsewhere").out == folder / "b" + hook);
  const ProgramResult parted = run_with_steps(folder / "c:d", folder / "c:d/bin");
  CHECK(parted.out.empty());
  CHECK(has(parted.err, "its path has a colon"));
}

}  // namespace deepprof::test
