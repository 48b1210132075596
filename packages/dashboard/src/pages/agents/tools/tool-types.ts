import type { Tool } from '../agent-shapes.ts';

/** Describes what a tool of each type does. */
export const TYPES: Record<Tool['type'], string> = {
  webhook: 'calls your service',
  knowledge_search: 'searches the knowledge',
  handoff: 'hands over to another agent',
  transfer_call: 'requests a human agent',
  end_call: 'ends the conversation',
};
