import { readFileSync } from "node:fs";

/** The compiled proto files (a serialized google.protobuf.FileDescriptorSet), for gRPC reflection. */
export function descriptorImage(): Buffer {
  return readFileSync(new URL(import.meta.resolve("@faultline/proto/image.binpb")));
}
