type Given = Readonly<Record<string, unknown>>;

/**
 * Requests that use what a notice deprecates. Each has the last release without the notice, the release that deprecates
 * it, the release that refuses it, and the release from which the hosted offering refuses it.
 */
export const deprecatedRequests: readonly {
  id: string;
  meets: "gone" | "refused";
  unannounced: string;
  announced: string;
  refused: string;
  hosted: string;
  requests: readonly (readonly [call: string, parameters: Given])[];
}[] = [
  {
    id: "ci-lint-ref-sha",
    meets: "refused",
    unannounced: "16.9",
    announced: "16.10",
    refused: "18.0",
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
    refused: "17.0",
    hosted: "17.0", // support does not end early in any offering
    requests: [
      ["POST /api/v4/runners", { token: "GR1348941abcdef" }],
      ["POST /api/v4/runners", { token: 12345 }],
      ...["locked", "access_level", "run_untagged", "maximum_timeout", "paused", "tag_list", "maintenance_note"].map(
        (argument) => ["POST /api/v4/runners", { token: "glrt-abc", [argument]: "1" }] as const,
      ),
      ...["access-level", "run-untagged", "maximum-timeout", "tag-list", "maintenance-note"].map(
        (argument) => ["POST /api/v4/runners", { token: "glrt-abc", [argument]: "1" }] as const,
      ),
      ...["tag_list[]", "tag-list[]", "tag_list[0]", "locked[a]", "maintenance-note[]"].map(
        (argument) => ["POST /api/v4/runners", { token: "glrt-abc", [argument]: "docker" }] as const,
      ),
      ["POST /api/v4/runners", { token: "glrt-abc", tag_list: ["docker"] }],
      ["POST /api/v4/runners/", { "token[]": "GR1348941abcdef" }],
      ["POST /api/v4/runners", { paused: false }],
    ],
  },
  {
    id: "runners-reset-registration-token",
    meets: "gone",
    unannounced: "15.6",
    announced: "15.7",
    refused: "18.0",
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
    refused: "18.0",
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
    refused: "18.0",
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
    refused: "17.0",
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
    refused: "17.0",
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
    refused: "17.0",
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
    refused: "16.7",
    hosted: "16.6",
    requests: [["PUT /api/v4/application/settings", { user_email_lookup_limit: 60 }]],
  },
  {
    id: "jwks",
    meets: "gone",
    unannounced: "16.6",
    announced: "16.7",
    refused: "17.0",
    hosted: "16.11",
    requests: [["GET /-/jwks", {}]],
  },
  {
    id: "merge-request-approvals",
    meets: "gone",
    unannounced: "13.11",
    announced: "14.0",
    refused: "16.0",
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
    refused: "16.0",
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
    refused: "16.0",
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
    refused: "16.0",
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
    refused: "16.0",
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
