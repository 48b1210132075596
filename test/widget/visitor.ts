import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  connect as connectTcp,
  createServer as createTcpServer,
  type AddressInfo,
  type Socket,
} from 'node:net';

import type { BrowserContext, Page } from 'playwright-core';
import { borrowBrowser, createSeats, type Seat } from '../dashboard/browser.ts';
import { microphoneOf } from './microphone.ts';
import { startTalkFixture, type TalkFixture } from '../talks/talk-setup.ts';

/**
 * Somebody in front of a page of another origin that embeds the widget: Chromium, the page's own server, the API
 * with its database, and a provider that speaks and hears. Ends with `stop`.
 */
export type Scene = {
  talks: TalkFixture;
  /** Where pages find the API. */
  url: string;
  /** Of the pages that may embed the agent. */
  origin: string;
  /** Opens a page that embeds it, as somebody new. */
  visit: (options?: VisitOptions) => Promise<Visit>;
  /** The network between all pages and the API is gone, until `heal`. */
  cut: () => void;
  heal: () => void;
  stop: () => Promise<void>;
};

export type VisitOptions = {
  /** Of the script element, beside `src` and `data-agent`. */
  data?: Record<string, string>;
  /** Of the page. */
  headers?: Record<string, string>;
  lang?: string;
  /** What the page has beside it. */
  body?: string;
  /** What the script element is instead. */
  embed?: string;
  viewport?: { width: number; height: number };
  theme?: 'light' | 'dark';
  /** Whose page it is; default: one that may embed it. */
  from?: string;
  isMicrophoneRefused?: boolean;
  hasNoLoudspeaker?: boolean;
  /** What this test brings about on purpose. */
  expected?: readonly RegExp[];
};

export type Visit = {
  page: Page;
  context: BrowserContext;
  /** Frames of text of its sockets, parsed. */
  sent: Record<string, unknown>[];
  came: Record<string, unknown>[];
  /** Of each frame of sound that it sent, its bytes. */
  sounds: number[];
  /** Ends the visit. Throws if there was an error in the console or an exception. */
  leave: () => Promise<void>;
};

type SceneOptions = Parameters<typeof startTalkFixture>[0] & {
  /** What the microphone hears, at 8 kHz, from when it is opened; then silence. */
  microphone?: (talks: TalkFixture) => Int16Array;
  agent?: object;
};

export async function openScene({
  microphone,
  agent,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const pages = await servePages();
  const network = await startNetwork();
  const talks = await startTalkFixture(
    { widgetFolder: process.env['PARLEY_TEST_WIDGET']!, baseUrl: network.url, ...options },
    { widget: { allowed_origins: [pages.origin] }, ...agent },
  );
  network.leadTo(talks.api.url);
  const heard = microphone && (await microphoneOf(microphone(talks)));
  const browser = await borrowBrowser(heard?.args);
  const rest = pages.put('<!doctype html><title>Nobody is here</title>', {});
  const seats = createSeats(
    browser,
    pages.origin + rest,
    { locale: 'en-US' },
    { prepare: watchSound },
  );
  return {
    talks,
    url: network.url,
    origin: pages.origin,
    visit: async (visit = {}) => {
      const seat = await seats.take();
      await seat.page.setViewportSize(visit.viewport ?? { width: 1_000, height: 800 });
      await seat.page.emulateMedia({
        colorScheme: visit.theme ?? 'light',
        reducedMotion: 'reduce',
      });
      const at = pages.put(
        htmlOf({ url: network.url, agentId: talks.agentId }, visit),
        visit.headers ?? {},
      );
      return openVisit(seat, `${visit.from ?? pages.origin}${at}`, visit);
    },
    cut: network.cut,
    heal: network.heal,
    stop: async () => {
      await seats.close();
      if (heard) await browser.close();
      network.stop();
      await talks.stop();
      await pages.stop();
      await heard?.remove();
    },
  };
}

type Pages = {
  origin: string;
  put: (html: string, headers: Record<string, string>) => string;
  stop: () => Promise<void>;
};

type Network = {
  url: string;
  leadTo: (url: string) => void;
  cut: () => void;
  heal: () => void;
  stop: () => void;
};

/** Between pages and the API; it knows bytes alone. */
async function startNetwork(): Promise<Network> {
  let port = 0;
  let isCut = false;
  const open = new Set<Socket>();
  const server = createTcpServer((page) => {
    if (isCut) return page.destroy();
    const api = connectTcp({ port, host: '127.0.0.1' });
    for (const [one, other] of [
      [page, api],
      [api, page],
    ] as const) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const one of open) one.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => {
      port = Number(new URL(url).port);
    },
    cut,
    heal: () => {
      isCut = false;
    },
    stop: () => {
      cut();
      server.close();
    },
  };
}

/** `localhost`, where the API is 127.0.0.1: another origin, and another site. */
async function servePages(): Promise<Pages> {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>();
  const server: Server = createServer(({ url }, response) => {
    const page = pages.get(url ?? '');
    if (!page) return response.writeHead(204).end();
    return response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers })
      .end(page.html);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    put: (html, headers) => {
      const at = `/page-${pages.size}`;
      pages.set(at, { html, headers });
      return at;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Embedded = { url: string; agentId: string };

function htmlOf({ url, agentId }: Embedded, { data, lang, body, embed }: VisitOptions): string {
  const attributes = Object.entries({ agent: agentId, ...data })
    .map(([name, value]) => `data-${name}="${value}"`)
    .join(' ');
  const script = embed ?? `<script src="${url}/widget.js" ${attributes} async></script>`;
  return `<!doctype html><html lang="${lang ?? 'en'}"><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>A shop</h1><p><a href="#x">A link of the page</a></p>${body ?? ''}</main>${script}</body></html>`;
}

async function openVisit(
  { context, page, leave }: Seat,
  at: string,
  { isMicrophoneRefused, hasNoLoudspeaker, expected = [] }: VisitOptions,
): Promise<Visit> {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  const sent: Visit['sent'] = [];
  const came: Visit['came'] = [];
  const sounds: Visit['sounds'] = [];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      if (typeof payload !== 'string') sounds.push(payload.length);
      note(sent, payload);
    });
    socket.on('framereceived', ({ payload }) => note(came, payload));
  });
  if (isMicrophoneRefused) await page.addInitScript(refuseMicrophone);
  if (hasNoLoudspeaker) await page.addInitScript(stopSoundCard);
  await page.goto(at);
  return {
    page,
    context,
    sent,
    came,
    sounds,
    leave: async () => {
      await leave();
      const found = problems.splice(0).filter((text) => !expected.some((one) => one.test(text)));
      if (found.length > 0) throw new Error(`the page is not clean:\n${found.join('\n')}`);
    },
  };
}

async function watchSound(page: Page): Promise<void> {
  await page.addInitScript(listenToLoudspeaker);
  await page.addInitScript(noteOrders);
  await page.addInitScript(noteMicrophones);
}

function note(list: Record<string, unknown>[], payload: string | Buffer): void {
  if (typeof payload === 'string') list.push(JSON.parse(payload) as Record<string, unknown>);
}

/** What goes to the loudspeaker goes to `heard` too: its mean, some 50 times a second. */
function listenToLoudspeaker(): void {
  const heard: number[] = [];
  Object.assign(globalThis, { heard });
  // Called with `this` below.
  // oxlint-disable-next-line typescript/unbound-method
  const connect = AudioNode.prototype.connect as (to: AudioNode) => AudioNode;
  AudioNode.prototype.connect = function listened(this: AudioNode, to: AudioNode): AudioNode {
    if (to instanceof AudioDestinationNode) {
      const analyser = new AnalyserNode(this.context, { fftSize: 1_024 });
      connect.call(this, analyser);
      const samples = new Float32Array(1_024);
      setInterval(() => {
        analyser.getFloatTimeDomainData(samples);
        heard.push(samples.reduce((sum, one) => sum + one, 0) / samples.length);
      }, 20);
    }
    return connect.call(this, to);
  } as typeof AudioNode.prototype.connect;
}

/** What the player and the microphone were told is in `orders`. */
function noteOrders(): void {
  const orders: string[] = [];
  Object.assign(globalThis, { orders });
  // Called with `this` below.
  // oxlint-disable-next-line typescript/unbound-method
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function noted(this: MessagePort, ...given: unknown[]) {
    const [message] = given as [{ type?: string }];
    if (message?.type !== undefined) orders.push(message.type);
    return (postMessage as (...all: unknown[]) => void).apply(this, given);
  };
}

/** Firefox waits for a loudspeaker where there is none: the clock of its sound card stands still. */
function stopSoundCard(): void {
  Object.defineProperty(BaseAudioContext.prototype, 'currentTime', { get: () => 0 });
}

/** Every microphone that was opened is in `microphones`. */
function noteMicrophones(): void {
  const microphones: MediaStreamTrack[] = [];
  Object.assign(globalThis, { microphones });
  const { mediaDevices } = navigator;
  // Of `about:blank` there are none.
  if (!mediaDevices) return;
  const ask = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (wanted) => {
    const stream = await ask(wanted);
    microphones.push(...stream.getTracks());
    return stream;
  };
}

function refuseMicrophone(): void {
  navigator.mediaDevices.getUserMedia = async () => {
    throw new DOMException('Permission denied', 'NotAllowedError');
  };
}
