/** Language codes that carriers reject, each with the code that they accept instead. */
const OF_CARRIERS: Readonly<Record<string, string>> = { no: 'nb' };

/**
 * Returns a language tag in the form that carriers accept, with a region: `de` becomes `de-DE`. Carriers reject a tag
 * without a region (Twilio errors 13331 and 13512). A region in the tag is kept. A missing region is replaced by the
 * one where most speakers live (Unicode CLDR, likely subtags). A script in the tag helps to choose the region, but is
 * dropped from the result: `zh-Hant` becomes `zh-TW`.
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
