import { services } from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { rootToken, type Server } from "../service/server.ts";

/** All services of a server; `auth` is the call context of the administrator. */
export function grpcClient(server: Pick<Server, "grpcAddress">) {
  const connection = connect(server.grpcAddress, credentials.createInsecure());
  return { ...connection.services(services), auth: { token: rootToken }, close: connection.close };
}

export type GrpcClient = ReturnType<typeof grpcClient>;
