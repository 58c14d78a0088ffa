import type { Verdict } from "./verdict.ts";

/** The sentences for the sender and for the project's members. */
export const inWords: Readonly<Record<Exclude<Verdict, undefined>, string>> = {
  day: "The project has received as many bytes today as it may. It takes events again at 0:00 UTC; an administrator can raise the limit.",
  kept: "The project keeps as many bytes as it may, and its oldest events are being deleted. Send this one again in a moment; an administrator can raise the limit.",
  disk: "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free some space there, delete errors of the project, or send this one again later.",
};

/** The sentences for those who upload or record something. */
export const besideInWords = {
  disk: "The disk of the service gets full, and what is left is kept for events. Free some space there, or try again later.",
  kept: 'The project keeps as many bytes as it may, more than half of them beside its events. Delete old uploads on the page "Source maps", or ask an administrator to raise the limit.',
};
