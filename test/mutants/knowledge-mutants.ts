import type { Mutant } from './mutant.ts';

const GAPS = 'test/knowledge/gaps/knowledge-gaps.pg.test.ts';
const WHO = 'test/knowledge/knowledge-scope.pg.test.ts';
const SOURCES = 'test/knowledge/sources/knowledge-sources.kube.test.ts';
const CHANGES = 'test/knowledge/sources/source-changes.pg.test.ts';
const SCOPE = 'src/knowledge/search-knowledge.ts';
const GAP_ROWS = 'src/knowledge/gaps/knowledge-gaps.sql.ts';
const SOURCE_ROWS = 'src/knowledge/sources/knowledge-sources.sql.ts';
const SEARCH = 'src/knowledge/passages/knowledge-search.sql.ts';
const PLANS = 'test/knowledge/passages/kept-plans.pg.test.ts';
const WRITE = 'src/knowledge/sources/write-source.ts';

/** Bugs of knowledge: what is found and by whom, what is indexed when, which questions are open. */
export const KNOWLEDGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'sources-of-a-neighbour',
    why: 'who knows the id of a source of another namespace has an agent read it aloud',
    file: SOURCE_ROWS,
    find: 'where namespace = $1 and deleted_at is null and id = any($2::uuid[])',
    replace: 'where $1 <> $$$$ and deleted_at is null and id = any($2::uuid[])',
    suite: WHO,
    test: 'an id is one of the own namespace',
  },
  {
    name: 'names-of-a-neighbour',
    why: 'an agent finds the handbook of every namespace, since all are called so',
    file: SOURCE_ROWS,
    find: 'where namespace = $1 and deleted_at is null and name = any($3::text[])',
    replace: 'where $1 <> $$$$ and deleted_at is null and name = any($3::text[])',
    suite: WHO,
    test: 'a name is one of the own namespace',
  },
  {
    name: 'agent-without-sources-sees-all',
    why: 'an agent that was given nothing to know reads the papers of all others',
    file: SCOPE,
    find: 'ids.length + names.length === 0 ? [] : await',
    replace: `ids.length + names.length === 0 ? ('all' as const) : await`,
    suite: WHO,
    test: 'an agent that was given nothing finds nothing',
  },
  {
    name: 'answers-of-another-agent',
    why: 'what somebody answered for one agent is said by all of them',
    file: SCOPE,
    find: `if (sourceIds !== 'all') return [...sourceIds, ...ofAgent];`,
    replace: `if (sourceIds !== 'all')
    return [...sourceIds, ...(await listAnsweringAgents(db, namespace))];`,
    suite: GAPS,
    test: 'with an answer: the next search finds it',
  },
  {
    name: 'search-without-a-limit',
    why: 'limit=1 of a search is answered with a dozen',
    file: 'src/knowledge/passages/search-passages.ts',
    find: 'return scored(passages, { candidates, terms }).slice(0, limit);',
    replace: 'return scored(passages, { candidates, terms });',
    suite: WHO,
    test: 'a search answers no more than it is asked for',
  },
  {
    name: 'gap-asked-once-for-ever',
    why: 'a question that was resolved without an answer never shows up again',
    file: GAP_ROWS,
    find: `where agent_id = $1 and fingerprint = $2 and status = 'open' returning id`,
    replace: `where agent_id = $1 and fingerprint = $2 returning id`,
    suite: GAPS,
    test: 'without an answer: the same question opens another gap',
  },
  {
    name: 'last-asked-is-first-asked',
    why: 'a question of today looks like one of last year, and is put aside',
    file: GAP_ROWS,
    find: `set count = count + 1, last_asked_at = clock_timestamp()
            where`,
    replace: `set count = count + 1
            where`,
    suite: GAPS,
    test: 'that comes again was asked just now',
  },
  {
    name: 'gap-of-all-agents',
    why: 'what one agent was asked is counted for another, whose gap nobody sees',
    file: GAP_ROWS,
    find: `where agent_id = $1 and status = 'open' order by id desc limit`,
    replace: `where $1::uuid is not null and status = 'open' order by id desc limit`,
    suite: GAPS,
    test: 'nearly the same is the same one, another is not',
  },
  {
    name: 'gap-resolved-twice',
    why: 'two answers to one question, of which the agent says whichever it likes',
    file: 'src/knowledge/gaps/resolve-gap.ts',
    find: `if (gap.status === 'resolved') {`,
    replace: `if (gap.status === 'resolved' && gap.answer === input.answer) {`,
    suite: GAPS,
    test: 'a second time is 409',
  },
  {
    name: 'two-gaps-at-once',
    why: 'twenty who ask the same at once make twenty gaps and twenty events',
    file: 'src/knowledge/gaps/detect-gap.ts',
    find: '  await lockGaps(db, gap.agentId);\n',
    replace: '',
    suite: GAPS,
    test: 'asked in twenty conversations at once',
  },
  {
    name: 'answer-found-by-itself-alone',
    why: 'an answer is not found by the very question it was given to',
    file: 'src/knowledge/gaps/resolve-gap.ts',
    find: 'headingWords: searchableText(question),',
    replace: `headingWords: searchableText(''),`,
    suite: GAPS,
    test: 'with an answer: the next search finds it',
  },
  {
    name: 'being-indexed-looks-empty',
    why: 'a source whose old text still answers says that it has none',
    file: WRITE,
    find: `row && row.contentHash !== null ? 'refreshing' : 'pending'`,
    replace: `row && row.contentHash === null ? 'refreshing' : 'pending'`,
    suite: CHANGES,
    test: 'the old index answers until the new one is complete',
  },
  {
    name: 'type-changed-in-silence',
    why: 'a PATCH of type is answered 200 and does nothing',
    file: WRITE,
    find: `Object.entries({ name, type })`,
    replace: `Object.entries({ name, type: patch['type'] ?? type })`,
    suite: SOURCES,
    test: 'a name is taken once, and neither name nor type ever changes',
  },
  {
    name: 'passages-outlive-their-source',
    why: 'agents go on quoting what was deleted',
    file: 'src/knowledge/sources/project-source.ts',
    find: '  await deleteSourceChunks(db, sourceId);\n  await deleteOtherDocuments',
    replace: '  await deleteOtherDocuments',
    suite: SOURCES,
    test: 'is found no more once it is deleted',
  },
  {
    name: 'text-lost-with-its-config-map',
    why: 'the text that agents still answer from is shown as none, and no sync can be asked for',
    file: SOURCE_ROWS,
    find: `text = case when excluded.type = 'text' then coalesce(excluded.text, s.text) end,`,
    replace: `text = case when excluded.type = 'text' then excluded.text end,`,
    suite: SOURCES,
    test: 'from a ConfigMap waits for it',
  },
  {
    name: 'config-map-of-any-text',
    why: 'an empty ConfigMap makes a source that is ready and knows nothing',
    file: 'src/knowledge/sources/knowledge-source.reconciler.ts',
    find: 'safeParse(value).success && isStorable(value)) {',
    replace: 'safeParse(value) && isStorable(value)) {',
    suite: CHANGES,
    test: 'a ConfigMap must have a text',
  },
  {
    name: 'upload-never-in-the-status',
    why: 'kubectl shows a source of type file as pending for ever',
    file: 'src/knowledge/sources/knowledge-source.reconciler.ts',
    find: `if (source && source.status['lastSyncTime'] !== rfc3339(row.lastSyncedAt)) stale.push(row);`,
    replace: `if (source && source.status['lastSyncTime'] === rfc3339(row.lastSyncedAt)) stale.push(row);`,
    suite: SOURCES,
    test: 'waits for its content, is found as soon as that is uploaded',
  },
  {
    name: 'plan-reads-the-words-of-all',
    why: 'after one upload the turns of every tenant read all words there are, for a minute',
    file: SEARCH,
    find: 'and l.lexeme = ${lexeme} offset 0)`',
    replace: 'and l.lexeme = ${lexeme})`',
    suite: PLANS,
    test: 'a search reads its own words and passages by their keys, also after a large upload of another',
  },
  {
    name: 'pieces-of-the-upload-before',
    why: 'a shorter file is indexed again with the end of the longer one that it replaced',
    file: 'src/knowledge/sources/knowledge-documents.sql.ts',
    find: "await db.query('delete from knowledge_upload_pieces where source_id = $1', [sourceId]);",
    replace: `await db.query(
    'delete from knowledge_upload_pieces where source_id = $1 and number < $2',
    [sourceId, Math.ceil(content.length / PIECE_BYTES)],
  );`,
    suite: 'test/knowledge/sources/large-texts.pg.test.ts',
    test: 'is indexed again from what was stored, byte for byte, a shorter one after it too',
  },
  {
    name: 'pieces-beside-a-whole-content',
    why: 'during a rollout what the last release stored is indexed as what this one stored before',
    file: 'src/knowledge/sources/knowledge-documents.sql.ts',
    find: 'on p.source_id = u.source_id and u.content is null',
    replace: 'on p.source_id = u.source_id',
    suite: 'test/knowledge/sources/large-texts.pg.test.ts',
    test: 'that the last release stored whole is indexed again, and replaced by one in pieces',
  },
];
