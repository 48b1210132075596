import type { Sealer } from '../../platform/postgres/sealing.ts';

const REMEMBERED_MAX = 2_000;

/**
 * Decrypts (opens) each encrypted (sealed) secret once and caches the result. Every delivery comes with the encrypted
 * secret, and decrypting it costs as much as both signatures. The encrypted bytes are the cache key. They
 * differ after each encryption, so the cache never returns an outdated secret.
 */
export function rememberOpened({ open }: Pick<Sealer, 'open'>): Pick<Sealer, 'open'> {
  const opened = new Map<string, string>();
  return {
    open: (sealed, place) => {
      const key = `${place} ${sealed.toString('latin1')}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const secret = open(sealed, place);
      if (opened.size >= REMEMBERED_MAX) opened.clear();
      opened.set(key, secret);
      return secret;
    },
  };
}
