import { toolTurn, type Script } from './scripted-responder.ts';

/**
 * Refunds by a tool, once: it is called only where nothing is noted, and its result is taken from the
 * notes where there is one. What was noted without a result may have happened.
 */
export function refund(call: () => void): Script {
  return async ({ noteTools, notedTools, emitToken }) => {
    let toolTurns = [...notedTools];
    if (toolTurns.length === 0) {
      await noteTools([toolTurn('refund')]);
      call();
      toolTurns = [toolTurn('refund', 'refunded')];
      await noteTools(toolTurns);
    }
    emitToken('Your money ');
    emitToken('is on its way.');
    return { text: 'Your money is on its way.', toolTurns };
  };
}
