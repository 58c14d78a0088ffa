import { Parser, type Node, type Options } from "acorn";
import { isFunction, isNode, nameFunctions, type NamedFunction, type SyntaxNode } from "./name-functions.ts";

declare module "acorn" {
  interface Parser {
    /** What acorn's plugins override: it is called with each node as soon as all of it is parsed. */
    finishNode(node: Node, type: string): Node;
  }
}

/** What readFunctions calls. */
export interface FunctionTaker {
  /** With each function, inner ones before outer ones. */
  readonly take: (found: NamedFunction) => void;
  /** With each node of the text; it may throw to end the reading. */
  readonly onNode: () => void;
}

/**
 * Hands over each function of a script or module; throws what acorn throws for a text that is no JavaScript (SyntaxError) or
 * nests too deep for its recursion (RangeError). As soon as a function is parsed, what it holds is looked through and let go, so
 * that the memory is that of the largest function without those in it, not that of a tree of the whole text.
 */
export function readFunctions(code: string, sourceType: "module" | "script", taker: FunctionTaker): void {
  new FunctionParser(code, { ...tolerant, sourceType }, taker).parse();
}

/** What runs in some browser or framework shall be parsed, whatever wraps it there. */
const tolerant = {
  ecmaVersion: "latest",
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowImportExportEverywhere: true,
  checkPrivateFields: false,
} as const satisfies Omit<Options, "sourceType">;

/** In place of each number: tables of data have millions, and none names a function. */
const someNumber: Node & { readonly value: number } = { type: "Literal", start: 0, end: 0, value: 0 };

class FunctionParser extends Parser {
  readonly #taker: FunctionTaker;

  constructor(code: string, options: Options, taker: FunctionTaker) {
    super(options, code);
    this.#taker = taker;
  }

  override finishNode(node: Node, type: string): Node {
    const finished = super.finishNode(node, type);
    this.#taker.onNode();
    if (!isNode(finished)) return finished;
    if (type === "Literal" && typeof finished["value"] === "number") return someNumber;
    if (isFunction(finished)) {
      nameFunctions(finished, this.#taker.take);
      // Its parameters stay, as acorn counts those of getters and setters.
      finished["body"] = { type: "EmptyStatement", start: finished.end, end: finished.end } satisfies SyntaxNode;
    }
    if (type === "Program") nameFunctions(finished, this.#taker.take);
    return finished;
  }
}
