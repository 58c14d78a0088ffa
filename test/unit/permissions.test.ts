import { clone, create, setExtension, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import {
  MethodDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { ErrorReason, needs, Needs_Scope, Needs_Who, NeedsSchema, Permission, Role, services } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Caller } from "../../backend/src/services/access/caller.ts";
import {
  checkGrant,
  checkToken,
  needsOf,
  readNeed,
  type Need,
  type Scope,
} from "../../backend/src/services/access/permissions.ts";
import { permissionsOf, roleNames } from "../../backend/src/services/access/roles.ts";
import { refusal } from "../support/assert/refusal.ts";

const permissions = suite("permissions");

const needOf = needsOf(Object.values(services));
const methods = Object.values(services).flatMap((service) =>
  service.methods.map((method) => {
    const name = `${service.name}.${method.name}`;
    return { name, method, need: needOf(name) };
  }),
);

permissions("nothing is public but signing in and what a link alone is the proof for", () => {
  assert.equal(
    methods.filter(({ need }) => need.who === "anyone").map(({ name }) => name),
    [
      "AccountService.SignIn",
      "MemberService.GetInvitation",
      "MemberService.RegisterByInvitation",
      "NotificationMailService.GetAddressConfirmation",
      "NotificationMailService.ConfirmAddress",
      "NotificationMailService.GetMailSubscription",
      "NotificationMailService.UnsubscribeFromMail",
      "UserService.GetPasswordReset",
      "UserService.ResetPassword",
    ],
  );
});

permissions("a token that may only read is good for methods without side effects alone, whose names say so", () => {
  for (const { name, method, need } of methods) {
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    assert.is(isRead, /^(Get|List|Watch|Preview|Explain)/.test(method.name), name);
    if (need.who !== "anyone" && need.scope === "read") assert.ok(isRead, name);
  }
});

permissions("nobody may call a method that does not exist", () => {
  assert.is(refusal(() => needOf("ErrorService.toString")).reason, ErrorReason.FORBIDDEN);
});

const contradictions: [what: string, needs: MessageInitShape<typeof NeedsSchema>][] = [
  ["nothing", {}],
  ["no scope", { who: Needs_Who.USER }],
  ["a scope of anyone", { who: Needs_Who.ANYONE, scope: Needs_Scope.READ }],
  ["a member without a permission", { who: Needs_Who.MEMBER, scope: Needs_Scope.READ }],
  ["a permission of a user", { who: Needs_Who.USER, scope: Needs_Scope.READ, permission: Permission.READ_PROJECT }],
  ["an administrator or oneself", { who: Needs_Who.ADMINISTRATOR, scope: Needs_Scope.WRITE, orSelf: true }],
  ["keys for a user", { who: Needs_Who.USER, scope: Needs_Scope.READ, holdsKeys: true }],
];

for (const [what, wrong] of contradictions) {
  permissions(`a method that needs ${what} is refused at the start`, () => {
    const options = create(MethodOptionsSchema);
    setExtension(options, needs, create(NeedsSchema, wrong));
    const { listErrors } = services.errors.method;
    const proto = clone(MethodDescriptorProtoSchema, listErrors.proto);
    proto.options = options;
    assert.throws(() => readNeed({ ...listErrors, proto } as DescMethod), /does not say what a call needs/);
  });
}

const user = { id: 1, username: "ann", isAdmin: true } as Caller["user"];
const callers: [who: string, scopes: Caller["scopes"], may: Scope[], refused: ErrorReason][] = [
  ["a session", "session", ["read", "write", "upload", "session"], ErrorReason.UNSPECIFIED],
  ["a token with the scope api", ["api"], ["read", "write", "upload"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with the scope read_api", ["read_api"], ["read"], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with the scope upload", ["upload"], ["upload"], ErrorReason.INSUFFICIENT_SCOPE],
  [
    "a token with all scopes",
    ["api", "read_api", "upload"],
    ["read", "write", "upload"],
    ErrorReason.INSUFFICIENT_SCOPE,
  ],
  ["a token with an unknown scope", ["admin"], [], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token with the scope in capitals", ["API"], [], ErrorReason.INSUFFICIENT_SCOPE],
  ["a token without a scope", [], [], ErrorReason.INSUFFICIENT_SCOPE],
];

const tokenNeeds = methods.flatMap(({ name, need }): [string, Exclude<Need, { who: "anyone" }>][] =>
  need.who === "anyone" ? [] : [[name, need]],
);

for (const [who, scopes, may, refused] of callers) {
  permissions(`${who} may call what needs ${may.join(", ") || "nothing"}`, () => {
    for (const [name, need] of tokenNeeds) {
      const call = () => checkToken(need, { user, scopes });
      if (may.includes(need.scope)) call();
      else assert.is(refusal(call).reason, need.scope === "session" ? ErrorReason.FORBIDDEN : refused, name);
    }
  });
}

permissions("who is no administrator may do nothing that is for administrators, in a session neither", () => {
  for (const [name, need] of tokenNeeds) {
    const call = () => checkToken(need, { user: { ...user, isAdmin: false }, scopes: "session" });
    if (need.who === "administrator") assert.is(refusal(call).reason, ErrorReason.FORBIDDEN, name);
    else call();
  }
});

const leastRoles: [Permission, Role][] = [
  [Permission.READ_PROJECT, Role.GUEST],
  [Permission.READ_MEMBERS, Role.GUEST],
  [Permission.READ_ERROR_TRACKING, Role.REPORTER],
  [Permission.UPDATE_ERROR_TRACKING, Role.DEVELOPER],
  [Permission.REPORT_EVENTS, Role.DEVELOPER],
  [Permission.UPLOAD_SOURCE_MAPS, Role.DEVELOPER],
  [Permission.ADMIN_ERROR_TRACKING, Role.MAINTAINER],
  [Permission.ADMIN_PROJECT, Role.MAINTAINER],
  [Permission.ADMIN_MEMBERS, Role.MAINTAINER],
  [Permission.REMOVE_PROJECT, Role.OWNER],
];

for (const [permission, least] of leastRoles) {
  permissions(`permission ${permission} begins with the role ${roleNames.get(least)}`, () => {
    const project = { path: "acme/web" } as never;
    for (const role of roleNames.keys()) {
      const check = () =>
        checkGrant(
          { who: "member", scope: "write", permission, orSelf: false, holdsKeys: false },
          { project, role, permissions: permissionsOf(role) },
          false,
        );
      if (role >= least) check();
      else assert.match(refusal(check).message, `at least the ${roleNames.get(least)} role in acme/web`);
    }
  });
}

permissions("a custom role may do what its base role may, and what it adds", () => {
  const may = permissionsOf(Role.REPORTER, [Permission.ADMIN_MEMBERS]);
  assert.equal(
    [...may],
    [Permission.READ_PROJECT, Permission.READ_MEMBERS, Permission.READ_ERROR_TRACKING, Permission.ADMIN_MEMBERS],
  );
});

permissions("nobody may call a method without a row", () => {
  for (const name of ["AccountService.DeleteEverything", "toString", "__proto__"]) {
    assert.is(refusal(() => needOf(name)).reason, ErrorReason.FORBIDDEN);
  }
});

permissions.run();
