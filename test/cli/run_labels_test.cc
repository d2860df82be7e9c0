// What runs are called beside each other.
#include "analysis/cli/run_labels.h"

#include "test/support/catch.h"

using namespace deepprof;

using Labels = std::vector<std::string>;

TEST_CASE("runs are called by their files, without folders and suffixes") {
  CHECK(run_labels({"runs/b64.dprof", "/tmp/b128.pt.trace.json.gz", "old.sqlite"}) ==
        Labels{"b64", "b128", "old"});
  CHECK(run_labels({".dprof", "runs/.json"}) == Labels{".dprof", ".json"});
}

TEST_CASE(
    "files of one name are told apart by their folders, and one that is named twice by place") {
  CHECK(run_labels({"old/train.dprof", "new/train.dprof", "other.dprof"}) ==
        Labels{"old/train", "new/train", "other"});
  CHECK(run_labels({"/r/a/x/t.json", "/r/b/x/t.json"}) == Labels{"a/x/t", "b/x/t"});
  const std::string between = "/checkpoints/profiles/of/the/whole/week";
  CHECK(run_labels({"/runs/b64" + between + "/t.json", "/runs/b128" + between + "/t.json"}) ==
        Labels{"b64/.../t", "b128/.../t"});
  CHECK(run_labels({"/runs/a/1" + between + "/t.json", "/runs/a/2" + between + "/t.json",
                    "/runs/b/1" + between + "/t.json"}) ==
        Labels{"a/.../t", "2/.../t", "b/.../t"});
  CHECK(run_labels({"train.dprof", "old/train.dprof"}) == Labels{"train", "old/train"});
  CHECK(run_labels({"train.dprof", "train.dprof"}) == Labels{"train 1", "train 2"});
  CHECK(run_labels({"train.dprof", "train.json"}) == Labels{"train 1", "train 2"});
}
