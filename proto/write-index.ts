/** Writes gen/index.ts: every message of the schema, and the services by the names that code gives them. `npm run generate` runs it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary, getOption, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { client_name } from "./gen/faultline/v1/role_pb.ts";

/** The text of index.ts for a folder with the generated files and the image. */
export function indexOf(gen: string): string {
  const { files } = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(join(gen, "image.binpb"))));
  const services = [...files]
    .filter(({ proto }) => proto.package === "faultline.v1")
    .flatMap(({ name, services: ofFile }) => ofFile.map((service) => ({ module: `${name}_pb.ts`, service })))
    .toSorted((one, other) => (one.module < other.module ? -1 : 1));
  const modules = readdirSync(join(gen, "faultline/v1")).filter((file) => file.endsWith("_pb.ts"));
  return [
    "// Written by write-index.ts.",
    ...services.map(({ module, service }) => `import { ${service.name} } from "./${module}";`),
    "",
    ...modules.toSorted().map((module) => `export * from "./faultline/v1/${module}";`),
    "",
    "/** The services of the core and of the product's plugins, by the names that code gives them. */",
    "export const services = {",
    ...services.map(({ service }) => `  ${clientName(service)}: ${service.name},`),
    "} as const;",
    "",
  ].join("\n");
}

function clientName(service: DescService): string {
  const singular = service.name.replace(/Service$/, "");
  return getOption(service, client_name) || `${singular.charAt(0).toLowerCase()}${singular.slice(1)}s`;
}

if (import.meta.main) {
  const gen = join(import.meta.dirname, "gen");
  writeFileSync(join(gen, "index.ts"), indexOf(gen));
}
