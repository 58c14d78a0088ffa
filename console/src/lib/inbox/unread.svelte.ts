/** The person's unread entries, as shown by the bell; undefined while unknown. */
export const unread = $state<{ count: number | undefined }>({ count: undefined });
