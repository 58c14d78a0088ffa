import { Parser, type Node, type Options } from "acorn";
import { longestIdentifier } from "../map-limits.ts";

declare module "acorn" {
  interface Parser {
    /** The method that acorn's plugins override: it is called with each node as soon as the node is parsed completely. */
    finishNode(node: Node, type: string): Node;
  }
}

/** The callbacks of readFunctions. */
export interface FunctionTaker {
  /** Called with each function, inner functions before outer ones. */
  readonly take: (found: NamedFunction) => void;
  /** With each node of the text; it may throw to end the reading. */
  readonly onNode: () => void;
}

/**
 * Hands over each function of a script or module; throws what acorn throws for a text that is no JavaScript (SyntaxError) or
 * nests too deep for its recursion (RangeError). As soon as a function is parsed, what it holds is looked through and let go, so
 * that it holds the largest function without its inner functions in memory, not a tree of the whole text.
 */
export function readFunctions(code: string, sourceType: "module" | "script", taker: FunctionTaker): void {
  new FunctionParser(code, { ...tolerant, sourceType }, taker).parse();
}

/** Code that runs in any browser or framework is parsed, whatever wraps it there. */
const tolerant = {
  ecmaVersion: "latest",
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowImportExportEverywhere: true,
  checkPrivateFields: false,
} as const satisfies Omit<Options, "sourceType">;

/** Replaces each number: tables of data have millions, and none names a function. */
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
      // Its parameters stay, because acorn counts the parameters of getters and setters.
      finished["body"] = { type: "EmptyStatement", start: finished.end, end: finished.end } satisfies SyntaxNode;
    }
    if (type === "Program") nameFunctions(finished, this.#taker.take);
    return finished;
  }
}

/** A part of a function's name: an identifier, with its offset in the text, or a literal word. */
export interface NamePart {
  readonly text: string;
  readonly at?: number;
}

type Name = readonly NamePart[];

/** A function of a text; it has no name if it has no parts. Offsets are UTF-16 units. */
export interface NamedFunction {
  readonly start: number;
  readonly end: number;
  readonly name: Name;
  /** Whether the text itself names it; otherwise it has the name of the target that it is assigned to. */
  readonly hasOwnName: boolean;
  readonly isConstructor: boolean;
}

/** A node of ESTree, whatever its kind. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  [field: string]: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isFunction({ type }: SyntaxNode): boolean {
  return type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
}

/** A node that is still to be looked at, and what it is called if it is a function, a class or an object. */
interface Seen {
  readonly node: unknown;
  readonly name: Name;
}

/** A name has its last parts only: objects in objects would make it longer with each. */
const mostParts = 4;

const nameless: Name = [];

/**
 * Hands over the functions in a node, not those within them, with their names: their own, or as JavaScript and its engines derive
 * them from what they are assigned to: a variable, a property (`obj.method`), a class and its member, a default. Without
 * recursion, because texts nest deeply.
 */
function nameFunctions(root: SyntaxNode, take: (found: NamedFunction) => void): void {
  const seen: Seen[] = [];
  seeChildren(root, seen);
  for (let next = seen.pop(); next; next = seen.pop()) {
    const { node, name } = next;
    if (!isNode(node)) continue;
    if (isFunction(node)) {
      const own = ownName(node);
      const hasOwnName = own !== undefined;
      take({ start: node.start, end: node.end, name: own ?? name, hasOwnName, isConstructor: false });
    } else if (node.type === "ClassDeclaration" || node.type === "ClassExpression") seeClass(node, name, seen, take);
    else seeNode(node, name, seen);
  }
}

/** Adds what a node holds, and what it calls that. */
function seeNode(node: SyntaxNode, name: Name, seen: Seen[]): void {
  const { left, right, key, value } = node;
  switch (node.type) {
    case "VariableDeclarator":
      seen.push({ node: node["init"], name: nameOf(node["id"]) }, unnamed(node["id"]));
      break;
    case "AssignmentExpression":
    case "AssignmentPattern":
      seen.push({ node: right, name: nameOf(left) }, unnamed(left));
      break;
    case "ObjectExpression":
      for (const property of list(node["properties"])) seen.push({ node: property, name });
      break;
    case "Property":
      seen.push({ node: value, name: member(name, node) }, unnamed(key));
      break;
    case "ExportDefaultDeclaration":
      seen.push({ node: node["declaration"], name: [{ text: "default" }] });
      break;
    case "LogicalExpression":
      seen.push(unnamed(left), { node: right, name });
      break;
    case "ConditionalExpression":
      seen.push(unnamed(node["test"]), { node: node["consequent"], name }, { node: node["alternate"], name });
      break;
    case "SequenceExpression": {
      const expressions = list(node["expressions"]);
      const last = expressions.length - 1;
      for (const [index, one] of expressions.entries())
        seen.push({ node: one, name: index === last ? name : nameless });
      break;
    }
    default:
      seeChildren(node, seen);
  }
}

function seeClass(node: SyntaxNode, inferred: Name, seen: Seen[], take: (found: NamedFunction) => void): void {
  const name = ownName(node) ?? inferred;
  seen.push(unnamed(node["superClass"]));
  if (!isNode(node["body"])) return;
  for (const part of list(node["body"]["body"])) {
    if (!isNode(part)) continue;
    const { key, value } = part;
    if (part.type === "StaticBlock") seeChildren(part, seen);
    else if (part["kind"] === "constructor" && isNode(value)) {
      take({ start: value.start, end: value.end, name, hasOwnName: true, isConstructor: true });
    } else seen.push(unnamed(key), { node: value, name: member(name, part) });
  }
}

function ownName({ id }: SyntaxNode): Name | undefined {
  return isNode(id) ? nameOf(id) : undefined;
}

/** The name of a property or a member; undefined if it is computed or not a word, like the modules of webpack. */
function member(of: Name, property: SyntaxNode): Name {
  const part =
    property["computed"] === true
      ? textPart(property["key"])
      : (identifierPart(property["key"]) ?? textPart(property["key"]));
  return part ? [...of, part].slice(-mostParts) : nameless;
}

/** The name of what is assigned to: `a`, `a.b.c`, `a["b"]`, `this.b` without `this`. */
function nameOf(target: unknown): Name {
  const parts: NamePart[] = [];
  let rest = target;
  while (isNode(rest) && rest.type === "MemberExpression") {
    const part = rest["computed"] === true ? textPart(rest["property"]) : identifierPart(rest["property"]);
    if (!part) return nameless;
    // A method that is assigned to a prototype is one of its class.
    if (part.text !== "prototype" && parts.length < mostParts) parts.unshift(part);
    rest = rest["object"];
  }
  const first = identifierPart(rest);
  return first && parts.length < mostParts ? [first, ...parts] : parts;
}

function identifierPart(node: unknown): NamePart | undefined {
  if (!isNode(node) || typeof node["name"] !== "string" || node["name"].length > longestIdentifier) return undefined;
  const { type, start, name } = node;
  if (type === "PrivateIdentifier") return { text: `#${name}`, at: start };
  return type === "Identifier" ? { text: name, at: start } : undefined;
}

/** A key in quotes, if it could stand without them. */
function textPart(node: unknown): NamePart | undefined {
  if (!isNode(node) || node.type !== "Literal" || typeof node["value"] !== "string") return undefined;
  const text = node["value"];
  if (text.length > longestIdentifier) return undefined;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text) ? { text, at: node.start } : undefined;
}

/** Adds the nodes that a node holds, except nodes that hold none, which are half of all. A list is not copied, because tables of data have millions of entries. */
function seeChildren(node: SyntaxNode, seen: Seen[]): void {
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) for (const one of value as readonly unknown[]) seeInner(one, seen);
    else seeInner(value, seen);
  }
}

function seeInner(value: unknown, seen: Seen[]): void {
  if (isNode(value) && value.type !== "Identifier" && value.type !== "Literal") seen.push(unnamed(value));
}

const unnamed = (node: unknown): Seen => ({ node, name: nameless });
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
