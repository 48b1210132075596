/** Language codes that carriers do not accept, each with the code that they accept instead. */
const OF_CARRIERS: Readonly<Record<string, string>> = { no: 'nb' };

/**
 * Returns a language tag in the form that carriers accept, with a region: `de` becomes `de-DE`. Carriers refuse a tag
 * without a region (Twilio's errors 13331 and 13512). A missing region becomes the one where most speakers live
 * (Unicode CLDR, likely subtags), and a script is used only to find it: `zh-Hant` becomes `zh-TW`. A region in the tag
 * stays.
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
