import type { AgentContent } from '../../agents/agent.ts';
import { findPhrases, foldPhrase } from './keywords.ts';

type Rule = NonNullable<NonNullable<AgentContent['escalation']>['rules']>[number];

/**
 * Default `count` of the rule `low_confidence`: the number of consecutive unanswered questions after which a human is
 * requested.
 */
const LOW_CONFIDENCE_COUNT = 2;
/**
 * Default `count` of the rule `mood`: the number of consecutive messages with a bad mood or a complaint after which a
 * human is requested.
 */
const MOOD_COUNT = 2;
/** Mood at or below which a message counts as bad. Moods range from -5 to 5. */
const BAD_MOOD = -2;

/** Facts about the current turn and earlier turns that the rules use. */
export type RuleFacts = {
  user: { wantsHuman: boolean };
  text: string;
  /** Moods of the user's last messages, including this one, newest last. */
  moods: readonly number[];
  /** Number of the user's messages, including this one. */
  userTurns: number;
  /** Number of consecutive unanswered questions, including this one. */
  unansweredInRow: number;
  /** Number of consecutive tool calls that failed. */
  toolFailuresInRow: number;
};

/** Reason for a handoff to a human, and the team if it is not the agent's default team. */
export type HandOver = { reason: string; team?: string };

/**
 * Returns why a human should take over, or undefined if no human is needed. A user who asks for a human gets one even
 * without a rule; a rule for this case only sets the reason and the team.
 */
export function toHandOver(content: AgentContent, facts: RuleFacts): HandOver | undefined {
  const rules = content.escalation?.rules ?? [];
  const isSaid = keywordsSaid(rules, facts.text);
  const rule = rules.find((one) => applies(one, facts, isSaid));
  if (rule) return { reason: rule.reason ?? rule.when, ...(rule.team && { team: rule.team }) };
  return facts.user.wantsHuman ? { reason: 'user_request' } : undefined;
}

type IsSaid = (keyword: string) => boolean;

/**
 * Returns a function that checks whether the text contains a keyword of the rules. The text and each distinct keyword
 * are processed only once, because an agent may have a thousand keywords.
 */
function keywordsSaid(rules: readonly Rule[], text: string): IsSaid {
  if (text === '') return () => false;
  const keywords = rules.flatMap((rule) => (rule.when === 'keyword' ? (rule.keywords ?? []) : []));
  const distinct = [...new Set(keywords)];
  const folded = new Map(distinct.map((keyword) => [keyword, foldPhrase(keyword)]));
  const said = findPhrases(text, folded.values());
  return (keyword) => said.has(folded.get(keyword) ?? '');
}

function applies(rule: Rule, facts: RuleFacts, isSaid: IsSaid): boolean {
  switch (rule.when) {
    case 'user_request':
      return facts.user.wantsHuman;
    case 'keyword':
      return (rule.keywords ?? []).some(isSaid);
    case 'low_confidence':
      return facts.unansweredInRow >= (rule.count ?? LOW_CONFIDENCE_COUNT);
    case 'tool_failure':
      return facts.toolFailuresInRow >= (rule.count ?? 1);
    case 'mood':
      return isInBadMood(facts.moods, rule.count ?? MOOD_COUNT);
    case 'turn_limit':
      // Compares with `===`, because with `>=` the rule would apply again to each later message, even after a human has
      // left.
      return facts.userTurns === rule.count;
    default:
      return rule.when satisfies never;
  }
}

function isInBadMood(moods: readonly number[], count: number): boolean {
  const last = moods.slice(-count);
  return last.length === count && last.every((mood) => mood <= BAD_MOOD);
}
