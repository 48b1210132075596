-- What a provider sent with a call of a tool and wants back in later requests: its reasoning or a signature. It is read
-- by the next turns alone and shown nowhere. Null: nothing, as in all turns of earlier releases.
alter table turns add column provider_metadata jsonb;
