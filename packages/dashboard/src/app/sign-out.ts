import { ok, parley } from '../data/parley.ts';
import type { Me } from '../data/me.ts';
import { rememberName } from './own-name.ts';

/** Ends the session and removes the remembered name from this browser. */
export async function signOut({ session }: Pick<Me, 'session'>): Promise<void> {
  rememberName('');
  if (!session) return;
  await ok(parley.DELETE('/v1/sessions/{id}', { params: { path: { id: session.id } } }));
}
