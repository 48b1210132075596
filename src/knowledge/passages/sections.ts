/** The part of a Markdown text from one heading to the next. */
export type Section = {
  /** 1 to 6; 0: above the first heading. */
  level: number;
  /** Headings from the outermost down to its own. */
  path: readonly string[];
  paragraphs: readonly string[];
  /** Whether deeper headings follow below it. */
  hasInner: boolean;
};

/** `## Title ##`, of at most 200 characters. */
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.{1,200}?)(?:[ \t]+#+)?[ \t]*$/u;
/** Below a title. */
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const TITLE_CHARS_MAX = 200;
const FENCE = /^ {0,3}(```+|~~~+)/;

/**
 * The sections of a text whose lines end in LF; a plain text has one. Inside a code fence nothing
 * is a heading.
 */
export function readSections(text: string): Section[] {
  const sections: { level: number; title: string; lines: string[] }[] = [
    { level: 0, title: '', lines: [] },
  ];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const current = sections.at(-1)!; // There is always one.
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    }
    const heading = fence === undefined ? headingOf(line, current.lines) : undefined;
    if (heading) sections.push({ ...heading, lines: [] });
    else current.lines.push(line);
  }
  return withPaths(sections.filter(({ level, lines }) => level > 0 || hasText(lines)));
}

/** An underlined title is removed from the lines it was read into. */
function headingOf(line: string, before: string[]): { level: number; title: string } | undefined {
  const [, marks, title] = HEADING.exec(line) ?? [];
  if (marks !== undefined && title !== undefined && title.trim() !== '') {
    return { level: marks.length, title: title.trim() };
  }
  const under = UNDERLINE.exec(line)?.[1];
  const above = before.at(-1)?.trim() ?? '';
  // A line of a paragraph above a rule is no title, nor is a row of a table or an item of a list.
  const stands = (before.at(-2) ?? '').trim() === '' && /^[\p{L}\p{N}"'(¿¡]/u.test(above);
  if (under === undefined || !stands || above.length > TITLE_CHARS_MAX) return undefined;
  before.pop();
  return { level: under.startsWith('=') ? 1 : 2, title: above };
}

function withPaths(sections: readonly { level: number; title: string; lines: string[] }[]) {
  const above: { level: number; title: string }[] = [];
  return sections.map(({ level, title, lines }, at): Section => {
    while (above.length > 0 && above.at(-1)!.level >= level) above.pop();
    if (level > 0) above.push({ level, title });
    return {
      level,
      path: above.map((heading) => heading.title),
      paragraphs: paragraphsOf(lines),
      hasInner: (sections[at + 1]?.level ?? 0) > level,
    };
  });
}

function paragraphsOf(lines: readonly string[]): string[] {
  return lines
    .join('\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

function hasText(lines: readonly string[]): boolean {
  return lines.some((line) => line.trim() !== '');
}
