/** Countries that can be called, by the metadata of telephone numbers that redaction knows them by too. */

type Refusal = { at: number; detail: string };

/** Those of the codes that no telephone number is of, each with its place in the list. */
export async function unknownCountries(codes: readonly string[]): Promise<Refusal[]> {
  if (codes.length === 0) return [];
  // 10 MB and 50 ms, for those who call by telephone; the edition that redaction loads.
  const { isSupportedCountry } = await import('libphonenumber-js/max');
  return codes.flatMap((code, at) => {
    if (isSupportedCountry(code)) return [];
    const detail = `there is no country ${code} that can be called: use its ISO 3166-1 code, such as GB`;
    return [{ at, detail }];
  });
}
