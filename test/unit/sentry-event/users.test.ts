import { type JsonObject, readEvent } from "@faultline/plugin/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details, head } from "../../support/sentry-event.ts";

const users = suite("users");

const userKeys: [claim: string, event: JsonObject, key: string][] = [
  ["none", {}, ""],
  ["null", { user: null }, ""],
  ["text", { user: "ann" }, ""],
  ["an empty object, as in Go", { user: {} }, ""],
  ["nulls, as in PHP", { user: { id: null, username: null, email: null, ip_address: null, segment: null } }, ""],
  ["a number", { user: { id: 42 } }, "id:42"],
  ["the same number as text", { user: { id: "42" } }, "id:42"],
  ["the same with blanks around it", { user: { id: " 42\n" } }, "id:42"],
  ["zero", { user: { id: 0 } }, "id:0"],
  ["true", { user: { id: true } }, "id:true"],
  ["false", { user: { id: false } }, "id:false"],
  ["an id that is an object", { user: { id: { a: 1 } } }, ""],
  ["blanks in every field", { user: { id: " ", username: "\t", email: "", ip_address: " " } }, ""],
  ["a blank id beside a username", { user: { id: " ", username: "ann" } }, "username:ann"],
  ["id before the others", { user: { id: "1", username: "u", email: "e@x", ip_address: "1.2.3.4" } }, "id:1"],
  ["username", { user: { id: "", username: "ann", email: "e@x" } }, "username:ann"],
  ["name", { user: { name: "Ann" } }, "username:Ann"],
  ["email", { user: { email: "e@x" } }, "email:e@x"],
  ["an IPv6 address", { user: { ip_address: "2001:db8::1" } }, "ip:2001:db8::1"],
  ["an address that is none", { user: { ip_address: "nope" } }, ""],
  ["Python's [Filtered]", { user: { ip_address: "[Filtered]" } }, ""],
  ["{{auto}}", { user: { ip_address: "{{auto}}" } }, "ip:203.0.113.9"],
  ["a browser that names none", { platform: "javascript" }, "ip:203.0.113.9"],
  ["a phone that names none", { platform: "cocoa" }, "ip:203.0.113.9"],
  ["a server that names none", { platform: "python" }, ""],
  ["a server whose user has no name", { platform: "java", user: { segment: "beta" } }, ""],
  ["the request's peer", { request: { env: { REMOTE_ADDR: "1.2.3.4" } } }, "ip:1.2.3.4"],
  ["the old name", { "sentry.interfaces.User": { id: "1" } }, "id:1"],
  ["a long id", { user: { id: "x".repeat(500) } }, `id:${"x".repeat(125)}...`],
];

for (const [claim, event, key] of userKeys) {
  users(`${claim} counts as ${key || "nobody"}`, () => {
    assert.is(head(event, { clientIp: "203.0.113.9" }).user, key);
  });
}

users("very long ids are cut alike, so that one person stays one", () => {
  const keyOf = (id: string) => head({ user: { id } }).user;
  assert.is(keyOf("x".repeat(500)), keyOf("x".repeat(500)));
  assert.not.equal(keyOf(`a${"x".repeat(500)}`), keyOf(`b${"x".repeat(500)}`));
  assert.is(keyOf(`${"x".repeat(124)}😀😀😀`), `id:${"x".repeat(124)}...`);
});

users("without the client's address {{auto}} is nobody", () => {
  assert.is(head({ user: { ip_address: "{{auto}}" } }).user, "");
});

users("what Java puts into data is shown like what others send beside the names", () => {
  const shown = { $typeName: "faultline.v1.EventUser", id: "1", username: "", email: "", ipAddress: "" };
  for (const user of [
    { id: 1, plan: "gold" },
    { id: 1, data: { plan: "gold" } },
    { id: 1, plan: "gold", segment: null, data: null },
  ]) {
    assert.equal(details({ user }).user, { ...shown, data: { plan: "gold" } });
  }
  assert.is(details({ user: {} }).user, undefined);
  assert.is(details({ user: { id: null, segment: null } }).user, undefined);
});

users("the address that was left to the receiver is shown from what was stored", () => {
  const payload = JSON.stringify({ user: { ip_address: "{{auto}}" } });
  assert.is(readEvent(payload).user, undefined);
  assert.is(readEvent(payload, { user: "ip:203.0.113.9" }).user?.ipAddress, "203.0.113.9");
  assert.is(readEvent(payload, { user: "id:7" }).user, undefined);
});

users.run();
