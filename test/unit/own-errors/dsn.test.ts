import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { maskedDsn, readDsn } from "../../../backend/src/host/own-errors/dsn.ts";
import { refusal } from "../../support/assert/refusal.ts";

const dsn = suite("DSN");

const key = "0123456789abcdef0123456789abcdef";

const read: [text: string, baseUrl: string, projectId: string, masked: string][] = [
  [`https://${key}@h/1`, "https://h", "1", "https://0123…@h/1"],
  [`http://${key}@127.0.0.1:8080/42`, "http://127.0.0.1:8080", "42", "http://0123…@127.0.0.1:8080/42"],
  [`https://${key}@[::1]:9000/7`, "https://[::1]:9000", "7", "https://0123…@[::1]:9000/7"],
  [`https://${key}@h/deep/prefix/4507`, "https://h/deep/prefix", "4507", "https://0123…@h/deep/prefix/4507"],
  ["https://abcDEF12@h/1", "https://h", "1", "https://abcD…@h/1"],
  [`https://flck_${key}@h/1`, "https://h", "1", "https://flck_0123…@h/1"],
  [
    `https://glet_${key}@observe.example:443/errortracking/api/v1/projects/48125950`,
    "https://observe.example/errortracking/api/v1/projects",
    "48125950",
    "https://glet_0123…@observe.example/errortracking/api/v1/projects/48125950",
  ],
  ["https://abcd_efg@h/1", "https://h", "1", "https://abcd…@h/1"],
];
for (const [text, baseUrl, projectId, masked] of read) {
  dsn(`${masked} is read, and its mask shows four characters of the key`, () => {
    const found = readDsn(text);
    assert.is(found.baseUrl, baseUrl);
    assert.is(found.projectId, projectId);
    assert.is(maskedDsn(found), masked);
    assert.not.match(maskedDsn(found), found.publicKey);
  });
}

const refused: [what: string, text: string][] = [
  ["nothing", ""],
  ["no address", "errors.example.com/1"],
  ["another scheme", `ftp://${key}@h/1`],
  ["a script", `javascript://${key}@h/1`],
  ["no key", "https://h/1"],
  ["a short key", "https://abc1234@h/1"],
  ["a long key", `https://${"a".repeat(65)}@h/1`],
  ["a key with other characters", "https://abcd%2Fefgh1@h/1"],
  ["a secret beside the key", `https://${key}:${key}@h/1`],
  ["no project", `https://${key}@h`],
  ["a project that is no number", `https://${key}@h/web`],
  ["a slash behind the project", `https://${key}@h/1/`],
  ["a query", `https://${key}@h/1?a=b`],
  ["a fragment", `https://${key}@h/1#a`],
  ["a line break", `https://${key}@h/1\n`],
  ["a masked one", "https://0123…@h/1"],
  ["an endless one", `https://${key}@${"h".repeat(2000)}/1`],
];
for (const [what, text] of refused) {
  dsn(`${what} is refused, and the refusal does not repeat it`, () => {
    const error = refusal(() => readDsn(text));
    assert.is(error.reason, ErrorReason.INVALID_FIELD);
    assert.is(error.field, "dsn");
    assert.not.match(error.message, key);
  });
}

dsn.run();
