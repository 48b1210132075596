import type { AgentContent } from '../../agents/agent.ts';
import { findPhrases, foldPhrase } from './keywords.ts';

type Rule = NonNullable<NonNullable<AgentContent['escalation']>['rules']>[number];

/** Unanswered questions in a row that call for a human, when the rule has no `count`. */
const LOW_CONFIDENCE_COUNT = 2;
/** Messages in a row in a bad mood, or complaints, likewise. */
const MOOD_COUNT = 2;
/** From this mood down it is a bad one: -5 to 5. */
const BAD_MOOD = -2;

/** What is known of a turn when the rules are asked. */
export type RuleFacts = {
  user: { wantsHuman: boolean };
  text: string;
  /** Moods of the user's last messages, newest last, this one included. */
  moods: readonly number[];
  /** Messages of the user, this one included. */
  userTurns: number;
  /** Questions, this one included. */
  unansweredInRow: number;
  /** Tools that failed in a row. */
  toolFailuresInRow: number;
};

/** Why a human should take over, and which, when it is not the agent's own team. */
export type HandOver = { reason: string; team?: string };

/**
 * Why a human should take over; undefined: no rule says so. A user who asks for a human gets one
 * whether the agent has a rule for it or not; a rule may name the reason.
 */
export function toHandOver(content: AgentContent, facts: RuleFacts): HandOver | undefined {
  const rules = content.escalation?.rules ?? [];
  const said = keywordsSaid(rules, facts.text);
  const rule = rules.find((one) => applies(one, facts, said));
  if (rule) return { reason: rule.reason ?? rule.when, ...(rule.team && { team: rule.team }) };
  return facts.user.wantsHuman ? { reason: 'user_request' } : undefined;
}

/** The keywords of all rules that the text contains; the text is read once. */
function keywordsSaid(rules: readonly Rule[], text: string): ReadonlySet<string> {
  const keywords = rules.flatMap((rule) => (rule.when === 'keyword' ? (rule.keywords ?? []) : []));
  return findPhrases(text, keywords.map(foldPhrase));
}

function applies(rule: Rule, facts: RuleFacts, said: ReadonlySet<string>): boolean {
  switch (rule.when) {
    case 'user_request':
      return facts.user.wantsHuman;
    case 'keyword':
      return (rule.keywords ?? []).some((one) => said.has(foldPhrase(one)));
    case 'low_confidence':
      return facts.unansweredInRow >= (rule.count ?? LOW_CONFIDENCE_COUNT);
    case 'tool_failure':
      return facts.toolFailuresInRow >= (rule.count ?? 1);
    case 'mood':
      return isInBadMood(facts.moods, rule.count ?? MOOD_COUNT);
    case 'turn_limit':
      // Once the limit is reached; and not again with every message after somebody was there.
      return facts.userTurns === rule.count;
    default:
      return rule.when satisfies never;
  }
}

function isInBadMood(moods: readonly number[], count: number): boolean {
  const last = moods.slice(-count);
  return last.length === count && last.every((mood) => mood <= BAD_MOOD);
}
