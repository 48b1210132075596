import words from './line-words.json' with { type: 'json' };

/** What a line says by itself. */
export type LineWords = (typeof words)['en'];

/** `language`: BCP 47 of the agent; what is said is English where it is none that we have. */
export function wordsIn(language: string | undefined): LineWords {
  return words[language?.startsWith('de') ? 'de' : 'en'];
}
