import type { RequestEvent } from "@sveltejs/kit";
import { OpenForms } from "#lib/server/open-forms.ts";
import { isOfStrangers, procedureRoute } from "#lib/server/open-routes.ts";
import { deviceToken } from "#lib/server/session.ts";

/** Bytes and fields of a form. */
interface FormLimits {
  readonly bytes: number;
  readonly fields: number;
}

/** Names, passwords and links, in the forms that anybody may send. */
const ofStrangers: FormLimits = { bytes: 8 * 1024, fields: 32 };

/** Filters and selected errors, in the forms of people with a session. A form of 250,000 fields took 400 ms of the event loop. */
const ofPeople: FormLimits = { bytes: 512 * 1024, fields: 2_000 };

const types = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

const openForms = new OpenForms({ now: () => performance.now() });

/** Takes the form of a request from the count of its network, before it begins a session. */
export const forgiveForm = (event: RequestEvent) => openForms.forgive(senderOf(event));

const senderOf = (event: RequestEvent) => ({
  clientAddress: event.getClientAddress(),
  hasDeviceToken: deviceToken(event) !== undefined,
});

/**
 * Reads the form of a request, so that actions get it from `event.request.formData()`. Returns the refusal of a form that is too large,
 * by its headers or by its bytes and before it is parsed, of a body that is not a form, and of one of too many forms of strangers.
 */
export async function readForm(event: RequestEvent): Promise<Response | undefined> {
  const { request, locals } = event;
  const type = request.headers.get("content-type") ?? "";
  if (request.method !== "POST" || !types.test(type) || event.route.id === procedureRoute) return undefined;
  const waitSeconds = isOfStrangers(event.route.id) ? openForms.begin(senderOf(event)) : 0;
  if (waitSeconds > 0) return tooManyForms(event, waitSeconds);
  const limits = locals.token === undefined ? ofStrangers : ofPeople;
  const tooLarge = new Response(
    `A form of this page has at most ${limits.bytes} bytes and ${limits.fields} fields. Send less.`,
    { status: 413, headers: { connection: "close" } },
  );
  const announced = request.headers.get("content-length");
  if (announced === null || Number(announced) > limits.bytes) return tooLarge;
  const bytes = Buffer.from(await request.arrayBuffer());
  if (bytes.length > limits.bytes || fieldsIn(bytes, type) > limits.fields) return tooLarge;
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    return new Response("The form could not be read. Send it again from its page.", { status: 400 });
  }
  request.formData = () => Promise.resolve(form);
  return undefined;
}

function tooManyForms({ request }: RequestEvent, waitSeconds: number): Response {
  const message = `Your network has sent too many forms within a minute. Try again in ${waitSeconds} s.`;
  const headers = { "retry-after": String(waitSeconds), connection: "close" }; // the form is not read
  if (!request.headers.has("x-sveltekit-action")) return new Response(message, { status: 429, headers });
  // To a page's script it is a refused action; `data` has the form of the package devalue, by which SvelteKit reads it.
  const data = JSON.stringify([{ message: 1, field: 2 }, message, ""]);
  return Response.json({ type: "failure", status: 429, data }, { headers });
}

/** Fields, as counted by what separates them. */
function fieldsIn(bytes: Buffer, type: string): number {
  const separator = type.toLowerCase().startsWith("multipart") ? "\n--" : "&";
  let count = 1;
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + separator.length)) count += 1;
  return count;
}
