/** PostgreSQL 15's text search configurations, which stem words, by language (ISO 639-1). */
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

/**
 * Languages whose words have no endings, or whose endings `split-words.ts` removes. Their texts are stemmed as English,
 * because words in Latin letters in such texts are mostly English.
 */
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

/**
 * Returns the text search configuration that stems words of a language. An unsupported language gets `simple`, which
 * does not stem.
 */
export function configurationOf(language: string | null): string {
  if (language === null || OF_OTHER_SCRIPTS.has(language)) return 'english';
  return CONFIGURATIONS[language] ?? 'simple';
}
