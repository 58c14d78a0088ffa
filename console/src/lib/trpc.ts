import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { route } from "./navigation/route.ts";
import type { AppRouter } from "./server/trpc/router.ts";

/**
 * The procedures, called from the browser. The server takes at most ten calls in a batch. Import this file when a call
 * is due, not before: it weighs 10 kB, and no page needs it to be read.
 */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => operation.type === "subscription",
      true: httpSubscriptionLink({ url: route.trpc() }),
      false: httpBatchLink({
        url: route.trpc(),
        maxItems: 10,
        // A status that was just set, or undone, must arrive although the person goes on to another page.
        fetch: (address, options) => fetch(address, { ...options, keepalive: true } as RequestInit),
      }),
    }),
  ],
});
