import type { Attack } from "./attack.ts";
import { decoders } from "./attacks/decoders.ts";
import { diskFill } from "./attacks/disk-fill.ts";
import { doors } from "./attacks/doors.ts";
import { grpc } from "./attacks/grpc.ts";
import { jsonStorm } from "./attacks/json-storm.ts";
import { newErrors } from "./attacks/new-errors.ts";
import { reads } from "./attacks/reads.ts";
import { signIn } from "./attacks/sign-in.ts";
import { uploads } from "./attacks/uploads.ts";
import { work } from "./attacks/work.ts";

/** Attacks by strangers, holders of a DSN and users that were found to cost the others. Their names are unique. */
export const attacks: readonly Attack[] = [
  ...decoders,
  ...grpc,
  jsonStorm,
  ...diskFill,
  ...reads,
  ...newErrors,
  ...signIn,
  ...doors,
  ...uploads,
  ...work,
];
