/** The parts that `console/vite.config.ts` collects. */

declare module "virtual:plugins/index" {
  import type { ConsolePart } from "#lib/plugins/part.ts";
  const parts: readonly ConsolePart[];
  export default parts;
}

declare module "virtual:plugins/pages" {
  import type { PluginPages } from "#lib/plugins/part.ts";
  const parts: readonly PluginPages[];
  export default parts;
}

declare module "virtual:plugins/error-aside" {
  import type { ErrorAside } from "#lib/plugins/part.ts";
  const parts: readonly ErrorAside[];
  export default parts;
}

declare module "virtual:plugins/error-header" {
  import type { ErrorHeader } from "#lib/plugins/part.ts";
  const parts: readonly ErrorHeader[];
  export default parts;
}

declare module "virtual:plugins/index.server" {
  import type { ServerPart } from "#lib/server/plugins/server-part.ts";
  const parts: readonly ServerPart[];
  export default parts;
}
