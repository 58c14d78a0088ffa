/** The person's unread entries, as the bell knows them. Undefined: not known yet. */
export const unread = $state<{ count: number | undefined }>({ count: undefined });
