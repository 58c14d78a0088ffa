import type { Project } from "#lib/messages.ts";
import type { Preferences } from "#lib/preferences/preferences.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

declare global {
  /**
   * Does once more what was pressed, chosen and typed while no script of the page could hear it, which on a slow line
   * takes seconds; what works without scripts has happened. To be called once, when they can. app.html has it, as it begins
   * with the page and must not wait for another script in the end.
   */
  function repeatEarlyInput(): void;
  namespace App {
    interface Locals {
      /** The session token of the cookie. Absent: signed out. */
      token: string | undefined;
      preferences: Preferences;
      /** Calls the tRPC procedures in this process, for this request's user. */
      api: Api;
    }
    interface PageData {
      /** The project whose pages are shown. */
      project?: Project;
      /** The names of its owners; empty for people who need not ask them. */
      owners?: readonly string[];
      /** When what is shown was read, where the external system cannot be asked now. */
      staleSinceTime?: string | undefined;
    }
    interface Error {
      /** Why, as named in error_reason.proto, or CORE_UNREACHABLE. */
      reason?: string;
      /** Finds the failure in the log. */
      reference?: string;
    }
  }
}
