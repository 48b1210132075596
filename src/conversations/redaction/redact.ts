import type { AgentContent, RedactionKind } from '../../agents/agent.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { findCards } from './find-cards.ts';
import { findEmails } from './find-emails.ts';
import { findIbans } from './find-ibans.ts';
import { findPhones } from './find-phones.ts';
import { foldText, type FoldedText, type Span } from './fold-text.ts';

/** Number of redactions by kind. The redacted values are not stored. */
export type Redacted = Partial<Record<RedactionKind, number>>;

/** Text after redaction, with the number of redactions, which is null if there were none. */
export type Redaction = { text: string; redacted: Redacted | null };

/** Redaction settings of an agent. The language determines the region for telephone numbers. */
export type RedactionSettings = Pick<AgentContent, 'redaction' | 'language'>;

/**
 * Replaces each value of a kind that the agent redacts by a placeholder: `[card]`, `[iban]`, `[email]` or `[phone]`.
 * Runs before any other code reads the user's message (docs/decisions/0053-redaction.md). Takes 0.2 µs if the agent
 * redacts nothing or the text cannot contain such a value, and about 20 µs for a message with all four kinds. The time
 * is linear in the length of the text.
 */
export async function redact(written: string, settings: RedactionSettings): Promise<Redaction> {
  const asked = settings.redaction ?? [];
  if (asked.length === 0 || !mayHoldAny(written)) return { text: written, redacted: null };
  const folded = foldText(written);
  const found: { kind: RedactionKind; span: Span }[] = [];
  let text = folded.text;
  for (const kind of ORDER) {
    if (written.length > LONG_CHARS) await giveWay();
    const spans = await FINDERS[kind](text, settings);
    // Blanks the matches of every kind, even of kinds that the agent does not redact. The digits of a card, for
    // example, must not be found as a telephone number.
    text = blanked(text, spans);
    if (asked.includes(kind)) found.push(...spans.map((span) => ({ kind, span })));
    if (asked.every((one) => ORDER.indexOf(one) <= ORDER.indexOf(kind))) break;
  }
  return found.length === 0 ? { text: written, redacted: null } : replaced(written, folded, found);
}

/**
 * Length of text whose redaction takes up to 5 ms. For a longer text, the process lets other work run before it
 * searches for each kind of value. For a history, it lets other work run each time this many characters have been
 * redacted.
 */
const LONG_CHARS = 4_000;

/**
 * Redacts the user's messages in a history. Pauses after every `LONG_CHARS` characters, so that other work in the
 * process can run.
 */
export async function redactHistory<T extends { role: string; text: string }>(
  history: readonly T[],
  settings: RedactionSettings,
): Promise<(T & { redacted?: Redacted })[]> {
  const turns: (T & { redacted?: Redacted })[] = [];
  let chars = 0;
  for (const turn of history) {
    if (turn.role !== 'user') {
      turns.push(turn);
      continue;
    }
    const { text, redacted } = await redact(turn.text, settings);
    turns.push({ ...turn, text, ...(redacted && { redacted }) });
    chars += turn.text.length;
    if (chars < LONG_CHARS) continue;
    chars = 0;
    await giveWay();
  }
  return turns;
}

/** Returns true if a text may contain a value to redact. This check is fast, and returns false for nearly all texts. */
export function mayHoldAny(text: string): boolean {
  return MAY_HOLD.test(text);
}

/** Pattern for an @ or for seven digits, the number of digits in the shortest telephone number. */
const MAY_HOLD = /[@＠﹫]|\p{Nd}(?:[^\p{Nd}]*\p{Nd}){6}/u;

/** Order in which the kinds are searched for, most certain first. */
const ORDER: readonly RedactionKind[] = ['email', 'iban', 'card', 'phone'];

type Finder = (text: string, settings: RedactionSettings) => Span[] | Promise<Span[]>;

const FINDERS: Record<RedactionKind, Finder> = {
  email: findEmails,
  iban: findIbans,
  card: findCards,
  phone: async (text, { language }) => {
    // The library costs 20 MB and 50 ms, so it is loaded only if an agent needs it.
    const { parsePhoneNumberFromString, isSupportedCountry } =
      await import('libphonenumber-js/max');
    const region = regionOf(language);
    return findPhones(text, {
      parse: parsePhoneNumberFromString,
      region: region !== undefined && isSupportedCountry(region) ? region : undefined,
    });
  },
};

/**
 * Returns the region of a language tag, such as BR for `pt-BR`. Returns undefined for a tag without a region: most
 * languages are spoken in several regions, so the language alone does not determine one.
 */
function regionOf(language: string | undefined): string | undefined {
  const [, ...subtags] = language?.split('-') ?? [];
  return subtags.find((subtag) => /^[a-z]{2}$/i.test(subtag))?.toUpperCase();
}

function blanked(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let place = 0;
  for (const [from, to] of spans) {
    parts.push(text.slice(place, from), '\n'.repeat(to - from));
    place = to;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(place);
}

function replaced(
  written: string,
  { at }: FoldedText,
  found: readonly { kind: RedactionKind; span: Span }[],
): Redaction {
  const redacted: Redacted = {};
  const parts: string[] = [];
  let place = 0;
  for (const { kind, span } of found.toSorted((a, b) => a.span[0] - b.span[0])) {
    parts.push(written.slice(place, at(span[0])), `[${kind}]`);
    place = at(span[1]);
    redacted[kind] = (redacted[kind] ?? 0) + 1;
  }
  return { text: parts.join('') + written.slice(place), redacted };
}

/** Adds up the numbers of redactions that two passes over the same text made. */
export function sumOf(before: Redacted | null | undefined, now: Redacted | null): Redacted | null {
  if (!before || !now) return before ?? now;
  const kinds = ORDER.filter((kind) => before[kind] ?? now[kind]);
  return Object.fromEntries(kinds.map((kind) => [kind, (before[kind] ?? 0) + (now[kind] ?? 0)]));
}
