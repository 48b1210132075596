/** What an API key may do (contract §3). */
export const SCOPES = ['read', 'write', 'publish', 'replay', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];
