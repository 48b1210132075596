/** Just enough of PromQL to find which series an expression reads, and which labels it matches. */
export type Selector = { metric: string; labels: string[] };

const KEYWORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/**
 * Every selector of the expression. Reads only what our rules are written in: selectors begin
 * with a name (`{__name__=…}` is not found), and grouping labels stand in parentheses.
 */
export function selectorsOf(expression: string): Selector[] {
  const plain = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\boffset\s+\w+/g, ' ');
  const found: Selector[] = [];
  // A name with a parenthesis behind it is a function or an aggregation.
  for (const match of plain.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{([^}]*)\}|\()?/g)) {
    const [, metric = '', tail = '', matchers = ''] = match;
    if (tail === '(' || KEYWORDS.has(metric.toLowerCase())) continue;
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    found.push({ metric, labels });
  }
  return found;
}
