import { fromBinary, type DescField, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { descriptorImage } from "@faultline/proto/image";

/** The comment of a service, a method or a field of a message in its proto file, as one paragraph. */
export function commentOf(desc: DescService | DescMethod | DescField): string {
  comments ??= readComments();
  const name = desc.kind === "service" ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
  return comments.get(name) ?? "";
}

let comments: ReadonlyMap<string, string> | undefined;

function readComments(): ReadonlyMap<string, string> {
  const { file: files } = fromBinary(FileDescriptorSetSchema, descriptorImage());
  return new Map(files.flatMap((file) => [...commentsIn(file)]));
}

/** By the paths of descriptor.proto: 4 is a message and 2 in it a field, 6 is a service and 2 in it a method. */
function* commentsIn({ package: inPackage, messageType, service, sourceCodeInfo }: FileDescriptorProto) {
  for (const { path, leadingComments } of sourceCodeInfo?.location ?? []) {
    const [kind, at = 0, two, below = 0] = path;
    if (leadingComments === "" || (path.length !== 2 && (path.length !== 4 || two !== 2))) continue;
    const outer = kind === 4 ? messageType[at] : kind === 6 ? service[at] : undefined;
    if (outer === undefined) continue;
    const inner = "method" in outer ? outer.method[below] : outer.field[below];
    const names = [inPackage, outer.name, ...(path.length === 4 ? [inner?.name] : [])];
    yield [names.join("."), leadingComments.replace(/\s+/g, " ").trim()] as const;
  }
}
