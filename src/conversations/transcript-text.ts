import { conversationView, turnView } from './record/conversation.view.ts';
import type { ConversationRow } from './record/conversations.sql.ts';
import type { TurnRole, TurnRow } from './record/turns.sql.ts';

/**
 * This module writes transcripts in one of three formats. It writes page by page, so that ten thousand turns are never
 * in memory at the same time.
 */

type Pages = AsyncIterable<readonly TurnRow[]>;

export const TRANSCRIPT_FORMATS = {
  json: { mediaType: 'application/json', write: writeJson },
  text: { mediaType: 'text/plain; charset=utf-8', write: writeText },
  vtt: { mediaType: 'text/vtt; charset=utf-8', write: writeVtt },
} as const;

async function* writeJson(row: ConversationRow, pages: Pages): AsyncGenerator<string> {
  const { id, agent_id, agent_version, status, summary } = conversationView(row);
  const head = JSON.stringify({ conversation_id: id, agent_id, agent_version, status, summary });
  let separator = `${head.slice(0, -1)},"turns":[`;
  for await (const turns of pages) {
    if (turns.length === 0) continue;
    yield separator + turns.map((turn) => JSON.stringify(turnView(turn))).join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : `${separator}]}`;
}

const SPEAKERS: Record<TurnRole, string> = {
  user: 'User',
  agent: 'Agent',
  tool: 'Tool',
  human: 'Human',
  system: 'System',
};

/** Returns the name of the speaker, such as `Agent` or `Ana (human)`. The API rejects names with more than one line. */
function speakerOf({ role, personName }: TurnRow): string {
  return personName ? `${personName} (human)` : SPEAKERS[role];
}

/**
 * Writes plain text. Indents all lines of a message but the first, so that no user can forge another speaker's line.
 */
async function* writeText(_row: ConversationRow, pages: Pages): AsyncGenerator<string> {
  for await (const turns of pages) {
    const lines = turns.map((turn) => {
      const said = turn.text.split(LINE_BREAK).join('\n    ');
      return `[${clock(turn.startedAtMs).slice(0, -4)}] ${speakerOf(turn)}: ${said}\n`;
    });
    yield lines.join('');
  }
}

/**
 * Writes WebVTT (W3C). A cue must not contain a blank line or `-->`, so blank lines are removed and markup is escaped.
 */
async function* writeVtt(_row: ConversationRow, pages: Pages): AsyncGenerator<string> {
  yield 'WEBVTT\n';
  for await (const turns of pages) {
    const cues = turns.map((turn) => {
      const { index, text, startedAtMs, endedAtMs } = turn;
      // Gives every cue at least 1 ms, because a cue must have a duration and the turns of a chat have none.
      const end = Math.max(endedAtMs, startedAtMs + 1);
      const said = escapeVtt(text)
        .split(LINE_BREAK)
        .filter((line) => line.trim() !== '')
        .join('\n');
      return `\n${index + 1}\n${clock(startedAtMs)} --> ${clock(end)}\n<v ${escapeVtt(speakerOf(turn))}>${said}\n`;
    });
    yield cues.join('');
  }
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/;

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Formats a time as hh:mm:ss.ttt. */
function clock(ms: number): string {
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');
  const sec = ms / 1_000;
  const millis = String(Math.floor(ms % 1_000)).padStart(3, '0');
  return `${two(sec / 3_600)}:${two((sec / 60) % 60)}:${two(sec % 60)}.${millis}`;
}
