import { eventually, statusMessageOf, type Api } from './api.ts';
import { HOOKS_PATH } from './server.ts';
import { GREETING, TOPICS } from './texts.ts';

/** Objects that the drill declares in Parley. `remove` deletes them. */
export type Declared = {
  number: string;
  account: string;
  webhookSecret: string;
  webhookPath: string;
  remove: () => Promise<void>;
};

export type DeclareOptions = {
  /** Name given to every declared object. */
  name: string;
  /** Base URLs at which Parley reaches the drill's server (`here`) and the voice (`voiceUrl`). */
  here: string;
  voiceUrl: string;
  /** Name and key of the secret that contains the carrier's token. */
  tokenFrom: { name: string; key: string };
  account: string;
  number: string;
  /**
   * Whether the transcriber also transcribes the agent's interrupted sentences, to find the last word that was played.
   */
  retranscribes: boolean;
};

const BIND_MS = 60_000;

/**
 * Creates an agent with a voice and knowledge, a webhook, and a phone number that the agent answers, through the REST
 * API. Deletes everything again if this fails.
 */
export async function declare(api: Api, options: DeclareOptions): Promise<Declared> {
  const { name, here, voiceUrl, tokenFrom, account, number, retranscribes } = options;
  const made: string[] = [];
  const make = async (path: string, body: object): Promise<{ id: string; secret?: string }> => {
    const object = await api.call('POST', path, body);
    made.push(`${path}/${object.id}`);
    return object;
  };
  /** Deletes the objects, newest first, because newer objects refer to older ones. */
  const remove = async (): Promise<void> => {
    const failed: unknown[] = [];
    for (const path of made.toReversed()) {
      await api.call('DELETE', path).catch((error: unknown) => failed.push(error));
    }
    if (failed.length > 0) throw new Error(`not all objects were deleted: ${failed.join('; ')}`);
  };
  const ready = (path: string): Promise<unknown> =>
    eventually(
      `${path} to be ready`,
      async () => {
        const object = await api.call('GET', path);
        return (object.ready ?? object.status?.ready) === true ? object : undefined;
      },
      { timeoutMs: BIND_MS, why: () => statusMessageOf(api, path) },
    );
  try {
    await make('/v1/knowledge/sources', {
      name,
      type: 'text',
      text: TOPICS.map(({ heading, answer }) => `# ${heading}\n\n${answer}\n`).join('\n'),
    });
    await make('/v1/model_providers', {
      name,
      base_url: voiceUrl,
      speech: { default_model: 'drill', default_voice: 'drill' },
      transcription: { default_model: 'drill' },
    });
    await ready(made.at(-1)!);
    await make('/v1/agents', {
      name,
      prompt: 'You answer the telephone of a bicycle shop.',
      first_message: GREETING,
      language: 'en',
      voice: { provider: name },
      transcriber: {
        provider: name,
        language: 'en',
        ...(retranscribes && { retranscribe_interrupted: true }),
      },
      knowledge: { source_names: [name] },
    });
    await ready(made.at(-1)!);
    const webhook = await make('/v1/webhooks', { url: here + HOOKS_PATH });
    await make('/v1/telephony_providers', {
      name,
      type: 'twilio',
      account_id: account,
      auth_token_secret_ref: tokenFrom,
      api_url: here,
      numbers: [{ number, agent: name }],
    });
    await ready(made.at(-1)!);
    const webhookPath = `/v1/webhooks/${webhook.id}`;
    return { number, account, webhookSecret: webhook.secret ?? '', webhookPath, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}
