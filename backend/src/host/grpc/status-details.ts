import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import type { ServiceError } from "@faultline/plugin";
import { ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "@faultline/proto/status";
import { reasonName } from "@faultline/proto/grpc";

/** A refusal as google.rpc.Status, which the libraries of many languages decode (error_reason.proto). */
export function statusDetails({ reason, field, message, retryAfterSeconds }: ServiceError, code: number): Buffer {
  const metadata: Record<string, string> = field === "" ? {} : { field };
  const info = create(ErrorInfoSchema, { reason: reasonName(reason), domain: "faultline", metadata });
  const retry = create(RetryInfoSchema, { retryDelay: { seconds: BigInt(retryAfterSeconds) } });
  const details = [anyPack(ErrorInfoSchema, info), ...(retryAfterSeconds > 0 ? [anyPack(RetryInfoSchema, retry)] : [])];
  return Buffer.from(toBinary(StatusSchema, create(StatusSchema, { code, message, details })));
}
