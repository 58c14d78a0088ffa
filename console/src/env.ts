import { defineEnvVars } from "@sveltejs/kit/env";

export const variables = defineEnvVars({
  FAULTLINE_GRPC_ADDRESS: {
    description: "Host and port of the core's gRPC server. Default 127.0.0.1:50051.",
    schema: (value) => value ?? "127.0.0.1:50051",
  },
});
