/** `index.server.ts` of a plugin's console part: what its pages and panels show, and what their forms do. It never reaches a browser. */

import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@faultline/proto/grpc";
import type { Project, TrackedEvent } from "#lib/messages.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

export interface ServerPart {
  /** The name of the plugin, as in ConsolePart. */
  readonly plugin: string;
  /** By the name of the panel. A load that is refused or fails leaves the panel without data, and the page as it is. */
  readonly errorAside?: Readonly<Record<string, (call: PanelCall) => Promise<unknown>>>;
  /** What the error header of the plugin shows. A load that is refused or fails leaves its components without data. */
  readonly errorHeader?: (call: HeaderCall) => Promise<unknown>;
  /** By the name of the page. */
  readonly errorTabs?: Readonly<Record<string, PageServer>>;
  readonly projectPages?: Readonly<Record<string, PageServer>>;
  readonly settings?: Readonly<Record<string, PageServer>>;
}

/** The server side of a page. */
export interface PageServer {
  /** Its answer is sent to the browser, so it holds plain values only. A refusal leads to the error page. */
  readonly load?: (call: LoadCall) => Promise<unknown>;
  /** The actions of its forms, as of SvelteKit. The pages of all plugins share the names of actions. */
  readonly actions?: Readonly<Record<string, (call: ActionCall) => Promise<unknown>>>;
}

/** What a load or an action gets. */
export interface Call {
  /** The methods of the product, called for the person who asks. */
  readonly api: Api;
  /** The methods of a service that is not the product's, called for the person who asks. */
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

/** What the load of a page gets. */
export interface LoadCall extends Call {
  readonly project: Project;
  /** The error of the page. Empty on pages of a project. */
  readonly errorId: string;
}

/** What the load of an error header gets. It names the project by path because it begins before the project is read. */
export interface HeaderCall extends Call {
  readonly projectPath: string;
  readonly errorId: string;
}

/** What the load of a panel next to an event gets. */
export interface PanelCall extends LoadCall {
  /** Resolves to the event that is shown, which is read at the same time. Undefined if there is none. */
  readonly event: () => Promise<TrackedEvent | undefined>;
}

/** What the action of a form gets. */
export interface ActionCall extends Call {
  readonly projectPath: string;
  /** As in LoadCall. */
  readonly errorId: string;
  readonly form: FormData;
}
