import { deprecations } from "@faultline/deprecations";
import type { Verdict } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { notices } from "../../../plugins/deprecations/src/notices.ts";

const verdicts = suite("verdicts");

type Given = Readonly<Record<string, unknown>>;

function verdict(call: string, parameters: Given, release: string, isHosted = false): Verdict | undefined {
  const [method = "", path = ""] = call.split(" ", 2);
  return deprecations({ release, isHosted }).deprecations.verdict({ method, path, parameters });
}

/** Requests that use what a notice is about, each with its last harmless, its deprecated and its removing release. */
const uses: readonly {
  id: string;
  meets: "gone" | "refused";
  unannounced: string;
  announced: string;
  removed: string;
  hosted: string;
  requests: readonly (readonly [string, Given])[];
}[] = [
  {
    id: "ci-lint-ref-sha",
    meets: "refused",
    unannounced: "16.9",
    announced: "16.10",
    removed: "18.0",
    hosted: "17.11",
    requests: [
      ["GET /api/v4/projects/1/ci/lint", { ref: "main" }],
      ["GET /api/v4/projects/group%2Fproject/ci/lint/", { sha: "1234", content_ref: "main" }],
    ],
  },
  {
    id: "runners-registration-token",
    meets: "gone",
    unannounced: "15.5",
    announced: "15.6",
    removed: "18.0",
    hosted: "17.11",
    requests: [
      ["POST /api/v4/runners", { token: "GR1348941abcdef" }],
      ["POST /api/v4/runners", { token: 12345 }],
      ...["locked", "access_level", "run_untagged", "maximum_timeout", "paused", "tag_list", "maintenance_note"].map(
        (argument) => ["POST /api/v4/runners", { token: "glrt-abc", [argument]: "1" }] as const,
      ),
      ["POST /api/v4/runners", { token: "glrt-abc", "tag_list[]": "docker" }],
      ["POST /api/v4/runners", { paused: false }],
    ],
  },
  {
    id: "runners-reset-registration-token",
    meets: "gone",
    unannounced: "15.6",
    announced: "15.7",
    removed: "18.0",
    hosted: "17.11",
    requests: [
      ["POST /api/v4/runners/reset_registration_token", {}],
      ["POST /api/v4/projects/1/runners/reset_registration_token", {}],
      ["POST /api/v4/groups/1/runners/reset_registration_token", {}],
    ],
  },
  {
    id: "registry-tags-offset-pagination",
    meets: "refused",
    unannounced: "16.9",
    announced: "16.10",
    removed: "18.0",
    hosted: "17.11",
    requests: [
      ["GET /api/v4/projects/1/registry/repositories/2/tags", { page: "2" }],
      ["GET /api/v4/projects/1/registry/repositories/2/tags", { per_page: "5" }],
      ["GET /api/v4/projects/1/registry/repositories/2/tags", { page: "1", pagination: "offset" }],
    ],
  },
  {
    id: "notes-confidential",
    meets: "refused",
    unannounced: "14.9",
    announced: "14.10",
    removed: "18.0",
    hosted: "17.11",
    requests: [
      ["PUT /api/v4/projects/1/issues/2/notes/3", { confidential: true }],
      ["PUT /api/v4/projects/1/merge_requests/2/notes/3", { body: "x", confidential: "false" }],
      ["PUT /api/v4/groups/1/epics/2/notes/3", { confidential: true }],
    ],
  },
  {
    id: "users-offset-pagination",
    meets: "refused",
    unannounced: "16.4",
    announced: "16.5",
    removed: "17.0",
    hosted: "16.11",
    requests: [
      ["GET /api/v4/users", { page: "1" }],
      ["GET /api/v4/users", { pagination: "offset" }],
      ["GET /api/v4/users", { order_by: "name" }],
      ["GET /api/v4/users", { order_by: "name", pagination: "keyset" }],
    ],
  },
  {
    id: "feature-flags-version",
    meets: "refused",
    unannounced: "16.8",
    announced: "16.9",
    removed: "17.0",
    hosted: "16.11",
    requests: [
      ["POST /api/v4/projects/1/feature_flags", { name: "x", version: "legacy_flag" }],
      ["PUT /api/v4/projects/1/feature_flags/x", { version: "new_version_flag" }],
    ],
  },
  {
    id: "settings-sign-in-text",
    meets: "refused",
    unannounced: "16.1",
    announced: "16.2",
    removed: "17.0",
    hosted: "16.11",
    requests: [
      ["PUT /api/v4/application/settings", { sign_in_text: "hello" }],
      ["PUT /api/v4/application/settings", { help_text: "" }],
    ],
  },
  {
    id: "settings-user-email-lookup-limit",
    meets: "refused",
    unannounced: "14.8",
    announced: "14.9",
    removed: "16.7",
    hosted: "16.6",
    requests: [["PUT /api/v4/application/settings", { user_email_lookup_limit: 60 }]],
  },
  {
    id: "jwks",
    meets: "gone",
    unannounced: "16.6",
    announced: "16.7",
    removed: "17.0",
    hosted: "16.11",
    requests: [["GET /-/jwks", {}]],
  },
  {
    id: "merge-request-approvals",
    meets: "gone",
    unannounced: "13.11",
    announced: "14.0",
    removed: "16.0",
    hosted: "15.11",
    requests: [
      ["GET /api/v4/projects/1/merge_requests/2/approvals", {}],
      ["POST /api/v4/projects/1/merge_requests/2/approvals", { approvals_required: 2 }],
    ],
  },
  {
    id: "deployments-updated-at",
    meets: "refused",
    unannounced: "15.7",
    announced: "15.8",
    removed: "16.0",
    hosted: "15.11",
    requests: [
      ["GET /api/v4/projects/1/deployments", { updated_after: "2024-01-01" }],
      ["GET /api/v4/projects/1/deployments", { updated_before: "2024-01-01", order_by: "id" }],
      ["GET /api/v4/projects/1/deployments", { order_by: "updated_at" }],
    ],
  },
  {
    id: "environments-search",
    meets: "refused",
    unannounced: "15.9",
    announced: "15.10",
    removed: "16.0",
    hosted: "15.11",
    requests: [
      ["GET /api/v4/projects/1/environments", { search: "ab" }],
      ["GET /api/v4/projects/1/environments", { search: "🚀🚀" }],
      ["GET /api/v4/projects/1/environments", { search: "" }],
    ],
  },
  {
    id: "releases-external",
    meets: "refused",
    unannounced: "15.8",
    announced: "15.9",
    removed: "16.0",
    hosted: "15.11",
    requests: [
      ["POST /api/v4/projects/1/releases", { external: true }],
      ["PUT /api/v4/projects/1/releases/v1.0", { external: true }],
      ["POST /api/v4/projects/1/releases/v1.0/assets/links", { external: true }],
      ["PUT /api/v4/projects/1/releases/v1.0/assets/links/2", { external: true }],
    ],
  },
  {
    id: "ci-parameters-length",
    meets: "refused",
    unannounced: "15.8",
    announced: "15.9",
    removed: "16.0",
    hosted: "15.11",
    requests: [
      ["POST /api/v4/projects/1/trigger/pipeline", { ref: "r".repeat(256) }],
      ["POST /api/v4/projects/1/ref/main/trigger/pipeline", { ref: "r".repeat(256) }],
      ["POST /api/v4/projects/1/pipeline", { ref: "r".repeat(256) }],
      ["POST /api/v4/projects/1/statuses/abc", { stage: "s".repeat(256) }],
      ["POST /api/v4/projects/1/statuses/abc", { description: "d".repeat(256) }],
      ["POST /api/v4/projects/1/statuses/abc", { target_url: `https://x/${"u".repeat(256)}` }],
    ],
  },
];

for (const { id, meets, unannounced, announced, removed, hosted, requests } of uses) {
  for (const [call, parameters] of requests) {
    verdicts(`${id}: ${call} ${JSON.stringify(parameters).slice(0, 60)} is judged by the release`, () => {
      const kindAt = (release: string, isHosted = false) => verdict(call, parameters, release, isHosted)?.kind;
      assert.is(kindAt(unannounced), undefined, unannounced);
      assert.is(kindAt(announced), "deprecated", announced);
      assert.is(kindAt(hosted), "deprecated", hosted);
      assert.is(kindAt(hosted, true), meets, `${hosted} hosted`);
      assert.is(kindAt(removed), meets, removed);
      assert.is(kindAt("99.0"), meets);
      assert.is(verdict(call, parameters, removed)?.notice.deprecationId, id);
      const [method = "", path = ""] = call.split(" ", 2);
      assert.ok(deprecations({ release: removed, isHosted: false }).deprecations.concerns(method, path));
    });
  }
}

verdicts("every notice about requests is in this table, and ci_job_token_scope_enabled below", () => {
  const judged = notices.filter(({ request }) => request).map(({ id }) => id);
  const named = [...uses.map(({ id }) => id), "projects-ci-job-token-scope-enabled"];
  assert.equal(judged.toSorted(), named.toSorted());
});

verdicts("what was removed in no named release is refused from its announcement on", () => {
  const kindAt = (release: string) =>
    verdict("PUT /api/v4/projects/1", { ci_job_token_scope_enabled: true }, release)?.kind;
  assert.is(kindAt("16.3"), undefined);
  assert.is(kindAt("16.4"), "refused");
  assert.is(kindAt("18.0"), "refused");
});

for (const [call, parameters] of [
  ["GET /api/v4/projects/1/ci/lint", { content_ref: "main", dry_run_ref: "main" }],
  ["GET /api/v4/projects/1/ci/lint", { ref: null }],
  ["POST /api/v4/projects/1/ci/lint", { ref: "main" }],
  ["POST /api/v4/runners", { token: "glrt-abc", description: "mine" }],
  ["POST /api/v4/runners", {}],
  ["GET /api/v4/runners", { paused: "true" }],
  ["POST /api/v4/runners/reset_authentication_token", {}],
  ["GET /api/v4/projects/1/registry/repositories/2/tags", {}],
  ["GET /api/v4/projects/1/registry/repositories/2/tags", { pagination: "keyset", per_page: "5" }],
  ["PUT /api/v4/projects/1", { name: "x" }],
  ["PUT /api/v4/projects/1/issues/2/notes/3", { body: "x" }],
  ["POST /api/v4/projects/1/issues/2/notes", { confidential: true }],
  ["GET /api/v4/users", {}],
  ["GET /api/v4/users", { per_page: "50" }],
  ["GET /api/v4/users", { pagination: "keyset", order_by: "id", per_page: "50" }],
  ["GET /api/v4/users/1", { page: "1" }],
  ["GET /api/v4/projects", { page: "2" }],
  ["POST /api/v4/projects/1/feature_flags", { name: "x" }],
  ["PUT /api/v4/application/settings", { search_rate_limit: 60 }],
  ["GET /-/jwks.json", {}],
  ["GET /api/v4/projects/1/merge_requests/2/approval_rules", {}],
  ["GET /api/v4/projects/1/deployments", {}],
  ["GET /api/v4/projects/1/deployments", { updated_after: "2024-01-01", order_by: "updated_at" }],
  ["GET /api/v4/projects/1/environments", {}],
  ["GET /api/v4/projects/1/environments", { search: "abc" }],
  ["POST /api/v4/projects/1/releases", { name: "x" }],
  ["POST /api/v4/projects/1/statuses/abc", { stage: "s".repeat(255), name: "n".repeat(300) }],
  ["POST /api/v4/projects/1/pipeline", { ref: "🚀".repeat(255) }],
] as const satisfies readonly (readonly [string, Given])[]) {
  verdicts(`${call} ${JSON.stringify(parameters).slice(0, 60)} uses nothing that was removed`, () =>
    assert.is(verdict(call, parameters, "99.0"), undefined),
  );
}

verdicts("addresses without notices concern nobody", () => {
  const { concerns } = deprecations({ release: "18.0", isHosted: false }).deprecations;
  for (const path of ["/api/v4/projects", "/api/1/envelope/", "/api/v4/runners/1", "/api/v4/graphql", "/"]) {
    assert.not(concerns("POST", path), path);
  }
});

verdicts("the gravest verdict wins", () => {
  const both = { sign_in_text: "x", user_email_lookup_limit: 60 };
  const found = verdict("PUT /api/v4/application/settings", both, "16.7");
  assert.is(found?.kind, "refused");
  assert.is(found?.notice.deprecationId, "settings-user-email-lookup-limit");
});

verdicts("what was removed is named with its release and its replacement", () => {
  assert.is(
    verdict("GET /api/v4/projects/1/ci/lint", { ref: "x" }, "18.0")?.message,
    "The parameters ref and sha of GET /projects/:id/ci/lint are removed as of release 18.0. Use content_ref and dry_run_ref instead.",
  );
  assert.is(
    verdict("GET /-/jwks", {}, "17.0")?.message,
    "The address /-/jwks is gone as of release 17.0. Use /oauth/discovery/keys instead.",
  );
});

verdicts("on the hosted offering the month before is named", () => {
  assert.is(
    verdict("GET /-/jwks", {}, "16.11", true)?.message,
    "The address /-/jwks is gone as of release 17.0, and here already in the month before. Use /oauth/discovery/keys instead.",
  );
});

verdicts(
  "what is deprecated tells when it was announced and when it ends, a month earlier on the hosted offering",
  () => {
    const at = (isHosted: boolean) => verdict("GET /api/v4/users", { page: "1" }, "16.10", isHosted);
    assert.is(at(false)?.deprecatedAt, Date.UTC(2023, 9, 22));
    assert.is(at(false)?.endsAt, Date.UTC(2024, 4, 16));
    assert.is(at(true)?.endsAt, Date.UTC(2024, 3, 18));
  },
);

verdicts.run();
