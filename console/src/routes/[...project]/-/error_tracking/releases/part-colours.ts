/** The colours of the parts of a bar, from the bottom. They have patterns too, see PartPattern. */
export const partColours = ["var(--error)", "var(--warning)"] as const;
