import type { RequestEvent } from "@sveltejs/kit";
import { isOpen, procedureRoute } from "#lib/server/open-routes.ts";

/** Bytes and fields of a form. */
interface FormLimits {
  readonly bytes: number;
  readonly fields: number;
}

/** For names, passwords and links, in forms that anybody may send. */
const ofStrangers: FormLimits = { bytes: 8 * 1024, fields: 32 };

/**
 * For filters and selected errors, in forms of people with a session. A form of 250,000 fields took 400 ms of the event
 * loop.
 */
const ofPeople: FormLimits = { bytes: 512 * 1024, fields: 2_000 };

const types = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/**
 * Reads the form of a request, so that actions get it from `event.request.formData()`. Returns the refusal of a form
 * that is too large, by its headers or by its bytes and before it is parsed, and of a body that is not a form.
 */
export async function readForm(event: RequestEvent): Promise<Response | undefined> {
  const { request, locals } = event;
  const type = request.headers.get("content-type") ?? "";
  if (request.method !== "POST" || !types.test(type) || event.route.id === procedureRoute) return undefined;
  // The limit depends on the page, because the session is not checked yet.
  const limits = locals.token === undefined || isOpen(event.route.id) ? ofStrangers : ofPeople;
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

/** The number of fields, counted by their separators. */
function fieldsIn(bytes: Buffer, type: string): number {
  const separator = type.toLowerCase().startsWith("multipart") ? "\n--" : "&";
  let count = 1;
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + separator.length)) count += 1;
  return count;
}
