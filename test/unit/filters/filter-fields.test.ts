import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason, UpdateFiltersRequestSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { entriesOf } from "../../../backend/src/services/filters/inbound-filters.ts";
import { changedColumns } from "../../../backend/src/services/filters/filter-service.ts";

const columns = (changes: MessageInitShape<typeof UpdateFiltersRequestSchema>) =>
  changedColumns(create(UpdateFiltersRequestSchema, changes));

test("fields that are absent change nothing, empty lists and switches that are off do", () => {
  assert.equal(columns({ projectId: 1 }), {});
  assert.equal(columns({ messages: { entries: [] }, localhost: false }), { messages: "", localhost: false });
});

test("spaces, empty entries and repetitions are left out, and the order stays", () => {
  const { releases } = columns({ releases: { entries: [" b ", "", "a", "b", "   "] } });
  assert.equal(entriesOf(releases ?? ""), ["b", "a"]);
  assert.equal(entriesOf(""), []);
});

test("addresses and networks of both families are taken", () => {
  const entries = ["203.0.113.7", "203.0.113.0/24", "2001:db8::1", "2001:db8::/32", "10.1.2.3/8"];
  assert.is(columns({ addresses: { entries } }).addresses, entries.join("\n"));
});

const bad: [
  field: "addresses" | "releases" | "environments" | "messages" | "types",
  entry: string,
  sentence: RegExp,
][] = [
  ["addresses", "localhost", /"localhost" is neither an IP address nor a network. Write it as 203\.0\.113\.7/],
  ["addresses", "203.0.113.0/33", /is neither an IP address nor a network/],
  ["addresses", "203.0.113.0/-1", /is neither an IP address nor a network/],
  ["addresses", "203.0.113", /is neither an IP address nor a network/],
  ["addresses", "203.0.113.*", /is neither an IP address nor a network/],
  ["addresses", "fe80::1%eth0", /is neither an IP address nor a network/],
  ["addresses", "10.0.0.0/8/8", /is neither an IP address nor a network/],
  ["addresses", "0.0.0.0/0", /every address. To accept no events, turn error tracking off/],
  ["addresses", "::/0", /every address/],
  ["addresses", "::ffff:203.0.113.7", /without ::ffff:/],
  ["messages", "*", /The pattern "\*" matches every text/],
  ["messages", "**?*", /matches every text/],
  ["types", "?", /matches every text/],
  ["releases", "*", /matches every text/],
  ["environments", "*", /matches every text/],
  ["messages", "x".repeat(201), /has 201 characters. Use at most 200/],
  ["messages", "a\nb", /line break or another control character/],
  ["types", "a\u0000b", /control character/],
];

for (const [field, entry, sentence] of bad) {
  test(`${JSON.stringify(entry.slice(0, 30))} among ${field} is refused in words`, () => {
    try {
      columns({ [field]: { entries: ["203.0.113.7", entry] } });
    } catch (error) {
      assert.instance(error, ServiceError);
      assert.is((error as ServiceError).reason, ErrorReason.INVALID_FIELD);
      assert.is((error as ServiceError).field, field);
      assert.match((error as ServiceError).message, sentence);
      return;
    }
    assert.unreachable("it was taken");
  });
}

test("100 entries are taken, 101 are refused", () => {
  const entries = Array.from({ length: 101 }, (_, n) => `message ${n}`);
  assert.is(entriesOf(columns({ messages: { entries: entries.slice(1) } }).messages ?? "").length, 100);
  assert.throws(() => columns({ messages: { entries } }), /The list has 101 entries. Keep at most 100/);
});

test.run();
