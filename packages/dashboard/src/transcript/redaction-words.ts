import type { Turn } from '../data/conversations.ts';
import type { Agent } from '../data/parley.ts';

type RedactionKind = NonNullable<Agent['redaction']>[number];

/** Names of the redacted kinds of data, singular and plural. */
export const REDACTION_KINDS = {
  card: ['card number', 'card numbers'],
  email: ['e-mail address', 'e-mail addresses'],
  phone: ['telephone number', 'telephone numbers'],
  iban: ['IBAN', 'IBANs'],
} as const satisfies Record<RedactionKind, readonly [string, string]>;

/** The kinds in display order. */
export const REDACTION_LIST = Object.keys(REDACTION_KINDS) as readonly RedactionKind[];

/** Formats the redactions of a turn: `card number, 2 IBANs removed`. */
export function removedText(redacted: NonNullable<Turn['redacted']>): string {
  const parts = REDACTION_LIST.flatMap((kind) => {
    const count = redacted[kind] ?? 0;
    const [one, several] = REDACTION_KINDS[kind];
    if (count === 0) return [];
    return [count === 1 ? one : `${count} ${several}`];
  });
  return `${parts.join(', ')} removed`;
}
