import { toHandOver } from '../../src/conversations/escalations/escalation-rules.ts';
import { phantomKindOf } from '../../src/voice/stt/phantom-sentences.ts';
import { withoutPhantoms } from '../../src/voice/stt/without-phantoms.ts';
import { endOfTurn } from '../../src/voice/input/end-of-turn.ts';
import { isBackchannel } from '../../src/voice/input/is-backchannel.ts';
import { spokenWords } from '../../src/voice/input/languages/languages.ts';
import { findCards } from '../../src/conversations/redaction/find-cards.ts';
import { findEmails } from '../../src/conversations/redaction/find-emails.ts';
import { findIbans } from '../../src/conversations/redaction/find-ibans.ts';
import { findPhones } from '../../src/conversations/redaction/find-phones.ts';
import { excerptAround } from '../../src/conversations/record/excerpt.ts';
import { hashNext } from '../../src/conversations/completions/read-messages.ts';
import { foldText } from '../../src/conversations/redaction/fold-text.ts';
import { mayHoldAny } from '../../src/conversations/redaction/redact.ts';
import { readUserTurn, moodOf } from '../../src/conversations/turns/read-user-turn.ts';
import { matcherOf } from '../../packages/web-reader/src/site/path-patterns.ts';
import { readRobotsRules } from '../../packages/web-reader/src/site/robots-rules.ts';
import type { Run } from './growth.ts';

const ORIGIN = 'https://shop.example';

const NOTHING_KNOWN = {
  user: { wantsHuman: false },
  moods: [],
  userTurns: 1,
  unansweredInRow: 0,
  toolFailuresInRow: 0,
};

const NO_HASH = Buffer.alloc(0);

/** Starts of a text, none of which is all of it: declared by somebody who knows what will be written. */
function startsOf(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${text.slice(0, text.length / 32 - at)}b${at}`);
}

/** Calls of every function that reads text from outside. */
export const REGISTER: Readonly<Record<string, Run>> = {
  'keyword rules': (text) =>
    toHandOver(
      { escalation: { rules: [{ when: 'keyword', keywords: startsOf(text, 10) }] } },
      { ...NOTHING_KNOWN, text },
    ),
  'the hash of a message': (text) => hashNext(NO_HASH, { role: 'user', text }),
  'path patterns': (text) => matcherOf(['/', ...startsOf(text, 10), ''])(`/${text}`),
  'the rules of robots.txt': (text) => {
    const rules = startsOf(text, 10).map((start) => `Disallow: /*${start}`);
    const file = [text, 'User-agent: *', ...rules, `Disallow: /${text}`, text].join('\n');
    const { isAllowed } = readRobotsRules(ORIGIN, file, 'parley');
    return isAllowed(new URL(`/${text}`.slice(0, 1_024), ORIGIN));
  },
  'sentences that transcribers make of noise': (text) => phantomKindOf(text),
  'the noises of a transcript': (text) =>
    withoutPhantoms({ text, certainty: 'vouched' }, { audio: [], sampleRate: 8_000 }),
  'the end of a turn': (text) => endOfTurn({ text: `a${text}a`, silenceMs: 0 }),
  'the words of a transcript': (text) => spokenWords(text),
  'a backchannel': (text) => isBackchannel(text),
  'redacted e-mail addresses': (text) => findEmails(foldText(text).text),
  'redacted account numbers': (text) => findIbans(foldText(text).text),
  'redacted card numbers': (text) => findCards(foldText(text).text),
  'redacted telephone numbers': (text) =>
    findPhones(foldText(text).text, { parse: () => undefined, region: 'GB' }),
  'what may be redacted': (text) => mayHoldAny(text),
  'an excerpt around a word': (text) => excerptAround(text, [text.slice(-8), 'b']),
  'understanding a message': (text) => readUserTurn(text),
  'understanding a message in German': (text) => readUserTurn(text, 'de'),
  'the mood of a message': (text) => moodOf(text),
};
