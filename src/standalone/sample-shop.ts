import type { AgentContent } from '../agents/agent.ts';
import { endpointOfSettings } from '../models/model-endpoint.ts';
import type { Lookup } from '../platform/egress/name-lookup.ts';
import type { SampleModel } from '../conversations/turns/who-replies.ts';
import { SHOP_HOST, startDemoShop } from './demo-shop.ts';
import { startScriptedModel } from './scripted-model.ts';

/** Shop and model for the sample conversation with examples/shop-assistant.yaml. */
export type SampleShop = {
  lookup?: Lookup;
  sampleModel?: SampleModel;
  /** Lines of output for the user. */
  notes: readonly string[];
  stop: () => Promise<void>;
};

const SCRIPTED = `agents with tools at ${SHOP_HOST} use a scripted model; for a real model, set PARLEY_MODEL_URL and PARLEY_MODEL (docs/operations/settings.md)`;
const NO_PORT =
  'port 4780 is in use, so the sample shop in examples/ does not run, and its sample conversation is skipped';

export async function startSampleShop(has: { model: boolean }): Promise<SampleShop> {
  const shop = await startDemoShop();
  if (shop === undefined) return { notes: [NO_PORT], stop: async () => undefined };
  if (has.model) return { ...shop, notes: [] };
  const model = await startScriptedModel();
  const settings = { url: model.url, key: undefined, model: 'scripted' };
  const endpoint = { ...endpointOfSettings(settings), provider: 'scripted' };
  return {
    lookup: shop.lookup,
    sampleModel: { endpoint, isFor: callsTheShop },
    notes: [SCRIPTED],
    stop: async () => {
      await Promise.all([model.stop(), shop.stop()]);
    },
  };
}

/** Returns whether an agent uses the demo shop and declares no model of its own. */
function callsTheShop({ model, tools = [] }: AgentContent): boolean {
  return (
    model === undefined && tools.some(({ url }) => url !== undefined && hostOf(url) === SHOP_HOST)
  );
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
