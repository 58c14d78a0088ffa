/**
 * Writes gen/index.ts (every message of the schema, and the services by the names that code gives them) and gen/comments.json (the
 * comments of the proto files, which take 50 ms to read from the image). `npm run generate` runs it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary, getOption, type DescService } from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { client_name } from "./gen/faultline/v1/role_pb.ts";

/** The text of index.ts for a folder with the generated files and the image. */
export function indexOf(gen: string): string {
  const { files } = createFileRegistry(imageIn(gen));
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

const imageIn = (gen: string) => fromBinary(FileDescriptorSetSchema, readFileSync(join(gen, "image.binpb")));

/** The text of comments.json for a folder with the image. */
export function commentsOf(gen: string): string {
  const own = imageIn(gen).file.filter((file) => file.package === "faultline.v1");
  return `${JSON.stringify(Object.fromEntries(own.flatMap(commentsIn)), undefined, 1)}\n`;
}

type Entry = readonly [name: string, comment: string];

/** The numbers in paths are numbers of fields of google.protobuf.FileDescriptorProto and DescriptorProto. */
function commentsIn(file: FileDescriptorProto): readonly Entry[] {
  const byPath = new Map(
    file.sourceCodeInfo?.location
      .filter(({ leadingComments }) => leadingComments !== "")
      .map(({ path, leadingComments }) => [path.join("."), leadingComments.trim().replace(/\s*\n\s*/g, " ")]),
  );
  const at = (name: string, path: string): readonly Entry[] => {
    const comment = byPath.get(path);
    return comment === undefined ? [] : [[name, comment]];
  };
  const inMessage = (message: DescriptorProto, within: string, path: string): readonly Entry[] => {
    const name = `${within}.${message.name}`;
    return [
      ...at(name, path),
      ...message.field.flatMap((field, n) => at(`${name}.${field.name}`, `${path}.2.${n}`)),
      ...message.nestedType.flatMap((nested, n) => inMessage(nested, name, `${path}.3.${n}`)),
      ...message.enumType.flatMap((nested, n) => inEnum(nested, name, `${path}.4.${n}`)),
    ];
  };
  const inEnum = ({ name, value }: EnumDescriptorProto, within: string, path: string): readonly Entry[] =>
    value.flatMap((word, n) => at(`${within}.${name}.${word.name}`, `${path}.2.${n}`));
  return [
    ...file.messageType.flatMap((message, n) => inMessage(message, file.package, `4.${n}`)),
    ...file.enumType.flatMap((words, n) => inEnum(words, file.package, `5.${n}`)),
    ...file.service.flatMap(({ name, method }, n) => [
      ...at(`${file.package}.${name}`, `6.${n}`),
      ...method.flatMap((one, m) => at(`${file.package}.${name}.${one.name}`, `6.${n}.2.${m}`)),
    ]),
  ];
}

if (import.meta.main) {
  const gen = join(import.meta.dirname, "gen");
  writeFileSync(join(gen, "index.ts"), indexOf(gen));
  writeFileSync(join(gen, "comments.json"), commentsOf(gen));
}
