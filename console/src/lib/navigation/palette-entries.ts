/** The entries that the palette offers for a text. Pure. */

import type { Capability, Project } from "../messages.ts";
import type { OfferedEntry } from "../plugins/part.ts";
import { route } from "./route.ts";

/** A place that the palette leads to. */
export interface PaletteEntry {
  readonly label: string;
  /** The kind of the entry, or a name that distinguishes it from others. */
  readonly note: string;
  readonly href: string;
}

interface Known {
  /** The sections of the navigation. */
  readonly sections: readonly {
    readonly name: string;
    readonly links: readonly {
      readonly label: string;
      readonly href: string;
      readonly needs?: Capability | undefined;
    }[];
  }[];
  readonly projects: readonly Pick<Project, "name" | "path">[];
  /** The shown project. */
  readonly project: Pick<Project, "name" | "path"> | undefined;
  /** The entries of plugins in the project. */
  readonly offered: readonly OfferedEntry[];
}

/** The projects that match a text. */
export const matchingProjects = (text: string, projects: Known["projects"]): PaletteEntry[] =>
  projects
    .filter(({ name, path }) => hasWords(`${name} ${path}`, text))
    .map(({ name, path }) => ({ label: name, note: path === name ? "Project" : path, href: route.errors(path) }));

/** All matches for a text: an error by an event id, pages, entries of plugins, projects, and a search for the text. */
export function paletteEntries(text: string, { sections, projects, project, offered }: Known): PaletteEntry[] {
  const q = text.trim();
  const pages = sections.flatMap(({ name, links }) =>
    links
      .filter(({ label, needs }) => needs?.allowed !== false && hasWords(`${name} ${label}`, q))
      .map(({ label, href }) => ({ label, note: name, href })),
  );
  const named = offered
    .filter(({ label, words = "" }) => hasWords(`${label} ${words}`, q))
    .map(({ label, note, href }) => ({ label, note, href }));
  const searches = q === "" ? [] : searchesFor(q, project);
  const found = [...pages, ...named, ...matchingProjects(q, projects)];
  return eventId(q) === undefined ? [...found, ...searches] : searches;
}

function searchesFor(text: string, project: Known["project"]): PaletteEntry[] {
  const id = eventId(text);
  const q = id ?? text;
  const here = project && {
    label: id === undefined ? `Search errors for “${text}”` : `Open event ${id}`,
    note: project.name,
    href: route.errors(project.path, { q }),
  };
  const everywhere = { label: `Search all errors for “${q}”`, note: "All projects", href: route.allErrors({ q }) };
  return here ? [here, everywhere] : [everywhere];
}

/** The event id in a text: 32 hexadecimal digits, with or without dashes. */
function eventId(text: string): string | undefined {
  const digits = text.replaceAll("-", "");
  return /^[0-9a-f]{32}$/i.test(digits) ? digits.toLowerCase() : undefined;
}

const hasWords = (name: string, text: string) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));
