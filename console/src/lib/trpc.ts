import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { route } from "./navigation/route.ts";
import type { AppRouter } from "./server/trpc/router.ts";

/**
 * The procedures, called from the browser. The server takes at most ten calls in a batch. Import this file only when
 * needed: it has 10 kB, and no page needs it for its first view.
 */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => operation.type === "subscription",
      true: httpSubscriptionLink({ url: route.trpc() }),
      false: httpBatchLink({
        url: route.trpc(),
        maxItems: 10,
        // A new status, or its undo, must arrive even if the person leaves the page.
        fetch: (address, options) => fetch(address, { ...options, keepalive: true } as RequestInit),
      }),
    }),
  ],
});
