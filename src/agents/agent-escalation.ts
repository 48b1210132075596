import { z } from 'zod';
import { LIST_SET, phoneNumber, rules } from '../platform/resources/schema/field-types.ts';
import { hours } from './agent-hours.ts';

/** Label of a group of human agents, such as a team, a skill or a language. */
export const team = z.string().min(1).max(64);

const escalationRule = z
  .strictObject({
    // Not named `on`, because YAML 1.1, which kubectl uses, reads that key as true.
    when: z
      .enum(['user_request', 'keyword', 'tool_failure', 'low_confidence', 'mood', 'turn_limit'])
      .describe('Condition under which the rule requests a human.'),
    keywords: z
      .array(z.string().min(1).max(128))
      .max(50)
      .meta(LIST_SET)
      .describe(
        'Words that trigger the rule if a user message contains one of them. Required if `when` is `keyword`.',
      )
      .exactOptional(),
    count: z
      .int()
      .min(1)
      .max(100)
      .describe(
        'For tool_failure, low_confidence and mood: number of consecutive occurrences that ' +
          'trigger the rule. For turn_limit: number of user messages.',
      )
      .exactOptional(),
    reason: z
      .string()
      .min(1)
      .max(256)
      .describe('Reason shown with the escalation.')
      .exactOptional(),
    team: team
      .describe('Team to ask if this rule applies, instead of `escalation.team`.')
      .exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.when != 'keyword' || (has(self.keywords) && self.keywords.size() > 0)",
        message: 'a rule with `when: keyword` must list at least one word in `keywords`',
        fieldPath: '.keywords',
      },
      {
        rule: "self.when != 'mood' || !has(self.count) || self.count <= 10",
        message: '`count` must be at most 10 in a rule with `when: mood`',
        fieldPath: '.count',
      },
      {
        rule: "self.when != 'turn_limit' || has(self.count)",
        message: 'a rule with `when: turn_limit` must set `count`',
        fieldPath: '.count',
      },
    ),
  );

/** When and how a human agent takes over a conversation (contract/agents.md#fields). */
export const escalation = z.strictObject({
  rules: z.array(escalationRule).max(20).describe('Rules that request a human.').exactOptional(),
  timeoutSec: z
    .int()
    .min(1)
    .max(86_400)
    .describe('How long to wait for a human to accept, in seconds.')
    .exactOptional(),
  team: team
    .describe(
      'Label that identifies who should take the escalation, such as a team, a skill or a language.',
    )
    .exactOptional(),
  fallbackTeam: team
    .describe(
      'Team to ask next if nobody accepts in time. If omitted, the agent continues the conversation.',
    )
    .exactOptional(),
  telephone: z
    .strictObject({
      to: phoneNumber.clone().describe('Telephone number in E.164 format.'),
    })
    .describe(
      'Telephone number to ring when a human is requested during a telephone call. If absent, no ' +
        'number is called, and human agents take over through the API.',
    )
    .exactOptional(),
  hours: hours
    .describe('Hours in which human agents are available. If absent, they are always available.')
    .exactOptional(),
});
