import type { Scope } from '../../data/me.ts';
import type { ItemOf } from '../../data/parley.ts';

export type Key = ItemOf<'/v1/api_keys'>;

/** Lists scopes in a few words. */
export function scopesText(scopes: readonly Scope[]): string {
  return scopes.length === SCOPES.length ? 'all scopes' : scopes.join(', ');
}

/** All scopes, each with what it allows. */
export const SCOPES: readonly { scope: Scope; may: string }[] = [
  { scope: 'read', may: 'see everything in the namespace except keys and the audit log' },
  { scope: 'write', may: 'create and change agents, endpoints and knowledge; hold conversations' },
  { scope: 'publish', may: 'decide what is live: publish, pin, roll back' },
  { scope: 'replay', may: 'replay events and stop replays' },
  { scope: 'keys', may: 'create and delete keys, end sessions, read the audit log' },
];
