-- Up Migration

-- The trace in which the event happened, as W3C writes it; deliveries carry it on. Null, and without a
-- byte, where there was none.
alter table events add column traceparent text;
