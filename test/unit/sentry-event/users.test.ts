import { canonicalName, type JsonObject, readEvent, readUserKey, readUserNames } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details, head } from "../../support/sentry/sentry-event.ts";

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
  ["true", { user: { id: true } }, ""],
  ["false", { user: { id: false } }, ""],
  ["false beside an e-mail address", { user: { id: false, username: false, email: "e@x" } }, "email:e@x"],
  ["blanks that are cut", { user: { id: " ".repeat(500) } }, ""],
  ["a long id behind blanks", { user: { id: `${" ".repeat(500)}42` } }, "id:42"],
  ["a blank username beside a name", { user: { username: " ", name: "Ann" } }, "username:Ann"],
  ["an id that is an object", { user: { id: { a: 1 } } }, ""],
  ["blanks in every field", { user: { id: " ", username: "\t", email: "", ip_address: " " } }, ""],
  ["a blank id beside a username", { user: { id: " ", username: "ann" } }, "username:ann"],
  ["id before the others", { user: { id: "1", username: "u", email: "e@x", ip_address: "1.2.3.4" } }, "id:1"],
  ["username", { user: { id: "", username: "ann", email: "e@x" } }, "username:ann"],
  ["name", { user: { name: "Ann" } }, "username:Ann"],
  ["email", { user: { email: "e@x" } }, "email:e@x"],
  ["an e-mail address with capitals", { user: { email: "Ann.Lee@Example.COM" } }, "email:ann.lee@example.com"],
  ["an e-mail address beyond ASCII", { user: { email: "ÉLODIE@ΛΊΜΝΗ.GR" } }, "email:élodie@λίμνη.gr"],
  ["a long e-mail address", { user: { email: `${"İ".repeat(75)}@x` } }, `email:${"i̇".repeat(36)}...`],
  ["IPv6 written out", { user: { ip_address: "2001:0DB8:0:0:0:0:0:1" } }, "ip:2001:db8::1"],
  ["IPv6 with a zone", { user: { ip_address: "fe80::1%eth0" } }, "ip:fe80::1"],
  ["IPv4 mapped into IPv6", { user: { ip_address: "::ffff:1.2.3.4" } }, "ip:1.2.3.4"],
  ["the same in hexadecimal", { user: { ip_address: "::FFFF:0102:0304" } }, "ip:1.2.3.4"],
  ["IPv4 embedded in another way", { user: { ip_address: "64:ff9b::1.2.3.4" } }, "ip:64:ff9b::102:304"],
  ["an IPv6 address", { user: { ip_address: "2001:db8::1" } }, "ip:2001:db8::1"],
  ["an address that is none", { user: { ip_address: "nope" } }, ""],
  ["Python's [Filtered]", { user: { ip_address: "[Filtered]" } }, ""],
  ["{{auto}}", { user: { ip_address: "{{auto}}" } }, "ip:203.0.113.9"],
  ["a browser that names none", { platform: "javascript", user: {} }, ""],
  ["a phone that names none", { platform: "cocoa", user: {} }, ""],
  ["a browser that has it inferred", { sdk: { settings: { infer_ip: "auto" } } }, "ip:203.0.113.9"],
  ["a browser that forbids it", { user: { ip_address: "{{auto}}" }, sdk: { settings: { infer_ip: "never" } } }, ""],
  ["a server that names none", { platform: "python" }, ""],
  ["a server whose user has no name", { platform: "java", user: { segment: "beta" } }, ""],
  ["the request's peer", { request: { env: { REMOTE_ADDR: "1.2.3.4" } } }, ""],
  ["the old name", { "sentry.interfaces.User": { id: "1" } }, "id:1"],
  ["a long id", { user: { id: "x".repeat(500) } }, `id:${"x".repeat(125)}...`],
];

for (const [claim, event, key] of userKeys) {
  users(`${claim} counts as ${key || "nobody"}`, () => {
    assert.is(head(event, { clientIp: "203.0.113.9" }).user, key);
  });
}

users("the head of an event has the names of a user who counts, as the event shows them", () => {
  for (const [claim, event, key] of userKeys) {
    const { $typeName: _, ...names } = head(event, { clientIp: "203.0.113.9" }).userNames ?? {};
    const shown =
      key === "ip:203.0.113.9" ? { ...readUserNames(event), ipAddress: "203.0.113.9" } : readUserNames(event);
    assert.equal(names, key === "" ? {} : shown, claim);
  }
});

users("very long ids are cut alike, so that one person stays one", () => {
  const keyOf = (id: string) => head({ user: { id } }).user;
  assert.is(keyOf("x".repeat(500)), keyOf("x".repeat(500)));
  assert.not.equal(keyOf(`a${"x".repeat(500)}`), keyOf(`b${"x".repeat(500)}`));
  assert.is(keyOf(`${"x".repeat(124)}😀😀😀`), `id:${"x".repeat(124)}...`);
});

const keys: [key: string, read: string][] = [
  ["", ""],
  [" ", ""],
  ["ann", "ann"],
  ["id:", ""],
  ["id: 42 ", "id:42"],
  ["id:false", "id:false"],
  ["id:Ann@Example.com", "id:Ann@Example.com"],
  ["username:Ann", "username:Ann"],
  ["email:Ann@Example.com", "email:ann@example.com"],
  ["ip:0:0:0:0:0:0:0:1", "ip:::1"],
  ["ip:::ffff:1.2.3.4", "ip:1.2.3.4"],
  ["ip:nope", ""],
  ["ip:{{auto}}", ""],
  ["Email:Ann@Example.com", "Email:Ann@Example.com"],
];

for (const [key, read] of keys) {
  users(`the key ${JSON.stringify(key)} is read as ${read || "nobody"}, and that as itself`, () => {
    assert.is(readUserKey(key), read);
    assert.is(readUserKey(read), read);
  });
}

const names: [name: string, canonical: string][] = [
  ["Ann", "Ann"],
  ["@Ann", "@Ann"],
  ["Ann Lee @ Home", "Ann Lee @ Home"],
  ["Ann@Example.com", "ann@example.com"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["1.2.3.4", "1.2.3.4"],
];

for (const [name, canonical] of names) {
  users(`of unknown kind ${name} is ${canonical}`, () => assert.is(canonicalName(name), canonical));
}

users("what was sent is shown", () => {
  const shown = details({ user: { email: "Ann@Example.com", ip_address: "0:0:0:0:0:0:0:1" } }).user;
  assert.equal([shown?.email, shown?.ipAddress], ["Ann@Example.com", "0:0:0:0:0:0:0:1"]);
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
