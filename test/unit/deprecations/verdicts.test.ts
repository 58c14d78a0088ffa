import { deprecations } from "@faultline/deprecations";
import type { Verdict } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { notices } from "../../../plugins/deprecations/src/notices.ts";
import { deprecatedRequests } from "../../support/rest/deprecated-requests.ts";

const verdicts = suite("verdicts");

type Given = Readonly<Record<string, unknown>>;

function verdict(call: string, parameters: Given, release: string, isHosted = false): Verdict | undefined {
  const [method = "", path = ""] = call.split(" ", 2);
  return deprecations({ release, isHosted }).deprecations.verdict({ method, path, parameters });
}

for (const { id, meets, unannounced, announced, refused, hosted, requests } of deprecatedRequests) {
  for (const [call, parameters] of requests) {
    verdicts(`${id}: ${call} ${JSON.stringify(parameters).slice(0, 60)} is judged by the release`, () => {
      const kindAt = (release: string, isHosted = false) => verdict(call, parameters, release, isHosted)?.kind;
      assert.is(kindAt(unannounced), undefined, unannounced);
      assert.is(kindAt(announced), "deprecated", announced);
      if (hosted !== refused) assert.is(kindAt(hosted), "deprecated", hosted);
      else assert.is(kindAt("16.11", true), "deprecated", "16.11 hosted");
      assert.is(kindAt(hosted, true), meets, `${hosted} hosted`);
      assert.is(kindAt(refused), meets, refused);
      assert.is(kindAt("99.0"), meets);
      assert.is(verdict(call, parameters, refused)?.notice.deprecationId, id);
      const [method = "", path = ""] = call.split(" ", 2);
      assert.ok(deprecations({ release: refused, isHosted: false }).deprecations.concerns(method, path));
    });
  }
}

verdicts("every notice about requests is in this table, and ci_job_token_scope_enabled below", () => {
  const judged = notices.filter(({ request }) => request).map(({ id }) => id);
  const named = [...deprecatedRequests.map(({ id }) => id), "projects-ci-job-token-scope-enabled"];
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
  ["POST /api/v4/runners", { token: "glrt-abc", "tag-lists": "x", tag: "y", xtag_list: "z", paused: null }],
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
    "The parameters ref and sha of GET /projects/:id/ci/lint are removed as of release 18.0. Use content_ref and dry_run_ref instead (not part of this service).",
  );
  assert.is(
    verdict("GET /-/jwks", {}, "17.0")?.message,
    "The address /-/jwks is gone as of release 17.0. Use /oauth/discovery/keys instead.",
  );
});

verdicts("registration tokens are refused from the end of their support on, and the refusal names that release", () => {
  for (const release of ["17.0", "17.5", "17.10", "17.11", "18.0"]) {
    for (const isHosted of [false, true]) {
      const found = verdict("POST /api/v4/runners", { token: "GR1348941abcdef" }, release, isHosted);
      assert.is(found?.kind, "gone", release);
      assert.match(found?.message ?? "", "are gone as of release 17.0. Use a runner authentication token instead (not");
      assert.is(found?.endsAt, Date.UTC(2024, 4, 16));
    }
  }
});

verdicts("a notice of what this service does not have says so where there is nothing to use instead", () => {
  assert.is(
    verdict("PUT /api/v4/projects/1/issues/2/notes/3", { confidential: true }, "18.0")?.message,
    "The attribute confidential of a note can no longer be updated as of release 18.0. This interface is not part of this service.",
  );
});

verdicts("on the hosted offering the month before is named", () => {
  assert.is(
    verdict("GET /-/jwks", {}, "16.11", true)?.message,
    "The address /-/jwks is gone as of release 17.0, and here already in the month before. Use /oauth/discovery/keys instead.",
  );
});

verdicts("a deprecation says when it was announced and when it ends, a month earlier on the hosted offering", () => {
  const at = (isHosted: boolean) => verdict("GET /api/v4/users", { page: "1" }, "16.10", isHosted);
  assert.is(at(false)?.deprecatedAt, Date.UTC(2023, 9, 22));
  assert.is(at(false)?.endsAt, Date.UTC(2024, 4, 16));
  assert.is(at(true)?.endsAt, Date.UTC(2024, 3, 18));
});

verdicts.run();
