import { goto } from "$app/navigation";

/** The one place that names SvelteKit's navigation options, which change between its major versions. */

/** Replaces the address while someone types: focus and scroll stay. */
export const replaceAddress = (address: string) => goto(address, { replace: true, reset: false });

/** Goes to an address as a link would. */
export const go = (address: string) => goto(address);

/** Goes to an address of the same page: scroll and focus stay. */
export const stepTo = (address: string) => goto(address, { reset: false });
