/** What a generated mutant does. */
export type Kind = 'condition' | 'half' | 'key' | 'comparison' | 'filter';

/** One change of a source: `replace` takes the place of the text from `start` to `end`. */
export type Edit = { kind: Kind; start: number; end: number; replace: string };

export function applyEdit({ start, end, replace }: Edit, source: string): string {
  return source.slice(0, start) + replace + source.slice(end);
}

/** The same edits, of a text that begins at `offset` of a longer one. */
export function shifted(edits: readonly Edit[], offset: number): Edit[] {
  return edits.map((edit) => ({ ...edit, start: edit.start + offset, end: edit.end + offset }));
}

const FURTHER: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** The comparison that differs only when both sides are equal. */
export function oneFurther(operator: string): string | undefined {
  return FURTHER[operator];
}
