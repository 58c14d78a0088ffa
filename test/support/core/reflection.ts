import * as grpc from "@grpc/grpc-js";
import * as protoLoader from "@grpc/proto-loader";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as assert from "uvu/assert";
import type { Server } from "../service/server.ts";
import { stretched } from "../run/deadlines.ts";

export type Json = Record<string, unknown>;
export type ServiceConstructor = grpc.ServiceClientConstructor;

const options: protoLoader.Options = { keepCase: true, longs: String, enums: String, defaults: true };
const credentials = grpc.credentials.createInsecure();
const resolve = createRequire(import.meta.url).resolve;

/** Asks the reflection service. Its proto file is public. */
export async function reflected(server: Pick<Server, "grpcAddress">, request: Json): Promise<Json> {
  const Reflection = shipped("grpc.reflection.v1.ServerReflection", {
    of: "@grpc/reflection",
    at: "../proto/grpc/reflection/v1/reflection.proto",
  });
  const client = new Reflection(server.grpcAddress, credentials);
  const stream = client["ServerReflectionInfo"]?.({
    deadline: Date.now() + stretched(10_000),
  }) as grpc.ClientDuplexStream<Json, Json>;
  try {
    return await new Promise<Json>((resolveAnswer, reject) => {
      stream.once("data", resolveAnswer);
      stream.once("error", reject);
      stream.write(request);
      stream.end();
    });
  } finally {
    client.close();
  }
}

/** A service of a proto file that a package ships. The path of the file is relative to the package's main file. */
export function shipped(name: string, { of, at }: { of: string; at: string }): ServiceConstructor {
  return serviceOf(protoLoader.loadSync(join(dirname(resolve(of)), at), options), name);
}

/** The service `name`, made from the descriptors that reflection returns. */
export async function discovered(server: Pick<Server, "grpcAddress">, name: string): Promise<ServiceConstructor> {
  const answer = await reflected(server, { file_containing_symbol: name });
  const { file_descriptor_proto: files } = answer["file_descriptor_response"] as { file_descriptor_proto: Buffer[] };
  return serviceOf(protoLoader.loadFileDescriptorSetFromBuffer(descriptorSet(files), options), name);
}

/** A google.protobuf.FileDescriptorSet of serialized files. Each file is a length-delimited field 1. */
export function descriptorSet(files: readonly Buffer[]): Buffer {
  return Buffer.concat(files.flatMap((file) => [Buffer.from([0x0a, ...varint(file.length)]), file]));
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function serviceOf(definition: protoLoader.PackageDefinition, name: string): ServiceConstructor {
  const service = definition[name];
  assert.ok(service, `${name} is not described`);
  return grpc.makeClientConstructor(service as grpc.ServiceDefinition, name);
}
