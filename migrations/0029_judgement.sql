-- Up Migration

-- Conversations that a model judges when they have ended (docs/decisions/0054).
alter table conversations
  -- Until then the process that ended it may have a model judge it; then the rule alone speaks. Null: no model is asked.
  add column judge_until timestamptz,
  -- What the model said, and what the rule had said before; null: no model was asked, or it is not over.
  add column judgement jsonb;
