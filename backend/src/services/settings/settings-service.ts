import {
  invalidField,
  ServiceError,
  type Clock,
  type ErrorBackend,
  type Handlers,
  type ExternalTarget,
} from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  SettingsService,
  type UpdateSettingsRequest,
  type ListExternalProjectsRequest,
} from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { externalTokenPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { UserThrottle } from "../accounts/user-throttle.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { monitorOff, type ProjectDirectory } from "../projects/project-directory.ts";
import {
  externalApiUrl,
  externalProjectColumns,
  noExternalProject,
  isLinkedElsewhere,
} from "../projects/external-project.ts";
import { integratedRefused, noEventsTaken } from "../instance/integrated-offering.ts";
import { SettingsEntity, settingsToProto, type SettingsRow } from "../tables/settings.ts";

/** Far more often than a person selects Connect, but too few to scan a network. */
const lookups = { windowMs: 60_000, most: 30, refusal: "Too many attempts. Try again in a minute." };

/** Error-tracking settings of projects (specification 2.1). */
export function settingsService(parts: {
  orm: MikroORM;
  memory: AccessMemory;
  clock: Clock;
  keyRing: KeyRing;
  integratedOffered: boolean;
  projects: ProjectDirectory;
  clientKeys: ClientKeys;
  backends: ReadonlyMap<Backend, ErrorBackend>;
}): Handlers<typeof SettingsService, CoreCall> {
  const { orm, clock, keyRing, projects, clientKeys, integratedOffered } = parts;
  const throttle = new UserThrottle(clock, lookups);

  const message = async (row: SettingsRow, { seesKeys }: CoreCall) => {
    if (row.backend !== Backend.INTEGRATED) return settingsToProto(row, { dsn: "", dsnUnavailableReason: "" });
    const newest = seesKeys ? await clientKeys.newest(row.id) : undefined;
    const dsnUnavailableReason = integratedOffered ? "" : noEventsTaken;
    return settingsToProto(row, { dsn: newest?.dsn ?? "", dsnUnavailableReason });
  };

  return {
    async getSettings({ projectId }, call) {
      const row = await projects.settings(projectId);
      if (!row) {
        throw new ServiceError(ErrorReason.SETTINGS_NOT_FOUND, "The error-tracking settings have never been saved.");
      }
      return { settings: await message(row, call) };
    },

    async updateSettings(request, call) {
      // A transaction, so that the second of two concurrent saves sees the first.
      const row = await orm.em.fork().transactional(async (em) => {
        const stored = await em.findOne(SettingsEntity, { id: request.projectId });
        if (request.revision !== undefined && request.revision !== (stored?.revision ?? 0)) {
          throw new ServiceError(
            ErrorReason.SETTINGS_CHANGED,
            "Someone else has changed these settings. Reload them and repeat your change.",
          );
        }
        const changed = stored ?? em.create(SettingsEntity, blank(request.projectId, integratedOffered));
        applyChanges(changed, request, keyRing);
        if (!integratedOffered && wantsIntegrated(request, changed)) throw integratedRefused();
        check(changed);
        if (await isLinkedElsewhere(em, changed)) throw projectTaken();
        changed.revision++;
        changed.updatedAt = clock.now();
        return changed;
      });
      parts.memory.changed();
      clientKeys.projectChanged();
      if (row.active && row.backend === Backend.INTEGRATED && integratedOffered) await clientKeys.ensureOne(row.id);
      return { settings: await message(row, call) };
    },

    async listExternalProjects(request, { caller, grant, signal }) {
      if (!grant.project.monitorEnabled) throw new ServiceError(ErrorReason.MONITOR_DISABLED, monitorOff);
      const target = externalTarget(request, await projects.settings(request.projectId), keyRing);
      throttle.begin(caller.user.id);
      const external = parts.backends.get(Backend.EXTERNAL);
      if (external?.listProjects === undefined) throw new Error("no plugin reads from external systems");
      return external.listProjects(target, { signal });
    },
  };
}

function blank(projectId: number, integratedOffered: boolean) {
  return {
    id: projectId,
    active: false,
    backend: integratedOffered ? Backend.INTEGRATED : Backend.EXTERNAL,
    externalApiUrl: "",
    externalAuthToken: null,
    ...noExternalProject,
    revision: 0,
    updatedAt: 0,
  };
}

function applyChanges(row: SettingsRow, request: UpdateSettingsRequest, keyRing: KeyRing): void {
  if (request.active !== undefined) row.active = request.active;
  if (request.backend !== undefined) row.backend = request.backend;
  if (request.externalApiUrl !== undefined) setApiUrl(row, externalApiUrl(request.externalApiUrl));
  const token = request.externalAuthToken;
  if (token !== undefined && !isMaskedToken(token)) {
    checkExternalToken(token);
    // Otherwise a token could be stored with the address of another save a moment before.
    const namesAddress = request.externalApiUrl !== undefined || request.revision !== undefined;
    if (token !== "" && row.externalApiUrl !== "" && !namesAddress) {
      throw invalidField("external_auth_token", "Send the auth token together with its External API URL.");
    }
    row.externalAuthToken = token === "" ? null : keyRing.encrypt(externalTokenPlace(row.id), token);
  }
  if (request.externalProject) Object.assign(row, externalProjectColumns(request.externalProject));
}

/**
 * Changes the address. A token is only valid for the origin it was entered for, and a linked project only for its
 * system.
 */
function setApiUrl(row: SettingsRow, url: string): void {
  if (url === row.externalApiUrl) return;
  if (URL.parse(url)?.origin !== URL.parse(row.externalApiUrl)?.origin) row.externalAuthToken = null;
  row.externalApiUrl = url;
  Object.assign(row, noExternalProject);
}

/** The refusal does not name the other project: the caller may not see it. */
function projectTaken(): ServiceError {
  return new ServiceError(
    ErrorReason.EXTERNAL_PROJECT_TAKEN,
    "Another project of this installation is linked to this external project. Choose another one.",
    { field: "external_project" },
  );
}

/**
 * Whether the request chooses the integrated backend. A project created under another offering still has it; saving
 * other settings there does not choose it.
 */
function wantsIntegrated({ active, backend }: UpdateSettingsRequest, changed: SettingsRow): boolean {
  return backend === Backend.INTEGRATED || (active === true && changed.backend === Backend.INTEGRATED);
}

function check(row: SettingsRow): void {
  if (row.backend !== Backend.INTEGRATED && row.backend !== Backend.EXTERNAL) {
    throw invalidField("backend", "Choose the integrated or the external backend.");
  }
  if (row.backend !== Backend.EXTERNAL || !row.active) return;
  // The texts of the original, joined by a comma, because its API clients know them.
  const missing = [
    row.externalApiUrl === "" && { field: "external_api_url", message: "Api url is a required field" },
    row.externalAuthToken === null && { field: "external_auth_token", message: "Token is a required field" },
    row.externalProjectSlug === "" && { field: "external_project", message: "Project is a required field" },
  ].filter((fault) => fault !== false);
  const [first] = missing;
  if (first) {
    throw new ServiceError(ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE, missing.map(({ message }) => message).join(", "), {
      field: first.field,
    });
  }
}

/**
 * The address and the token of a lookup. Omitted fields come from the stored settings; the stored token is only ever
 * sent to the origin it was entered for because any maintainer may name any address.
 */
export function externalTarget(
  request: ListExternalProjectsRequest,
  stored: SettingsRow | null,
  keyRing: KeyRing,
): ExternalTarget {
  const apiUrl = externalApiUrl(request.externalApiUrl) || (stored?.externalApiUrl ?? "");
  if (apiUrl === "") throw invalidField("external_api_url", "Enter the External API URL first.");
  const typed = request.externalAuthToken;
  checkExternalToken(typed);
  if (typed !== "" && !isMaskedToken(typed)) return { apiUrl, token: typed };
  if (stored?.externalAuthToken == null) throw invalidField("external_auth_token", "Enter the auth token first.");
  if (URL.parse(apiUrl)?.origin !== URL.parse(stored.externalApiUrl)?.origin) {
    throw invalidField(
      "external_auth_token",
      "The stored auth token belongs to another External API URL. Enter the auth token for this one.",
    );
  }
  return { apiUrl, token: keyRing.decrypt(externalTokenPlace(stored.id), stored.externalAuthToken) };
}

/**
 * Whether the text means the stored token: the original's settings page sends asterisks for a token that was not typed
 * again.
 */
const isMaskedToken = (token: string) => /^\*+$/.test(token);

/** Refuses a token that is too long or cannot be part of a header. */
function checkExternalToken(token: string): void {
  if (token.length > 1024) {
    throw invalidField("external_auth_token", "An auth token has at most 1,024 characters.");
  }
  if (!/^[\x21-\x7e]*$/.test(token)) {
    throw invalidField("external_auth_token", "An auth token has letters, digits and signs, but no spaces.");
  }
}
