import { ok, parley } from '../data/parley.ts';
import type { Me } from '../data/me.ts';

export async function signOut({ session }: Pick<Me, 'session'>): Promise<void> {
  if (!session) return;
  await ok(parley.DELETE('/v1/sessions/{id}', { params: { path: { id: session.id } } }));
}
