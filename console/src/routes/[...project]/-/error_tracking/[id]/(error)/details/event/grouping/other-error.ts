/** The name of an error, or a sentence about an invalid name. */
export type NamedError = { readonly errorId: string } | { readonly refusal: string };

/**
 * Finds the error that a person typed or pasted: its id such as `157` or `#157`, its short id such as `WEB-157`, or the
 * address of its page.
 */
export function namedError(typed: string, shown: ShownError): NamedError {
  const named = anyError(typed, shown.projectPath);
  const isShown = "errorId" in named && named.errorId === shown.errorId;
  return isShown ? { refusal: "This is the error of this page. Enter another one." } : named;
}

/** The error of the page. */
interface ShownError {
  readonly projectPath: string;
  readonly errorId: string;
}

function anyError(typed: string, projectPath: string): NamedError {
  const text = typed.trim();
  const errorId = /^(?:#|[\w.-]+-)?([1-9]\d{0,14})$/.exec(text)?.[1];
  if (errorId !== undefined) return { errorId };
  const [, project, id] = /^\/(.+)\/-\/error_tracking\/([1-9]\d{0,14})(?:\/|$)/.exec(pathOf(text)) ?? [];
  if (project === undefined || id === undefined) {
    return { refusal: "Enter the ID of an error, such as 157, or paste the address of its page." };
  }
  if (project.toLowerCase() !== projectPath.toLowerCase()) {
    return { refusal: `That error is in ${project}. Only errors of the same project can be compared.` };
  }
  return { errorId: id };
}

function pathOf(address: string): string {
  const url = URL.parse(address, "http://console.invalid");
  try {
    return decodeURIComponent(url?.pathname ?? "");
  } catch {
    return ""; // a damaged address names no error
  }
}
