import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Caller } from "../../backend/src/access/caller.ts";
import { authorise, needs, type Need } from "../../backend/src/access/permissions.ts";
import { coreServices } from "../../backend/src/core.ts";
import { refusal } from "../support/refusal.ts";

const permissions = suite("permissions");

const methods = Object.values(coreServices).flatMap((service) =>
  service.methods.map((method) => ({ name: `${service.name}.${method.name}`, verb: method.name })),
);

permissions("every method has exactly one row, and no row is without a method", () => {
  assert.equal(Object.keys(needs).toSorted(), methods.map(({ name }) => name).toSorted());
});

permissions("nothing but signing in is public", () => {
  assert.equal(
    Object.keys(needs).filter((name) => needs[name] === "public"),
    ["AccountService.SignIn"],
  );
});

permissions("a token that may only read is good for reading methods alone", () => {
  for (const { name, verb } of methods) {
    if (needs[name] === "read") assert.match(verb, /^(Get|List|Watch)/, name);
  }
});

const user = { id: 1, username: "ann", name: "Ann", passwordHash: "", isAdmin: false, createdAt: 0 } as Caller["user"];
const callers: [who: string, scopes: Caller["scopes"], may: Need[], refused: ErrorReason][] = [
  ["a session", "session", ["public", "read", "write", "session"], ErrorReason.UNSPECIFIED],
  ["a token with the scope api", ["api"], ["public", "read", "write"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with the scope read_api", ["read_api"], ["public", "read"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with both scopes", ["api", "read_api"], ["public", "read", "write"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with an unknown scope", ["admin"], ["public"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token without a scope", [], ["public"], ErrorReason.INSUFFICIENT_SCOPE],
];

for (const [who, scopes, may, refused] of callers) {
  permissions(`${who} may call what is ${may.join(", ")}`, () => {
    for (const [name, need] of Object.entries(needs)) {
      const call = () => authorise(name, { user, scopes });
      if (may.includes(need)) call();
      else assert.is(refusal(call).reason, need === "session" ? ErrorReason.FORBIDDEN : refused, name);
    }
  });
}

permissions("nobody may call a method without a row", () => {
  for (const [, scopes] of callers) {
    const { reason } = refusal(() => authorise("AccountService.DeleteEverything", { user, scopes }));
    assert.is(reason, ErrorReason.FORBIDDEN);
  }
});

permissions.run();
