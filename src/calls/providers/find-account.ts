export type Account = { id: string; namespace: string; name: string; accountId: string; authToken: string; apiUrl: string; outbound: {countries: readonly string[]; maxConcurrentCalls: number; maxCallsPerMinute: number; ringSec: number; voicemailMessage: string | undefined} | undefined; inbound: {maxConcurrentCalls: number; busyMessage: string|undefined; closedMessage: string|undefined} };
export type BoundNumber = { number: string; agentId: string | null; agentVersion: number | undefined };
export type Accounts = {
  ofNumber: (accountId: string, number: string) => Promise<{ account: Account; bound: BoundNumber }[]>;
  byName: (namespace: string, name: string) => Promise<Account | undefined>;
  byId: (providerId: string) => Promise<Account | undefined>;
  numbersOf: (account: Account, agentId?: string) => Promise<BoundNumber[]>;
  look: (ids: readonly string[]) => void;
};
export function createAccounts(_: object): Accounts { throw new Error('stub'); }
