/** Creates an element. Strings among the children become text nodes, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a 24 × 24 icon that is hidden from screen readers. @param path value of `d` of an SVG path */
export function icon(path: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const drawing = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', 'aria-hidden': 'true' }))
    drawing.setAttribute(key, value);
  const line = document.createElementNS(space, 'path');
  line.setAttribute('d', path);
  drawing.append(line);
  return drawing;
}
