import { escapedHtml } from "@faultline/plugin";

/** HTML that is safe to show: every text in it was escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Builds HTML. Values are escaped unless they are HTML already. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(written)));
}

/** A text; words between backticks become code. */
export function prose(text: string): Html {
  return new Html(escapedHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>"));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(({ text }) => text).join("\n") : escapedHtml(String(part));
}
