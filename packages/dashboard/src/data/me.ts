import { createContext, useContext } from 'react';
import type { Schemas } from './parley.ts';

/** The current session, from GET /v1/me. */
export type Me = Schemas['Me'];
export type Scope = Me['scopes'][number];

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('this hook must be used inside a MeContext');
  return me;
}

/** Returns true if this session has the scope that an action requires (contract/authentication.md#scopes). */
export function useCan(scope: Scope): boolean {
  return useMe().scopes.includes(scope);
}
