import { createHash } from "node:crypto";

/** The style of the readable page. It is inline, as the page may load nothing. */
export const pageStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dce3, #333944); --soft: light-dark(#f4f5f8, #1c2028); }
* { box-sizing: border-box; }
body { max-width: 56rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  color: light-dark(#16181d, #e8eaef); background: light-dark(#fff, #111318); }
a { color: light-dark(#1a56c4, #8ab4ff); }
h1 { font-size: 1.75rem; line-height: 1.2; }
h2 { margin-top: 3rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
h4 { margin: 1rem 0 0.25rem; font-size: 0.9rem; }
h2, section, li { scroll-margin-top: 0.5rem; }
p { margin: 0.5rem 0; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
code { padding: 0 0.2em; background: var(--soft); border-radius: 3px; }
pre { padding: 0.75rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap; }
ul { margin: 0.25rem 0; padding-left: 1.25rem; }
dl { margin: 0.25rem 0; }
dt { margin-top: 0.4rem; }
dd { margin: 0 0 0 1.25rem; }
.kind { color: light-dark(#565d6b, #a5adbb); font-size: 0.9em; }
`;

/** The page's Content-Security-Policy: its own style and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
