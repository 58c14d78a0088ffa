import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { descriptorImage } from "@faultline/proto/image";
import { ReflectionService } from "@grpc/reflection";

/**
 * Server reflection over our files and the health service's, for clients that have neither.
 *
 * The descriptors are handed over as buf compiled them: proto-loader's own way from an image merges all files of a
 * package and drops their imports, and clients that check them, such as grpcurl, refuse that.
 */
export function reflection(): ReflectionService {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptorImage());
  const fileDescriptorProtos = file.map((one) => Buffer.from(toBinary(FileDescriptorProtoSchema, one)));
  return new ReflectionService({
    all: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos },
  });
}
