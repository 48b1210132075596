-- Up Migration

-- Without its list of pending entries: every search reads that list from end to end, so after a large upload
-- the turns of all tenants took a tenth of a second until autovacuum came. The uploader pays instead.
alter index knowledge_words_lexeme_idx set (fastupdate = off);
select gin_clean_pending_list('knowledge_words_lexeme_idx');
