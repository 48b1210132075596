import { describe, expect, test } from 'vitest';
import {
  decideStep,
  exposureAfter,
  type StepState,
} from '../../../src/rollouts/statistics/decide-step.ts';

const DONE: StepState = {
  step: { weight: 5, minConversations: 50 },
  isLast: false,
  onFail: 'Abort',
  isHeld: false,
  conversations: 50,
  verdicts: ['passed', 'passed'],
  isOverdue: false,
};

describe('a step of a rollout', () => {
  test.each<[string, Partial<StepState>, string]>([
    ['ends when it has enough conversations and every check has passed', {}, 'advance'],
    ['completes the rollout if it is the last one', { isLast: true }, 'complete'],
    ['waits for its last conversation', { conversations: 49 }, 'wait'],
    ['waits for a check that is undecided', { verdicts: ['passed', 'undecided'] }, 'wait'],
    [
      'that is overdue and has too few conversations holds',
      { conversations: 49, isOverdue: true },
      'hold',
    ],
    [
      'that is overdue and has an undecided check holds',
      { verdicts: ['undecided'], isOverdue: true },
      'hold',
    ],
    [
      'without any conversation holds when it is overdue',
      { conversations: 0, isOverdue: true },
      'hold',
    ],
    ['that is overdue and has passed ends', { isOverdue: true }, 'advance'],
    ['with one version that is worse aborts', { verdicts: ['passed', 'worse'] }, 'abort'],
    ['aborts before it has its conversations', { verdicts: ['worse'], conversations: 1 }, 'abort'],
    ['holds instead if so declared', { verdicts: ['worse'], onFail: 'Hold' }, 'hold'],
    ['that is held waits', { isHeld: true }, 'wait'],
    ['that is held and overdue waits', { isHeld: true, isOverdue: true }, 'wait'],
    ['that is held still aborts', { isHeld: true, verdicts: ['worse'] }, 'abort'],
    [
      'that is held because a version is worse stays held',
      { isHeld: true, verdicts: ['worse'], onFail: 'Hold' },
      'wait',
    ],
  ])('%s', (_, state, decision) => {
    expect(decideStep({ ...DONE, ...state })).toBe(decision);
  });

  test('is followed by the weight of the next step, and the last one by all conversations', () => {
    const steps = [5, 25].map((weight) => ({ weight, minConversations: 1 }));
    expect([exposureAfter(steps, 0), exposureAfter(steps, 1)]).toEqual([0.25, 1]);
  });
});
