import { parseSync } from 'vite';

/** A node of the syntax tree (ESTree with types of TypeScript), with its place in the source. */
export type SyntaxNode = { type: string; start: number; end: number; [field: string]: unknown };

/** A function, method, class or constant. */
export type Declared = { name: string; start: number; end: number };

/** @throws Error if the source is no TypeScript */
export function parse(file: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program as unknown as SyntaxNode;
}

/** Calls `visit` for each node, parents first, with the parents from the outermost to the next. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => void,
  parents: readonly SyntaxNode[] = [],
): void {
  visit(node, parents);
  const below = [...parents, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit, below);
    }
  }
}

/** Everything in a file that has a name, parents first. */
export function declaredIn(file: string, source: string): Declared[] {
  const found: Declared[] = [];
  walk(parse(file, source), (node) => {
    const name = nameOf(node);
    if (name !== undefined) found.push({ name, start: node.start, end: node.end });
  });
  return found;
}

/** The name that a node declares, if it declares a function, method, class or constant. */
export function nameOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'VariableDeclarator':
      return identifierOf(node['id']);
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return identifierOf(node['key']);
    case 'Property':
      return isFunction(node['value']) ? identifierOf(node['key']) : undefined;
    default:
      return undefined;
  }
}

function identifierOf(node: unknown): string | undefined {
  return isNode(node) && node.type.endsWith('Identifier') ? String(node['name']) : undefined;
}

function isFunction(node: unknown): boolean {
  return isNode(node) && /Function/.test(node.type);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
