import { stem } from 'porter2';
import { questionText } from '../../knowledge/passages/question-words.ts';
import { moodOf } from './sentiment.ts';
import { wantsHuman } from '../escalations/wants-human.ts';

/** How a message of the user is understood, by rules for English (docs/conversations.md). */
export type UserTurn = {
  /** What is to be answered, greetings and thanks around it left out; '': nothing is. */
  question: string;
  /** The same for a search: what only leads to the question is a sentence of its own. */
  query: string;
  /** It does not have the form of a question or a request: worth a search, but no gap. */
  isRemark: boolean;
  /** What it is besides, or instead. */
  smallTalk: SmallTalk | undefined;
  wantsHuman: boolean;
  /** The last answer helped, or the user thanks. */
  isThanks: boolean;
  /** Said that the answer was of no use. */
  isComplaint: boolean;
  /** Takes an offer: "yes please", "sure"; a mere "ok" may only say that it was heard. */
  isConsent: boolean;
  /** They have what they wanted, whoever gave it. */
  isSolved: boolean;
  /** -5 to 5 */
  mood: number;
  /** Stems of what is asked, to know it when it comes again. */
  words: string[];
};

export type SmallTalk = 'complaint' | 'goodbye' | 'thanks' | 'greeting' | 'no' | 'yes' | 'noise';

/** Each clause is small talk or it is not; what is left of a message is what it asks. */
export function readUserTurn(text: string): UserTurn {
  const clauses = text
    .split(CLAUSE_END)
    .map((clause) => ({ clause: clause.trim(), kinds: kindsOf(clause) }))
    .filter(({ clause }) => clause !== '');
  const rest = clauses.filter((one) => one.kinds.length === 0).map(({ clause }) => clause);
  const isRemark = !rest.some(asksSomething);
  const mood = moodOf(text);
  const kinds = new Set(clauses.flatMap((one) => one.kinds));
  if (isRemark && rest.length > 0) {
    for (const kind of kindsWithin(rest.join(' '), mood)) kinds.add(kind);
  }
  const smallTalk = ORDER.find((kind) => kinds.has(kind));
  // Around thanks, a goodbye or a complaint a remark is part of it, and nothing is to be looked up.
  const isOnlyTalk = rest.length === 0 || (isRemark && TELLING.has(smallTalk ?? 'noise'));
  // With small talk cut off, the commas of a longer sentence stay where they were.
  const asked = rest.length === clauses.length ? text.trim() : rest.join(' ');
  const question = isOnlyTalk ? '' : asked;
  return {
    question,
    query: isOnlyTalk ? '' : rest.map((clause) => clause.replace(/[^?.!]$/, '$&.')).join(' '),
    isRemark,
    smallTalk: isOnlyTalk || isRemark ? smallTalk : undefined,
    wantsHuman: wantsHuman(text),
    isThanks: kinds.has('thanks') && !kinds.has('complaint'),
    isComplaint: kinds.has('complaint') || COMPLAINT_WITHIN.test(plain(text)),
    isConsent: rest.length === 0 && kinds.has('yes') && CONSENT.test(plain(text)),
    isSolved: SOLVED.test(plain(text)) && !UNSOLVED.test(plain(text)),
    mood,
    words: stemsOf(question),
  };
}

/** After a sentence, a line, an introduction ("one more thing: …"), and a comma before a word. */
const CLAUSE_END = /(?<=[.!?;…])\s+|\n+|(?:,|:|\s[-–—])\s+(?=\p{L})/u;

const TELLING: ReadonlySet<SmallTalk> = new Set(['complaint', 'goodbye', 'thanks']);

/** So bad, and nothing asked: that is what it is about. */
const COMPLAINT_MOOD = -2;

/** What a remark is, by what is in it. */
function kindsWithin(text: string, mood: number): SmallTalk[] {
  const words = plain(text);
  if (mood <= COMPLAINT_MOOD || COMPLAINT_WITHIN.test(words)) return ['complaint'];
  return THANKS_WITHIN.test(words) ? ['thanks'] : [];
}

const THANKS_WITHIN =
  /\b(?:thanks|thank you|thx|cheers|merci|gracias|danke|grateful|appreciate[ds]?)\b/;

/** Whether a clause has the form of a question, a request, a problem, or of words for a search. */
function asksSomething(clause: string): boolean {
  if (/[?¿？]/.test(clause)) return true;
  const words = plain(clause);
  if (COMPLAINT_WITHIN.test(words) || THANKS_WITHIN.test(words)) return false;
  if (ASKS.test(words) || REQUESTS.test(words) || PROBLEM.test(words)) return true;
  const isFeeling = SENTENCE.test(words) || moodOf(clause) !== 0;
  return words.split(' ').length <= SEARCH_WORDS_MAX && !isFeeling;
}

const ASKS =
  /^(?:(?:and|so|but|ok|okay|wow|well|then|hm|also|oh|just|or|hi|hello|hey) )*(?:how|what(?! an? )|what's|where|where's|when|which|who|who's|whose|why|can|could|do|does|did|is|are|am|was|were|will|would|should|may|must|have|has|shall)\b|\bhow (?:much|many|long|often|far|do|does|can|to)\b/;
const REQUESTS =
  /\b(?:i (?:need|want|wanna|would like|wish|have to)|i'd (?:like|love)|looking for|wondering|wonder (?:if|whether|how|what)|tell me|show me|explain|help me|let me know|(?:don't|do not) (?:know|understand|see) (?:how|where|what|when|which|why|if)|i am trying to|i'm trying to|trying to (?:find|get|use|log|pay|order|change|cancel)|question (?:about|is)|want to know|please (?:\w+ )?(?:send|give|change|cancel|check|tell|help))\b/;
const PROBLEM =
  /\b(?:(?:is|are|was|does|do|did|has|have|will|can|could)(?:n't| not) \w+|cannot|won't|broken|damaged|missing|stuck|lost|stolen|frozen|faulty|defective|error|late|leaking|wrong (?:size|item|colour|color|order|amount|address)|not (?:working|charging|arrived|received)|stopped working)\b/;
/** A few words without any of these, and without feeling, are typed as into a search box. */
const SEARCH_WORDS_MAX = 8;
const SENTENCE =
  /\b(?:i|i'm|i'll|i've|i'd|we|we're|we'll|you|you're|you've|he|she|they|it|it's|its|that|that's|this|there|me|us|ours|mine|yours)\b/;

/** Of several in one message, what is answered. */
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
    .replaceAll(/[^\p{L}\p{N}' ]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function kindsOf(clause: string): SmallTalk[] {
  const words = plain(clause);
  if (words === '') return ['noise']; // Emoji, dots, a lone question mark.
  const found = Object.entries(PATTERNS)
    .filter(([, pattern]) => pattern.test(words))
    // The keys are those of the literal below.
    .map(([kind]) => kind as SmallTalk);
  return found;
}

/** Whole clauses only: "thanks" is small talk, "thanks to you my order is late" is not. */
const PATTERNS: Record<Exclude<SmallTalk, 'noise'>, RegExp> = {
  greeting: whole(
    `(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|morning|evening)
     (?: (?:there|again|everyone|all|team|assistant|bot))*
     |how are you(?: doing)?(?: today)?|nice to meet you|is (?:anybody|anyone|someone) there
     |are you there|i have (?:a|one|another) (?:quick )?question|i need (?:some )?help|can you help me
     |(?:test|testing)`,
  ),
  thanks: whole(
    `(?:(?:ok|okay|oh|ah|great|gr8|perfect|good|nice|super|cool|wonderful|brilliant|excellent|awesome|
     amazing|lovely|fantastic|ye+s+|right|alright|fine|well) )*
     (?:thanks|thank you|thx|ty|cheers|merci|gracias|danke|many thanks|much appreciated|i appreciate (?:it|that|your help))
     (?: (?:mate|beaucoup|at all|so much|very much|a lot|a bunch|again|anyway|for (?:your|the|all your) (?:help|time|quick help|answer|
     information|info|support|patience)|for that|for letting me know|that'?s (?:great|perfect|all|it)|bye|
     that (?:helps|helped)|you too|though|then))*
     |(?:ok |okay |oh |ah |yes |yeah )*(?:great|perfect|brilliant|excellent|awesome|amazing|wonderful|lovely|
     fantastic|super|cool|nice|good to know|good|got it|understood|makes sense)
     |(?:yes |ok |great )*(?:that|this|it) (?:really )?(?:helps|helped|worked|works|did it|fixed it|solved it|
     answers (?:it|my question|that)|answered (?:it|my question)|is (?:all|what) i (?:needed|wanted)(?: to know)?)
     (?: (?:a lot|now|perfectly|great|me))*
     |(?:that's|thats|that is) (?:very |really |so )?(?:great|perfect|helpful|good|clear|fine|good to know|
     exactly what i (?:needed|wanted)|what i (?:needed|wanted)|all i (?:needed|wanted))(?: to know)?
     |you(?:'re| are| have been|'ve been) (?:very |really |so )?(?:helpful|great|the best|kind|a star)
     |problem solved|it works now|all good|(?:all )?sorted`,
  ),
  goodbye: whole(
    `(?:(?:ok|okay|thanks|thank you|alright|right|well|great) )*
     (?:bye|goodbye|good bye|bye bye|see you(?: (?:later|soon|then|tomorrow|around|there|(?:at|on|in|next) .{1,20}))?|see ya|have a (?:nice|good|great|lovely)
     (?:day|evening|weekend|one|night|afternoon)|good night|take care|that's all|thats all|that is all|
     that will be all|that'll be all|that's it|nothing else|no more questions|i'm done|i am done|
     never ?mind|forget it|i(?:'ve| have)? (?:found|figured|sorted|got|solved|worked) (?:it|that)(?: out)?)
     (?: (?:for now|for today|then|now|today|thanks|thank you|bye|from me|myself|already))*`,
  ),
  no: whole(
    `(?:no|nope|nah|not really|no thanks|no thank you|not now|not yet|i don't think so)(?: (?:sorry|thanks|thank you))*`,
  ),
  yes: whole(
    `(?:ye+s+|yeah|yep|yup|ok|okay|sure|no problem(?: at all)?|no worries|of course|alright|all right|right|correct|exactly|fine|i see|please|yes please|
     hm+|mhm|ah|oh|uh|um|well|so|wait|one moment|just a moment|hold on|let me see|sorry|excuse me|really|oh dear|wow)
     (?: (?:ok|okay|yes|sure|please|then|now))*`,
  ),
  complaint: whole(
    `(?:no )?(?:that|this|it|you|your answer|the answer|what you said) (?:(?:still |really |just )*)
     (?:(?:is|was|are) (?:not|no)|isn't|wasn't|aren't|didn't|did not|doesn't|does not|don't|do not|won't)
     (?: (?:really|even|actually|at all|very))*
     (?: (?:help|helpful|helping|useful|work|right|correct|true|what i (?:asked|meant|wanted|said|need)(?: for| about)?|
     good enough|enough|an answer|the answer|answer (?:my|the) question|answering (?:my|the) question|any help|use|of use|
     understand(?: me| my question| anything)?|listen(?:ing)?(?: to me)?|get it|make (?:any )?sense))(?: .{0,20})?
     |(?:no )?(?:that's|thats|it's|this is|that is|you're|you are|youre) (?:(?:just|so|completely|totally|absolutely|really|
     not|a|an|very|all|of) )*
     (?:useless|wrong|stupid|rubbish|nonsense|ridiculous|terrible|awful|unacceptable|not helpful|unhelpful|
     no help|no use|helpful|a joke|joke|hopeless|an idiot|idiot|dumb|pathetic|crap|bullshit|waste of (?:my )?time|horrible|
     frustrating|annoying|bad|incompetent|disappointing|what i (?:asked|meant)(?: for| about)?)(?: (?:bot|machine|thing|service|answer|assistant|at all))?
     |(?:useless|stupid|dumb|rubbish|nonsense|idiot|wrong|terrible|awful|ridiculous|pathetic)(?: (?:bot|machine|thing|service|answer|assistant))?
     |you (?:already |just )?(?:said|told me) that(?: already| before)?|not (?:very |really )?(?:helpful|what i (?:asked|meant)(?: for| about)?)
     |i (?:already |just )?(?:said|told you|asked) that(?: already)?|i give up|what a (?:joke|waste of time|useless .{0,30})
     |thanks for nothing|(?:fuck|screw) (?:you|this|off)|wtf|(?:this|that) sucks|you suck|i(?:'m| am) (?:very |really |so )?(?:angry|frustrated|annoyed|upset|
     disappointed)`,
  ),
};

/** In the midst of a sentence that asks something as well. */
const COMPLAINT_WITHIN =
  /\b(?:(?:not|isn't|wasn't) what i (?:asked|meant)|(?:didn't|doesn't|did not|does not) (?:help|answer (?:my|the) question)|still (?:doesn't|does not|not|isn't) (?:work|working)|already (?:told|asked) you|third time|again and again|same (?:thing|answer) again|round in circles|fed up|sick (?:and tired )?of|never (?:again|buying)|won't even|useless|ridiculous|unacceptable|waste of (?:my )?time|your (?:answer|last answer) (?:is|was) wrong)\b/;

const CONSENT = /\b(?:yes|yeah|yep|yup|sure|please|of course|absolutely|definitely)\b/;

const SOLVED =
  /\b(?:(?:that|it|this) (?:(?:really )?(?:helped|worked|works|helps)|did it|fixed it|solved it|solves it)|problem solved|works now|is working now|found it(?: myself)?|figured it out|sorted(?: it)?(?: out)?(?: myself| now)|i got it now|answers my question|answered my question|that's all i (?:needed|wanted)|exactly what i (?:needed|wanted))\b/;
const UNSOLVED = /\b(?:if|whether|unless|not|haven't|hasn't|didn't|doesn't|never(?! ?mind)|how)\b/;

/** Anchored, and written over several lines to be read; a line break is nothing. */
function whole(source: string): RegExp {
  return new RegExp(`^(?:${source.replaceAll(/\n\s*/g, '')})$`, 'u');
}

const STEMS_MAX = 24;

function stemsOf(question: string): string[] {
  const words = questionText(question).split(' ').filter(Boolean);
  return [...new Set(words.map(stemOf))].slice(0, STEMS_MAX);
}

/** Enough to see that "delivered" and "delivery" are one; never shown, never searched with. */
function stemOf(word: string): string {
  const found = stem(word);
  return JOINED_STEMS.get(found) ?? found;
}

/** Porter2 keeps them apart: delivery and deliver, payment and pay, add and adding. */
const JOINED_STEMS = new Map([
  ['deliveri', 'deliv'],
  ['payment', 'pay'],
  ['ad', 'add'],
]);

/** Whether two questions are about the same: words they share over those of the longer, 0 to 1. */
export function likeness(a: readonly string[], b: readonly string[]): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 0;
  const others = new Set(b);
  return a.filter((word) => others.has(word)).length / longer;
}
