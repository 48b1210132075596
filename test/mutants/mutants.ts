import { ACCESS_MUTANTS } from './access-mutants.ts';
import { AGENTS_MUTANTS } from './agents-mutants.ts';
import { AUDIT_MUTANTS } from './audit-mutants.ts';
import { CALL_MUTANTS } from './call-mutants.ts';
import { CONVERSATION_MUTANTS } from './conversation-mutants.ts';
import { DECLARE_MUTANTS } from './declare-mutants.ts';
import { EGRESS_MUTANTS } from './egress-mutants.ts';
import { ENDPOINT_MUTANTS } from './endpoint-mutants.ts';
import { ENGINE_MUTANTS } from './engine-mutants.ts';
import { ERASURE_MUTANTS, GAP_MUTANTS } from './erasure-mutants.ts';
import { ESCALATION_MUTANTS } from './escalation-mutants.ts';
import { HTTP_MUTANTS } from './http-mutants.ts';
import { IDEMPOTENCY_MUTANTS } from './idempotency-mutants.ts';
import { KNOWLEDGE_MUTANTS } from './knowledge-mutants.ts';
import { READING_MUTANTS } from './knowledge/reading-mutants.ts';
import { LANGUAGE_MUTANTS } from './language-mutants.ts';
import { ACT_MUTANTS } from './act-mutants.ts';
import { LINE_MUTANTS } from './line-mutants.ts';
import { MANIFEST_MUTANTS } from './manifest-mutants.ts';
import type { Mutant } from './mutant.ts';
import { PRODUCER_MUTANTS } from './producer-mutants.ts';
import { QUEUE_MUTANTS } from './queue-mutants.ts';
import { FEEDBACK_MUTANTS } from './feedback-mutants.ts';
import { HOURS_MUTANTS } from './hours-mutants.ts';
import { JUDGEMENT_MUTANTS } from './judgement-mutants.ts';
import { REDACTION_MUTANTS } from './redaction-mutants.ts';
import { RECONCILE_MUTANTS } from './reconcile-mutants.ts';
import { RESOURCE_MUTANTS } from './resource-mutants.ts';
import { TALK_MUTANTS } from './talk-mutants.ts';
import { TELEPHONY_MUTANTS } from './telephony-mutants.ts';
import { TELNYX_MUTANTS } from './telnyx-mutants.ts';
import { WIDGET_MUTANTS } from './widget-mutants.ts';

/**
 * Check the checker: each is a way in which a delivery engine loses, doubles, delays or leaks what
 * it was trusted with, and each must turn a suite red. `npm run test:nightly -- mutants` plants them one by one;
 * test/mutants/mutants.test.ts sees to it that they still fit the sources.
 */
export const MUTANTS: readonly Mutant[] = [
  ...PRODUCER_MUTANTS,
  ...QUEUE_MUTANTS,
  ...ENDPOINT_MUTANTS,
  ...ENGINE_MUTANTS,
  ...EGRESS_MUTANTS,
  ...ACCESS_MUTANTS,
  ...AGENTS_MUTANTS,
  ...ESCALATION_MUTANTS,
  ...CONVERSATION_MUTANTS,
  ...LANGUAGE_MUTANTS,
  ...LINE_MUTANTS,
  ...ACT_MUTANTS,
  ...FEEDBACK_MUTANTS,
  ...HOURS_MUTANTS,
  ...JUDGEMENT_MUTANTS,
  ...REDACTION_MUTANTS,
  ...GAP_MUTANTS,
  ...KNOWLEDGE_MUTANTS,
  ...READING_MUTANTS,
  ...CALL_MUTANTS,
  ...TELEPHONY_MUTANTS,
  ...TELNYX_MUTANTS,
  ...TALK_MUTANTS,
  ...WIDGET_MUTANTS,
  ...ERASURE_MUTANTS,
  ...AUDIT_MUTANTS,
  ...RECONCILE_MUTANTS,
  ...DECLARE_MUTANTS,
  ...IDEMPOTENCY_MUTANTS,
  ...RESOURCE_MUTANTS,
  ...MANIFEST_MUTANTS,
  ...HTTP_MUTANTS,
];
