import type { Variables } from './conversations.sql.ts';

/**
 * `{{name}}` becomes the variable of that name, or nothing where that is not given or no plain
 * value: nobody should be greeted with braces. Only names: nothing is computed, and what is filled
 * in is not replaced again.
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
