import {
  fromBinary,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
} from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { descriptorImage } from "./image.ts";

let comments: ReadonlyMap<string, string> | undefined;

/**
 * The comment that a message, a field, a service, a method or a word of an enum has in its proto file, in one line; for "See Type.field"
 * at its beginning the comment of that field. Empty if it has none, and for files that are not in the image. The first call
 * reads the image, 0.1 s of a core.
 */
export function commentOf(of: DescMessage | DescField | DescService | DescMethod | DescEnumValue): string {
  return commentAt(of.kind === "message" || of.kind === "service" ? of.typeName : `${of.parent?.typeName}.${of.name}`);
}

/** `name`: with its package. */
function commentAt(name: string): string {
  comments ??= new Map(fromBinary(FileDescriptorSetSchema, descriptorImage()).file.flatMap(commentsIn));
  const comment = comments.get(name) ?? "";
  const [, seen, more = ""] = /^See (\w+\.\w+)\b[.,;:]? ?(.*)$/.exec(comment) ?? [];
  const [packageName = ""] = /^[a-z0-9_.]+(?=\.)/.exec(name) ?? [];
  const found = seen === undefined ? "" : commentAt(`${packageName}.${seen}`);
  return found === "" ? comment : `${found} ${more.charAt(0).toUpperCase()}${more.slice(1)}`.trim();
}

type Entry = readonly [name: string, comment: string];

/** The numbers in paths are those of the fields of google.protobuf.FileDescriptorProto and DescriptorProto. */
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
