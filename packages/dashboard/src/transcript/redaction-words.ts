import type { RedactionKind } from '../data/agent-draft.ts';
import type { Turn } from '../data/conversations.ts';

/** What may be taken out of users' words, as people call it: one, and several. */
export const REDACTION_KINDS = {
  card: ['card number', 'card numbers'],
  email: ['e-mail address', 'e-mail addresses'],
  phone: ['telephone number', 'telephone numbers'],
  iban: ['IBAN', 'IBANs'],
} as const satisfies Record<RedactionKind, readonly [string, string]>;

/** In the order in which people are shown them. */
export const REDACTION_LIST = Object.keys(REDACTION_KINDS) as readonly RedactionKind[];

/** `card number, 2 IBANs removed` */
export function removedText(redacted: NonNullable<Turn['redacted']>): string {
  const parts = REDACTION_LIST.flatMap((kind) => {
    const count = redacted[kind] ?? 0;
    const [one, several] = REDACTION_KINDS[kind];
    if (count === 0) return [];
    return [count === 1 ? one : `${count} ${several}`];
  });
  return `${parts.join(', ')} removed`;
}
