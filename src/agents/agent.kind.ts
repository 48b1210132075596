import { definitionOf, printerColumn } from '../platform/resources/schema/kind-definition.ts';
import { agentSpec, agentStatus } from './agent.ts';

export const AGENT_KIND = definitionOf({
  kind: 'Agent',
  idPrefix: 'agt',
  shortNames: ['agt'],
  description:
    'A conversational agent: a prompt, a voice and tools. Each change to its content creates a ' +
    'version. The active version serves conversations.',
  spec: agentSpec,
  status: agentStatus,
  columns: [
    printerColumn('Active', 'integer', '.status.activeVersion', 'Version that is live.'),
    printerColumn('Latest', 'integer', '.status.latestVersion', 'Highest version number.'),
    printerColumn('Pinned', 'integer', '.spec.pinnedVersion', 'Version that is pinned.'),
    printerColumn('Rollout', 'string', '.status.rollout.message', 'State of the rollout.'),
    printerColumn('Voice', 'string', '.spec.voice.voiceId', 'Voice of the agent.'),
  ],
  selectableFields: ['.spec.voice.provider', '.spec.pinnedVersion', '.status.activeVersion'],
});
