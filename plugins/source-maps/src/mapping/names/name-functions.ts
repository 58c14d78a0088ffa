/** A part of a function's name: an identifier, with its offset in the text, or a word that stands for itself. */
export interface NamePart {
  readonly text: string;
  readonly at?: number;
}

type Name = readonly NamePart[];

/** A function of a text; nothing names it where there are no parts. Offsets are UTF-16 units. */
export interface NamedFunction {
  readonly start: number;
  readonly end: number;
  readonly name: Name;
  /** Whether the text itself names it; otherwise its name is that of what it is assigned to. */
  readonly hasOwnName: boolean;
  readonly isConstructor: boolean;
}

/** A node of ESTree, whatever its kind. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  [field: string]: unknown;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export function isFunction({ type }: SyntaxNode): boolean {
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
 * recursion, as texts nest deeply.
 */
export function nameFunctions(root: SyntaxNode, take: (found: NamedFunction) => void): void {
  const seen: Seen[] = childrenOf(root);
  for (let next = seen.pop(); next; next = seen.pop()) {
    const { node, name } = next;
    if (!isNode(node)) continue;
    if (isFunction(node)) {
      const own = ownName(node);
      const hasOwnName = own !== undefined;
      take({ start: node.start, end: node.end, name: own ?? name, hasOwnName, isConstructor: false });
    } else if (node.type === "ClassDeclaration" || node.type === "ClassExpression") seeClass(node, name, seen, take);
    else push(seen, seeNode(node, name));
  }
}

/** What a node holds, and what it calls that. */
function seeNode(node: SyntaxNode, name: Name): Seen[] {
  const { left, right, key, value } = node;
  switch (node.type) {
    case "VariableDeclarator":
      return [{ node: node["init"], name: nameOf(node["id"]) }, unnamed(node["id"])];
    case "AssignmentExpression":
    case "AssignmentPattern":
      return [{ node: right, name: nameOf(left) }, unnamed(left)];
    case "ObjectExpression":
      return list(node["properties"]).map((property) => ({ node: property, name }));
    case "Property":
      return [{ node: value, name: member(name, node) }, unnamed(key)];
    case "ExportDefaultDeclaration":
      return [{ node: node["declaration"], name: [{ text: "default" }] }];
    case "LogicalExpression":
      return [unnamed(left), { node: right, name }];
    case "ConditionalExpression":
      return [unnamed(node["test"]), { node: node["consequent"], name }, { node: node["alternate"], name }];
    case "SequenceExpression": {
      const expressions = list(node["expressions"]);
      return expressions.map((one, index) => ({ node: one, name: index === expressions.length - 1 ? name : nameless }));
    }
    default:
      return childrenOf(node);
  }
}

function seeClass(node: SyntaxNode, inferred: Name, seen: Seen[], take: (found: NamedFunction) => void): void {
  const name = ownName(node) ?? inferred;
  seen.push(unnamed(node["superClass"]));
  if (!isNode(node["body"])) return;
  for (const part of list(node["body"]["body"])) {
    if (!isNode(part)) continue;
    const { key, value } = part;
    if (part.type === "StaticBlock") push(seen, childrenOf(part));
    else if (part["kind"] === "constructor" && isNode(value)) {
      take({ start: value.start, end: value.end, name, hasOwnName: true, isConstructor: true });
    } else seen.push(unnamed(key), { node: value, name: member(name, part) });
  }
}

function ownName({ id }: SyntaxNode): Name | undefined {
  return isNode(id) ? nameOf(id) : undefined;
}

/** The name of a property or a member; none where it is computed or no word, as the modules of webpack are. */
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
  if (!isNode(node) || typeof node["name"] !== "string") return undefined;
  const { type, start, name } = node;
  if (type === "PrivateIdentifier") return { text: `#${name}`, at: start };
  return type === "Identifier" ? { text: name, at: start } : undefined;
}

/** A key in quotes, if it could stand without them. */
function textPart(node: unknown): NamePart | undefined {
  if (!isNode(node) || node.type !== "Literal" || typeof node["value"] !== "string") return undefined;
  const text = node["value"];
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text) ? { text, at: node.start } : undefined;
}

function childrenOf(node: SyntaxNode): Seen[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.map(unnamed) : isNode(value) ? [unnamed(value)] : [],
  );
}

/** Not with `push(...)`: its arguments lie on the stack, and tables of data have 100,000 entries. */
function push(seen: Seen[], more: readonly Seen[]): void {
  for (const one of more) seen.push(one);
}

const unnamed = (node: unknown): Seen => ({ node, name: nameless });
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
