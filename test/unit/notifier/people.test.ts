import {
  ErrorSubscription as Subscription,
  NotificationLevel as Level,
  NotificationSuppressionReason as Reason,
  NotificationTrigger as Trigger,
} from "@faultline/proto";
import type { NotificationAudience } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { decideFor } from "../../../plugins/notifier/src/people/decide.ts";

const { ALL, NEW_AND_REOPENED, MINE, NONE } = Level;
const { UNSPECIFIED, WATCHED, MUTED } = Subscription;
const { CREATED, REOPENED, STATUS } = Trigger;

type Expected = "notified" | "not asked for" | keyof typeof Reason;

const reasonOf = (reason: Reason | undefined): Expected =>
  (Object.keys(Reason) as (keyof typeof Reason)[]).find((name) => Reason[name] === reason) ?? "not asked for";

function verdict(
  level: Level,
  subscription: Subscription,
  change: { trigger: Trigger; by?: string; severity?: string; audience?: NotificationAudience },
) {
  const person = {
    userId: 1,
    username: "ann",
    level,
    wantsMail: true,
    quietHours: undefined,
    subscriptions: new Map([["7", subscription]]),
  };
  const { trigger, by = "", severity = "error", ...audience } = change;
  const of = { error_id: "7", notification_trigger: trigger, made_by: by, level: severity };
  const found = decideFor(person, { ...of, ...audience });
  assert.is(found.mail, found.inbox);
  return found.inbox ? "notified" : reasonOf(found.reason);
}

const byBob = { by: "bob" };

// For each level and subscription: a new error, an error that came back, a status that Bob set.
const cases: readonly [
  level: Level,
  subscription: Subscription,
  created: Expected,
  back: Expected,
  status: Expected,
][] = [
  [ALL, UNSPECIFIED, "notified", "notified", "notified"],
  [ALL, WATCHED, "notified", "notified", "notified"],
  [ALL, MUTED, "MUTED", "MUTED", "MUTED"],
  [NEW_AND_REOPENED, UNSPECIFIED, "notified", "notified", "not asked for"],
  [NEW_AND_REOPENED, WATCHED, "notified", "notified", "notified"],
  [NEW_AND_REOPENED, MUTED, "MUTED", "MUTED", "not asked for"],
  [MINE, UNSPECIFIED, "NOT_WATCHED", "NOT_WATCHED", "not asked for"],
  [MINE, WATCHED, "notified", "notified", "notified"],
  [MINE, MUTED, "MUTED", "MUTED", "not asked for"],
  [NONE, UNSPECIFIED, "not asked for", "not asked for", "not asked for"],
  [NONE, WATCHED, "not asked for", "not asked for", "not asked for"],
  [NONE, MUTED, "not asked for", "not asked for", "not asked for"],
];

const nameOf = (values: object, value: number) => Object.entries(values).find(([, one]) => one === value)?.[0];

for (const [level, subscription, ...expected] of cases) {
  test(`level ${nameOf(Level, level)}, error ${nameOf(Subscription, subscription)}: ${expected.join(", ")}`, () => {
    const found = [{ trigger: CREATED }, { trigger: REOPENED }, { trigger: STATUS, ...byBob }];
    assert.equal(
      found.map((change) => verdict(level, subscription, change)),
      expected,
    );
  });
}

test("one's own changes are not reported to oneself, also of a watched error", () => {
  for (const subscription of [UNSPECIFIED, WATCHED]) {
    assert.is(verdict(ALL, subscription, { trigger: STATUS, by: "ann" }), "OWN_CHANGE");
  }
});

test("errors below the level error are reported only to people who watch them", () => {
  for (const severity of ["warning", "info", "debug"]) {
    assert.is(verdict(ALL, UNSPECIFIED, { trigger: CREATED, severity }), "LOW_LEVEL");
    assert.is(verdict(MINE, WATCHED, { trigger: REOPENED, severity }), "notified");
  }
  assert.is(verdict(NEW_AND_REOPENED, UNSPECIFIED, { trigger: CREATED, severity: "fatal" }), "notified");
});

test("people who want no mail get only the entry", () => {
  const person = { userId: 1, username: "ann", quietHours: undefined, subscriptions: new Map<string, Subscription>() };
  const change = { error_id: "7", notification_trigger: CREATED, made_by: "", level: "error" };
  assert.equal(decideFor({ ...person, level: ALL, wantsMail: false }, change), { inbox: true, mail: false });
});

// For each level and subscription: a notice for people who follow the error, and a notice that names the person.
const notices: readonly [level: Level, subscription: Subscription, followed: Expected, named: Expected][] = [
  [ALL, UNSPECIFIED, "notified", "notified"],
  [ALL, MUTED, "MUTED", "MUTED"],
  [NEW_AND_REOPENED, UNSPECIFIED, "not asked for", "notified"],
  [NEW_AND_REOPENED, WATCHED, "notified", "notified"],
  [MINE, UNSPECIFIED, "not asked for", "notified"],
  [MINE, MUTED, "not asked for", "MUTED"],
  [NONE, WATCHED, "not asked for", "not asked for"],
];

for (const [level, subscription, followed, named] of notices) {
  test(`with ${nameOf(Level, level)} and ${nameOf(Subscription, subscription)}, notices of plugins reach a person as asked`, () => {
    const notice = { trigger: Trigger.ANNOUNCED, by: "bob", severity: "info" };
    const watched = { ...notice, severity: "error" };
    assert.is(verdict(level, subscription, { ...watched, audience: "subscribers" }), followed);
    assert.is(verdict(level, subscription, { ...notice, audience: "named" }), named);
    assert.is.not(verdict(level, subscription, { ...notice, by: "ann", audience: "named" }), "notified");
  });
}

test("a default of nothing leaves notices that name the person", () => {
  const person = { userId: 1, username: "ann", quietHours: undefined, subscriptions: new Map<string, Subscription>() };
  const change = { error_id: "7", notification_trigger: Trigger.ANNOUNCED, made_by: "", level: "info" };
  const reporter = { ...person, level: NONE, isDefaultLevel: true, wantsMail: true };
  assert.ok(decideFor(reporter, { ...change, audience: "named" }).inbox);
  assert.not.ok(decideFor({ ...reporter, isDefaultLevel: false }, { ...change, audience: "named" }).inbox);
  assert.not.ok(decideFor(reporter, { ...change, audience: "subscribers" }).inbox);
});

test.run();
