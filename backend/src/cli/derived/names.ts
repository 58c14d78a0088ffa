import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { needs, Needs_Scope, Needs_Who, services } from "@faultline/proto";
import type { Verb } from "./methods.ts";

/**
 * The names of verbs. A verb is called after its operation: `listClientKeys` is `keys list`. The tables hold the groups
 * with another name than their service, the verbs with another name, and the verbs written by hand.
 */

/** The groups of services, by their names in `proto/gen/index.ts`. */
const groups: Readonly<Record<string, string>> = {
  accounts: "tokens",
  clientKeys: "keys",
  inbox: "notifications inbox",
  notificationChannels: "notifications channels",
  notificationDeliveries: "notifications",
  notificationMail: "mail",
  notificationMaintenance: "notifications maintenance",
  notificationPreferences: "notifications",
  notificationRules: "notifications rules",
  quotas: "quota",
  savedSearches: "searches",
  sourceMaps: "sourcemaps",
  trackerIssues: "trackers issue",
};

/** Descriptions of groups, if the first sentence about their service does not fit. */
export const groupWords: Readonly<Record<string, string>> = {
  "bulk-updates": "Changes of the status of all errors that match a search",
  deletions: "Deletions of errors",
  feedback: "What users wrote about errors",
  ingest: "Accepted events that could not be stored",
  users: "The users of this installation",
};

/**
 * Verbs with another name, by the ids of their operations. `<name>` is a parameter that is an argument. `--flag=name`
 * is the flag of a parameter, and `--flag=name:value` a flag that sets a value.
 */
export const spellings: Readonly<Record<string, string>> = {
  createDeletion: "errors delete <ids...> --expect=expected_count",
  createNotificationChannel: "notifications channels add <kind> <name>",
  createSavedSearch: "searches save <name>",
  createTracker: "trackers add <kind> <name>",
  createTrackerIssue: "trackers issue create <tracker_id>",
  deleteArtifactBundle: "sourcemaps delete",
  endDiscard: "errors record-again",
  explainGrouping: "errors why <other_error_id>",
  getAccessToken: "tokens show",
  getAnyMember: "members show-any",
  getCurrentUser: "users current",
  getError: "errors get",
  getErrors: "errors get-several",
  getLatestEvent: "errors show",
  getMail: "mail status",
  getOwnAccessToken: "tokens show-own",
  linkTrackerIssue: "trackers issue link <url>",
  listAccessTokens: "tokens list",
  listAllErrors: "errors list-all",
  listAllMembers: "members list-all",
  listArtifactBundles: "sourcemaps list",
  listAuditEvents: "audit list",
  listDeletions: "errors deletions",
  listDiscards: "errors discards",
  listErrorActivity: "errors activity",
  listFeedback: "feedback list",
  listInboxEntries: "notifications inbox list",
  listNotificationChannelKinds: "notifications kinds",
  listNotificationDeliveries: "notifications deliveries",
  listProjects: "projects list --query=search",
  listTrackerKinds: "trackers kinds",
  patchFilters: "filters update",
  revokeAccessToken: "tokens revoke",
  revokeOwnAccessToken: "tokens revoke-own",
  rotateAccessToken: "tokens rotate",
  rotateOwnAccessToken: "tokens rotate-own",
  sendTestMail: "mail test",
  setNotificationMaintenance: "notifications maintenance set --from=starts_at --until=ends_at",
  undoDeletion: "errors undelete",
  updateClientKey: "keys update --enable=active:true --disable=active:false",
  updateNotificationChannel: "notifications channels update --rotate-signing-key=rotate_signing_secret",
  updateNotificationLevel: "notifications level <level>",
};

/** Commands written by hand, by the ids of the operations or methods that they replace. */
export const byHand: Readonly<Record<string, string>> = {
  assembleArtifactBundle: "sourcemaps upload",
  createAccessToken: "tokens create",
  createNotificationRule: "notifications rules add",
  createProject: "projects create",
  deleteError: "errors delete",
  deleteProject: "projects delete",
  getClientKeyTraffic: "keys traffic",
  getDefaultQuota: "quota show",
  getErrorSubscription: "notifications subscription",
  getNotificationPreferences: "notifications preferences",
  getQuota: "quota show",
  getUploadLimits: "sourcemaps upload",
  listExternalProjects: "settings external-projects",
  markInboxEntriesRead: "notifications inbox read",
  patchSettings: "settings set",
  previewNotificationRule: "notifications rules preview",
  previewRegrouping: "errors regroup",
  putChunk: "sourcemaps upload",
  putSettings: "settings set",
  removeDeletedProject: "projects delete",
  replayNotificationDeliveries: "notifications replay",
  replayNotificationDelivery: "notifications replay",
  reportEvents: "import",
  reportFeedback: "import",
  updateDefaultQuota: "quota set",
  updateError: "errors resolve",
  updateErrorSubscription: "notifications subscription",
  updateErrors: "errors resolve",
  updateNotificationPreferences: "notifications preferences",
  updateQuota: "quota set",
  watchErrors: "errors tail",
};

/** The fields that a list shows at a terminal, if they are not its first fields. */
export const columns: Readonly<Record<string, readonly string[]>> = {
  listErrors: ["id", "title", "status", "count", "user_count", "last_seen", "level"],
  listProjects: ["id", "path", "name", "created_at"],
  listClientKeys: ["id", "active", "last_used_at", "sentry_dsn"],
};

/** Lists that are shown completely unless `--limit` is given. */
export const shownWhole: ReadonlySet<string> = new Set([
  "listAccessTokens",
  "listArtifactBundles",
  "listClientKeys",
  "listDeletions",
  "listDiscards",
  "listNotificationLevels",
  "listProjects",
]);

/** The spelling of a verb on the command line. */
export interface Spelling {
  /** Its groups and its name. */
  readonly words: readonly string[];
  /** Parameters that are arguments, after the arguments of the path. The last may take several values: `ids...`. */
  readonly args: readonly string[];
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly flag: string;
  readonly name: string;
  /** The value that the flag sets; undefined if the flag takes a value. */
  readonly value?: string | undefined;
}

/** Whether the method needs a token and accepts a personal access token. */
export function isForTokens(method: DescMethod): boolean {
  const { who, scope } = getOption(method, needs);
  return who !== Needs_Who.ANYONE && scope !== Needs_Scope.SESSION;
}

type Named = Pick<Verb, "id" | "method">;

/** Whether a verb is derived: tokens may call it, and no handwritten command replaces it. */
export const isDerived = ({ id, method }: Named): boolean => byHand[id] === undefined && isForTokens(method);

/** The methods with a derived verb, under their own names. Their groups are the groups of all derived verbs. */
export const derivedMethods = (): readonly Named[] =>
  Object.values(services)
    .flatMap(({ methods }) => methods)
    .map((method) => ({ id: method.localName, method }))
    .filter(isDerived);

/** The first word of a verb. */
export const groupOf = (verb: Named): string => spellingOf(verb).words[0] ?? "";

/** The spelling of a verb. */
export function spellingOf(verb: Named): Spelling {
  const parts = (spellings[verb.id] ?? nameOf(verb)).split(" ");
  return {
    words: parts.filter((part) => /^\w/.test(part)),
    args: parts.filter((part) => part.startsWith("<")).map((part) => part.slice(1, -1)),
    flags: parts
      .filter((part) => part.startsWith("--"))
      .map((part) => {
        const [flag = "", name = "", value] = part.split(/[=:]/);
        return { flag, name, value };
      }),
  };
}

/** The flag of a parameter, such as `--events-per-day`; ids are named without `_id`. */
export const flagOf = (name: string): string => `--${name.replace(/_ids?$/, "").replaceAll("_", "-")}`;

/** The fault of a parameter, with the flag in place of the name at its start. */
export const withFlags = (fault: string, id: string): string =>
  fault.replace(/^[\w, ]+?(?= (?:is|does) )/, (names) =>
    names.replace(/\w+/g, (name) => new RegExp(`(--\\S+)=${name}\\b`).exec(spellings[id] ?? "")?.[1] ?? flagOf(name)),
  );

/** `listClientKeys` of the group `keys` is `keys list`, `getClientKeyTraffic` is `keys traffic`. */
function nameOf({ id, method }: Named): string {
  const [service = ""] = Object.entries(services).find(([, { typeName }]) => typeName === method.parent.typeName) ?? [];
  const group = groups[service] ?? wordsOf(service).join("-");
  const nouns = new Set([...wordsOf(method.parent.name), ...group.split(/[ -]/)].map(singular));
  const [verb = "", ...others] = wordsOf(id);
  const rest = others.filter((word) => !nouns.has(singular(word)));
  const isReading = verb === "get" || verb === "list";
  const words = isReading && rest.length > 0 ? rest : [verb === "get" ? "show" : verb, ...rest];
  return `${group} ${words.join("-")}`;
}

/** The words of a name in camel case, in lower case. */
const wordsOf = (name: string) => (name.match(/[A-Z]?[a-z0-9]+/g) ?? []).map((word) => word.toLowerCase());

const singular = (word: string) =>
  word
    .replace(/ies$/, "y")
    .replace(/(ch|sh|s)es$/, "$1")
    .replace(/s$/, "");
