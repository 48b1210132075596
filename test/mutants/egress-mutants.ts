import type { Mutant } from './mutant.ts';

const CLIENT = 'src/platform/egress/client.ts';

const CRAWL = 'src/knowledge/website/crawl.ts';
const SITES = 'test/knowledge/website/bad-sites.test.ts';

const ABORTS = 'test/models/model-abort.test.ts';

/** Bugs of the one way out: addresses, time, connections, certificates; and of models and websites behind it. */
export const EGRESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'redirect-followed',
    why: 'a receiver sends our request, its body and its signature wherever it likes',
    file: CLIENT,
    find: 'settle({ statusCode, headers, body: body.whole, isWhole: body.isWhole });',
    replace: `const { location } = headers;
          const { whole, isWhole } = body;
          if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string') {
            settle({ statusCode, headers, body: whole, isWhole });
            return body;
          }
          clearTimeout(deadline);
          void exchangeOnce(deps, request, new URL(location, url)).then(settle);`,
    suite: 'test/platform/egress/client.test.ts',
    test: 'is a plain one when it redirects: the target sees no connection',
  },
  {
    name: 'body-awaited',
    why: 'an answer counts only once its body has come: slow bodies look like slow receivers',
    file: CLIENT,
    find: 'if (settled.body === undefined) return fail(settled.failure);',
    replace: `if (settled.body === undefined) return fail(settled.failure);
    await settled.body;`,
    suite: 'test/platform/egress/acknowledgement.test.ts',
    test: 'a response is acknowledged at its headers',
  },
  {
    name: 'body-without-end',
    why: 'a receiver that drips a byte a second holds a slot of ours for as long as it likes',
    file: 'src/platform/egress/body-collector.ts',
    find: 'const grace = setTimeout(endAndCut, limits.bodyGraceMs);',
    replace: 'const grace = setTimeout(() => undefined, limits.bodyGraceMs);',
    suite: 'test/platform/egress/client.test.ts',
    test: 'that drips is cut after the grace time',
  },
  {
    name: 'floods-to-the-end',
    why: 'a receiver that never stops talking has this process read 64 MiB for each attempt',
    file: 'src/platform/egress/exchange.ts',
    find: 'if (bytes <= MAX_OVERHEAD_BYTES +',
    replace: 'if (bytes <= MAX_OVERHEAD_BYTES * 1_024 +',
    suite: 'test/platform/egress/floods.test.ts',
    test: 'fails at once and loses its connection, who sends without end',
  },
  {
    name: 'time-out-in-parts',
    why: 'a connection has time of its own to be made: an attempt outlasts its lease and is sent twice',
    file: CLIENT,
    find: '() => giveUp(deadlineFailure(request.timeoutMs, exchange.wasSent)),',
    replace: `() =>
        exchange.wasSent
          ? giveUp(deadlineFailure(request.timeoutMs, exchange.wasSent))
          : void setTimeout(() => exchange.cancel(), 1_000),`,
    suite: 'test/platform/egress/deadline.test.ts',
    test: 'ends a name lookup that hangs',
  },
  {
    name: 'repeated-after-an-answer-began',
    why: 'a connection that breaks during an answer sends the event to who has it already',
    file: 'src/platform/egress/exchange.ts',
    find: 'this.#isReused && !this.#hasFirstByte && isDroppedConnection(error)',
    replace: 'this.#isReused && isDroppedConnection(error)',
    suite: 'test/platform/egress/keep-alive.test.ts',
    test: 'that dies after a first byte is not replaced',
  },
  {
    name: 'answers-of-names-not-judged',
    why: 'a public name with the address of the metadata service opens a connection to it',
    file: 'src/platform/egress/resolver.ts',
    find: 'return all.filter(({ address }) => guard.isAllowed(address, host));',
    replace: 'return all.slice();',
    suite: 'test/platform/egress/reachability.test.ts',
    test: 'is blocked, and the message names no address',
  },
  {
    name: 'certificate-not-checked',
    why: 'whoever is in between reads and answers every event',
    file: 'src/platform/egress/connector.ts',
    find: 'rejectUnauthorized: true,',
    replace: 'rejectUnauthorized: false,',
    suite: 'test/platform/egress/tls.test.ts',
    test: 'is class tls',
  },
  {
    name: 'certificate-of-another-address',
    why: 'whoever has any certificate at all can pose as a receiver that is declared by its address',
    file: 'src/platform/egress/connector.ts',
    find: '{ servername: hostname } : {}),',
    replace: '{ servername: hostname } : { checkServerIdentity: () => undefined }),',
    suite: 'test/platform/egress/tls-literal.test.ts',
    test: 'the certificate of a literal address has to name it',
  },
  {
    name: 'names-looked-up-once',
    why: 'a receiver that moves to another address is never found again',
    file: 'src/platform/egress/resolver.ts',
    find: 'lookup(hostname, options).finally(() => inFlight.delete(hostname));',
    replace: 'lookup(hostname, options);',
    suite: 'test/platform/egress/reachability.test.ts',
    test: 'is looked up once for all who wait, and again for the next',
  },
  {
    name: 'metadata-service-on-the-list',
    why: 'an operator who opens 0.0.0.0/0 gives the credentials of the machine to whoever asks',
    file: 'src/platform/egress/address-guard.ts',
    find: 'inAny(ip, NEVER_OPEN) || inAny(ip, apiServerAddresses);',
    replace: 'inAny(ip, apiServerAddresses);',
    suite: 'test/platform/egress/address-guard.test.ts',
    test: 'no list opens the metadata service',
  },
  {
    name: 'stream-left-open',
    why: 'nobody wants the answer of a model any more, and it goes on at the cost of the caller',
    file: 'src/platform/egress/streamed-body.ts',
    find: `finish(() => control.error(reason));
      flow.cut();`,
    replace: 'finish(() => control.error(reason));',
    suite: 'test/platform/egress/fetch.test.ts',
    test: 'rejects with its reason and closes the socket',
  },
  {
    name: 'abort-waits-for-the-package',
    why: 'a turn that nobody waits for hangs on what a library does with an abort',
    file: 'src/models/model-attempt.ts',
    find: "const interrupt = (): void => settle({ kind: 'interrupted' });",
    replace: 'const interrupt = (): void => inner.abort();',
    suite: ABORTS,
    test: 'with the text so far, and no word after it',
  },
  {
    name: 'model-asked-again-after-words',
    why: 'what a caller has heard is said again, and differently',
    file: 'src/models/model-chain.ts',
    find: 'if (draft.hasPart) throw',
    replace: 'if (draft.hasPart && tries >= RETRIES) throw',
    suite: 'test/models/model-chain.test.ts',
    test: 'the fallback is not asked either',
  },
  {
    name: 'no-watch-between-tokens',
    why: 'a model that stops in the middle of a sentence is waited for until the end of all time',
    file: 'src/models/watchdog.ts',
    find: "late('between_tokens'), timeouts.betweenTokensMs)",
    replace: "late('between_tokens'), timeouts.totalMs)",
    suite: 'test/models/model-faults.test.ts',
    test: 'after tokens is given up with what came',
  },
  {
    name: 'headers-of-the-environment',
    why: 'a variable of the pod replaces the key of a tenant',
    file: 'src/models/openai-model.ts',
    find: 'await send(url, { ...init, headers: withTypeOf(init ?? {}, headers) })',
    replace: 'await send(url, init)',
    suite: 'test/models/openai-model.test.ts',
    test: 'takes nothing from the environment',
  },
  {
    name: 'website-elsewhere',
    why: 'a redirect of a site leads into a network that only we can reach',
    file: 'src/knowledge/website/site-address.ts',
    find: 'if (url === null || !isOf(site, url)) return undefined;',
    replace: 'if (url === null) return undefined;',
    suite: SITES,
    test: 'inside, and links there, are not followed: nothing is sent',
  },
  {
    name: 'robots-that-are-down',
    why: 'a site whose rules cannot be read is read as if it had none',
    file: 'src/knowledge/website/robots.ts',
    find: "if (answer.kind === 'failed' && answer.isSite) {",
    replace: "if (answer.kind === 'failed' && answer.status === 0) {",
    suite: 'test/knowledge/website/robots-and-sitemaps.test.ts',
    test: 'of 4xx allows all, of 5xx nothing',
  },
  {
    name: 'gone-with-its-parent',
    why: 'a page that fails for a moment takes all that it led to out of the index',
    file: CRAWL,
    find: '// What it led to is not gone with it.\n    this.#followBefore(path, target.depth);',
    replace: '',
    suite: SITES,
    test: 'keeps pages that answer 5xx or 403, and what they led to; 404 and 410 remove',
  },
  {
    name: 'site-that-is-down',
    why: 'a site that went down is asked for each of its pages, with a time-out for each',
    file: CRAWL,
    find: 'if (this.#inARow >= DOWN_AFTER) throw this.#siteIsDown();',
    replace: '',
    suite: SITES,
    test: 'and goes down in the middle ends the sync: nothing is removed',
  },
  {
    name: 'inflated-without-end',
    why: 'a page of kilobytes becomes gigabytes in the memory of the operator',
    file: 'src/knowledge/website/inflate.ts',
    find: '{ maxOutputLength: maxBytes })',
    replace: '{ maxOutputLength: 2 ** 30 })',
    suite: SITES,
    test: 'that would be gigabytes is given up at 5 MB',
  },
];
