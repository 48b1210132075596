/** Maps a language to the one that carriers have a voice for. */
const OF_CARRIERS: Readonly<Record<string, string>> = { no: 'nb' };

/**
 * Returns a language tag in the form that carriers accept: `de-DE` for `de`, with the region where most people speak it
 * (Unicode CLDR, likely subtags). Carriers refuse a tag without a region (Twilio's errors 13331 and 13512). A script
 * only helps to find the region: `zh-Hant` becomes `zh-TW`. A tag with a region keeps it.
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
