import { ACCOUNT, TOKEN } from '../../calls/phone/account.ts';
import type { Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/** What benches of calls declare: agents that quote from knowledge, so that no model's time is in a figure. */

/** What answers; it takes some ten seconds to say. */
export const ANSWER =
  'Sending a parcel to Ireland costs nine pounds and takes four days, and it is insured for fifty pounds on its ' +
  'way there and back again without anything that you would have to do for it.';

export const together = (manifests: readonly string[]): string => manifests.join('---');

/** The carrier of `startStandIn` with its agents. Omit `apiUrl` if no test calls the carrier's API. */
export const carrier = (
  numbers: readonly { number: string; agent: string }[],
  apiUrl?: string,
): string => `
apiVersion: v1
kind: Secret
metadata: { name: carrier, labels: { parley.dev/allow: 'true' } }
stringData: { token: ${TOKEN} }
---
apiVersion: parley.dev/v1alpha1
kind: TelephonyProvider
metadata: { name: carrier }
spec:
  type: twilio
  accountId: ${ACCOUNT}
  authTokenSecretRef: { name: carrier, key: token }
  inbound: { maxConcurrentCalls: 1000 }
  numbers: ${JSON.stringify(numbers)}
${apiUrl === undefined ? '' : `  apiUrl: ${apiUrl}`}
`;

export const knowledge = (text: string): string => `
apiVersion: parley.dev/v1alpha1
kind: KnowledgeSource
metadata: { name: parcels }
spec: { type: text, text: '${text}' }
`;

/** Hears and speaks by a stub of OpenAI's speech at `speechUrl`, of the same name. */
export const speakingAgent = (name: string, greeting: string, speechUrl: string): string => `
apiVersion: parley.dev/v1alpha1
kind: ModelProvider
metadata: { name: ${name} }
spec:
  baseUrl: ${speechUrl}
  speech: { defaultModel: tts-1, defaultVoice: alloy }
  transcription: { defaultModel: whisper-1 }
---
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  prompt: Sell.
  firstMessage: ${greeting}
  knowledge: { all: true }
  voice: { provider: ${name} }
  transcriber: { provider: ${name}, retranscribeInterrupted: true }
`;

/** Once there is one of each kind that is. */
export async function untilReady(
  { call }: Parley,
  kinds: readonly ('telephony_providers' | 'model_providers')[],
): Promise<void> {
  const isReady = async (kind: string): Promise<boolean> =>
    (await call('GET', `/v1/${kind}?ready=true`)).body.data?.length > 0;
  for (const kind of kinds) await until(kind, () => isReady(kind), { timeoutMs: 60_000 });
}
