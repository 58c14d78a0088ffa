import { sameNamed } from "@faultline/plugin";
import { ErrorSchema, ErrorStatus } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("fields from columns of the same name");

test("columns that are named as a field are taken as they are, all others are left out", () => {
  const row = {
    id: 7,
    project_id: 3,
    title: "",
    event_count: 12,
    status: ErrorStatus.IGNORED,
    group_hash: Buffer.alloc(1),
  };
  const fields = { projectId: 3, title: "", eventCount: 12, status: ErrorStatus.IGNORED };
  assert.equal(sameNamed(ErrorSchema, row), fields);
});

test.run();
