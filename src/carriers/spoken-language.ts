/** Where a language without a region is most likely not the one that carriers have a voice for. */
const OF_CARRIERS: Readonly<Record<string, string>> = { no: 'nb' };

/**
 * Returns a language tag as carriers take it: `de-DE` for `de`, with the region in which most people speak it (Unicode
 * CLDR, likely subtags), since carriers refuse a tag without one (Twilio's errors 13331 and 13512). A script only helps
 * to find the region: `zh-Hant` is `zh-TW`. A tag that has a region keeps it.
 */
export function spokenLanguage(tag: string): string {
  const given = localeOf(tag);
  if (!given) return tag;
  const language = OF_CARRIERS[given.language] ?? given.language;
  const region = given.region ?? given.maximize().region;
  return region === undefined ? tag : `${language}-${region}`;
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}
