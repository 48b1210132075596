import { oneFurther, type Edit } from './edit.ts';

type Token = { text: string; start: number; end: number; depth: number };

/** Words after which a condition begins. */
const OPENS = new Set(['where', 'on', 'having', 'check', 'when']);
/** Words that end a condition at their depth. */
const ENDS = new Set(
  'where|execute|having|group|order|limit|offset|returning|union|except|intersect|for|window|set|join|left|right|inner|cross|full|on|do|then|from|values|select|insert|update|delete|with|as|asc|desc|using|when|else|end|check|constraint|references|not null'.split(
    '|',
  ),
);
const AND = new Set(['and']);
const OR = new Set(['or']);

/**
 * Takes every condition out of every `where`, `on`, `having`, `when` and `check`, and moves every comparison one step
 * further. A condition stays in the text as `(… or true)`, so that its parameters keep their types; an alternative as
 * `(… and false)`. Comparisons with the clock stay as they are. `isFragment`: the text is a part of a statement and may be a condition itself.
 */
export function sqlEdits(sql: string, { isFragment = false } = {}): Edit[] {
  const tokens = tokensOf(sql);
  const edits = isFragment && isCondition(tokens) ? conditionEdits(tokens, sql) : [];
  for (const [i, token] of tokens.entries()) {
    if (token.text === '(') edits.push(...conditionEdits(inside(tokens, i), sql));
    if (opensCondition(tokens, i)) edits.push(...conditionEdits(clauseAfter(tokens, i), sql, true));
    const further = oneFurther(token.text);
    const isNoticed = !comparesClock(tokens, i) && !isOfIndex(tokens, i);
    if (further !== undefined && i > 0 && isNoticed) {
      edits.push({ kind: 'comparison', start: token.start, end: token.end, replace: further });
    }
  }
  return [...new Map(edits.map((edit) => [`${edit.start}-${edit.end}`, edit])).values()].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  );
}

/** Edits of one condition. A single operand counts only `asClause`; in brackets alone it may be anything. */
function conditionEdits(tokens: readonly Token[], sql: string, asClause = false): Edit[] {
  if (tokens.length === 0 || /^(select|with|insert|update|delete)$/.test(tokens[0]!.text))
    return [];
  const alternatives = splitBy(tokens, OR);
  const isAlternative = alternatives.length > 1;
  const whole = alternatives.flatMap((operand) =>
    isAlternative ? [neutral(operand, sql, 'and false')] : [],
  );
  const parts = alternatives.flatMap((alternative) => {
    const operands = splitBy(alternative, AND);
    if (operands.length === 1 && (isAlternative || !asClause)) return [];
    return operands
      .filter((operand) => operand.length > 1 || operand[0]!.text !== 'true')
      .map((operand) => neutral(operand, sql, 'or true'));
  });
  return [...whole, ...parts];
}

function neutral(operand: readonly Token[], sql: string, how: string): Edit {
  const { start } = operand[0]!;
  const { end } = operand.at(-1)!;
  return { kind: 'condition', start, end, replace: `(${sql.slice(start, end)} ${how})` };
}

/** Operands between the words, which stand at the depth of the first token. */
function splitBy(tokens: readonly Token[], words: ReadonlySet<string>): Token[][] {
  const operands: Token[][] = [[]];
  let isBetween = false;
  let cases = 0;
  for (const token of tokens) {
    const isHere = token.depth === tokens[0]!.depth;
    if (isHere && token.text === 'case') cases += 1;
    if (isHere && token.text === 'end') cases -= 1;
    if (isHere && token.text === 'between') isBetween = true;
    if (isHere && cases === 0 && words.has(token.text) && !(isBetween && token.text === 'and')) {
      operands.push([]);
    } else {
      if (isHere && token.text === 'and') isBetween = false;
      operands.at(-1)!.push(token);
    }
  }
  return operands.filter((operand) => operand.length > 0);
}

function inside(tokens: readonly Token[], open: number): Token[] {
  const found: Token[] = [];
  for (const token of tokens.slice(open + 1)) {
    if (token.text === ')' && token.depth === tokens[open]!.depth) break;
    if (token.depth === tokens[open]!.depth + 1 && /^(order|limit|for)$/.test(token.text)) break;
    found.push(token);
  }
  return isCondition(found) ? found : [];
}

/** Whether `and` or `or` joins these tokens at their own depth, and nothing that is no condition. */
function isCondition(tokens: readonly Token[]): boolean {
  const own = tokens.filter(({ depth }) => depth === tokens[0]?.depth).map(({ text }) => text);
  const joins = own.some((text) => AND.has(text) || OR.has(text));
  return (
    joins && !own.some((text) => text === ',' || text === ';' || OPENS.has(text) || text === 'from')
  );
}

/** Whether a comparison is with the clock, which no row equals to the microsecond. */
function comparesClock(tokens: readonly Token[], at: number): boolean {
  const { depth } = tokens[at]!;
  const isEdge = (token: Token): boolean =>
    token.depth < depth ||
    (token.depth === depth && /^(and|or|where|on|,|;|case|when|then)$/.test(token.text));
  const start = tokens.slice(0, at).findLastIndex(isEdge) + 1;
  const after = tokens.slice(at).findIndex(isEdge);
  const side = tokens.slice(start, after === -1 ? undefined : at + after);
  return side.some(({ text }) => text === 'clock_timestamp' || text === 'now');
}

/** Whether a token is of an index without `unique`, whose rows decide how fast it is, and nothing else. */
function isOfIndex(tokens: readonly Token[], at: number): boolean {
  const statement = tokens.slice(0, at).findLastIndex(({ text }) => text === ';') + 1;
  return tokens[statement]!.text === 'create' && tokens[statement + 1]?.text === 'index';
}

function opensCondition(tokens: readonly Token[], i: number): boolean {
  const { text, depth } = tokens[i]!;
  if (!OPENS.has(text)) return false;
  const before = tokens.slice(0, i).filter((token) => token.depth === depth);
  const statement = before.findLastIndex((token) => token.text === ';');
  const own = before.slice(statement + 1).map((token) => token.text);
  if (text === 'where' && isOfIndex(tokens, i)) return false;
  if (text === 'on')
    return own.findLast((word) => /^(join|from|where|select)$/.test(word)) === 'join';
  // `case status when 'x'` compares, `case when x` has a condition.
  if (text === 'when' && own.includes('case'))
    return [...own, text][own.lastIndexOf('case') + 1] === 'when';
  return text !== 'check' || tokens[i + 1]?.text === '(';
}

/** The tokens of a clause, up to the next clause or to the bracket that closes around it. */
function clauseAfter(tokens: readonly Token[], opening: number): Token[] {
  const isCheck = tokens[opening]!.text === 'check';
  if (isCheck) {
    const close = tokens.findIndex(
      ({ text, depth }, i) => i > opening && text === ')' && depth === tokens[opening]!.depth,
    );
    return tokens.slice(opening + 2, close);
  }
  const found: Token[] = [];
  let cases = 0;
  for (const token of tokens.slice(opening + 1)) {
    const isHere = token.depth === tokens[opening]!.depth;
    if (token.depth < tokens[opening]!.depth || (isHere && /^[;,]$/.test(token.text))) break;
    if (isHere && token.text === 'case') cases += 1;
    if (isHere && cases === 0 && ENDS.has(token.text) && !isDistinctFrom(found, token)) break;
    if (isHere && isHole(token) && endsOperand(found.at(-1))) break;
    if (isHere && token.text === 'end') cases -= 1;
    found.push(token);
  }
  return found;
}

/** `is distinct from` has a word in it that begins a clause elsewhere. */
function isDistinctFrom(before: readonly Token[], token: Token): boolean {
  return token.text === 'from' && before.at(-1)?.text === 'distinct';
}

const isHole = (token: Token): boolean => token.text.startsWith('${');
/** Whether an operand may end here, so that a `${…}` after it is another clause. */
const endsOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  /^(\)|\]|\$\d+|'.*|[\w."]+)$/s.test(token.text) &&
  !/^(and|or|not|is|in|any|all|like|between|distinct|from|interval|then|else|case|when)$/.test(
    token.text,
  );

/** Words in lower case, strings, `${…}` and signs, without comments. */
function tokensOf(sql: string): Token[] {
  const pattern =
    /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\d+|[\w.]+|"[^"]*"|::|[-+*/<>=~!@#%^&|?]+|[^\s]/g;
  const tokens: Token[] = [];
  let depth = 0;
  for (const { 0: text, index } of sql.matchAll(pattern)) {
    if (/^(--|\/\*)/.test(text)) continue;
    if (text === ')') depth -= 1;
    const word = /^[A-Za-z]/.test(text) ? text.toLowerCase() : text;
    tokens.push({ text: word, start: index, end: index + text.length, depth });
    if (text === '(') depth += 1;
  }
  return tokens;
}
