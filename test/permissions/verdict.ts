import type { Need } from "../../backend/src/services/access/permissions.ts";
import { permissionsOf } from "../../backend/src/services/access/roles.ts";
import type { Credential, Person } from "./people.ts";

/** The verdict on a call: `allowed` means that it reached the method's own code, whatever that returned. */
export type Verdict = "allowed" | "no token" | "scope" | "forbidden" | "hidden";

/** The scopes of tokens that are good for what a method needs. */
const goodFor: Readonly<Record<"read" | "write" | "upload", readonly Credential[]>> = {
  read: ["api", "read_api"],
  write: ["api"],
  upload: ["api", "upload"],
};

/** The verdict that the options of the methods demand. */
export function expectedVerdict(need: Need, person: Person, credential: Credential): Verdict {
  if (need.who === "anyone") return "allowed";
  if (credential === "none") return "no token";
  if (credential !== "session") {
    if (need.scope === "session") return "forbidden";
    if (!goodFor[need.scope].includes(credential)) return "scope";
  }
  if (need.who === "user" || person.isAdmin) return "allowed";
  if (need.who !== "member") return "forbidden";
  if (person.role === 0) return "hidden";
  return permissionsOf(person.role).has(need.permission) ? "allowed" : "forbidden";
}

/** The verdict behind a refusal of the core, by the name of its reason. */
export function verdictOfReason(reason: string | undefined): Verdict {
  switch (reason) {
    case "TOKEN_REQUIRED":
      return "no token";
    case "INSUFFICIENT_SCOPE":
      return "scope";
    case "FORBIDDEN":
      return "forbidden";
    case "PROJECT_NOT_FOUND":
      return "hidden";
    default:
      return "allowed";
  }
}
