import { sentencesIn } from '../sentences/sentences.ts';
import { handOverAfter, handOverAtOnce, nobodyThere } from './hand-over.ts';
import { lookUp, retrievalOf } from './look-up.ts';
import { pickSentences } from './pick-sentences.ts';
import type { Reply, Responder, ResponderRequest } from './responder.ts';

/** Maximum length of a reply, about as much as people can follow when they listen or read a chat. */
const REPLY_CHARS_MAX = 500;

/**
 * Minimum score of a passage that is quoted in reply to a remark, that is, to a message that is neither a question nor
 * a request. The score is high, because a remark asks nothing, so the passage must match the whole remark.
 */
const REMARK_MIN_SCORE = 0.75;

/**
 * Creates a responder that works without a model. It requests a human if the user asks for one or a rule applies, and
 * replies to small talk. Otherwise, it quotes the best passage of the agent's knowledge, or says that it does not know.
 */
export function createExtractiveResponder(deps: { nowMs: () => number }): Responder {
  return async (request) => {
    const called = handOverAtOnce(request);
    if (!called) return say(request, await answer(deps, request));
    if ('handover' in called) return say(request, { text: wordsOf(request).handOver, ...called });
    const { closed, isAsked } = called;
    if (isAsked) return say(request, { text: closed, isClosed: true });
    const reply = await answer(deps, request);
    const text = reply.isClosed ? reply.text : `${reply.text}\n\n${closed}`;
    return say(request, { ...reply, text, isClosed: true });
  };
}

/**
 * Returns a reply from the agent's knowledge, or small talk if the message has no question. Does not emit the reply.
 */
async function answer(deps: { nowMs: () => number }, request: ResponderRequest): Promise<Reply> {
  const { user, conversation } = request;
  if (user.question === '') return chat(request);

  const startedMs = deps.nowMs();
  const { hits, good } = await lookUp(request);
  const latency = { retrieval_ms: rounded(deps.nowMs() - startedMs) };
  const best = good.find(({ score }) => !user.isRemark || score >= REMARK_MIN_SCORE);
  const retrieval = retrievalOf(user.question, { hits, drawn: best ? [best] : [] });
  if (best) {
    const text = pickSentences(best.text, user.question, { charsMax: REPLY_CHARS_MAX });
    return { text, retrieval, latency, answeredFrom: best.heading };
  }
  if (user.isRemark) return { ...chat(request, 'remark'), latency };
  const { question } = user;
  const unanswered = { question, topScore: retrieval.top_score, closest: hits };
  const unansweredInRow = conversation.tally.unansweredInRow + 1;
  const called = handOverAfter(request, { unansweredInRow, toolFailuresInRow: 0 });
  const reply = { retrieval, latency, unanswered };
  const { handOver, doNotKnow, doNotKnowAlone } = wordsOf(request);
  if (called && 'handover' in called) return { ...reply, text: handOver, ...called };
  if (called) return { ...reply, text: `${doNotKnowAlone} ${called.closed}`, isClosed: true };
  if (nobodyThere(request) !== undefined) return { ...reply, text: doNotKnowAlone };
  return { ...reply, text: doNotKnow, offersHuman: true };
}

function chat(request: ResponderRequest, otherwise: 'noise' | 'remark' = 'noise'): Reply {
  const about = request.text === '' ? 'greeting' : (request.user.smallTalk ?? otherwise);
  const words = wordsOf(request);
  if (about !== 'complaint') return { text: words[about] };
  return nobodyThere(request) === undefined
    ? { text: words.complaint, offersHuman: true }
    : { text: words.complaintAlone };
}

const wordsOf = ({ content }: ResponderRequest) => sentencesIn(content.language);

/** Emits the reply word by word, as a model would. */
function say({ emitToken }: ResponderRequest, reply: Reply): Reply {
  for (const token of reply.text.match(/\S+\s*/g) ?? []) emitToken(token);
  return reply;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
