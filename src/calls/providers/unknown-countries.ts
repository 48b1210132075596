/** A country that cannot be called, with its index in the list. */

type Refusal = { at: number; detail: string };

/** Returns the country codes that have no telephone numbers, each with its index in the list. */
export async function unknownCountries(codes: readonly string[]): Promise<Refusal[]> {
  if (codes.length === 0) return [];
  // The package is loaded on first use, because loading it takes 10 MB of memory and 50 ms. Text redaction uses the
  // same edition (`max`), so it is loaded only once.
  const { isSupportedCountry } = await import('libphonenumber-js/max');
  return codes.flatMap((code, at) => {
    if (isSupportedCountry(code)) return [];
    const detail = `"${code}" is not a country that can be called: use an ISO 3166-1 code such as GB`;
    return [{ at, detail }];
  });
}
