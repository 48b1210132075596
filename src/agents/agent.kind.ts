import { namesOf } from '../platform/resources/kind-names.ts';
import {
  AGE_COLUMN,
  MESSAGE_COLUMN,
  printerColumn,
  READY_COLUMN,
  type KindDefinition,
} from '../platform/resources/schema/kind-definition.ts';
import { agentSpec, agentStatus } from './agent.ts';

export const AGENT_KIND: KindDefinition = {
  ...namesOf({ kind: 'Agent', idPrefix: 'agt' }),
  shortNames: ['agt'],
  description:
    'A conversational agent: a prompt, a voice and tools. Each change of its content is a version; the active one answers.',
  spec: agentSpec,
  status: agentStatus,
  printerColumns: [
    READY_COLUMN,
    printerColumn('Active', 'integer', '.status.activeVersion', 'Version that is live.'),
    printerColumn('Latest', 'integer', '.status.latestVersion', 'Highest version.'),
    printerColumn('Pinned', 'integer', '.spec.pinnedVersion', 'Version that is pinned.'),
    printerColumn('Voice', 'string', '.spec.voice.voiceId', 'Voice it speaks with.'),
    AGE_COLUMN,
    MESSAGE_COLUMN,
    { ...printerColumn('ID', 'string', '.status.agentId', 'Id in the REST API.'), priority: 1 },
  ],
  selectableFields: ['.spec.voice.provider', '.spec.pinnedVersion', '.status.activeVersion'],
};
