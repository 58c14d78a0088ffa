import { createHash } from "node:crypto";

/**
 * The page for people: Mustache templates for the views of page.ts. Its operations and bodies are rendered first. Words
 * between backticks in a text become code.
 */
export const pageTemplate = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>{{title}}</title>
<style>{{{style}}}</style>
</head>
<body>
<header>
<h1>{{title}}</h1>
<p>{{#prose}}{{description}}{{/prose}}</p>
<p>OpenAPI document for programs: <a href="{{base}}/openapi.json">{{base}}/openapi.json</a></p>
</header>
<main>
<h2 id="token">Token</h2>
<ul>
{{#schemes}}
<li>{{#prose}}{{description}}{{/prose}}</li>
{{/schemes}}
</ul>
<p>Never send the token in the query, because servers and proxies log addresses.</p>
<h2 id="refusals">Refusals</h2>
<p>A refusal has a stable <code>reason</code> for programs and, as in GitLab, a <code>message</code> or an <code>error</code> for people.</p>
<ul>
{{#refusals}}
<li id="{{name}}">{{status}} {{name}}: {{#prose}}{{description}}{{/prose}} {{> kind}}</li>
{{/refusals}}
</ul>
<nav aria-label="Operations">
<h2 id="operations">Operations</h2>
<ul>
{{#sections}}
<li><a href="#{{anchor}}">{{name}}</a>
<ul>
{{#operations}}
<li><a href="#{{id}}">{{summary}}</a></li>
{{/operations}}
</ul>
</li>
{{/sections}}
</ul>
</nav>
{{#sections}}
<h2 id="{{anchor}}">{{name}}</h2>
{{{text}}}{{/sections}}
<h2 id="schemas">Bodies</h2>
{{{schemas}}}</main>
</body>
</html>
`;

/** An operation of the page. */
export const operationTemplate = `<section id="{{id}}">
<h3><a href="#{{id}}">{{summary}}</a></h3>
<p><code><strong>{{verb}}</strong> {{base}}{{path}}</code></p>
<p>{{#prose}}{{description}}{{/prose}}</p>
{{#hasParameters}}
<h4>Parameters</h4>
<dl>
{{#parameters}}
<dt><code>{{name}}</code> <span class="kind">{{words}}</span></dt>
<dd>{{#prose}}{{description}}{{/prose}}</dd>
{{/parameters}}
</dl>
{{/hasParameters}}
{{#body}}
<h4>Body</h4>
{{> fields}}
{{/body}}
<h4>Answers</h4>
<ul>
{{#answers}}
<li>{{status}}: {{#refusal}}<a href="#{{refusal}}">{{refusal}}</a>{{/refusal}}{{^refusal}}{{#prose}}{{description}}{{/prose}} {{> kind}}{{/refusal}}</li>
{{/answers}}
</ul>
<pre>{{curl}}</pre>
</section>
`;

/** A body of the page. */
export const schemaTemplate = `<section id="schema-{{name}}">
<h3><a href="#schema-{{name}}">{{name}}</a></h3>
<p>{{#prose}}{{description}}{{/prose}}</p>
{{> fields}}
</section>
`;

/**
 * `kind` is a type in words, with links to the bodies it names. `fields` are the fields of an object, and their fields.
 */
export const partials = {
  kind: `{{#kinds.length}}<span class="kind">{{#kinds}}{{#link}}<a href="#schema-{{link}}">{{link}}</a>{{/link}}{{text}}{{/kinds}}</span>{{/kinds.length}}`,
  fields: `<dl>
{{#fields}}
<dt><code>{{name}}</code> {{> kind}}</dt>
<dd>{{#prose}}{{description}}{{/prose}}{{#inner}}{{> fields}}{{/inner}}</dd>
{{/fields}}
</dl>
`,
};

/** The page's style, inline because the page may load nothing. */
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
