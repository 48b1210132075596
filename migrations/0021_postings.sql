-- Up Migration

-- ISO 639-1; null: not known, its words are stemmed as English.
alter table knowledge_documents add column language text;

-- A number below 2^28 in four bytes of seven bits, highest first: bytes compare as their numbers do, and what
-- is made of them is text as well, which the driver reads several times faster than bytes.
create function parley_place(place integer) returns bytea language sql immutable parallel safe
  return int4send(((place & 266338304) << 3) | ((place & 2080768) << 2) | ((place & 16256) << 1) | (place & 127));

-- A word of a passage as the index has it: the position (parley_place), and in one byte from 1 to 127 how much
-- the passage is about the word. That is the part of BM25F (Robertson and Zaragoza 2009) which a passage has
-- by itself, tf / (k1 + tf): a word of a heading is three of the text, and one of a long text is less than
-- one of a short text. What is average is said here and not counted, so that no other passage changes it.
-- `weights`: a letter for each place of the word, A in a heading; `size`: of the text, in bytes.
create function parley_posting(place integer, weights text[], size integer) returns bytea
  language sql immutable parallel safe
  return parley_place(place) || set_byte('\x00'::bytea, 0, 127 - (126 * 1.2 / (1.2
    + 3 * case when 'A' = any (weights) then cardinality(array_positions(weights, 'A')) else 0 end
    + (cardinality(weights)
        - case when 'A' = any (weights) then cardinality(array_positions(weights, 'A')) else 0 end)
      / (0.5 + 0.5 * size / 600.0::float8)))::integer);

-- In which passages a word is: those of an owner, a source or an agent with answers to gaps, in one row. By the
-- word first, so that all owners of a namespace are one run of the key.
create table knowledge_postings (
  lexeme text collate "C" not null,
  namespace text not null,
  owner_id uuid not null,
  -- Whether the owner is an agent.
  is_answers boolean not null,
  -- Passages that have the word.
  chunks integer not null,
  -- As parley_posting has them, five bytes each, in the order of their positions. Of the empty word, which
  -- counts the passages of an owner: the first position never given yet (int4send), and the names of the
  -- text search configurations of its passages, with commas between them.
  postings bytea not null,
  primary key (lexeme, namespace, owner_id)
);
-- Read with every search, and packed as it is.
alter table knowledge_postings alter column postings set storage external;
-- Not for the empty word: so no search can be planned by this one, which is of all the words of an owner.
create index knowledge_postings_of_owner on knowledge_postings (owner_id) where lexeme <> '';

create function parley_index_owners(owners uuid[]) returns void language sql as $$
  insert into knowledge_postings (lexeme, namespace, owner_id, is_answers, chunks, postings)
  select w.lexeme, w.namespace, w.owner_id, w.is_answers, count(*),
         string_agg(w.posting, ''::bytea order by w.place)
    from (
      -- Behind offset 0, so that postings are sorted and not the texts they are made of.
      select l.lexeme collate "C" as lexeme, c.namespace, c.owner_id, c.agent_id is not null as is_answers,
             c.position as place, parley_posting(c.position, l.weights, octet_length(c.text)) as posting
        from knowledge_chunks c cross join lateral unnest(c.words) l
       where c.owner_id = any (owners) offset 0
    ) w
   group by w.lexeme, w.namespace, w.owner_id, w.is_answers
  union all
  select '', c.namespace, c.owner_id, c.agent_id is not null, count(*),
         int4send(max(c.position) + 1) || convert_to('english', 'UTF8')
    from knowledge_chunks c
   where c.owner_id = any (owners)
   group by c.namespace, c.owner_id, c.agent_id is not null;
$$;

select parley_index_owners(array(select distinct owner_id from knowledge_chunks));

-- A process of the release before, which runs beside this schema during an upgrade, writes knowledge_lexemes.
-- Nobody else does: what it writes there becomes what this release reads.
create function parley_follow_lexemes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from knowledge_postings p using changed c
     where p.lexeme = c.lexeme collate "C" and p.owner_id = c.owner_id;
  else
    delete from knowledge_postings where owner_id in (select distinct owner_id from changed);
    perform parley_index_owners(array(select distinct owner_id from changed));
  end if;
  return null;
end $$;
create trigger follow_new_lexemes after insert on knowledge_lexemes
  referencing new table as changed for each statement execute function parley_follow_lexemes();
create trigger follow_lexemes after update on knowledge_lexemes
  referencing new table as changed for each statement execute function parley_follow_lexemes();
create trigger follow_deleted_lexemes after delete on knowledge_lexemes
  referencing old table as changed for each statement execute function parley_follow_lexemes();
