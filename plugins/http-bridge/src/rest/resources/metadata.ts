import { create } from "@bufbuild/protobuf";
import { GetInstanceRequestSchema, type Instance } from "@faultline/proto";
import type { Operation } from "../rest.ts";

/** What is offered here. `revision` and `enterprise` are there for clients of the original. */
export const getMetadata: Operation = async ({ visit, call }) => {
  const { instance } = await visit.host.core.instance.getInstance(create(GetInstanceRequestSchema), call);
  const { version, platformRelease, offering, baseUrl } = instance as Instance;
  return {
    status: 200,
    body: {
      version,
      revision: null,
      enterprise: false,
      platform_release: platformRelease,
      offering,
      base_url: baseUrl,
    },
  };
};
