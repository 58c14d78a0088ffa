/** Icons as paths in a box of 16 units, drawn with a stroke of 1.5. */
export const icons = {
  check: "M3 8.5l3.2 3.2L13 5",
  ignore: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  reopen: "M3 8a5 5 0 1 1 1.6 3.7M3 12.2V8.9h3.3",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2",
  close: "M4 4l8 8M12 4l-8 8",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  release: "M8 2.5h5.5V8L8 13.5 2.5 8zM10.7 5.2v.2",
  errors: "M8 2.5l6 10.8H2zM8 6.5v3M8 11.4v.2",
  start: "M3.5 13.5v-11l9 5.5-6.5 4",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.2v3.6M6 9.2v3.6",
  project: "M2.5 4.5v8h11v-6.5h-6l-1.5-1.5z",
  user: "M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4M2.8 13.5c.7-2.4 2.7-3.6 5.2-3.6s4.5 1.2 5.2 3.6",
  key: "M6 7.5a3 3 0 1 0 0 1M6 8h7.5v2.5M11 8v2",
  external: "M6.5 3.5h-3v9h9v-3M9.5 2.5h4v4M13.5 2.5L7.5 8.5",
  download: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M2.5 13.5h11",
  stack: "M8 2.5l6 3-6 3-6-3zM2 8l6 3 6-3M2 10.5l6 3 6-3",
  display: "M2.5 3.5h11v7h-11zM6 13.5h4",
  pulse: "M1.5 8.5h3l2-5 3 9 2-4h3",
  people:
    "M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4M2 13c.4-2.2 2-3.4 4-3.4s3.6 1.2 4 3.400M10.5 3.400a2.2 2.2 0 0 1 0 4M11.5 9.800c1.4.4 2.3 1.5 2.5 3.2",
  shield: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
  storage: "M3 4.200c0-2.2 10-2.2 10 0s-10 2.2-10 0v7.600c0 2.2 10 2.2 10 0V4.2",
  list: "M3 4h10M3 8h10M3 12h6",
  send: "M2.5 8l11-5-4 11-2.5-4.500z",
  clock: "M8 2.500a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  pencil: "M3 13l.7-2.8 7-7 2.1 2.1-7 7z",
  out: "M6.5 2.5h-4v11h4M6.5 8h7M10.5 5l3 3-3 3",
} as const;

export type IconName = keyof typeof icons;
