import { anywhere, filledIn } from '../../knowledge/passages/phrases.ts';
import english from './english.json' with { type: 'json' };

/**
 * Whether somebody asks for a human, in English. A question about humans ("is a human reviewing my
 * claim?") is no request, and neither is a refusal.
 */
export function wantsHuman(text: string): boolean {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.!?;\n]+|,(?= )/)
    .map((clause) =>
      clause
        .replaceAll(/[^\p{L}\p{N}' -]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .some((clause) => !REFUSALS.test(clause) && REQUESTS.test(clause));
}

const { asked, refused, parts } = english.human;
const REQUESTS = anywhere(asked.map((phrase) => filledIn(phrase, parts)));
const REFUSALS = anywhere(refused);
