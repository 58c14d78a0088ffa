/** The parts of the plugins that run. */
export const running = <Part extends { readonly plugin: string }>(
  parts: readonly Part[],
  plugins: readonly string[] = [],
) => parts.filter(({ plugin }) => plugins.includes(plugin));
