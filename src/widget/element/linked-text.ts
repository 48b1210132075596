/**
 * Text as nodes: text alone, and links for what is a web address in it. Nothing of it is ever markup, and
 * no other scheme than http and https becomes a link.
 */
export function linkedText(text: string, newTab: string): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const shown = match[0].replace(/[.,;:!?'")\]}]+$/, '');
    const href = webAddress(shown);
    if (href === undefined) continue;
    nodes.push(document.createTextNode(text.slice(from, match.index)));
    const link = document.createElement('a');
    link.href = href;
    link.target = '_blank';
    link.rel = 'noopener noreferrer nofollow';
    link.textContent = shown;
    link.title = newTab;
    nodes.push(link);
    from = match.index + shown.length;
  }
  nodes.push(document.createTextNode(text.slice(from)));
  return nodes;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`]+/gi;

/** undefined: none, or one that shows another host than it has (`https://bank.example@evil.example`). */
function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return username === '' && password === '' ? href : undefined;
}
