import { AROUND, FORM, type Block } from './html-blocks.ts';

/**
 * This module finds contact details, such as addresses and opening hours, in the header, footer and structured data of
 * a page.
 */

const CHARS_MAX = 2_000;
const DATA_CHARS_MAX = 100_000;
const DEPTH_MAX = 12;
const FACTS_MAX = 60;
/** Maximum length of one value in the structured data, including its markup. */
const VALUE_CHARS_MAX = 2_000;

/** schema.org properties with facts about a business or an event, each with the label that it gets in the text. */
const PROPERTIES: Record<string, string> = {
  telephone: 'Telephone',
  faxNumber: 'Fax',
  email: 'Email',
  streetAddress: 'Street',
  postalCode: 'Postal code',
  addressLocality: 'Town',
  addressCountry: 'Country',
  openingHours: 'Opening hours',
  priceRange: 'Prices',
  price: 'Price',
  priceCurrency: 'Currency',
  paymentAccepted: 'Payment',
  startDate: 'Start',
  endDate: 'End',
};

/**
 * Returns the lines of the header and footer that contain numbers, an e-mail address or a sentence, followed by the
 * facts in the structured data. Omits menus, copyright notices, and lines that are already in the `chosen` text.
 */
export function contactsOf(
  blocks: readonly Block[],
  chosen: ReadonlySet<Block>,
  data: readonly string[],
): string {
  const known = new Set([...chosen].map(({ text }) => text));
  const facts: string[] = [];
  for (const block of blocks) {
    if (chosen.has(block) || known.has(block.text) || !isContact(block)) continue;
    known.add(block.text);
    facts.push(block.text);
  }
  for (const fact of data.flatMap(factsOfData)) {
    if (known.has(fact)) continue;
    known.add(fact);
    facts.push(fact);
  }
  return facts.slice(0, FACTS_MAX).join('\n').slice(0, CHARS_MAX);
}

function isContact({ where, text, linked }: Block): boolean {
  if ((where & AROUND) === 0 || (where & FORM) !== 0 || text.length > 500) return false;
  if (/©|\(c\)|copyright|all rights reserved/i.test(text)) return false;
  const isNumber = /\d{2}|@/.test(text);
  if (linked * 2 > text.length) return isNumber && /@|\d{3}/.test(text);
  return isNumber || (/[.!?]$/.test(text) && text.split(' ').length >= 4);
}

/** Returns one line for each JSON-LD object that has facts. Returns no lines if the JSON is invalid or too long. */
function factsOfData(json: string): string[] {
  if (json.length > DATA_CHARS_MAX) return [];
  try {
    const facts: string[] = [];
    readThing(JSON.parse(json) as unknown, { facts, depth: 0 });
    return facts;
  } catch {
    return [];
  }
}

function readThing(value: unknown, at: { facts: string[]; depth: number }): void {
  if (at.depth > DEPTH_MAX || at.facts.length >= FACTS_MAX) return;
  const inside = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) {
    for (const one of value) readThing(one, inside);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const thing = value as Record<string, unknown>;
  const shown = [
    nameOf(thing),
    hoursOf(thing),
    ...Object.keys(PROPERTIES).map((key) => propertyOf(thing, key)),
  ];
  const said = shown.filter((text) => text !== '');
  if (said.length > (shown[0] === '' ? 0 : 1)) at.facts.push(said.join(', '));
  for (const one of Object.values(thing)) readThing(one, inside);
}

function nameOf({ name }: Record<string, unknown>): string {
  return typeof name === 'string' ? plain(name) : '';
}

function propertyOf(thing: Record<string, unknown>, key: string): string {
  const values = [thing[key]]
    .flat()
    .filter((one) => typeof one === 'string' || typeof one === 'number');
  const text = plain(values.join(', '));
  return text === '' ? '' : `${PROPERTIES[key]}: ${text}`;
}

/** Formats an `OpeningHoursSpecification` of schema.org. */
function hoursOf({ dayOfWeek, opens, closes }: Record<string, unknown>): string {
  if (typeof opens !== 'string' || typeof closes !== 'string') return '';
  const days = [dayOfWeek].flat().filter((day) => typeof day === 'string');
  const names = days.map((day) => day.replace(/^https?:\/\/schema\.org\//, ''));
  return plain(`Opening hours: ${names.join(', ')} ${opens} to ${closes}`);
}

function plain(text: string): string {
  return text
    .slice(0, VALUE_CHARS_MAX)
    .replaceAll(/<[^<>]*>|\s+/g, ' ')
    .trim()
    .slice(0, 300);
}

/** Appends contact details to the text of a page. */
export function withAround(text: string, around: string): string {
  return around === '' || text.trim() === '' ? text : `${text}\n\n${around}`;
}
