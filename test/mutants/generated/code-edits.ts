import { isNode, nameOf, parse, walk, type SyntaxNode } from '../syntax.ts';
import { oneFurther, shifted, type Edit } from './edit.ts';
import { sqlEdits } from './sql-edits.ts';

/** Names of functions and variables that hold keys of caches and locks. */
const KEY_WORDS = new Set(['key', 'lock', 'place', 'hash', 'fingerprint', 'memo', 'cache', 'id']);
const MAP_METHODS = new Set(['get', 'set', 'has', 'delete', 'add']);
const CLAUSE = /\b(where|on|having|check|when|select|insert|update|delete)\b/i;

/** Every edit of a TypeScript file, and of the SQL in its texts if it is a `.sql.ts` file. */
export function codeEdits(file: string, source: string): Edit[] {
  const edits: Edit[] = [];
  const text = (node: SyntaxNode): string => source.slice(node.start, node.end);
  walk(parse(file, source), (node, parents) => {
    if (parents.some((parent, i) => isLogged(parent, parents[i + 1] ?? node))) return;
    edits.push(...comparisonEdits(node, source));
    edits.push(...filterEdits(node, text));
    edits.push(...halfEdits(node, parents, text));
    if (isKey(node, parents)) edits.push(...keyEdits(node, source));
    if (hasSql(file) && isText(node, parents)) {
      const sql = source.slice(node.start + 1, node.end - 1);
      edits.push(...shifted(sqlEdits(sql, { isFragment: isFragment(sql) }), node.start + 1));
    }
  });
  return edits.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns true for an argument of `log.warn(…)`. The text of a log line is not promised. */
function isLogged(call: SyntaxNode, argument: SyntaxNode): boolean {
  const { callee } = call as { callee?: SyntaxNode };
  if (call.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return false;
  const object = callee['object'];
  const owner = isNode(object)
    ? isNode(object['property'])
      ? object['property']
      : object
    : object;
  const isLog = isNode(owner) && owner['name'] === 'log';
  return isLog && argument !== callee;
}

function hasSql(file: string): boolean {
  return file.endsWith('.sql.ts') || file.startsWith('src/platform/postgres/');
}

/** Whether a text may be a condition by itself. Sentences have neither clauses nor operators. */
function isFragment(text: string): boolean {
  return !CLAUSE.test(text) && /[=<>$]|\bis (?:not )?null\b/.test(text);
}

/** A reading of the clock, or the time left by it. Two readings never meet at the same microsecond on purpose. */
const CLOCK = /\b(nowMs|epochMs|monotonicMs|clockMs|leftMs)\b|\bDate\.now\b/;

/** `<` becomes `<=`, and so on, unless one side is the clock. */
function comparisonEdits(node: SyntaxNode, source: string): Edit[] {
  const further = node.type === 'BinaryExpression' && oneFurther(String(node['operator']));
  if (typeof further !== 'string') return [];
  const { left, right, operator } = node as unknown as Record<'left' | 'right', SyntaxNode> & {
    operator: string;
  };
  if (CLOCK.test(source.slice(node.start, node.end))) return [];
  const at = source.slice(left.end, right.start).indexOf(operator);
  const start = left.end + at;
  return [{ kind: 'comparison', start, end: start + operator.length, replace: further }];
}

/** `list.filter(is)` keeps what it dropped. */
function filterEdits(node: SyntaxNode, text: (node: SyntaxNode) => string): Edit[] {
  const { callee, arguments: given } = node as { callee?: SyntaxNode; arguments?: SyntaxNode[] };
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return [];
  const [is] = given ?? [];
  const method = callee['property'];
  if (!isNode(method) || method['name'] !== 'filter' || !is || given!.length > 1) return [];
  const replace = `(...one) => !(${text(is)})(...one)`;
  return [{ kind: 'filter', start: is.start, end: is.end, replace }];
}

/** `a && b && c` without each of its parts. */
function halfEdits(
  node: SyntaxNode,
  parents: readonly SyntaxNode[],
  text: (node: SyntaxNode) => string,
): Edit[] {
  const operator = logicalOperator(node);
  if (operator === undefined || logicalOperator(parents.at(-1)) === operator) return [];
  const parts = operandsOf(node, operator);
  const needed = parts.filter((part) => !isNothingWithout(part, parts, outside(parents), text));
  return needed.map((part) => {
    const rest = parts.filter((other) => other !== part).map(text);
    const whole = rest.length > 1 ? `(${rest.join(` ${operator} `)})` : `(${rest[0]})`;
    return { kind: 'half', start: node.start, end: node.end, replace: whole };
  });
}

/** The nearest parent other than brackets. */
function outside(parents: readonly SyntaxNode[]): SyntaxNode | undefined {
  return parents.findLast(({ type }) => type !== 'ParenthesizedExpression');
}

/** The guard of `...(a !== undefined && { a })`: a member that is undefined is as good as none. */
function isNothingWithout(
  part: SyntaxNode,
  parts: readonly SyntaxNode[],
  around: SyntaxNode | undefined,
  text: (node: SyntaxNode) => string,
): boolean {
  const [guard, value] = parts;
  if (around?.type !== 'SpreadElement' || part !== guard || parts.length !== 2) return false;
  const [member, another] = (value!['properties'] ?? []) as SyntaxNode[];
  const guarded = /^(.+) !== undefined$/s.exec(text(guard))?.[1];
  const given = member?.['value'];
  return guarded !== undefined && !another && isNode(given) && text(given) === guarded;
}

function logicalOperator(node: SyntaxNode | undefined): string | undefined {
  const operator = node?.type === 'LogicalExpression' ? String(node['operator']) : undefined;
  return operator === '??' ? undefined : operator;
}

function operandsOf(node: SyntaxNode, operator: string): SyntaxNode[] {
  if (logicalOperator(node) !== operator) return [node];
  const { left, right } = node as unknown as Record<'left' | 'right', SyntaxNode>;
  return [...operandsOf(left, operator), ...operandsOf(right, operator)];
}

/** A template, or an array in JSON.stringify, that is the key of a cache or of a lock. */
function isKey(node: SyntaxNode, parents: readonly SyntaxNode[]): boolean {
  const around = parents.at(-1);
  if (node.type === 'ArrayExpression') return around !== undefined && isStringify(around);
  if (node.type !== 'TemplateLiteral' || around?.type === 'TaggedTemplateExpression') return false;
  if (around?.type === 'CallExpression' && (around['arguments'] as unknown[]).includes(node)) {
    const { callee } = around as unknown as { callee: SyntaxNode };
    const called = callee.type === 'MemberExpression' ? callee['property'] : callee;
    const name = isNode(called) ? String(called['name']) : '';
    return MAP_METHODS.has(name) || isKeyName(name);
  }
  if (
    around?.type === 'Property' &&
    isNode(around['key']) &&
    isKeyName(String(around['key']['name']))
  )
    return true;
  const named = parents.findLast((parent) => nameOf(parent) !== undefined);
  const isResult = /^(VariableDeclarator|ReturnStatement|ArrowFunctionExpression)$/;
  return isResult.test(around?.type ?? '') && named !== undefined && isKeyName(nameOf(named)!);
}

function isStringify(node: SyntaxNode): boolean {
  const { callee } = node as { callee?: SyntaxNode };
  const object = callee?.['object'];
  const property = callee?.['property'];
  const isJson = isNode(object) && object['name'] === 'JSON';
  return (
    node.type === 'CallExpression' && isJson && isNode(property) && property['name'] === 'stringify'
  );
}

/** Whether a word of a name in camel case or in capitals says that it is a key. */
function isKeyName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  return words.some((word) => KEY_WORDS.has(word));
}

/** The key without each of its parts. */
function keyEdits(node: SyntaxNode, source: string): Edit[] {
  if (node.type === 'ArrayExpression') {
    const elements = (node['elements'] as (SyntaxNode | null)[]).filter((one) => one !== null);
    return elements.map((element, i) => {
      const next = elements[i + 1];
      const before = elements[i - 1];
      const [start, end] = next
        ? [element.start, next.start]
        : [before?.end ?? element.start, element.end];
      return { kind: 'key', start, end, replace: '' };
    });
  }
  return (node['expressions'] as SyntaxNode[]).map((part) => {
    const start = source.lastIndexOf('${', part.start);
    return { kind: 'key', start, end: source.indexOf('}', part.end) + 1, replace: '' };
  });
}

/** A string or template that may be SQL. Names of imports and properties are none. */
function isText(node: SyntaxNode, parents: readonly SyntaxNode[]): boolean {
  const isString = node.type === 'Literal' && typeof node['value'] === 'string';
  if (!isString && node.type !== 'TemplateLiteral') return false;
  return !/^(Import|Export|TS)/.test(parents.at(-1)?.type ?? '');
}
