import type { Variables } from './conversations.sql.ts';

/**
 * Replaces `{{name}}` with the variable of that name. Missing variables, and variables that are objects, become empty
 * text, so that no user reads braces. Only names are supported, not expressions. Inserted text is not expanded again.
 */
export function fillPlaceholders(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{\s*([^{}\s][^{}]{0,127}?)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? plain(variables[name]) : '',
  );
}

function plain(value: unknown): string {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain ? String(value) : '';
}
