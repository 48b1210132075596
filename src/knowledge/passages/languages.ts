/**
 * Languages by their codes (ISO 639-1) and the text search configurations of PostgreSQL 15 that bring
 * their words into stems.
 */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
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
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  uk: 'russian',
};

/** They have no endings of their own, or split-words.ts removes them. The Latin words among theirs are mostly English. */
const OF_OTHER_SCRIPTS = new Set([
  'ar',
  'bo',
  'fa',
  'he',
  'ja',
  'km',
  'ko',
  'lo',
  'my',
  'th',
  'zh',
]);

/** What a language is stemmed by; `simple`, which only compares words, for those without one. */
export function configurationOf(language: string | null): string {
  if (language === null || OF_OTHER_SCRIPTS.has(language)) return 'english';
  return CONFIGURATIONS[language] ?? 'simple';
}
