import { Parser } from 'htmlparser2';

/**
 * This module rewrites the XML of a Word document so that mammoth reads exactly the text that a person sees. It removes
 * hidden text (`w:vanish`), converts formulas to text, and extracts text boxes that exist only in drawings.
 */

const PIECE_CHARS = 16_384;

type Attributes = Readonly<Record<string, string>>;
type Edit = { from: number; to: number; text: string };
type Open = { name: string; start: number; inner: number };
type Run = { start: number; isHidden: boolean | undefined; style: string | undefined };
type Drawing = { depth: number; start: number; boxes: Edit[]; hasFallback: boolean };
type Formula = { name: string; text: string; sign: string };

/** Returns the ids of styles whose text is hidden. */
export function hiddenStylesOf(styles: string): Set<string> {
  const hidden = new Map<string, boolean>();
  const basedOn = new Map<string, string>();
  let style: string | undefined;
  read(styles, {
    open: (name, attributes) => {
      if (name === 'w:style') style = attributes['w:styleId'];
      if (style === undefined) return;
      if (name === 'w:vanish') hidden.set(style, isOn(attributes));
      if (name === 'w:basedOn') basedOn.set(style, attributes['w:val'] ?? '');
    },
    close: (name) => {
      if (name === 'w:style') style = undefined;
    },
  });
  const isHidden = (id: string): boolean => {
    let at: string | undefined = id;
    for (let steps = 0; at !== undefined && steps < 20; steps += 1) {
      if (hidden.has(at)) return hidden.get(at)!;
      at = basedOn.get(at);
    }
    return false;
  };
  return new Set([...hidden.keys(), ...basedOn.keys()].filter(isHidden));
}

/** Returns the XML with only visible text. Runs in time linear in its length. */
export function shownWord(xml: string, hiddenStyles: ReadonlySet<string>): string {
  const editor = new WordEditor(hiddenStyles);
  read(xml, editor);
  return applied(xml, editor.edits);
}

function isOn(attributes: Attributes): boolean {
  return !/^(0|false|off)$/.test(attributes['w:val'] ?? '1');
}

class WordEditor {
  readonly edits: Edit[] = [];
  readonly #hiddenStyles: ReadonlySet<string>;
  readonly #open: Open[] = [];
  readonly #runs: Run[] = [];
  readonly #paragraphs: (string | undefined)[] = [];
  readonly #formulas: Formula[] = [];
  #drawing: Drawing | undefined;
  #isFallback = false;

  constructor(hiddenStyles: ReadonlySet<string>) {
    this.#hiddenStyles = hiddenStyles;
  }

  open(name: string, attributes: Attributes, from: number, to: number): void {
    const parent = this.#open.at(-1)?.name;
    this.#open.push({ name, start: from, inner: to });
    if (name.startsWith('m:')) return this.#openFormula(name, attributes, from, to);
    const run = this.#runs.at(-1);
    const isOfRun = parent === 'w:rPr' && this.#open.at(-3)?.name === 'w:r';
    if (name === 'w:p') this.#paragraphs.push(undefined);
    else if (name === 'w:pStyle')
      this.#paragraphs[this.#paragraphs.length - 1] = attributes['w:val'];
    else if (name === 'w:r')
      this.#runs.push({ start: from, isHidden: undefined, style: undefined });
    else if (name === 'w:vanish' && isOfRun && run) run.isHidden = isOn(attributes);
    else if (name === 'w:rStyle' && isOfRun && run) run.style = attributes['w:val'];
    else if (name === 'mc:Fallback') this.#isFallback = true;
    else if (name === 'mc:AlternateContent' || name === 'w:drawing') {
      const depth = this.#open.length;
      this.#drawing ??= { depth, start: from, boxes: [], hasFallback: false };
    }
  }

  text(text: string): void {
    const formula = this.#formulas.at(-1);
    if (formula !== undefined && this.#open.at(-1)?.name === 'm:t') formula.text += text;
  }

  close(name: string, from: number, to: number): void {
    const open = this.#open.pop();
    if (open === undefined) return;
    if (name.startsWith('m:')) this.#closeFormula(name, open, from, to);
    else if (name === 'w:p') this.#paragraphs.pop();
    else if (name === 'w:r') this.#closeRun(to);
    else if (name === 'mc:Fallback') this.#isFallback = false;
    else if (name === 'w:txbxContent' && this.#drawing !== undefined) {
      if (this.#isFallback) this.#drawing.hasFallback = true;
      else this.#drawing.boxes.push({ from: open.start, to, text: '' });
    } else if (this.#drawing !== undefined && this.#drawing.depth === this.#open.length + 1) {
      this.#closeDrawing(this.#drawing, to);
      this.#drawing = undefined;
    }
  }

  #closeRun(to: number): void {
    const run = this.#runs.pop();
    if (run === undefined) return;
    const styles = [run.style, this.#paragraphs.at(-1)];
    const isOfStyle = styles.some((style) => style !== undefined && this.#hiddenStyles.has(style));
    if (run.isHidden ?? isOfStyle) this.edits.push({ from: run.start, to, text: '' });
  }

  /** Replaces a drawing with its text boxes, in the form that mammoth reads. */
  #closeDrawing({ start, boxes, hasFallback }: Drawing, to: number): void {
    if (hasFallback || boxes.length === 0) return;
    let at = start;
    for (const [index, box] of boxes.entries()) {
      // Skips a nested box, because its text is already part of the outer box.
      if (box.from < at) continue;
      this.edits.push({ from: at, to: box.from, text: index === 0 ? '<w:pict>' : '' });
      at = box.to;
    }
    this.edits.push({ from: at, to, text: '</w:pict>' });
  }

  #openFormula(name: string, attributes: Attributes, from: number, to: number): void {
    if (name === 'm:oMathPara') this.edits.push({ from, to, text: '' });
    else if (name === 'm:chr' || name === 'm:begChr' || name === 'm:endChr') {
      // `m:chr`, `m:begChr` and `m:endChr` are inside `m:naryPr`, `m:dPr` or a similar element, and their value belongs
      // to the parent of that element.
      const outer = this.#formulas.at(-2);
      if (outer) outer.sign += `${name.slice(2)}=${attributes['m:val'] ?? ''};`;
    }
    if (name !== 'm:oMathPara') this.#formulas.push({ name, text: '', sign: '' });
  }

  #closeFormula(name: string, open: Open, from: number, to: number): void {
    if (name === 'm:oMathPara') return void this.edits.push({ from, to, text: '' });
    const closed = this.#formulas.pop();
    if (closed === undefined) return;
    const outer = this.#formulas.at(-1);
    const text = linear(closed, outer?.name);
    if (outer !== undefined) outer.text += text;
    else if (name === 'm:oMath') {
      const shown = escaped(text.replaceAll(/\s+/g, ' ').trim());
      const run = `<w:r><w:t xml:space="preserve">${shown}</w:t></w:r>`;
      this.edits.push({ from: open.start, to, text: run });
    }
  }
}

/** Returns a part of a formula as one line of text, such as `(a + b)/2`, `x^2` or `√(y)`. */
function linear({ name, text, sign }: Formula, outer: string | undefined): string {
  const said = (which: string, usual: string): string =>
    new RegExp(`${which}=([^;]*);`).exec(sign)?.[1] ?? usual;
  switch (name) {
    case 'm:num':
    case 'm:fName':
      return name === 'm:num' ? grouped(text) : `${text} `;
    case 'm:den':
      return `/${grouped(text)}`;
    case 'm:sup':
      return text === '' ? '' : `^${grouped(text)}`;
    case 'm:sub':
      return text === '' ? '' : `_${grouped(text)}`;
    case 'm:e':
      if (outer === 'm:rad') return `√${grouped(text)}`;
      return outer === 'm:nary' || outer === 'm:mr' ? ` ${text}` : text;
    case 'm:d':
      return `${said('begChr', '(')}${text}${said('endChr', ')')}`;
    case 'm:nary':
      return `${said('chr', '∫')}${text}`;
    case 'm:mr':
      return `${text};`;
    default:
      return text;
  }
}

function grouped(text: string): string {
  const inner = text.trim();
  return /^[\p{L}\p{N}.,]*$/u.test(inner) ? inner : `(${inner})`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Applies edits to the XML. Skips edits inside an earlier edit's range. */
function applied(xml: string, edits: Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text } of edits.sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (from < at) continue;
    parts.push(xml.slice(at, from), text);
    at = to;
  }
  parts.push(xml.slice(at));
  return parts.join('');
}

type Reader = {
  open: (name: string, attributes: Attributes, from: number, to: number) => void;
  text?: (text: string) => void;
  close: (name: string, from: number, to: number) => void;
};

function read(xml: string, reader: Reader): void {
  const parser: Parser = new Parser(
    {
      onopentag: (name, attributes) =>
        reader.open(name, attributes, parser.startIndex, parser.endIndex + 1),
      ontext: (text) => reader.text?.(text),
      onclosetag: (name) => reader.close(name, parser.startIndex, parser.endIndex + 1),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length; at += PIECE_CHARS)
    parser.write(xml.slice(at, at + PIECE_CHARS));
  parser.end();
}
