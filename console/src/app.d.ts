import type { EventAnswer, Project } from "#lib/messages.ts";
import type { IncomingMessage } from "node:http";
import type { Preferences } from "#lib/preferences/preferences.ts";
import type { PageLog } from "#lib/server/log-failure.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

declare global {
  /**
   * Repeats the presses, choices and input from before the page's scripts could handle them, which takes seconds on a
   * slow line. Acts that work without scripts have already happened. Call it once, when the scripts are ready. It is in
   * app.html because it begins with the page and must not wait for another script.
   */
  function repeatEarlyInput(): void;
  namespace App {
    interface Locals {
      /** The session token of the cookie; undefined if the person is signed out. */
      token: string | undefined;
      /** Whether the answer needs a new sign-in. */
      sessionIsOver?: boolean;
      preferences: Preferences;
      /** Calls the tRPC procedures in this process, for this request's user. */
      api: Api;
    }
    /** Undefined while a developer runs the pages alone. */
    interface Platform {
      readonly req: IncomingMessage & { readonly pageLog?: PageLog };
    }
    interface PageData {
      /** The names of the plugins that run. */
      plugins?: readonly string[];
      /** The project of the shown pages. */
      project?: Project;
      /** The names of the project's owners; empty for people who need not ask them. */
      owners?: readonly string[];
      /** When the shown data was read, if the external system cannot be asked now. */
      staleSinceTime?: string | undefined;
      /** The event that the page of an error shows. */
      answer?: EventAnswer | null;
      /** A permanent path to the content, if the page's own path will show something else later. */
      permalink?: string | undefined;
    }
    interface Error {
      /** Why, as named in error_reason.proto, or CORE_UNREACHABLE. */
      reason?: string;
      /** Finds the failure in the log. */
      reference?: string;
    }
  }
}
