import { deprecations } from "@faultline/deprecations";
import { StartRefusal, type DeprecationNotice } from "@faultline/plugin";
import { DeprecationArea, DeprecationState } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { notices, type NoticeRow } from "../../../plugins/deprecations/src/notices.ts";
import { monthOf, type Release } from "../../../plugins/deprecations/src/release.ts";
import { faultsOf } from "../../../plugins/deprecations/src/index.ts";

const all = suite("notices");

/** The rows of the table in specification 9.3, in its order. */
const rows: readonly [area: string, ids: readonly string[]][] = [
  ["GET /projects/:id/ci/lint", ["ci-lint-ref-sha"]],
  ["POST /api/v4/runners", ["runners-registration-token"]],
  ["POST .../reset_registration_token", ["runners-reset-registration-token"]],
  ["List registry repository tags", ["registry-tags-offset-pagination"]],
  ["ci_job_token_scope_enabled", ["projects-ci-job-token-scope-enabled"]],
  ["Notes", ["notes-confidential", "graphql-notes-confidential"]],
  ["GET /users", ["users-offset-pagination"]],
  ["/api/v4/projects/:id/packages", ["packages-pipelines"]],
  ["Feature flag API", ["feature-flags-version"]],
  ["Settings API", ["settings-sign-in-text"]],
  ["Instance member roles", ["instance-member-roles"]],
  ["/-/jwks", ["jwks"]],
  ["user_email_lookup_limit", ["settings-user-email-lookup-limit"]],
  ["/approvals (merge requests)", ["merge-request-approvals"]],
  ["Deployments API", ["deployments-updated-at"]],
  ["Environment search", ["environments-search"]],
  ["Releases and Release Links APIs", ["releases-external"]],
  ["CI parameters", ["ci-parameters-length"]],
  [
    "GraphQL",
    [
      "graphql-previous-stage-jobs-or-needs",
      "graphql-runner-active",
      "graphql-project-services",
      "graphql-dependency-proxy-total-size-in-bytes",
      "graphql-total-weight",
      "graphql-registry-size-estimated",
      "graphql-has-solutions",
      "graphql-note-confidential-renamed",
      "graphql-can-destroy",
      "graphql-can-delete",
      "graphql-ci-job-token-scope-direction",
      "graphql-disabled-with-override",
    ],
  ],
];
const external = "external-system-version"; // specification 9.1

all("the 19 rows of specification 9.3 and the rule of 9.1 are the notices, and nothing else is", () => {
  assert.is(rows.length, 19);
  const named = [...rows.flatMap(([, ids]) => ids), external];
  assert.equal(notices.map(({ id }) => id).toSorted(), named.toSorted());
});

for (const [area, words] of [
  ["ci-lint-ref-sha", ["ref", "sha", "content_ref", "dry_run_ref"]],
  [
    "runners-registration-token",
    [
      "Registration tokens",
      "locked",
      "access_level",
      "run_untagged",
      "maximum_timeout",
      "paused",
      "tag_list",
      "maintenance_note",
      "runner authentication token",
    ],
  ],
  ["registry-tags-offset-pagination", ["Offset pagination", "keyset pagination"]],
  ["users-offset-pagination", ["Offset pagination", "keyset pagination"]],
  ["settings-sign-in-text", ["sign_in_text", "help_text", "description", "Appearance API"]],
  ["instance-member-roles", ["GET /member_roles", "POST /member_roles", "DELETE /member_roles/:id"]],
  ["jwks", ["/-/jwks", "/oauth/discovery/keys"]],
  ["settings-user-email-lookup-limit", ["user_email_lookup_limit", "search_rate_limit"]],
  ["merge-request-approvals", ["/approvals", "/approval_rules"]],
  ["ci-parameters-length", ["stage", "ref", "description", "target_url", "255"]],
  ["graphql-disabled-with-override", ["DISABLED_WITH_OVERRIDE", "DISABLED_AND_OVERRIDABLE"]],
  [external, ["21.4.1", "21.5.0"]],
] as const) {
  all(`${area} says what changes and what to use`, () => {
    const row = rowOf(area);
    for (const word of words) assert.match(`${row.change} ${row.replacement}`, word);
  });
}

// The removal of each by specification 9.3; GraphQL is "17.0 to 18.0".
for (const [release, ids] of [
  ["16.0", ["merge-request-approvals", "deployments-updated-at", "environments-search", "releases-external"]],
  ["16.0", ["ci-parameters-length"]],
  ["16.7", ["settings-user-email-lookup-limit"]],
  ["17.0", ["users-offset-pagination", "packages-pipelines", "feature-flags-version", "settings-sign-in-text", "jwks"]],
  ["17.0", [external]],
  ["18.0", ["ci-lint-ref-sha", "runners-registration-token", "runners-reset-registration-token"]],
  ["18.0", ["registry-tags-offset-pagination", "notes-confidential", "graphql-notes-confidential"]],
] as const) {
  all(`${release} removes ${ids.join(", ")}`, () => {
    for (const id of ids) assert.is(rowOf(id).removedIn, release);
  });
}

all("every GraphQL item goes in 17.0 or 18.0", () => {
  const items = notices.filter(({ area }) => area === DeprecationArea.GRAPHQL);
  assert.is(items.length, 13);
  for (const { id, removedIn } of items) assert.ok(removedIn === "17.0" || removedIn === "18.0", id);
});

all("REST and GraphQL are announced separately", () => {
  for (const { id, area } of notices) {
    assert.is(id.startsWith("graphql-"), area === DeprecationArea.GRAPHQL, id);
  }
});

all("the notices obey the rules of specification 9.2", () => assert.equal(faultsOf(notices), []));

const sound: NoticeRow = {
  id: "a-thing",
  area: DeprecationArea.REST,
  subject: "A thing",
  change: "The thing is removed.",
  announcedIn: "16.5",
  removedIn: "17.0",
  isBreaking: true,
};

for (const [title, row, fault] of [
  ["an id with capitals", { ...sound, id: "A_thing" }, "its id is not"],
  ["a change without its full stop", { ...sound, change: "The thing is removed" }, "its change is not a sentence"],
  ["a release that never was", { ...sound, announcedIn: "14.11" as Release }, "14.11 is not a release"],
  ["a removal before the announcement", { ...sound, removedIn: "16.0" as Release }, "it is not announced, then"],
  ["an end of support after the removal", { ...sound, endOfSupportIn: "17.1" as Release }, "it is not announced, then"],
  ["a breaking removal in a minor", { ...sound, removedIn: "17.1" as Release }, "it breaks callers in 17.1"],
  ["a novelty that breaks callers", { ...sound, removedIn: undefined }, "it breaks callers and removes nothing"],
] as const) {
  all(`${title} is a fault`, () => {
    const { removedIn, ...others } = row;
    const faults = faultsOf([{ ...others, ...(removedIn !== undefined && { removedIn }) }]);
    assert.is(faults.length, 1, faults.join("; "));
    assert.match(faults[0] ?? "", fault);
  });
}

all("an id that is there twice is a fault", () =>
  assert.equal(faultsOf([sound, sound]), ["a-thing: its id is there twice"]),
);

all("a removal in a minor that breaks nothing is none", () =>
  assert.equal(faultsOf([{ ...sound, removedIn: "17.1", isBreaking: false }]), []),
);

// The state of each notice at each release.
for (const row of notices) {
  const { id, announcedIn, endOfSupportIn, removedIn } = row;
  const { NOT_ANNOUNCED, DEPRECATED, UNSUPPORTED, REMOVED, ADDED } = DeprecationState;
  const known = removedIn === undefined || removedIn === "unnamed" ? undefined : removedIn;
  const before = (release: Release) => releaseOfMonth(monthOf(release) - 1);
  const last = endOfSupportIn ? UNSUPPORTED : DEPRECATED;
  const table: [Release, onSelfManaged: DeprecationState, onHosted: DeprecationState][] = known
    ? [
        [before(announcedIn), NOT_ANNOUNCED, NOT_ANNOUNCED],
        [announcedIn, DEPRECATED, DEPRECATED],
        [before(before(known)), last, last],
        [before(known), last, REMOVED],
        [known, REMOVED, REMOVED],
        ["99.0", REMOVED, REMOVED],
      ]
    : [
        [before(announcedIn), NOT_ANNOUNCED, NOT_ANNOUNCED],
        [announcedIn, removedIn ? REMOVED : ADDED, removedIn ? REMOVED : ADDED],
        ["99.0", removedIn ? REMOVED : ADDED, removedIn ? REMOVED : ADDED],
      ];
  for (const [release, onSelfManaged, onHosted] of table) {
    all(`${id} stands where it should at ${release}`, () => {
      assert.is(noticeAt(id, release, false).state, onSelfManaged);
      assert.is(noticeAt(id, release, true).state, onHosted);
    });
  }
}

all("support for registration tokens ends a major before their removal", () => {
  assert.is(noticeAt("runners-registration-token", "16.11", false).state, DeprecationState.DEPRECATED);
  assert.is(noticeAt("runners-registration-token", "17.0", false).state, DeprecationState.UNSUPPORTED);
  assert.is(noticeAt("runners-registration-token", "17.10", true).state, DeprecationState.UNSUPPORTED);
  assert.is(noticeAt("runners-registration-token", "17.11", true).state, DeprecationState.REMOVED);
});

all("the next removal comes first, then what was removed, what is new, and what is not announced", () => {
  const states = deprecations({ release: "16.4", isHosted: false })
    .deprecations.notices()
    .map(({ deprecationId, state, removedIn }) => ({ deprecationId, state, removedIn }));
  assert.equal(states[0], {
    deprecationId: "settings-user-email-lookup-limit",
    state: DeprecationState.DEPRECATED,
    removedIn: "16.7",
  });
  const { DEPRECATED, REMOVED, NOT_ANNOUNCED } = DeprecationState;
  assert.equal([...new Set(states.map(({ state }) => state))], [DEPRECATED, REMOVED, NOT_ANNOUNCED]);
  const working = states.filter(({ state }) => state === DEPRECATED).map(({ removedIn }) => removedIn);
  assert.equal(working, working.toSorted());
});

all("another release may be asked for", () => {
  const { notices: at } = deprecations({ release: "18.0", isHosted: false }).deprecations;
  const users = (release?: string) =>
    at(release).find(({ deprecationId }) => deprecationId === "users-offset-pagination");
  assert.is(users()?.state, DeprecationState.REMOVED);
  assert.is(users("16.11")?.state, DeprecationState.DEPRECATED);
  assert.throws(() => at("17"), /must look like 18\.0/);
});

all("a notice names the days of its releases", () => {
  const { announcedTime, removalTime } = noticeAt("users-offset-pagination", "18.0", false);
  assert.is(announcedTime?.seconds, BigInt(Date.UTC(2023, 9, 22) / 1000));
  assert.is(removalTime?.seconds, BigInt(Date.UTC(2024, 4, 16) / 1000));
});

all("the replacements that this service has are named plainly, and all others as not part of it", () => {
  const served = ["users-offset-pagination", "instance-member-roles", "jwks", external];
  const ofSameInterface = ["deployments-updated-at", "environments-search", "ci-parameters-length"];
  for (const notice of deprecations({ release: "18.0", isHosted: false }).deprecations.notices()) {
    const isPlain = !notice.replacement?.endsWith(" (not part of this service)");
    if (notice.replacement)
      assert.is(isPlain, [...served, ...ofSameInterface].includes(notice.deprecationId ?? ""), notice.deprecationId);
  }
});

all("a release that does not exist is refused at the start", () => {
  assert.throws(
    () => deprecations({ release: "14.11", isHosted: false }),
    (error: unknown) => error instanceof StartRefusal,
  );
});

function rowOf(id: string): NoticeRow {
  const row = notices.find((one) => one.id === id);
  if (!row) throw new Error(`there is no notice ${id}`);
  return row;
}

function noticeAt(id: string, release: string, isHosted: boolean): DeprecationNotice {
  const found = deprecations({ release, isHosted })
    .deprecations.notices()
    .find(({ deprecationId }) => deprecationId === id);
  if (!found) throw new Error(`there is no notice ${id} at ${release}`);
  return found;
}

/** The release of a month; all that the notices name lie between 13.0 and 18.11. */
function releaseOfMonth(month: number): Release {
  for (let major = 18; major >= 13; major -= 1) {
    const minor = month - monthOf(`${major}.0`);
    if (minor >= 0) return `${major}.${minor}`;
  }
  throw new Error(`no release in month ${month}`);
}

all.run();
