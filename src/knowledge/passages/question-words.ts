/**
 * The words of a text as they are indexed and searched. PostgreSQL's parser sees addresses, paths
 * and signed numbers in a text and would keep them whole; a question has them written otherwise.
 * Letters and digits only, and `10kg` as `10 kg`, so that both sides are cut alike.
 */

/** Longer ones are no words; a tsvector refuses them at 2 KB. */
const WORD_CHARS_MAX = 64;
/** Of what is asked, and of what is told around it. Bounds the work of one search. */
const QUESTION_WORDS_MAX = 24;
/** Who writes more than this asks near its beginning, or it is no question. */
const MESSAGE_CHARS_MAX = 4_000;

/** Words in lower case without accents, separated by spaces. */
export function searchableText(text: string): string {
  return wordsOf(text).join(' ');
}

/** What is asked, and what is told around it. Words as `searchableText` has them; '' for none. */
export type AskedWords = { question: string; context: string };

/**
 * The words of a question that may be found in an answer. Of a long story that ends in a question,
 * the question is what has to be answered; the story only tells answers apart.
 */
export function askedWords(message: string): AskedWords {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const all = tellingWords(text);
  const sentences = text.match(/[^.!?\n]+[.!?\n]*/gu) ?? [];
  const asked = tellingWords(sentences.filter((one) => one.includes('?')).join(' '));
  const question = (asked.length > 0 ? asked : all).slice(0, QUESTION_WORDS_MAX);
  const context = all.filter((word) => !question.includes(word)).slice(0, QUESTION_WORDS_MAX);
  return { question: question.join(' '), context: context.join(' ') };
}

/** The words of a text without those that tell nothing; '' when there are no others. */
export function questionText(text: string): string {
  return tellingWords(text.slice(0, MESSAGE_CHARS_MAX)).join(' ');
}

function tellingWords(text: string): string[] {
  const words = wordsOf(text);
  return [...new Set(words.filter((word, at) => !isEmptyWord(word, words[at - 1])))];
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  // Wi-Fi, e-mail, t-shirt: as often written as one.
  const joined = plain.replaceAll(/(?<!\p{L})(\p{L}{1,2})[-\u2010\u2011](?=\p{L}{2})/gu, '$1');
  const words = joined.match(/\p{L}+|\p{N}+/gu) ?? [];
  return words
    .filter((word) => word.length <= WORD_CHARS_MAX)
    .map((word) => IRREGULAR.get(word) ?? word);
}

/** "How long", "what time": the second word asks too. */
const ASKING_AFTER = new Map([
  ['how', new Set(['long', 'much', 'many', 'often', 'far', 'soon', 'big', 'old', 'come', 'fast'])],
  ['what', new Set(['time', 'kind', 'sort', 'type', 'about', 'happens'])],
]);

function isEmptyWord(word: string, before = ''): boolean {
  return EMPTY_WORDS.has(word) || ASKING_AFTER.get(before)?.has(word) === true;
}

/**
 * Whether a word that is in no passage says nothing about the question either: a sound, a letter
 * or two, or a question word in a hurry ("hwo", "teh", "wat"), which has two letters swapped or one
 * of the inner ones left out.
 */
export function isNoise(unknown: string): boolean {
  return unknown.length <= 2 || SOUNDS.test(unknown) || HURRIED.has(unknown);
}

const SOUNDS =
  /^(?:a+h+|o+h+|u+h+|e+h+|h+m+|m+h*m+|u+m+|e+r+m*|w+o+w+|y+a+y+|(?:ha)+h?|(?:he){2,}|lo+l|om+g|pl[sz]|btw)$/;

const HURRIED = new Set(
  'the that this what when where which who how why with have does your please there can'
    .split(' ')
    .flatMap((word) => [
      ...Array.from({ length: word.length - 1 }, (_, at) => swap(word, at)),
      ...Array.from(
        { length: word.length - 2 },
        (_, at) => word.slice(0, at + 1) + word.slice(at + 2),
      ),
    ]),
);

function swap(word: string, at: number): string {
  return word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2);
}

/** Forms that no stemmer brings together: what is asked with the one is answered with the other. */
const IRREGULAR = new Map(
  `bought buy, broke break, broken break, brought bring, built build, chose choose, chosen choose,
   children child, came come, drove drive, driven drive, ate eat, eaten eat, fell fall,
   fed feed, feet foot, flew fly, forgot forget, forgotten forget, froze freeze,
   frozen freeze, gave give, given give, grew grow, grown grow, held hold, kept keep, knew know,
   laid lay, left leave, lent lend, lost lose, made make, men man, mice mouse, met meet, paid pay,
   ran run, rode ride, ridden ride, sent send, shown show, slept sleep, sold sell,
   spent spend, spoke speak, stole steal, stolen steal, taught teach, teeth tooth, thrown throw,
   threw throw, took take, taken take, understood understand, women woman, wore wear, worn wear,
   won win, wrote write, written write`
    .split(',')
    .map((pair): [string, string] => {
      const [form = '', word = ''] = pair.trim().split(' ');
      return [form, word];
    }),
);

/**
 * What questions are wrapped in and answers do not repeat; first PostgreSQL's own stop words, so
 * that a question of nothing else is known as such here.
 */
const EMPTY_WORDS = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
   her hers herself it its itself they them their theirs themselves what which who whom this that
   these those am is are was were be been being have has had having do does did doing a an the and
   but if or because as until while of at by for with about against between into through during
   before after above below to from up down in out on off over under again further then once here
   there when where why how all any both each few more most other some such no nor not only own
   same so than too very s t can will just don should now
   about actually ain also although always am anybody anyone anything anyway apparently around
   ask asked asking assist aware basically bit believe bother bring bringing can cannot chance come confirm
   could couldn currently curious dear detail details didn different doesn does doing don done
   dont else enquire even ever every everyone explain find forgot
   friend general get gets getting give given go goes going gonna gone good got guess guys had
   happen happens hasn have haven having hear heard hello help hey hi hope hoping idea im info
   inform information inquire instead interested isn issue just kind kindly knew know
   known let like ll long look looking lot maybe mean mention mentioned might mind moment morning
   much must need needed needs ok okay one ones particular people perhaps person please possible
   possibly pretty probably put question questions quick quickly quite rather read really regarding
   right said saw say says see seem seems shall shouldn show simply since somebody somehow someone
   something sometimes somewhere soon sorry sort still stuff sure take takes tell telling
   thank thanks thing things think thinking thought tho though today together told too tried try
   trying turns understand unfortunately unsure us use used using usually ve via wanna
   want wanted wants wasn way ways well went weren whatever whats whether wish
   within without wonder wondered wondering won work working works would wouldn yes yet`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
