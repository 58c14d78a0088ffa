import { getOption, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { ServiceError, type LeastRole } from "@faultline/plugin";
import { ErrorReason, needs, Needs_Scope, Needs_Who, Permission } from "@faultline/proto";
import type { Caller } from "./caller.ts";
import type { Grant } from "./grants.ts";
import { leastRoleWith, needsRole } from "./roles.ts";

/**
 * The scope that a token needs. `read` accepts `api` or `read_api`, `write` accepts `api`, and `upload` accepts `api`
 * or `upload`. `session` needs a person who signed in because personal access tokens may not create others.
 */
export type Scope = "read" | "write" | "upload" | "session";

/** The rights that a call needs, declared by its method in the proto file (`Needs` in role.proto). */
export type Need =
  | { readonly who: "anyone" }
  | { readonly who: "user" | "administrator"; readonly scope: Scope }
  | {
      readonly who: "member";
      readonly scope: Scope;
      readonly permission: Permission;
      /** Whether the user named in the request may do it too. */
      readonly orSelf: boolean;
      /** Whether the response contains client keys, which only a token with the scope `write` sees. */
      readonly holdsKeys: boolean;
    };

const scopeNames: Readonly<Record<Needs_Scope, Scope | undefined>> = {
  [Needs_Scope.UNSPECIFIED]: undefined,
  [Needs_Scope.READ]: "read",
  [Needs_Scope.WRITE]: "write",
  [Needs_Scope.SESSION]: "session",
  [Needs_Scope.UPLOAD]: "upload",
};

/**
 * Reads the option of the method. Throws if it is missing or contradicts itself, so that the service does not start.
 */
export function readNeed(method: DescMethod): Need {
  const { who, scope: token, permission, orSelf, holdsKeys } = getOption(method, needs);
  const scope = scopeNames[token];
  const isOfMember = who === Needs_Who.MEMBER;
  const isConsistent =
    isOfMember === (permission !== Permission.UNSPECIFIED) &&
    (isOfMember || !(orSelf || holdsKeys)) &&
    (who === Needs_Who.ANYONE) === (scope === undefined);
  if (isConsistent && who === Needs_Who.ANYONE) return { who: "anyone" };
  if (isConsistent && scope !== undefined) {
    if (who === Needs_Who.USER) return { who: "user", scope };
    if (who === Needs_Who.ADMINISTRATOR) return { who: "administrator", scope };
    if (isOfMember) return { who: "member", scope, permission, orSelf, holdsKeys };
  }
  throw new Error(`${method} does not say what a call needs: set its option (faultline.v1.needs).`);
}

/** The least role and scope that a method for tokens needs. Throws for other methods. */
export function leastRoleOf(method: DescMethod): LeastRole {
  const need = readNeed(method);
  if (need.who === "anyone" || need.scope === "session") throw new Error(`${method} does not accept tokens.`);
  const { scope } = need;
  if (need.who === "member") return { role: leastRoleWith(need.permission), scope };
  return { role: need.who === "user" ? "User" : "Administrator", scope };
}

/** Finds the need of a method by `Service.Method`. */
export type NeedOf = (method: string) => Need;

/** Reads the needs of all methods of the services. Throws for a method that is in none of them. */
export function needsOf(services: readonly DescService[]): NeedOf {
  const byMethod = new Map(
    services.flatMap(({ name, methods }) => methods.map((method) => [`${name}.${method.name}`, readNeed(method)])),
  );
  return (method) => {
    const need = byMethod.get(method);
    if (need === undefined) throw new ServiceError(ErrorReason.FORBIDDEN, "Nobody can call this method.");
    return need;
  };
}

/**
 * Refuses a caller's token with INSUFFICIENT_SCOPE or FORBIDDEN if it does not meet the need. Roles in projects are
 * checked afterwards.
 */
export function checkToken(need: Exclude<Need, { who: "anyone" }>, caller: Caller): void {
  if (caller.scopes !== "session") {
    if (need.scope === "session") {
      throw new ServiceError(ErrorReason.FORBIDDEN, "A personal access token cannot do this. Sign in to the console.");
    }
    if (!isGoodFor(need.scope, caller.scopes)) {
      const lacking = need.scope === "upload" ? "upload" : "api";
      throw new ServiceError(
        ErrorReason.INSUFFICIENT_SCOPE,
        `The personal access token lacks the scope ${lacking}. Create a token that has it.`,
      );
    }
  }
  if (need.who === "administrator" && !caller.user.isAdmin) {
    throw new ServiceError(ErrorReason.FORBIDDEN, "Only administrators can do this.");
  }
}

/** Whether the response may show client keys and DSNs to the caller. */
export function seesKeys(need: Need, { scopes }: Caller): boolean {
  return need.who === "member" && need.holdsKeys && (scopes === "session" || isGoodFor("write", scopes));
}

function isGoodFor(scope: Exclude<Scope, "session">, scopes: readonly string[]): boolean {
  if (scopes.includes("api")) return true;
  return (scope === "read" && scopes.includes("read_api")) || (scope === "upload" && scopes.includes("upload"));
}

/** Refuses a member who lacks the needed role with FORBIDDEN, naming that role. */
export function checkGrant(need: Extract<Need, { who: "member" }>, grant: Grant, isSelf: boolean): void {
  if (grant.permissions.has(need.permission) || (need.orSelf && isSelf)) return;
  throw new ServiceError(ErrorReason.FORBIDDEN, needsRole(need.permission, grant.project.path));
}
