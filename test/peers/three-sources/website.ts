import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withKey } from '../../roles/parley-process.ts';
import { copyDocumentation, serveFolder, type StaticSite } from './documentation.ts';
import { expectCited, expectUntouched, stateOf, type Story } from './story.ts';

/** How much longer an answer may take for who has nothing to do with a large source. */
const SLOWER_MAX = 1.5;
/** Below this a turn is its writes to the disk: what differs is chance. */
const CHANCE_MS = 10;

/** In words that the pages have: how questions in other words are found is for docs/evaluation.md. */
const QUESTIONS = [
  {
    question: 'How do I see which author last modified each line of a file?',
    path: '/git-blame.html',
    heading: /^git-blame\(1\)/,
    words: /last modified/,
  },
  {
    question: 'What does cherry-pick do when it is not obvious how to apply a change?',
    path: '/git-cherry-pick.html',
    heading: /^git-cherry-pick\(1\)/,
    words: /last commit successfully made/,
  },
  {
    question: 'When does git bisect run use the special exit code 125?',
    path: '/git-bisect-lk2009.html',
    heading: /^Fighting regressions with git bisect > .* > Avoiding untestable commits/,
    words: /marked as untestable/,
  },
  {
    question: 'Which file specifies intentionally untracked files to ignore?',
    path: '/gitignore.html',
    heading: /^gitignore\(5\)/,
    words: /untracked files (that Git should|to) ignore/,
  },
];

/**
 * A documentation site, read whole, answered from, changed in three places and read again; and beside it
 * another tenant, who notices nothing. `otherKey` is theirs.
 */
export async function tryWebsite(story: Story, otherKey: string): Promise<void> {
  const folder = copyDocumentation(story.folder);
  if (folder === undefined) {
    console.log('skipped: there is no Debian to download git-doc from');
    return;
  }
  const other = await openOther(story, otherKey);
  const alone = await other.turnMs();
  const site = await serveFolder(folder);
  try {
    const { call } = story;
    const website = { url: `${site.url}/`, delay_ms: 0 };
    const { id } = await call('POST', '/v1/knowledge/sources', { type: 'website', website });
    const during = await other.turnMs();
    const source = await story.settled(id);
    const pages = source.documents;
    story.note(`${pages} pages, ${source.chunks} passages, ${source.last_sync.duration_sec} s`);
    story.check('the site is some hundred pages', pages > 200 && source.ready, source);
    await story.expectCounts('the site is read', source, `${pages} 0 0 0`);
    site.answered();

    const agent = await story.newAgent(id);
    for (const asked of QUESTIONS) {
      const answered = await story.ask(agent, asked.question);
      expectCited(
        story,
        { question: asked.question, ...answered },
        { ...asked, url: site.url + asked.path },
      );
    }
    await other.expectNothing();
    const beside = await other.turnMs();
    story.note(
      `a turn of the other tenant: ${alone} ms alone, ${during} while it is read, ${beside} after`,
    );
    story.check(
      'another tenant is answered as quickly as before',
      beside <= Math.max(alone, CHANCE_MS) * SLOWER_MAX,
      { alone, beside },
    );
    await changeSite(story, { id, agent, folder, site });
  } finally {
    await site.stop();
  }
}

async function changeSite(
  story: Story,
  { id, agent, folder, site }: { id: string; agent: string; folder: string; site: StaticSite },
): Promise<void> {
  const before = await stateOf(story, id);
  const blame = path.join(folder, 'git-blame.html');
  const page = await readFile(blame, 'utf8');
  const mark = '<h2 id="_description">DESCRIPTION</h2>';
  if (!page.includes(mark)) throw new Error('git-blame.html is another page by now');
  const added =
    '<p>With a lantern the blame is read aloud: see <a href="git-lantern.html">git-lantern</a>.</p>';
  await writeFile(blame, page.replace(mark, `${mark}${added}`));
  await writeFile(
    path.join(folder, 'git-lantern.html'),
    `<!doctype html><html lang="en"><title>git-lantern</title><body><div id="content"><h1>git-lantern</h1>
     <p>A lantern burns for seventeen minutes, and is then lit again by hand.</p></div></html>`,
  );
  await rm(path.join(folder, 'git-show-index.html'));
  const source = await story.sync(id);
  // Git-blame itself leads to the new page: no other page had to change.
  await story.expectCounts('a page added, one changed, one removed', source, '1 1 1 0');
  story.note(`answers of the site by their status: ${JSON.stringify(site.answered())}`);
  const changed = ['/git-blame.html', '/git-lantern.html', '/git-show-index.html'];
  const after = await expectUntouched(story, id, { before, but: changed });
  const blamed = (state: typeof after): unknown => state.documents.get(changed[0]!)?.id;
  story.check('the changed page is the same document', blamed(after) === blamed(before));

  const question = 'For how many minutes does a lantern burn?';
  expectCited(
    story,
    { question, ...(await story.ask(agent, question)) },
    {
      path: '/git-lantern.html',
      words: /seventeen minutes/,
    },
  );
  await story.expectCounts('nothing changed', await story.sync(id), '0 0 0 0');
  const answered = site.answered();
  story.note(`answers of the site by their status: ${JSON.stringify(answered)}`);
  // The start page has a second name, by which it is no document: of that nothing is kept.
  story.check('no page is sent a second time', (answered[200] ?? 0) <= 1, answered);
  await expectUntouched(story, id, { before: after, but: [] });
}

type Other = { turnMs: () => Promise<number>; expectNothing: () => Promise<void> };

/** A tenant in another namespace, with a source and an agent of its own. */
async function openOther(story: Story, key: string): Promise<Other> {
  const { call } = withKey(story.parley, key);
  const text = 'A kettle can be returned within thirty days.';
  await call('POST', '/v1/knowledge/sources', { type: 'text', name: 'kettles', text });
  const knowledge = { all: true };
  const { body: agent } = await call('POST', '/v1/agents', {
    prompt: 'You sell kettles.',
    knowledge,
  });
  const say = async (question: string) => {
    const { body: started } = await call('POST', '/v1/conversations', { agent_id: agent.id });
    await call('POST', `/v1/conversations/${started.id}/messages`, { text: question });
    const { body } = await call('GET', `/v1/conversations/${started.id}/transcript`);
    return body.turns.at(-1);
  };
  return {
    turnMs: async () => {
      const times: number[] = [];
      for (let turn = 0; turn < 25; turn += 1) {
        const { latency } = await say('Within how many days can a kettle be returned?');
        times.push(latency.turn_ms);
      }
      return times.toSorted((a, b) => a - b)[12]!;
    },
    expectNothing: async () => {
      for (const { question } of QUESTIONS) {
        const found = await call('GET', `/v1/knowledge/search?q=${encodeURIComponent(question)}`);
        const turn = await say(question);
        const isNothing = found.body.data.length === 0 && turn.retrieval.chunks.length === 0;
        story.check(`“${question}” finds nothing for another tenant`, isNothing, turn);
      }
    },
  };
}
