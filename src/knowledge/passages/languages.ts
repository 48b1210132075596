/**
 * Languages by their codes (ISO 639-1) and the text search configurations of PostgreSQL 15 that bring
 * their words into stems.
 */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  tr: 'turkish',
};

/** What a language is stemmed by; `simple`, which only compares words, for those without one. */
export function configurationOf(language: string | null): string {
  return language === null ? 'english' : (CONFIGURATIONS[language] ?? 'simple');
}
