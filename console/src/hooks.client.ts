import type { ClientInit } from "@sveltejs/kit/hooks";
import { patientFetch } from "#lib/interruptions/patient-fetch.ts";

export const init: ClientInit = () => {
  globalThis.fetch = patientFetch;
};
