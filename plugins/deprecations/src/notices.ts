import { DeprecationArea } from "@faultline/proto";
import type { Release } from "./release.ts";
import { given, longerThan, offsetPagination, shorterThan, textOf, type RequestForm } from "./request-form.ts";

/** A notice of deprecation (required by specification 9.2, rule 1), with the requests it concerns. */
export interface NoticeRow {
  /** Lower-case words joined by `-`; never changes. */
  readonly id: string;
  readonly area: DeprecationArea;
  readonly subject: string;
  /** The change: a sentence that "as of release 17.0" can follow. */
  readonly change: string;
  /** The replacement, worded to follow "Use"; undefined if there is no replacement. */
  readonly replacement?: string;
  /**
   * Whether this service has the replacement or, without a replacement, the interface that remains. If undefined, the
   * notice must say that it does not.
   */
  readonly isServed?: true;
  /** Whether the replacement is another request to the same interface that this service does not have. */
  readonly isSameInterface?: true;
  readonly announcedIn: Release;
  /**
   * From this release on, requests get the answer they get after the removal; undefined if that begins with the
   * removal.
   */
  readonly endOfSupportIn?: Release;
  /** `unnamed` if the specification names no release; undefined if a new part removes nothing. */
  readonly removedIn?: Release | "unnamed";
  /**
   * Whether the removal breaks callers. A breaking removal comes with a major release only (specification 9.2, rule 2).
   */
  readonly isBreaking: boolean;
  /** Undefined if no request uses it, or if this service has no such interface. */
  readonly request?: RequestForm;
}

const { REST, GRAPHQL, EXTERNAL_SYSTEM } = DeprecationArea;

/** Specification 9.1, applied by external-version.ts. */
export const externalSystemVersion: NoticeRow = {
  id: "external-system-version",
  area: EXTERNAL_SYSTEM,
  subject: "External error tracking for the instance itself",
  change:
    "Self-hosted external systems of version 21.4.1 and earlier no longer receive the errors of the platform instance itself.",
  replacement: "version 21.5.0 or later of the external system",
  isServed: true,
  announcedIn: "16.9",
  removedIn: "17.0",
  isBreaking: true,
};

/**
 * Every deprecation of specification 9.3, in its order, and the version rule of 9.1. Fields that answers no longer have
 * are listed too, without a request: this service never sends them.
 *
 * The removals come from the specification, the announcements from the platform's own list "Deprecations and removals
 * by version". Two are not in that list: `ci-lint-ref-sha` has the release that brought the new names, and
 * `registry-tags-offset-pagination` the release that brought keyset pagination.
 */
export const notices: readonly NoticeRow[] = [
  {
    id: "ci-lint-ref-sha",
    area: REST,
    subject: "GET /projects/:id/ci/lint",
    change: "The parameters ref and sha of GET /projects/:id/ci/lint are removed.",
    replacement: "content_ref and dry_run_ref",
    announcedIn: "16.10",
    removedIn: "18.0",
    isBreaking: true,
    request: { on: ["GET /projects/:id/ci/lint"], uses: given("ref", "sha"), meets: "refused" },
  },
  {
    id: "runners-registration-token",
    area: REST,
    subject: "POST /runners",
    change:
      "Registration tokens and the arguments locked, access_level, run_untagged, maximum_timeout, paused, tag_list and maintenance_note of POST /runners are gone.",
    replacement: "a runner authentication token",
    announcedIn: "15.6",
    endOfSupportIn: "17.0", // "return HTTP 410 Gone (17.0 to 18.0)": refused before the removal
    removedIn: "18.0",
    isBreaking: true,
    request: {
      on: ["POST /runners"],
      uses: registersTheOldWay,
      meets: "gone",
    },
  },
  {
    id: "runners-reset-registration-token",
    area: REST,
    subject: "POST /runners/reset_registration_token, also of a project and of a group",
    change: "Resetting the registration token of the instance, a project or a group is gone.",
    replacement: "runner authentication tokens",
    announcedIn: "15.7",
    removedIn: "18.0",
    isBreaking: true,
    request: {
      on: [
        "POST /runners/reset_registration_token",
        "POST /projects/:id/runners/reset_registration_token",
        "POST /groups/:id/runners/reset_registration_token",
      ],
      meets: "gone",
    },
  },
  {
    id: "registry-tags-offset-pagination",
    area: REST,
    subject: "List registry repository tags",
    change: "Offset pagination of registry repository tags is removed.",
    replacement: "keyset pagination (pagination=keyset)",
    announcedIn: "16.10",
    removedIn: "18.0",
    isBreaking: true,
    request: {
      on: ["GET /projects/:id/registry/repositories/:repository_id/tags"],
      uses: offsetPagination("page", "per_page"),
      meets: "refused",
    },
  },
  {
    id: "projects-ci-job-token-scope-enabled",
    area: REST,
    subject: "Attribute ci_job_token_scope_enabled of projects",
    change: "The attribute ci_job_token_scope_enabled of projects is removed.",
    replacement: "the job-token-scope APIs",
    announcedIn: "16.4",
    removedIn: "unnamed",
    isBreaking: true,
    request: { on: ["PUT /projects/:id"], uses: given("ci_job_token_scope_enabled"), meets: "refused" },
  },
  {
    id: "notes-confidential",
    area: REST,
    subject: "Notes",
    change: "The attribute confidential of a note can no longer be updated.",
    announcedIn: "14.10",
    removedIn: "18.0",
    isBreaking: true,
    request: {
      on: ["PUT /projects/:id/:noteables/:iid/notes/:note_id", "PUT /groups/:id/:noteables/:iid/notes/:note_id"],
      uses: given("confidential"),
      meets: "refused",
    },
  },
  {
    id: "graphql-notes-confidential",
    area: GRAPHQL,
    subject: "Notes",
    change: "The attribute confidential of a note can no longer be updated.",
    announcedIn: "14.10",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "users-offset-pagination",
    area: REST,
    subject: "GET /users",
    change: "Offset pagination of GET /users is removed.",
    replacement: "keyset pagination (pagination=keyset, order_by=id)",
    isServed: true,
    announcedIn: "16.5",
    removedIn: "17.0",
    isBreaking: true,
    request: {
      on: ["GET /users"],
      // The first page needs no parameter and is the same in both; keyset pagination only orders by id.
      uses: (parameters) => offsetPagination("page")(parameters) || (textOf(parameters, "order_by") ?? "id") !== "id",
      meets: "refused",
    },
  },
  {
    id: "packages-pipelines",
    area: REST,
    subject: "GET /projects/:id/packages",
    change: "The attribute pipelines is removed from the packages that GET /projects/:id/packages returns.",
    announcedIn: "14.5",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "feature-flags-version",
    area: REST,
    subject: "Feature flag API",
    change: "The field version of feature flags is removed.",
    announcedIn: "16.9",
    removedIn: "17.0",
    isBreaking: true,
    request: {
      on: ["POST /projects/:id/feature_flags", "PUT /projects/:id/feature_flags/:name"],
      uses: given("version"),
      meets: "refused",
    },
  },
  {
    id: "settings-sign-in-text",
    area: REST,
    subject: "Settings API",
    change: "The settings sign_in_text and help_text are removed.",
    replacement: "the field description of the Appearance API",
    announcedIn: "16.2",
    removedIn: "17.0",
    isBreaking: true,
    request: { on: ["PUT /application/settings"], uses: given("sign_in_text", "help_text"), meets: "refused" },
  },
  {
    id: "instance-member-roles",
    area: REST,
    subject: "Instance member roles",
    change: "GET /member_roles, POST /member_roles and DELETE /member_roles/:id are new.",
    isServed: true,
    announcedIn: "16.9",
    isBreaking: false,
  },
  {
    id: "jwks",
    area: REST,
    subject: "/-/jwks",
    change: "The address /-/jwks is gone.",
    replacement: "/oauth/discovery/keys",
    isServed: true,
    announcedIn: "16.7",
    removedIn: "17.0",
    isBreaking: true,
    request: { on: ["* /-/jwks"], meets: "gone" },
  },
  {
    id: "settings-user-email-lookup-limit",
    area: REST,
    subject: "Settings field user_email_lookup_limit",
    change: "The setting user_email_lookup_limit is removed.",
    replacement: "search_rate_limit",
    announcedIn: "14.9",
    removedIn: "16.7",
    // The specification removes it in a minor, which may break nothing (9.2, rule 2): it was an alias by then.
    isBreaking: false,
    request: { on: ["PUT /application/settings"], uses: given("user_email_lookup_limit"), meets: "refused" },
  },
  {
    id: "merge-request-approvals",
    area: REST,
    subject: "/approvals of merge requests",
    change: "The address /approvals of merge requests is gone.",
    replacement: "/approval_rules",
    announcedIn: "14.0",
    removedIn: "16.0",
    isBreaking: true,
    request: { on: ["* /projects/:id/merge_requests/:iid/approvals"], meets: "gone" },
  },
  {
    id: "deployments-updated-at",
    area: REST,
    subject: "Deployments API",
    change: "Filtering deployments by updated_at without sorting by updated_at, and the reverse, is an error.",
    replacement: "updated_after or updated_before together with order_by=updated_at",
    isSameInterface: true,
    announcedIn: "15.8",
    removedIn: "16.0",
    isBreaking: true,
    request: {
      on: ["GET /projects/:id/deployments"],
      uses: (parameters) =>
        given("updated_after", "updated_before")(parameters) !== (textOf(parameters, "order_by") === "updated_at"),
      meets: "refused",
    },
  },
  {
    id: "environments-search",
    area: REST,
    subject: "Environment search",
    change: "Searching environments by fewer than 3 characters is refused.",
    replacement: "at least 3 characters",
    isSameInterface: true,
    announcedIn: "15.10",
    removedIn: "16.0",
    isBreaking: true,
    request: { on: ["GET /projects/:id/environments"], uses: shorterThan(3, "search"), meets: "refused" },
  },
  {
    id: "releases-external",
    area: REST,
    subject: "Releases and Release Links APIs",
    change: "The field external of releases and release links is removed.",
    announcedIn: "15.9",
    removedIn: "16.0",
    isBreaking: true,
    request: {
      on: [
        "POST /projects/:id/releases",
        "PUT /projects/:id/releases/:tag_name",
        "POST /projects/:id/releases/:tag_name/assets/links",
        "PUT /projects/:id/releases/:tag_name/assets/links/:link_id",
      ],
      uses: given("external"),
      meets: "refused",
    },
  },
  {
    id: "ci-parameters-length",
    area: REST,
    subject: "CI parameters stage, ref, description and target_url",
    change: "The CI parameters stage, ref, description and target_url are limited to 255 characters.",
    replacement: "at most 255 characters",
    isSameInterface: true,
    announcedIn: "15.9",
    removedIn: "16.0",
    isBreaking: true,
    request: {
      on: [
        "POST /projects/:id/statuses/:sha",
        "POST /projects/:id/pipeline",
        "POST /projects/:id/trigger/pipeline",
        "POST /projects/:id/ref/:ref/trigger/pipeline",
      ],
      uses: longerThan(255, "stage", "ref", "description", "target_url"),
      meets: "refused",
    },
  },

  // The specification says "17.0 to 18.0" for GraphQL; the platform's list decides between the two. This service has no
  // GraphQL, so these notices judge no requests.
  {
    id: "graphql-previous-stage-jobs-or-needs",
    area: GRAPHQL,
    subject: "previousStageJobsOrNeeds",
    change: "The field previousStageJobsOrNeeds is removed.",
    replacement: "previousStageJobs and needs",
    announcedIn: "17.0",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "graphql-runner-active",
    area: GRAPHQL,
    subject: "active of runners",
    change: "The field active of runners is renamed.",
    replacement: "paused",
    announcedIn: "14.8",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "graphql-project-services",
    area: GRAPHQL,
    subject: "Project.services",
    change: "The field Project.services is removed.",
    announcedIn: "15.9",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "graphql-dependency-proxy-total-size-in-bytes",
    area: GRAPHQL,
    subject: "dependencyProxyTotalSizeInBytes",
    change: "The field dependencyProxyTotalSizeInBytes is removed.",
    replacement: "dependencyProxyTotalSizeBytes",
    announcedIn: "16.1",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "graphql-total-weight",
    area: GRAPHQL,
    subject: "totalWeight",
    change: "The field totalWeight is removed.",
    replacement: "totalIssueWeight",
    announcedIn: "16.3",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-registry-size-estimated",
    area: GRAPHQL,
    subject: "registrySizeEstimated",
    change: "The field registrySizeEstimated is removed.",
    replacement: "containerRegistrySizeIsEstimated",
    announcedIn: "16.2",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-has-solutions",
    area: GRAPHQL,
    subject: "hasSolutions",
    change: "The field hasSolutions is removed.",
    replacement: "hasRemediations",
    announcedIn: "16.3",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-note-confidential-renamed",
    area: GRAPHQL,
    subject: "confidential of notes",
    change: "The field confidential of notes is renamed.",
    replacement: "internal",
    announcedIn: "15.5",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-can-destroy",
    area: GRAPHQL,
    subject: "canDestroy",
    change: "The field canDestroy is removed.",
    replacement: "the permissions field",
    announcedIn: "16.6",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-can-delete",
    area: GRAPHQL,
    subject: "canDelete",
    change: "The field canDelete is removed.",
    replacement: "the permissions field",
    announcedIn: "16.6",
    removedIn: "17.0",
    isBreaking: true,
  },
  {
    id: "graphql-ci-job-token-scope-direction",
    area: GRAPHQL,
    subject: "direction of ciJobTokenScopeRemoveProject",
    change: "The argument direction of ciJobTokenScopeRemoveProject is removed.",
    announcedIn: "16.9",
    removedIn: "18.0",
    isBreaking: true,
  },
  {
    id: "graphql-disabled-with-override",
    area: GRAPHQL,
    subject: "DISABLED_WITH_OVERRIDE",
    change: "The enum value DISABLED_WITH_OVERRIDE is removed.",
    replacement: "DISABLED_AND_OVERRIDABLE",
    announcedIn: "15.8",
    removedIn: "17.0",
    isBreaking: true,
  },

  externalSystemVersion,
];

/**
 * Whether a request uses a registration token (runner authentication tokens begin with `glrt-`) or an argument for such
 * a token. The specification writes the arguments with hyphens, like the runner's options, and the API with
 * underscores: both count.
 */
function registersTheOldWay(parameters: Readonly<Record<string, unknown>>): boolean {
  const token = textOf(parameters, "token");
  if (token !== undefined && !token.startsWith("glrt-")) return true;
  return given(...registrationArguments, ...registrationArguments.map((name) => name.replace("_", "-")))(parameters);
}

const registrationArguments = [
  "locked",
  "access_level",
  "run_untagged",
  "maximum_timeout",
  "paused",
  "tag_list",
  "maintenance_note",
] as const;
