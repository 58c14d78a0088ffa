import { rest } from "../support/rest/rest.ts";
import { until } from "../support/run/until.ts";
import type { Field } from "./attack.ts";

/** The id of the attacker's only error. */
export async function onlyError(field: Field): Promise<string> {
  return until("the error is stored", async () => {
    const list = await rest(field, `GET /projects/${field.project.id}/error_tracking/errors`, { token: field.token });
    return (list.json as { id: string }[])[0]?.id; // the shape is what rest.test.ts asserts
  });
}
