/** The header of answers to requests that need a new sign-in. */
export const sessionOver = "faultline-session-over";
