/** Writes the XML documents that carriers execute. */

/** Returns a document with the root element `Response`, as all carriers require. */
export function responseOf(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('Response', {}, inside)}\n`;
}

/** Returns an element. Attributes whose value is undefined are omitted. `inside` must already be XML. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  inside = '',
): string {
  const given = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [` ${attribute}="${escape(value)}"`],
  );
  return inside === ''
    ? `<${name}${given.join('')}/>`
    : `<${name}${given.join('')}>${inside}</${name}>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML. Control characters are removed, because XML 1.0 cannot represent them. */
export function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
