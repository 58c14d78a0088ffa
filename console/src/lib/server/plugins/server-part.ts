/**
 * `index.server.ts` of a plugin's console part: the data of its pages and panels, and the actions of its forms.
 * Browsers never load it.
 */

import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@faultline/proto/grpc";
import type { Project, TrackedEvent } from "#lib/messages.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

export interface ServerPart {
  /** The name of the plugin, as in ConsolePart. */
  readonly plugin: string;
  /**
   * Loads by the panel's name. A load that is refused or fails leaves the panel without data, and the page unchanged.
   */
  readonly errorAside?: Readonly<Record<string, (call: PanelCall) => Promise<unknown>>>;
  /** The load of the plugin's error header. If it is refused or fails, the header's components have no data. */
  readonly errorHeader?: (call: HeaderCall) => Promise<unknown>;
  /** By the page's name. */
  readonly errorTabs?: Readonly<Record<string, PageServer>>;
  readonly projectPages?: Readonly<Record<string, PageServer>>;
  readonly settings?: Readonly<Record<string, PageServer>>;
}

/** The server side of a page. */
export interface PageServer {
  /** Its answer is sent to the browser, so it contains only plain values. A refusal leads to the error page. */
  readonly load?: (call: LoadCall) => Promise<unknown>;
  /** The actions of its forms, in SvelteKit's form. The pages of all plugins share the names of actions. */
  readonly actions?: Readonly<Record<string, (call: ActionCall) => Promise<unknown>>>;
}

/** The arguments of a load or an action. */
export interface Call {
  /** The methods of the product, called as the requesting person. */
  readonly api: Api;
  /** The methods of another service, called as the requesting person. */
  readonly client: <S extends DescService>(service: S) => PersonsClient<S>;
  readonly url: URL;
}

/** A client that sends the person's token. */
export type PersonsClient<S extends DescService> = {
  readonly [K in keyof ServiceClient<S>]: ServiceClient<S>[K] extends (
    request: infer Request,
    ...more: never
  ) => infer Answer
    ? (request: Request) => Answer
    : never;
};

/** The arguments of a page's load. */
export interface LoadCall extends Call {
  readonly project: Project;
  /** The error of the page. Empty on pages of a project. */
  readonly errorId: string;
}

/**
 * The arguments of an error header's load. The project is named by path because the load begins before the project is
 * read.
 */
export interface HeaderCall extends Call {
  readonly projectPath: string;
  readonly errorId: string;
}

/** The arguments of the load of a panel next to an event. */
export interface PanelCall extends LoadCall {
  /** Resolves to the shown event, which is read concurrently; undefined if there is none. */
  readonly event: () => Promise<TrackedEvent | undefined>;
}

/** The arguments of a form's action. */
export interface ActionCall extends Call {
  readonly projectPath: string;
  /** As in LoadCall. */
  readonly errorId: string;
  readonly form: FormData;
}
