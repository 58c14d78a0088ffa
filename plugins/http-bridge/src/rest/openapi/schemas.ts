import { EventUserSchema, ExceptionSchema, HttpRequestSchema, SdkSchema, ThreadSchema } from "@faultline/proto";
import { messageSchemas } from "./message-schema.ts";
import {
  choice,
  count,
  day,
  flag,
  list,
  orNull,
  positive,
  record,
  ref,
  table,
  text,
  time,
  type Schema,
} from "./schema.ts";

const level = choice("How grave it is.", ["fatal", "error", "warning", "info", "debug"]);
/** A role of a member. */
export const accessLevel: Schema = {
  type: "integer",
  enum: [10, 20, 30, 40, 50],
  description: "The role: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner.",
};
const errorId = text("Decimal digits.", { pattern: "^[1-9]\\d*$" });
const eventId = text("32 lower-case hexadecimal digits.", { pattern: "^[0-9a-f]{32}$" });
const commit = { pattern: "^[0-9a-f]{7,64}$" };
const status = choice("Where the error stands.", ["unresolved", "resolved", "ignored"]);

const userHead = {
  id: positive("The user."),
  username: text("The name to sign in with."),
  name: text("The name that is shown."),
  state: choice("`blocked`: may not sign in, and tokens are refused.", ["active", "blocked"]),
};

const accessToken = {
  id: positive("The token."),
  name: text("What its owner calls it."),
  revoked: flag("It was taken back."),
  created_at: time("When it was made."),
  scopes: list(choice("", ["api", "read_api"]), { description: "`api`: everything; `read_api`: reading." }),
  user_id: positive("Its owner."),
  last_used_at: orNull(time("When it was last used; null: never.")),
  active: flag("It is neither revoked nor expired."),
  expires_at: orNull(day("The day at whose start it ends; null: it does not.")),
};

const invitation = {
  id: positive("The invitation."),
  access_level: accessLevel,
  member_role: orNull(ref("MemberRole")),
  note: text("Whom it is for, in the words of its maker; may be empty."),
  created_by_name: text("The user name of its maker."),
  created_at: time("When it was made."),
  expires_at: time("When it ends."),
};

const error = {
  id: errorId,
  title: text("Type and first line of the newest event."),
  type: text("The type of the exception; empty for messages."),
  message: text("The value of the exception, or the message."),
  culprit: text("Where it happened; may be empty."),
  status,
  count: count("Events within the retention time."),
  user_count: count("Distinct users whom it affected."),
  first_seen: time("The first event."),
  last_seen: time("The newest event."),
  external_url: orNull(text("Its page in the external system; null with the integrated backend.")),
  project_id: positive("The project."),
  level,
  platform: text("The SDK's platform, such as `node`."),
  settled_last_seen: orNull(time("The newest event before the running hour; null: all lie in it.")),
  first_release: orNull(text("The release of the first event that named one.")),
  last_release: orNull(text("The release of the newest event that named one.")),
  first_commit: orNull(text("The commit of the first release; null: not known.", commit)),
  last_commit: orNull(text("The commit of the last release; null: not known.", commit)),
  first_release_url: orNull(text("Where the repository shows the first release; null: no link.")),
  last_release_url: orNull(text("Where the repository shows the last release; null: no link.")),
  status_changed_at: orNull(time("When somebody last set its status; null: never.")),
  reopened_at: orNull(time("When a new event reopened it; null: it did not come back.")),
};

const discard = {
  id: positive("The discard."),
  project_id: positive("The project."),
  title: text("The title of the error that was deleted."),
  culprit: text("Where it happened; may be empty."),
  level,
  created_at: time("When it began."),
  created_by: text("The user name of the person who discards."),
  until: orNull(time("When it ends by itself; null: at no time.")),
  after: orNull(count("After how many events it ends; null: after none.")),
  until_release: orNull(text("The release that ends it; null: none.")),
  ended_at: orNull(time("When it ended; null: it goes on.")),
  stopped_count: count("How many events it stopped."),
  last_stopped_at: orNull(time("When it stopped the last one; null: none yet.")),
};

const sessions = {
  total: count("All of them."),
  healthy: count("Ended well."),
  errored: count("Had an error and went on."),
  crashed: count("Ended by a crash."),
  abnormal: count("Ended without saying why."),
};

const hours = {
  start: time("The first hour."),
  interval: { type: "string", const: "1h", description: "What one entry counts." },
};
const lastHourRunning = flag("The last hour is not over yet.");

const filterLists = Object.fromEntries(
  ["addresses", "releases", "environments", "messages", "types"].map((name) => [
    name,
    list(text(""), { maxItems: 100, description: `The ${name} that are stopped.` }),
  ]),
);

const hiddenKey = "Null for a token without the scope `api`, and where the integrated backend is not offered.";

/** `components.schemas`: what the REST API answers. */
export const schemas: Readonly<Record<string, Schema>> = {
  ClientKey: record("A client key. It lets SDKs send, so treat it as a secret.", {
    id: positive("The key."),
    active: flag("What is sent with it is taken; false: it was disabled."),
    public_key: orNull(
      text("`flck_` and 32 hexadecimal digits; the digits alone of keys made before they had a prefix. " + hiddenKey, {
        pattern: "^(flck_)?[0-9a-f]{32}$",
      }),
    ),
    sentry_dsn: orNull(text(`The DSN to give to an SDK. ${hiddenKey}`)),
    legacy_dsn: orNull(
      text(`The DSN with a secret part, for old senders that ask for one, such as runners. ${hiddenKey}`),
    ),
    created_at: time("When it was made."),
    last_used_at: orNull(time("When an SDK last used it; null: never.")),
    events_per_minute: orNull(positive("How many events it may send in a minute; null: no limit of its own.")),
    events_per_day: orNull(positive("The same in a day, UTC.")),
    allowed_origins: list(text("Such as `https://example.com` or `https://*.example.com`."), {
      maxItems: 20,
      description:
        "The origins whose pages may send with it; empty: all. They stop noise from other web pages, not scripts: any program can send any origin.",
    }),
  }),

  ClientKeyTraffic: record("What was sent with a client key.", {
    ...hours,
    event_counts: list(count(""), { description: "Events that were accepted in each hour, the oldest first." }),
    byte_counts: list(count(""), {
      description: "Bytes of the bodies in each hour as they were sent, accepted or refused.",
    }),
    refused: list(
      record("What was refused for a reason.", {
        reason: text("Why, such as `rate_limit`."),
        quantity: count("How many."),
        bytes: count("Bytes of their bodies, where those were read."),
        last_at: time("The hour of the last one."),
      }),
      { description: "The most frequent first." },
    ),
    networks: list(
      record("A network that sent events, accepted or refused, on the days that the period touches.", {
        network: text("Such as `192.0.2.0/24` or `2001:db8:0:1::/64`."),
        quantity: count("How many."),
      }),
      { maxItems: 50, description: "Those that sent most first." },
    ),
    other_networks_quantity: count("What all other networks sent."),
  }),

  Deletion: record("A deletion of errors.", {
    id: positive("The deletion."),
    project_id: positive("The project."),
    state: choice(
      "`hiding`: errors are being taken out of the lists; `hidden`: all are, and can be brought back; `erasing` and " +
        "`erased`: their events go for good; `restoring` and `restored`: it was undone.",
      ["hiding", "hidden", "erasing", "erased", "restoring", "restored"],
    ),
    query: orNull(text("The search whose errors are deleted; null: they were named.")),
    status: orNull(choice("Of which status; null: they were named.", ["unresolved", "resolved", "ignored", "all"])),
    title: text("The title of the first of the errors."),
    found_count: count("Errors that were found."),
    deleted_count: count("Errors that were taken out of the lists."),
    event_count: count("Events of these."),
    erased_event_count: count("Events that are gone for good."),
    restored_count: count("Errors that came back."),
    superseded_count: count(
      "Of these, those that stand beside a newer error of their group, which gets the new events.",
    ),
    discarded: flag("Later events of the same groups are not stored."),
    created_at: time("When it was made."),
    created_by: text("The user name of the person who made it."),
    undo_until: orNull(time("Until when it can be undone; null: it cannot be.")),
    finished_at: orNull(time("When all was erased or restored; null: not yet.")),
  }),

  Discard: record("A group of events that is not stored.", discard),
  ListedDiscard: record("A group of events that is not stored, as a list has it.", {
    ...discard,
    hourly_counts: list(count("Events."), { description: "Stopped in each of the last 24 hours, oldest first." }),
    samples: list(
      record("An event that was stopped.", {
        received_at: time("When it came."),
        event_id: eventId,
        payload: text("The event's JSON as it was sent."),
      }),
      { description: "One event a day, the newest three." },
    ),
  }),

  Settings: record("The error-tracking settings of a project.", {
    active: flag("Errors are tracked."),
    project_name: orNull(text("The linked external project.")),
    sentry_external_url: orNull(text("Its page in the external system.")),
    api_url: orNull(text("Its address in the external system's API.")),
    integrated: flag("The backend is the integrated one."),
    backend: choice("The backend.", ["integrated", "external"]),
    external_api_url: orNull(text("Scheme and host of the external system.")),
    has_token: flag("A token for the external system is stored. It is never answered."),
    external_project: orNull(ref("ExternalProject")),
    dsn: orNull(
      text(`The DSN of the newest client key; null with the external backend, or without a key. ${hiddenKey}`),
    ),
    dsn_unavailable_reason: orNull(
      text("Why there is no DSN, where the integrated backend is set and not offered here; otherwise null."),
    ),
    revision: count("Grows with each change; send it back to be refused when somebody else saved meanwhile."),
    updated_at: orNull(time("When they were last saved.")),
  }),

  ExternalProject: record("A project of the external system.", {
    id: text("Its id there; may be empty."),
    slug: text("Its name in addresses."),
    name: text("Its name; may be empty."),
    organization_slug: text("The organisation's name in addresses."),
    organization_name: text("The organisation; may be empty."),
  }),

  Error: record("A group of events that have the same cause.", error),

  ListedError: record("An error in a list.", {
    ...error,
    hourly_counts: list(count(""), { description: "Events in each of the last 24 hours, the running hour last." }),
  }),

  ChangedErrors: record("What a change of status did.", {
    errors: list(ref("Error"), { description: "The changed errors; those that were not found are left out." }),
    undo: list(record("The status an error had before.", { id: errorId, status }), {
      description: "What to set again to undo the call.",
    }),
  }),

  ErrorStats: record("The bar graph of an error.", {
    ...hours,
    counts: list(count(""), { description: "Events in each hour, the oldest first." }),
    last_hour_running: lastHourRunning,
  }),

  EventSummary: record("An event in a list.", {
    id: eventId,
    title: text("The event's own title."),
    level,
    user: orNull(
      text("The affected user as counted, such as `id:42` or `ip:192.0.2.1`; an e-mail address in lower case."),
    ),
    release: orNull(text("The release.")),
    environment: orNull(text("The environment.")),
    occurred_at: time("When it happened, by the sender's corrected clock."),
    received_at: time("When it was received."),
  }),

  Event: record("An event, whole. What limits cut is named in `trimmed`; the payload holds it.", {
    id: eventId,
    error_id: errorId,
    project_id: positive("The project."),
    title: text("Its own title."),
    culprit: text("Where it happened; may be empty."),
    level,
    platform: text("The SDK's platform, such as `node`."),
    occurred_at: time("When it happened, by the sender's corrected clock."),
    received_at: time("When it was received."),
    message: orNull(text("The message with its parameters filled in.")),
    message_template: orNull(text("The message before.")),
    logger: orNull(text("The logger.")),
    transaction: orNull(text("The route or task.")),
    release: orNull(text("The release.")),
    commit: orNull(text("Its commit; null: not known.", commit)),
    environment: orNull(text("The environment.")),
    server_name: orNull(text("The sender's host name.")),
    exceptions: list(ref("Exception"), { description: "Root cause first, the one that was caught last." }),
    threads: list(ref("Thread")),
    breadcrumbs: list(ref("Breadcrumb"), { description: "What happened before, the oldest first." }),
    user: orNull(ref("EventUser")),
    request: orNull(ref("HttpRequest")),
    sdk: orNull(ref("Sdk")),
    tags: table("Tags by key.", { type: "string" }),
    contexts: table("Such as os, runtime and device.", true),
    extra: table("Free data of the application.", true),
    modules: table("Packages and their versions.", { type: "string" }),
    trimmed: list(ref("Trim")),
    time_bound: orNull(ref("TimeBound")),
    feedback: list(ref("Feedback"), { description: "What users wrote about it, the oldest first." }),
    newer_event_id: orNull(eventId),
    older_event_id: orNull(eventId),
  }),

  Breadcrumb: record("A step on the way to an error.", {
    timestamp: orNull(time("When; null: not told.")),
    type: text("Such as `http` or `navigation`."),
    category: text("Such as `console`; may be empty."),
    level,
    message: text("May be empty."),
    data: orNull(table("Free data.", true)),
  }),

  Trim: record("A part of an event of which not everything is shown.", {
    part: text("Such as `breadcrumbs` or `extra.cart`."),
    kept: count("What is shown."),
    sent: count("What was sent."),
    unit: { type: ["string", "null"], enum: ["characters", "entries", null], description: "What the two count." },
  }),

  TimeBound: record("The event was sent with a time outside the bounds, and `occurred_at` is the bound.", {
    sent_at: orNull(time("The time that was sent, by the sender's clock; null: the payload gives none.")),
  }),

  Feedback: record("What a user wrote about an event.", {
    name: text("May be empty."),
    email: text("May be empty."),
    comments: text("What was written."),
    received_at: time("When it was received."),
  }),

  ...messageSchemas(ExceptionSchema, ThreadSchema, EventUserSchema, HttpRequestSchema, SdkSchema),

  SessionCounts: record("Sessions by how they ended.", sessions),

  Release: record("A release with its sessions.", {
    version: text("Its name, such as `shop@1.2.3`; empty: `other_releases`."),
    other_releases: flag(
      "Whether these are all releases together that came when the project had 10,000, or 100 environments.",
    ),
    commit: orNull(text("The commit that its name names; null: none.", commit)),
    url: orNull(text("Where the repository shows it; null: no link.")),
    sessions: ref("SessionCounts"),
    user_count: count("Distinct users who had a session."),
    more_users: flag(
      "Whether there were more: of a day 50,000 of a release and 100,000 of a project are counted apart.",
    ),
    crashed_user_count: count("Distinct users who had a crashed one."),
    crash_free_sessions: { type: "number", minimum: 0, maximum: 100, description: "In percent." },
    crash_free_users: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 100,
      description: "In percent; null: no users.",
    },
    first_session_at: time("The hour of its first session that is kept."),
    last_session_at: time("The hour of the last one in the period."),
  }),

  SessionStats: record("The sessions of a release by hour.", {
    ...hours,
    sessions: list(ref("SessionCounts"), { description: "Each hour, the oldest first." }),
    last_hour_running: lastHourRunning,
  }),

  InboundFilters: record("What a project does not want.", {
    ...filterLists,
    web_crawlers: flag("Events of web crawlers are stopped."),
    old_browsers: flag("Events of old browsers are stopped."),
    browser_extensions: flag("Events that browser extensions caused are stopped."),
    localhost: flag("Events of developers' machines are stopped."),
    spike_protection: flag("A spike that exceeds the budget is sampled."),
    spike_budget: record("How many events are let in before they are sampled.", {
      total: count("Events at once; it fills up again within a day. 0: there is no budget."),
      left: count("What is left of them."),
      usual_day: count("Events on the usual day of the last seven."),
      begins_at: orNull(time("Nothing is sampled before; null: that is over.")),
    }),
    revision: count("Grows with each change."),
    updated_at: orNull(time("When they were last saved; null: never.")),
  }),

  Outcomes: record("What was not stored.", {
    ...hours,
    outcomes: list(ref("Outcome"), { maxItems: 200, description: "The most frequent first." }),
    refused_counts: list(count(""), { description: "Refused items in each hour, the oldest first." }),
  }),

  Outcome: record("A count of things that were not stored.", {
    kind: choice("Where it was lost.", ["refused", "left_aside", "not_sent", "filtered"]),
    category: text("What it was, such as `error` or `attachment`."),
    reason: text("Why, such as `rate_limit`."),
    quantity: count("How many."),
    last_at: time("The hour of the last one."),
  }),

  Project: record("A project.", {
    id: positive("The project."),
    name: text("The name that is shown."),
    path: text("Its address, such as `acme/web`."),
    path_with_namespace: text("As `path`."),
    created_at: time("When it was made."),
    monitor_access_level: choice("Whether the Monitor pages are on.", ["enabled", "disabled"]),
    code_url: orNull(text("Where a line of code is shown; null: frames and releases are not linked.")),
    code_root: orNull(text("What full paths of frames begin with in front of the path in the repository.")),
    permissions: record("What the caller is here.", {
      project_access: record("", { access_level: accessLevel }),
      group_access: { type: "null", description: "There are no groups." },
    }),
  }),

  Accepted: record("The work goes on after the answer.", { message: text("`202 Accepted`.") }),

  Member: record("A member of a project.", {
    ...userHead,
    access_level: accessLevel,
    created_at: orNull(time("Since when.")),
    expires_at: { type: "null", description: "Memberships do not end by themselves." },
    member_role: orNull(ref("MemberRole")),
  }),

  MemberRole: record("A custom role: a role, and what it may do beside.", {
    id: positive("The custom role."),
    group_id: { type: "null", description: "It is the installation's." },
    name: text("Its name."),
    description: text("May be empty."),
    base_access_level: { ...accessLevel, enum: [10, 20, 30, 40] },
    read_error_tracking: flag("Adds: read errors."),
    update_error_tracking: flag("Adds: change the status of errors."),
    report_events: flag("Adds: report events over gRPC."),
    admin_error_tracking: flag("Adds: see and change settings and client keys."),
    admin_project: flag("Adds: change the project."),
    admin_project_members: flag("Adds: invite, change and remove members."),
    remove_project: flag("Adds: delete the project."),
    created_at: time("When it was made."),
  }),

  Invitation: record("An open invitation.", invitation),

  NewInvitation: record("A new invitation with its link, which is answered only here.", {
    ...invitation,
    url: text("The link to hand over. Whoever opens it first becomes a member, so treat it as a secret."),
  }),

  User: record(
    "A user. What the caller may not see is absent.",
    { ...userHead, is_admin: flag("Administers the installation."), created_at: time("When it was made.") },
    {
      email: text("For administrators and the user."),
      last_sign_in_at: time("For administrators and the user; absent: never."),
    },
  ),

  AccessToken: record("A personal access token, without its text.", accessToken),

  NewAccessToken: record("A new personal access token, whose text is answered only here.", {
    ...accessToken,
    token: text("What to send as `PRIVATE-TOKEN`. A secret."),
  }),

  Metadata: record("What is offered here.", {
    version: text("The version of Faultline."),
    revision: { type: "null", description: "Here for clients of the original." },
    enterprise: { type: "boolean", const: false, description: "Here for clients of the original." },
    platform_release: text("The release of the platform that this installation stands for, such as `18.0`."),
    offering: choice("The offering.", ["hosted", "self_managed", "dedicated"]),
    base_url: text("The address people use."),
  }),

  AuditEvent: record("An administrative act.", {
    id: positive("The entry."),
    author_id: orNull(positive("Who did it; null: the service itself.")),
    entity_id: orNull(positive("The project it concerned.")),
    entity_type: { type: ["string", "null"], enum: ["Project", null], description: "What `entity_id` names." },
    event_name: text("The method, such as `ClientKeyService.DeleteClientKey`."),
    details: record("More of it.", {
      custom_message: text("What was done, in a sentence."),
      author_name: text("The user name of whoever did it."),
      entity_path: orNull(text("The project's path at that time.")),
      personal_access_token_id: orNull(positive("The token that was used; null: a session.")),
    }),
    created_at: time("When."),
  }),

  Quota: record("How much a project may send and keep, and what it uses of that.", {
    project_id: positive("The project."),
    path_with_namespace: text("Its path."),
    day_bytes: count("Bytes received since 0:00 UTC."),
    day_limit_bytes: count("Bytes that may be received in a UTC day; what comes above it is refused. 0: no limit."),
    day_limit_is_default: flag("The project has no limit of a day of its own."),
    day_ends_at: time("When the day ends."),
    kept_bytes: count("Bytes kept: payloads and tags as stored, and 512 bytes an event."),
    kept_limit_bytes: count(
      "Bytes that may be kept: from 95 % of it on the project's oldest events are deleted, and at 100 % events are refused until that has made room. 0: no limit.",
    ),
    kept_limit_is_default: flag("The project has no limit of bytes kept of its own."),
    event_count: count("Events kept."),
    bytes_per_day: list(count(""), {
      description: "Bytes received in each of the last seven whole days, the oldest first.",
    }),
    evicted_event_count: count("Events that were deleted to stay within the limit, ever."),
    evicted_until: orNull(time("Events received before this time were deleted for that reason; null: none were.")),
    last_evicted_at: orNull(time("When the last of them was deleted.")),
    refused_because: orNull(text("Why the project's events are refused now; null: its quota refuses none.")),
  }),

  Quotas: record("The projects that keep most.", {
    quotas: list(ref("Quota"), { maxItems: 100, description: "The one that keeps most first." }),
    total_kept_bytes: count("Bytes that all projects keep together."),
    total_count: count("How many projects there are."),
  }),

  DefaultQuota: record("The limits of the projects that have none of their own.", {
    day_limit_bytes: count("See Quota."),
    day_limit_is_default: flag("Nobody set it: it is half of the limit of bytes kept."),
    kept_limit_bytes: count("See Quota."),
    kept_limit_is_default: flag(
      "Nobody set it: it is a quarter of the disk that holds the data, or 10 GB where the size of that disk is not known, as on PostgreSQL.",
    ),
    disk_bytes: orNull(count("The size of the disk that holds the data; null: not known.")),
  }),

  OwnErrorReporting: record("Where this installation reports its own failures.", {
    enabled: flag("Reports are sent."),
    dsn: orNull(text("Where to, with a masked key.")),
    environment: text("The environment they carry."),
    external_version: orNull(text("The version of the system behind the DSN, as it was given.")),
    external_version_source: orNull(
      choice(
        "Where the version that counts comes from: the system was `asked` and reports it, it does not and it was `typed`, it is `unknown`, or the rule is not about the system (`exempt`), which is Faultline or cloud-hosted.",
        ["asked", "typed", "unknown", "exempt"],
      ),
    ),
    external_version_notice: orNull(text("What to know about the version that counts.")),
    asked_version: orNull(text("The version that the system reported when it was last asked.")),
    suggested_project_id: orNull(positive("A project of this installation that offers itself.")),
    suggested_project_path: orNull(text("Its path.")),
    reported_count: count("Reports since the start."),
    left_out_count: count("Reports left out since the start."),
  }),

  Deprecations: record("The notices, with their state at a release.", {
    release: text("The release for which the states are told."),
    deprecations: list(ref("Deprecation")),
  }),

  Deprecation: record("What the platform announces, deprecates or removes.", {
    id: text("Such as `users-offset-pagination`; never changes."),
    area: choice("Which interface.", ["rest", "graphql", "external_system"]),
    subject: text("Such as `GET /users`."),
    change: text("What changes, in a sentence."),
    replacement: orNull(
      text("What to use instead; ends in `(not part of this service)` where this service does not have it."),
    ),
    announced_in: text("The release that announced it."),
    announced_on: orNull(day("When that came out.")),
    end_of_support_in: orNull(text("The release from which it is not supported and requests that use it are refused.")),
    removed_in: orNull(text("The release that removes it.")),
    removed_on: orNull(day("When that comes or came out.")),
    breaking_change: flag("The removal breaks callers."),
    state: choice("Where it stands.", ["not_announced", "deprecated", "unsupported", "removed", "added"]),
  }),

  Message: record("A refusal by the service.", {
    message: {
      description: "`<status> <reason>` or a sentence; for a project's path that is taken, faults by field.",
      anyOf: [{ type: "string" }, table("Faults by field.", list({ type: "string" }))],
    },
  }),

  Fault: record("A refusal of the request itself: a parameter, the content type, the method or the address.", {
    error: text("Such as `status is missing`."),
  }),

  TokenFault: record(
    "A refusal of the token.",
    {
      error: choice("What is wrong with it.", ["invalid_token", "insufficient_scope"]),
      error_description: text("In a sentence."),
    },
    { scope: text("The scope that would do.") },
  ),
};
