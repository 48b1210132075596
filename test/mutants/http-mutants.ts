import type { Mutant } from './mutant.ts';

const BODIES = 'test/platform/http/read-body.test.ts';
const CURSOR = 'test/platform/http/cursor.test.ts';
const RATE = 'test/platform/http/rate-limit.pg.test.ts';
const OUTAGE = 'test/roles/api/api-outage.pg.test.ts';
const PATHS = 'test/roles/api/api-paths.pg.test.ts';
const MATRIX = 'test/roles/api/route-matrix.pg.test.ts';
const ERRORS = 'test/platform/http/problems.test.ts';
const ANSWER = 'src/platform/http/answer.ts';

/** Bugs of the conventions of /v1: pages, problems, limits, who may do what. */
export const HTTP_MUTANTS: readonly Mutant[] = [
  {
    name: 'if-match-that-nobody-checks',
    why: 'who guards an upload by a tag overwrites all the same, and is told that it went well',
    file: 'src/platform/http/route.ts',
    find: "if (!takesIfMatch(route)) throw new ApiError('malformed_request', NO_IF_MATCH);",
    replace: 'if (!takesIfMatch(route)) return noPrecondition;',
    suite: 'test/platform/declare/etag.kube.test.ts',
    test: 'If-Match where nothing is checked is 400',
  },
  {
    name: 'pages-of-a-thousand',
    why: 'limit=1000 is taken, and one caller has the database read a thousand rows at a time',
    file: 'src/platform/http/cursor.ts',
    find: 'items >= 1 && items <= LIMIT_MAX',
    replace: 'items >= 1',
    suite: CURSOR,
    test: 'a limit of',
  },
  {
    name: 'last-page-never-comes',
    why: 'has_more is true on the last page: who follows it asks once more for nothing',
    file: 'src/platform/http/cursor.ts',
    find: 'const hasMore = rows.length > page.limit;',
    replace: 'const hasMore = rows.length >= page.limit;',
    suite: CURSOR,
    test: 'a page is limit rows',
  },
  {
    name: 'cursor-of-another-list',
    why: 'a cursor of versions is taken for one of activations, and a page is left out',
    file: 'src/platform/http/cursor.ts',
    find: `.exec(text.slice(list.length + 1))?.[0];
  const number = Number(digits);
  return text.startsWith(\`\${list}:\`) && number`,
    replace: `.exec(text.slice(text.indexOf(':') + 1))?.[0];
  const number = Number(digits);
  return number`,
    suite: CURSOR,
    test: 'one of another list, cut off, or made up is refused',
  },
  {
    name: 'scope-not-asked-for',
    why: 'a key that may only read publishes, deletes and makes further keys',
    file: 'src/platform/http/authorize.ts',
    find: 'if (scopes.includes(scope)) return;',
    replace: `if (scopes.includes(scope) || scopes.includes('read')) return;`,
    suite: MATRIX,
    test: 'is 403 for a key that lacks its scope and has all others',
  },
  {
    name: 'no-challenge',
    why: '401 without WWW-Authenticate: tools that log in by it do not try',
    file: ANSWER,
    find: `...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),`,
    replace: '',
    suite: 'test/access/api-access.pg.test.ts',
    test: 'who asks',
  },
  {
    name: 'no-time-to-come-back',
    why: '503 without Retry-After: clients come back at once, all together',
    file: ANSWER,
    find: `return new ApiError('unavailable', detail, { cause, retryAfterSec: RETRY_AFTER_SEC });`,
    replace: `return new ApiError('unavailable', detail, { cause });`,
    suite: OUTAGE,
    test: 'with the database away every route is 503 with Retry-After',
  },
  {
    name: 'our-fault-in-their-words',
    why: 'a 500 shows a statement of ours, with a row of somebody in it',
    file: ANSWER,
    find: `const detail = 'this is our fault; the log has more under the request_id';`,
    replace: 'const detail = reasonOf(error);',
    suite: OUTAGE,
    test: 'what breaks inside is 500, shows nothing',
  },
  {
    name: 'wrong-keys-stop-the-right-one',
    why: 'whoever guesses keys from the address of an office shuts out the whole office',
    file: 'src/platform/http/authorize.ts',
    find: '  const key = isPlausible ? await deps.authenticate(text) : undefined;\n  if (!key) {\n',
    replace:
      '  await deps.rateLimits.countFailure(address);\n  const key = isPlausible ? await deps.authenticate(text) : undefined;\n  if (!key) {\n',
    suite: RATE,
    test: 'wrong keys from one address become 429, and stop no valid one',
  },
  {
    name: 'guesses-by-the-address',
    why: 'who has a /64 guesses keys from 18 trillion addresses, a hundred from each',
    file: 'src/platform/http/rate-limit.ts',
    find: `return [...groups, ...zeros, ...after].slice(0, 4).join(':');`,
    replace: `return [...groups, ...zeros, ...after].join(':');`,
    suite: 'test/platform/http/rate-limit.test.ts',
    test: 'are one network',
  },
  {
    name: 'limit-of-all-keys',
    why: 'one busy integration uses up the requests of all others',
    file: 'src/platform/http/rate-limit.ts',
    find: 'await consume(requests, apiKeyId);',
    replace: `await consume(requests, apiKeyId && 'all');`,
    suite: RATE,
    test: 'every answer to a key says what it has left',
  },
  {
    name: 'verbs-not-named',
    why: 'Allow leaves out what is possible, and a client concludes that it is not',
    file: 'src/platform/http/app.ts',
    find: `method === 'GET' ? ['GET', 'HEAD'] : [method]`,
    replace: `method === 'GET' ? ['GET'] : [method]`,
    suite: PATHS,
    test: 'another verb is 405 and names those that there are',
  },
  {
    name: 'answers-kept-by-proxies',
    why: 'a proxy keeps a conversation and shows it to the next who asks',
    file: 'src/platform/http/app.ts',
    find: `response.setHeader('Cache-Control', 'no-store');`,
    replace: `response.setHeader('Cache-Control', 'private');`,
    suite: PATHS,
    test: 'HEAD answers as GET without the body',
  },
  {
    name: 'secret-in-a-problem',
    why: 'what was wrong with a secret is told with the secret, which then stands in a log',
    file: 'src/platform/http/field-errors.ts',
    find: '? `must match ${issue.pattern}`',
    replace: '? `${String(issue.input)} must match ${issue.pattern}`',
    suite: ERRORS,
    test: 'a mistake is told without the value',
  },
  {
    name: 'types-of-problems-renamed',
    why: 'programs that compare type know none of our problems any more',
    file: 'src/platform/http/problem.ts',
    find: `'https://parley.dev/problems/'`,
    replace: `'https://parley.dev/problem/'`,
    suite: ERRORS,
    test: 'a problem has the names that programs compare',
  },
  {
    name: 'times-from-the-future',
    why: 'created is a second ahead: who asks for what came since then misses what came at once',
    file: 'src/platform/http/fields.ts',
    find: 'return Math.floor(ms / 1_000);',
    replace: 'return Math.ceil(ms / 1_000);',
    suite: ERRORS,
    test: 'a time is whole seconds that have passed',
  },
  {
    name: 'connection-of-a-refused-upload-used-again',
    why: 'who was told 429 tries again on the same connection, which is cut meanwhile',
    file: 'src/platform/http/read-body.ts',
    find: "response.setHeader('Connection', 'close');",
    replace: "response.setHeader('Connection', 'keep-alive');",
    suite: BODIES,
    test: 'who is refused a long body gets every answer: the connection ends with it, and is not used again',
  },
  {
    name: 'answer-lost-to-a-reset',
    why: 'a client that still writes learns that the connection was reset, not that it asked too much',
    file: 'src/platform/http/read-body.ts',
    find: 'socket.destroySoon = () => socket.end();',
    replace: '',
    suite: BODIES,
    test: 'who is refused a long body may go on for a while: the answer is not lost to a reset',
  },
  {
    name: 'bodies-as-fast-as-they-come',
    why: 'one key that uploads again and again keeps everybody waiting for the garbage of its chunks',
    file: 'src/platform/http/read-body.ts',
    find: 'Math.max(nowMs, freeAtMs) + PIECE_MS',
    replace: 'Math.max(nowMs, freeAtMs)',
    suite: BODIES,
    test: 'large bodies arrive whole, though they share a pace',
  },
];
