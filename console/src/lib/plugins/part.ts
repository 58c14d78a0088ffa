import type { AwaitedActions } from "@sveltejs/kit";
import type { Component } from "svelte";
import type { IconName } from "../components/icons.ts";
import type { Project, TrackedError, TrackedEvent } from "../messages.ts";

/**
 * The parts that a plugin adds to the console: default exports of files in its folder `src/console`; see
 * docs/plugins.md.
 */

/** `index.ts`: the links to a plugin's pages. Every page of the console loads this file. */
export interface ConsolePart {
  /** The name of the plugin. Its parts are shown while a plugin with this name runs. */
  readonly plugin: string;
  /** Entries in the sections of a project. */
  readonly navigation?: readonly NavigationEntry[];
  /** Offers more entries in the palette. The file loads when the palette opens. */
  readonly palette?: () => Promise<{ readonly default: PaletteSource }>;
}

/** `pages.ts`: the pages of a plugin, by the last part of their addresses. A component loads with its page. */
export interface PluginPages {
  /** As in ConsolePart. */
  readonly plugin: string;
  /** Pages of a project: `/<project>/-/error_tracking/<name>`. */
  readonly projectPages?: Readonly<Record<string, LoadsPage>>;
  /** Pages of the settings of a project: `/<project>/-/settings/<name>`. */
  readonly settings?: Readonly<Record<string, LoadsPage>>;
  /** Pages of an error: `/<project>/-/error_tracking/<id>/<name>`. */
  readonly errorTabs?: Readonly<Record<string, ErrorTab>>;
}

/** The slots that have pages. */
export type PageSlot = Exclude<keyof PluginPages, "plugin">;

/** Loads the component of a page; its props are PageProps. */
type LoadsPage = () => Promise<{ readonly default: Component<never> }>;

/** The props of a page. */
export interface PageProps<Data, Form = unknown> {
  /** The answer of the page's `load` in `index.server.ts`. Undefined if it has none. */
  readonly data: Data;
  /** The answer of the action that the page's form called last. Null if there is none. */
  readonly form: Form | null;
  readonly project: Project;
  /** The error of the page. Null on pages of a project, and if the external system did not answer. */
  readonly error: TrackedError | null;
}

/** A page of an error. */
export interface ErrorTab {
  /** The link in the row of tabs. If undefined, the page has no link there, and the plugin links to it elsewhere. */
  readonly label?: string;
  readonly component: LoadsPage;
}

/** A navigation entry that leads to a page of the plugin. */
export interface NavigationEntry {
  /** `Monitor` has the pages of a project, `Settings` the pages of its settings. */
  readonly section: "Monitor" | "Settings";
  readonly label: string;
  readonly icon: IconName;
  /** The name of the page in `projectPages` or `settings`. */
  readonly page: string;
  /** The label of the entry above. Default: the last entry of the section. */
  readonly after?: string;
}

/** Reads the palette entries for a project whenever the palette opens. Errors are ignored. */
export type PaletteSource = (project: Project) => Promise<readonly OfferedEntry[]>;

/** An entry of the palette. */
export interface OfferedEntry {
  readonly label: string;
  /** The kind of the entry, such as `Saved search`. */
  readonly note: string;
  readonly href: string;
  /** More search words for the entry. */
  readonly words?: string;
}

/**
 * `error-aside.ts`: the panels of a plugin next to an event. The page of an error loads this file with all its imports.
 */
export interface ErrorAside {
  /** The name of the plugin, as in ConsolePart. */
  readonly plugin: string;
  readonly panels: readonly ErrorPanel[];
}

/** A panel next to an event. */
export interface ErrorPanel {
  /** Distinguishes the panels of a plugin, and names the panel's load in `index.server.ts`. */
  readonly name: string;
  /** Panels with a smaller number are above. The product's own panels have 10, 20 and so on. */
  readonly place: number;
  /** Its props are ErrorPanelProps. */
  readonly component: Component<never>;
}

/** The props of a panel next to an event. */
export interface ErrorPanelProps<Data> {
  /** The answer of the panel's load in `index.server.ts`. Undefined if it has none, or if the load failed. */
  readonly data: Data | undefined;
  readonly project: Project;
  /** The error's current state, with its live changes. */
  readonly error: TrackedError | null;
  /** The shown event. */
  readonly event: TrackedEvent;
}

/**
 * `error-header.ts`: additions of a plugin to an error's header. The page of an error loads this file with all its
 * imports.
 */
export interface ErrorHeader {
  /** The name of the plugin, as in ConsolePart. */
  readonly plugin: string;
  /** A button or a link among the actions of the error. Its props are ErrorHeaderProps. */
  readonly action?: Component<never>;
  /** A line below the name of the error. Its props are ErrorHeaderProps. */
  readonly line?: Component<never>;
}

/** The props of the components in an ErrorHeader. */
export interface ErrorHeaderProps<Data> {
  /** The answer of `errorHeader` in `index.server.ts`. Undefined if the plugin has none, or if the load failed. */
  readonly data: Data | undefined;
  readonly project: Project;
  /** The error's current state, with its live changes. */
  readonly error: TrackedError;
}

/** The answer of a load: `DataOf<typeof server.errorAside.activity>`. */
export type DataOf<Load extends (call: never) => Promise<unknown>> = Awaited<ReturnType<Load>>;

/** The answers of actions, in the form that pages get: `FormOf<typeof server.projectPages.source_maps.actions>`. */
export type FormOf<Actions extends Record<string, (call: never) => unknown>> = AwaitedActions<Actions>;

/** The parts of the running plugins. */
export const running = <Part extends { readonly plugin: string }>(
  parts: readonly Part[],
  plugins: readonly string[] = [],
) => parts.filter(({ plugin }) => plugins.includes(plugin));
