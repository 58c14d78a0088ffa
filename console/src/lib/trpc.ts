import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { route } from "./navigation/route.ts";
import type { AppRouter } from "./server/trpc/router.ts";

/**
 * The procedures, called from the browser. The server takes at most ten calls in a batch. Import this file only
 * when a call is due: it weighs 10 kB, and no page needs it to be shown.
 */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => operation.type === "subscription",
      true: httpSubscriptionLink({ url: route.trpc() }),
      false: httpBatchLink({
        url: route.trpc(),
        maxItems: 10,
        // A status that was just set, or undone, must arrive although the person leaves the page.
        fetch: (address, options) => fetch(address, { ...options, keepalive: true } as RequestInit),
      }),
    }),
  ],
});
