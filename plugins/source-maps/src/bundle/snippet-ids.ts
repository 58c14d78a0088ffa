/** Ids that are read of a script: a chunk of the npm package `sentry` 0.49 has 10. */
const maxIds = 32;

/** Places that are looked at, so that a script of nothing but halves of snippets ends soon. */
const maxPlaces = 10_000;

/**
 * The ids of the snippets in a script, as they are written, in their order, distinct. The whole script is searched: a
 * snippet stands at its head, but a library that was published with ids of its own brings more, and of all that
 * one script registers the SDK sends the last (`getFilenameToDebugIdMap` of @sentry/core 10.78).
 */
export function snippetIds(script: Buffer): readonly string[] {
  const found = forms.flatMap(({ start, id }) => idsBehind(script, start, id));
  return [...new Set(found.toSorted((one, other) => one.at - other.at).map(({ id }) => id))].slice(0, maxIds);
}

/** `_sentryDebugIds[stack]="<id>"`; minifiers choose the quotes. All repetitions are bounded. */
const stored = /^[\w$]{1,64}\]\s{0,8}=\s{0,8}["'`]([0-9a-fA-F-]{32,36})["'`]/;

const forms = [
  { start: "_sentryDebugIds[", id: stored }, // sentry-cli and all plugins
  { start: "_debugIds[", id: stored }, // bundlers by themselves
  { start: "sentry-dbid-", id: /^([0-9a-fA-F-]{32,36})/ }, // plugins and the npm package `sentry`
];

/** The longest text that `stored` takes. */
const maxBytes = 128;

function idsBehind(script: Buffer, start: string, form: RegExp): { readonly at: number; readonly id: string }[] {
  const ids: { readonly at: number; readonly id: string }[] = [];
  let at = script.indexOf(start);
  for (let places = 0; at >= 0 && places < maxPlaces && ids.length < 2 * maxIds; places++) {
    const behind = at + start.length;
    const [, id] = form.exec(script.toString("latin1", behind, behind + maxBytes)) ?? [];
    if (id !== undefined) ids.push({ at, id });
    at = script.indexOf(start, behind);
  }
  return ids;
}
