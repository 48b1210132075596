import { LRUCache } from 'lru-cache';
import ar from './ar.json' with { type: 'json' };
import da from './da.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import hi from './hi.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import sv from './sv.json' with { type: 'json' };
import th from './th.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import uk from './uk.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };
import zhHant from './zh-hant.json' with { type: 'json' };

/** Sentences that Parley itself says to users. A language file that lacks one of them fails to compile. */
export type Sentences = typeof en;
export type Sentence = keyof Sentences;

/** Sentences by ISO 639-1 code. Languages with two scripts have the script in the code, such as `zh-Hant`. */
export const SENTENCES: Readonly<Record<string, Sentences>> = {
  ar,
  da,
  de,
  en,
  es,
  fr,
  hi,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  ru,
  sv,
  th,
  tr,
  uk,
  zh,
  'zh-Hant': zhHant,
};

/**
 * Returns the sentences for a BCP 47 tag: the `de` sentences for `de-AT`, and the English ones for an unknown language.
 */
export function sentencesIn(tag: string | undefined): Sentences {
  return SENTENCES[sentenceLanguageOf(tag)]!;
}

/** Returns the key in `SENTENCES` for a BCP 47 tag. */
export function sentenceLanguageOf(tag: string | undefined): string {
  const code = codeOf(tag ?? 'en');
  return Object.hasOwn(SENTENCES, code) ? code : 'en';
}

/** Codes by tag. Each turn asks for the code of its agent's tag, and computing it takes 40 µs. */
const CODES = new LRUCache<string, string>({ max: 1_000 });

/** Returns the language code of a tag: `de` for `DE-at` and for `deu`, `zh-Hant` for `zh-TW`. */
function codeOf(tag: string): string {
  const known = CODES.get(tag) ?? computeCode(tag);
  CODES.set(tag, known);
  return known;
}

function computeCode(tag: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    const written = `${language}-${script}`;
    return Object.hasOwn(SENTENCES, written) ? written : language;
  } catch {
    return 'en';
  }
}
