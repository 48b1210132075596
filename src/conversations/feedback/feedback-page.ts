import { createHash } from 'node:crypto';
import { ApiError, found, type ErrorCode } from '../../errors.ts';
import type { Page, PageAnswer, PageRequest } from '../../platform/http/pages.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import { readFeedbackToken } from './feedback-token.ts';
import words from './feedback-words.json' with { type: 'json' };
import { giveFeedback } from './give-feedback.ts';
import { readRatedConversation, type RatedConversation } from '../record/list-conversations.sql.ts';

export const FEEDBACK_PATH = '/feedback';

export type FeedbackPageDeps = Pick<ConversationDeps, 'pool' | 'changed' | 'nowMs'> & {
  sealer: Pick<Sealer, 'isSigned'>;
  /** Counts invalid links per client address, toward the same limit as invalid API keys. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  /** Counts requests per feedback link. */
  linkLimits: Pick<RateLimits, 'count'>;
};

/**
 * Creates the page on which a user rates a conversation (contract/conversations.md#feedback). Showing the page costs
 * one query. Storing a rating costs an additional transaction with one statement. An invalid link costs no query.
 * Opening the page stores nothing, because mail scanners open all links.
 */
export function feedbackPage(deps: FeedbackPageDeps): Page {
  return {
    path: FEEDBACK_PATH,
    policy: POLICY,
    show: async (request) => {
      const opened = await open(deps, request);
      if ('html' in opened) return opened;
      const { rated } = opened;
      const isDone = request.query.has('done') && rated.csat !== null;
      return formPage(request, rated, isDone ? 'thanks' : undefined);
    },
    take: async (request, form) => {
      const opened = await open(deps, request);
      if ('html' in opened) return opened;
      const { id, rated, token } = opened;
      const csat = ratingIn(form);
      if (csat === undefined) return formPage(request, rated, 'choose');
      await giveFeedback(deps, { namespace: rated.namespace, id, csat });
      return { location: `${FEEDBACK_PATH}?token=${token}&done` };
    },
    explain: ({ code, status }, request) =>
      // After any client error that is not in `EXPLAINED`, such as a malformed form, the page asks the user for a
      // rating.
      textPage(request, EXPLAINED[code] ?? (status < 500 ? 'choose' : 'away'), status),
  };
}

type Word = keyof (typeof words)['en'];

const EXPLAINED: Partial<Record<ErrorCode, Word>> = {
  not_found: 'unknown',
  rate_limited: 'busy',
};

/**
 * Returns the conversation that a link leads to, or a page saying that the link has expired.
 * @throws ApiError not_found, rate_limited
 */
async function open(
  { pool, sealer, nowMs, rateLimits, linkLimits }: FeedbackPageDeps,
  request: PageRequest,
): Promise<{ id: string; rated: RatedConversation; token: string } | TextPage> {
  const { query, address } = request;
  const token = query.get('token') ?? '';
  const link = readFeedbackToken(sealer, token);
  if (!link) {
    await rateLimits.countFailure(address);
    throw new ApiError('not_found', 'There is no such link.');
  }
  const { conversationId: id, expiresAt } = link;
  if (expiresAt * 1_000 <= nowMs()) return textPage(request, 'expired', 410);
  const counted = await linkLimits.count(id);
  if (counted?.refusal) throw counted.refusal;
  return { id, token, rated: found(await readRatedConversation(pool, id), 'conversation') };
}

const RATINGS = [1, 2, 3, 4, 5] as const;

function ratingIn(form: URLSearchParams): number | undefined {
  const given = form.getAll('csat');
  return RATINGS.find((one) => given.length === 1 && given[0] === String(one));
}

const LANGUAGES = ['en', 'de'] as const;

function formPage(
  request: PageRequest,
  { agentName, csat }: RatedConversation,
  said: 'thanks' | 'choose' | undefined,
): PageAnswer {
  const say = speaking(request);
  const question = say('question').replace('{agent}', () => agentName);
  const choices = RATINGS.map((one) => {
    const id = `csat-${one}`;
    const end = one === 1 ? say('worst') : one === 5 ? say('best') : '';
    const checked = one === csat ? ' checked' : '';
    return `<label for="${id}"><input type="radio" id="${id}" name="csat" value="${one}" required${checked}>
<span>${one}</span>${end === '' ? '' : `<small>${escape(end)}</small>`}</label>`;
  });
  const role = said === 'choose' ? 'alert' : 'status';
  const html = document(
    request,
    `${said ? `<p role="${role}">${escape(say(said))}</p>` : ''}
<form method="post">
<fieldset><legend>${escape(question)}</legend>
<div>${choices.join('\n')}</div></fieldset>
<button>${escape(say(csat === null ? 'send' : 'change'))}</button>
</form>`,
  );
  return { status: said === 'choose' ? 422 : 200, html };
}

type TextPage = { status: number; html: string };

function textPage(request: PageRequest, word: Word, status: number): TextPage {
  return { status, html: document(request, `<p>${escape(speaking(request)(word))}</p>`) };
}

function speaking({ prefer }: PageRequest): (word: Word) => string {
  const language = prefer(LANGUAGES);
  return (word) => words[language][word];
}

/** Styles for light and dark color schemes, any screen width, and keyboard use. */
const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 32rem; }
h1 { font-size: 1.5rem; }
fieldset { border: 0; margin: 0; padding: 0; }
legend { padding: 0; margin-bottom: 1rem; }
div { display: flex; gap: .5rem; }
label { flex: 1; display: flex; flex-direction: column; align-items: center; padding: .75rem 0;
  border: 1px solid GrayText; border-radius: .5rem; min-height: 4rem; cursor: pointer; text-align: center; }
label:has(:checked) { border-color: CanvasText; box-shadow: inset 0 0 0 1px CanvasText; }
label:focus-within { outline: 2px solid Highlight; outline-offset: 2px; }
input { width: 1.25rem; height: 1.25rem; margin: 0; }
button { margin-top: 1.5rem; padding: .625rem 1.5rem; font: inherit; }
`;

/**
 * Content security policy. It allows the page's own style, images in `data:` URLs, and a form that submits to this
 * server. It forbids all other resources, scripts, and embedding the page in a frame.
 */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

function document(request: PageRequest, main: string): string {
  const title = escape(speaking(request)('title'));
  return `<!doctype html>
<html lang="${request.prefer(LANGUAGES)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`;
}

/** Escapes text for HTML, including attribute values. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
