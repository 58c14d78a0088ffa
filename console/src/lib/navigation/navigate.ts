import { goto } from "$app/navigation";

/** The only place that names SvelteKit's navigation options, which change between its major versions. */

/** Replaces the address while someone types, without moving focus and scroll position. */
export const replaceAddress = (address: string) => goto(address, { replace: true, reset: false });

/** Goes to an address like a link. */
export const go = (address: string) => goto(address);

/** Goes to an address of the same page, without moving scroll position and focus. */
export const stepTo = (address: string) => goto(address, { reset: false });
