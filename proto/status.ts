/** The messages of google.rpc in which a refusal is described for other libraries. */
export * from "./gen/google/rpc/error_details_pb.ts";
export * from "./gen/google/rpc/status_pb.ts";
