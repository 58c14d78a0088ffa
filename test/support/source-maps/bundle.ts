import { rolldown, type OutputChunk, type RolldownOptions } from "rolldown";
import { compile } from "svelte/compiler";

/** A generated file and its map. */
export interface Bundle {
  readonly code: string;
  readonly map: string;
}

/** Files by their names. Svelte files are compiled for the browser. */
export type Files = Readonly<Record<string, string>>;

/** A bundle of the files, made by rolldown like in Vite 8. The files import each other as `./name`. */
export async function bundle(files: Files, { minify }: { readonly minify: boolean }): Promise<Bundle> {
  const [entry = ""] = Object.keys(files);
  const plugin: RolldownOptions["plugins"] = {
    name: "files",
    resolveId: (id) => (id.replace("./", "") in files ? `/src/${id.replace("./", "")}` : { id, external: true }),
    load: (id) => ({ code: files[id.replace("/src/", "")] ?? "", moduleType: id.endsWith(".ts") ? "ts" : "js" }),
    transform(code, id) {
      if (!id.endsWith(".svelte")) return undefined;
      const { js } = compile(code, { filename: id });
      return { code: js.code, map: js.map.toString() };
    },
  };
  const built = await rolldown({ input: `./${entry}`, plugins: [plugin], treeshake: false });
  const { output } = await built.generate({ format: "esm", minify, sourcemap: true });
  const chunk = output.find((one): one is OutputChunk => one.type === "chunk");
  if (!chunk?.map) throw new Error("The bundle has no map.");
  return { code: chunk.code, map: chunk.map.toString() };
}
