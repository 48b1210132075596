import { asksForHumanIn } from './languages/languages.ts';
import { endClausesOf, endsOf } from './message-ends.ts';

/**
 * Returns true if the text requests a human, by the rules of a language (docs/conversations.md). A question about
 * humans ("is a human reviewing my claim?") is not a request, and neither is a refusal.
 * @param language language of the agent, such as `de-AT`; English if absent or if there are no rules for it
 */
export function wantsHuman(text: string, language?: string): boolean {
  return endClausesOf(plainClausesOf(endsOf(text))).some(asksForHumanIn(language));
}

/** Splits a text into clauses in lower case, with only letters, digits and apostrophes. */
function plainClausesOf(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[’‘`´]/g, "'")
    .split(/[.!?;:…\n()"]+|,(?= |$)|\s[-–—]+\s/)
    .map((clause) =>
      clause
        .replaceAll(/[^\p{L}\p{N}' ]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((clause) => clause !== '');
}
