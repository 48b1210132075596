import { z } from 'zod';
import { LIST_SET, phoneNumber, rules } from '../platform/resources/schema/field-types.ts';
import { hours } from './agent-hours.ts';

/** Label of a group of people, such as a team, a skill or a language. */
export const team = z.string().min(1).max(64);

const escalationRule = z
  .strictObject({
    // Not named `on`, because YAML 1.1, which kubectl uses, reads that key as true.
    when: z
      .enum(['user_request', 'keyword', 'tool_failure', 'low_confidence', 'mood', 'turn_limit'])
      .describe('What calls for a human.'),
    keywords: z
      .array(z.string().min(1).max(128))
      .max(50)
      .meta(LIST_SET)
      .describe('Words of the user that call for a human; for keyword.')
      .exactOptional(),
    count: z
      .int()
      .min(1)
      .max(100)
      .describe(
        'How many times in a row; for tool_failure, low_confidence and mood. For turn_limit: messages of the user.',
      )
      .exactOptional(),
    reason: z
      .string()
      .min(1)
      .max(256)
      .describe('Reason shown with the escalation.')
      .exactOptional(),
    team: team
      .describe('Who is asked by this rule, instead of the team of all rules.')
      .exactOptional(),
  })
  .meta(
    rules(
      {
        rule: "self.when != 'keyword' || (has(self.keywords) && self.keywords.size() > 0)",
        message: 'a rule for keyword needs keywords',
        fieldPath: '.keywords',
      },
      {
        rule: "self.when != 'mood' || !has(self.count) || self.count <= 10",
        message: 'count is at most 10 for mood',
        fieldPath: '.count',
      },
      {
        rule: "self.when != 'turn_limit' || has(self.count)",
        message: 'a rule for turn_limit needs count',
        fieldPath: '.count',
      },
    ),
  );

/** Rules for the handoff to a human (contract/agents.md#fields). */
export const escalation = z.strictObject({
  rules: z
    .array(escalationRule)
    .max(20)
    .describe('When the agent asks for a human.')
    .exactOptional(),
  timeoutSec: z
    .int()
    .min(1)
    .max(86_400)
    .describe('How long to wait for a human to accept, in seconds.')
    .exactOptional(),
  team: team.describe('Label of the people who are asked.').exactOptional(),
  fallbackTeam: team
    .describe('Who is asked next when nobody accepts in time; absent: the agent goes on.')
    .exactOptional(),
  telephone: z
    .strictObject({
      to: phoneNumber.clone().describe('In E.164, as in +442071838750.'),
    })
    .describe(
      'Who is rung when a human is asked for in a telephone call; absent: people write or speak by the API.',
    )
    .exactOptional(),
  hours: hours.describe('When people are there; absent: always.').exactOptional(),
});
