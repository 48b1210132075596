import type { Attributes } from './boilerplate.ts';

/** Inline elements, which do not interrupt a line of text. */
export const INLINE = new Set(
  `a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q rp rt ruby s samp
   small span strike strong sub sup time tt u var wbr button input img math mi mo mn ms mtext mrow msup
   msub mfrac semantics annotation data output progress meter`.split(/\s+/),
);
/** Elements whose text is written as code. */
export const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

/** Returns a Markdown code fence that is longer than any fence inside the code. */
export function fenceOf(code: string): string {
  let longest = 2;
  for (const [, marks] of code.matchAll(/^ {0,3}(`{3,})/gm)) {
    longest = Math.max(longest, marks!.length);
  }
  return '`'.repeat(longest + 1);
}

/** Escapes plain text that Markdown would read as a heading or a fence. */
export function unmarked(text: string): string {
  return text.replace(/^( {0,3})(#{1,6}[ \t]|`{3}|~{3}|[=-]{2,}[ \t]*$)/gm, String.raw`$1\$2`);
}

export function languageOf(attributes: Attributes): string {
  const classes = (attributes['class'] ?? '').slice(0, 200);
  return (
    /(?:^|\s)(?:language|lang|highlight)-([a-z0-9+#-]{1,20})(?:\s|$)/i.exec(classes)?.[1] ?? ''
  );
}

export function isTitleElement(name: string): boolean {
  return /^(h[1-6]|summary|dt)$/.test(name);
}

export function breaksCell(name: string): boolean {
  return name === 'table' || name === 'pre' || /^h[1-6]$/.test(name);
}
