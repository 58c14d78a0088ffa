/** The readable page, as Mustache templates over the views of page.ts; the page has its operations and bodies as text. In a text, words between backticks become code. */
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

/** `kind`: a type in words, with links to the bodies it names. `fields`: those of an object, with theirs. */
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
