import { isMailAddress } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { failedMail, type SmtpFailure } from "../../../plugins/notifier/src/mail/outcome.ts";
import { localTime } from "../../../plugins/notifier/src/mail/letters.ts";

const times: [at: string, zone: string, text: string][] = [
  ["2026-11-25T10:00:00Z", "UTC", "25 Nov 2026, 10:00 UTC"],
  ["2026-11-25T10:00:00Z", "Europe/Berlin", "25 Nov 2026, 11:00 CET (10:00 UTC)"],
  ["2026-07-25T22:30:00Z", "Europe/Berlin", "26 Jul 2026, 00:30 CEST (25 Jul 2026, 22:30 UTC)"],
  ["2026-10-25T00:30:00Z", "Europe/Berlin", "25 Oct 2026, 02:30 CEST (00:30 UTC)"],
  ["2026-10-25T01:30:00Z", "Europe/Berlin", "25 Oct 2026, 02:30 CET (01:30 UTC)"],
  ["2026-11-25T10:00:00Z", "Asia/Kolkata", "25 Nov 2026, 15:30 GMT+5:30 (10:00 UTC)"],
  ["2026-11-25T10:00:00Z", "Mars/Olympus", "25 Nov 2026, 10:00 UTC"],
];
for (const [at, zone, text] of times) {
  test(`${at} is ${text} in ${zone}`, () => assert.is(localTime(Date.parse(at), zone), text));
}

const failures: [failure: SmtpFailure, isHandedOver: boolean, outcome: string, fault: string | undefined][] = [
  [{ code: "EENVELOPE", responseCode: 450, response: "450 later" }, false, "retry", undefined],
  [{ code: "EENVELOPE", responseCode: 550, response: "550 unknown" }, false, "drop", undefined],
  [{ code: "EMESSAGE", responseCode: 451, response: "451 later" }, true, "retry", undefined],
  [{ code: "EMESSAGE", responseCode: 554, response: "554 spam" }, true, "drop", undefined],
  [{ code: "EAUTH", responseCode: 535, response: "535 no" }, false, "retry", "login"],
  [{ code: "EAUTH", responseCode: 454, response: "454 later" }, false, "retry", "other"],
  [{ code: "EENVELOPE", responseCode: 530, response: "530 login first" }, false, "retry", "login"],
  [{ code: "ENOAUTH" }, false, "retry", "login"],
  [{ code: "ETLS" }, false, "retry", "other"],
  [{ code: "EDNS" }, false, "retry", "other"],
  [{ code: "ESOCKET", originalCode: "ECONNREFUSED" }, false, "retry", "other"],
  [{ code: "ETIMEDOUT" }, false, "retry", "other"],
  [{ code: "ECONNECTION" }, true, "unknown", "other"],
  [{ code: "EABORT" }, true, "unknown", "other"],
  [{ code: "ECONNECTION", responseCode: 421, response: "421 closing" }, true, "retry", "other"],
];
for (const [failure, isHandedOver, outcome, fault] of failures) {
  const when = `${failure.code} ${failure.responseCode ?? ""} ${isHandedOver ? "after" : "before"} the text`;
  test(`${when} means ${outcome}, and the fault of the server is ${fault}`, () => {
    const tried = failedMail(failure, isHandedOver);
    assert.equal([tried.outcome.is, tried.serverFault], [outcome, fault]);
    assert.ok(tried.answer !== "");
  });
}

const addresses = ["a@b", "ann.b+c@example.com", "o'neil@example.co.uk", `${"a".repeat(64)}@example.com`];
for (const address of addresses) test(`${address} is an address`, () => assert.ok(isMailAddress(address)));

const noAddresses = [
  "",
  "a",
  "@b",
  "a@",
  ".a@b.c",
  "a.@b.c",
  "a..b@c.d",
  `"a b"@c.d`,
  "a@b,c@d",
  "a@b c",
  "a@b\r\nBcc: c@d",
  "a@b\0",
  "a@[127.0.0.1]",
  "a@-b.c",
  "<a@b>",
  "a@b (c)",
  "ä@b.c",
  `${"a".repeat(65)}@b.c`,
  `a@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.${"e".repeat(63)}`,
];
for (const text of noAddresses) test(`${JSON.stringify(text)} is no address`, () => assert.not.ok(isMailAddress(text)));

test.run();
