import type { Variables } from './conversations.sql.ts';

/**
 * Maximum number of characters that all placeholders of one text insert together. The limit is needed because a text of
 * a few kilobytes may name a large variable thousands of times.
 */
const INSERTED_MAX = 256 * 1024;

/**
 * Replaces `{{name}}` with the variable of that name. Missing variables, and variables that are objects, become empty
 * text, so that users never see braces. Only names are supported, not expressions. Inserted text is not expanded again.
 * A value that would exceed `INSERTED_MAX` also becomes empty text.
 */
export function fillPlaceholders(text: string, variables: Variables): string {
  let inserted = 0;
  return text.replaceAll(/\{\{\s*([^{}\s][^{}]{0,127}?)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? plain(variables[name]) : '';
    if (inserted + value.length > INSERTED_MAX) return '';
    inserted += value.length;
    return value;
  });
}

function plain(value: unknown): string {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? String(value) : '';
}
