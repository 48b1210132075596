import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../src/errors.ts';
import { zipOf, type ZipPart } from '../../knowledge/formats/making.ts';
import { expectCited, expectUntouched, stateOf, type Story } from './story.ts';

/** The first text is the whole of it; the others stand in its place, and are in its styles. */
const HANDBOOK = path.join(import.meta.dirname, '../../knowledge/formats/originals/handbook.fodt');

type Section = { heading: string; text: string };
type Text = { name: string; ending: 'docx' | 'pdf'; title: string; sections: Section[] };

const TEXTS: readonly Text[] = [
  {
    name: 'boats/rowing-boats',
    ending: 'docx',
    title: 'Rowing boats',
    sections: [
      {
        heading: 'Hire',
        text: 'A rowing boat is hired by the hour, for nine euros, at the jetty.',
      },
      {
        heading: 'Safety',
        text: 'Whoever cannot swim wears a life jacket. They hang in the shed.',
      },
    ],
  },
  {
    name: 'boats/sauna-raft',
    ending: 'pdf',
    title: 'The sauna raft',
    sections: [
      { heading: 'Booking', text: 'The raft takes six people and is booked on the day before.' },
      { heading: 'Firewood', text: 'Two baskets of birch are on board; a third one costs a tip.' },
    ],
  },
];

const QUESTIONS = [
  {
    question: 'What does a dog cost a night?',
    path: 'handbook.pdf',
    heading: /Arrival/,
    words: /twelve euros/,
  },
  {
    question: 'What does it cost to hire a rowing boat for an hour?',
    path: 'boats/rowing-boats.docx',
    heading: /Hire/,
    words: /nine euros/,
  },
  {
    question: 'How many people does the sauna raft take?',
    path: 'boats/sauna-raft.pdf',
    heading: /Booking/,
    words: /six people/,
  },
];

/**
 * A folder of DOCX and PDF that LibreOffice makes: uploaded, answered from, one file changed, and uploaded
 * again. Nothing where there is no LibreOffice.
 */
export async function tryFiles(story: Story): Promise<void> {
  const handbook = await readFile(HANDBOOK, 'utf8');
  const first = await convert(story.folder, { name: 'handbook', ending: 'pdf', words: handbook });
  if (!first) {
    console.log('skipped: apt-get install --no-install-recommends libreoffice-writer');
    return;
  }
  const parts = [first];
  for (const text of TEXTS) {
    parts.push((await convert(story.folder, { ...text, words: wordsOf(handbook, text) }))!);
  }
  const { id } = await story.call('POST', '/v1/knowledge/sources', { type: 'file' });
  const source = await upload(story, id, parts);
  await story.expectCounts('the folder is read', source, '3 0 0 0');
  const agent = await story.newAgent(id);
  for (const asked of QUESTIONS) {
    expectCited(
      story,
      { question: asked.question, ...(await story.ask(agent, asked.question)) },
      asked,
    );
  }

  const before = await stateOf(story, id);
  const words = handbook.replaceAll('twelve euros', 'fifteen euros');
  parts[0] = (await convert(story.folder, { name: 'handbook', ending: 'pdf', words }))!;
  const changed = await upload(story, id, parts);
  await story.expectCounts('one file changed', changed, '0 1 0 0');
  const after = await expectUntouched(story, id, { before, but: ['handbook.pdf'] });
  const { question, ...told } = { ...QUESTIONS[0]!, words: /fifteen euros/ };
  expectCited(story, { question, ...(await story.ask(agent, question)) }, told);

  parts.push({ name: 'towels.md', data: '# Towels\n\nA towel is changed on the third day.' });
  parts.splice(1, 1);
  const moved = await upload(story, id, parts);
  await story.expectCounts('one file added, one removed', moved, '1 0 1 0');
  const but = ['towels.md', 'boats/rowing-boats.docx'];
  const last = await expectUntouched(story, id, { before: after, but });
  const again = await upload(story, id, parts);
  const { added, updated, removed } = again.last_sync;
  story.check('the same folder again changes nothing', added + updated + removed === 0);
  await expectUntouched(story, id, { before: last, but: [] });
}

async function upload({ parley, settled }: Story, id: string, parts: readonly ZipPart[]) {
  const route = `/v1/knowledge/sources/${id}/content?file_name=all.zip`;
  const response = await fetch(parley.url + route, {
    method: 'PUT',
    headers: { authorization: `Bearer ${parley.apiKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(zipOf(parts)),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return settled(id);
}

/** The body of the handbook is another one. */
function wordsOf(handbook: string, { title, sections }: Text): string {
  const of = (level: 1 | 2, text: string): string =>
    `<text:h text:style-name="Heading_20_${level}" text:outline-level="${level}">${text}</text:h>`;
  const body = sections.map(
    ({ heading, text }) =>
      `${of(2, heading)}<text:p text:style-name="Text_20_body">${text}</text:p>`,
  );
  return handbook
    .replace(/<dc:title>.*<\/dc:title>/, `<dc:title>${title}</dc:title>`)
    .replace(
      /<office:text>[^]*<\/office:text>/,
      `<office:text>${of(1, title)}${body.join('')}</office:text>`,
    );
}

/** As a part of the archive; undefined: there is no LibreOffice. */
async function convert(
  folder: string,
  { name, ending, words }: { name: string; ending: string; words: string },
): Promise<ZipPart | undefined> {
  const into = path.join(folder, 'converted', path.dirname(name));
  await mkdir(into, { recursive: true });
  const file = path.join(folder, 'converted', `${name}.fodt`);
  await writeFile(file, words);
  const home = `-env:UserInstallation=file://${folder}/libreoffice`;
  try {
    const to = ['--headless', '--convert-to', ending, '--outdir', into, file];
    execFileSync('soffice', [home, ...to], { stdio: 'ignore' });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const made = `${name}.${ending}`;
  return { name: made, data: await readFile(path.join(folder, 'converted', made)) };
}
