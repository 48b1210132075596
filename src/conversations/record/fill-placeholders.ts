import type { Variables } from './conversations.sql.ts';

/**
 * `{{name}}` becomes the variable of that name; one that is not given, or is no plain value,
 * becomes nothing, since braces are no way to greet somebody. Only names: nothing is computed, and
 * what is filled in is not looked at again.
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
