import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { AgentContent } from '../../data/agents.ts';
import { REDACTION_KINDS } from '../../transcript/redaction-words.ts';
import { Json } from '../../ui/code.tsx';
import { counted } from '../../ui/figure.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { pairsOf } from './agent-values.ts';
import { CallOnce } from './tools/call-once.tsx';
import { draftOf } from './tools/tool-draft.ts';
import { TYPES } from './tools/tool-types.ts';

type Content = { [Name in keyof AgentContent]: AgentContent[Name] | null };

/**
 * Shows the content of a version, read-only: prompt, first message and tools, with the settings beside them. Each
 * webhook tool can be tried with a single call.
 */
export function AgentContentView({
  agentId,
  content,
  children,
}: {
  agentId: string;
  content: Content;
  /** Sections below the content. */
  children?: ReactNode;
}) {
  return (
    <WithPanel label="Content settings" panel={<Settings content={content} />}>
      <section className="card stack-small" aria-label="Prompt">
        <h2>Prompt</h2>
        <p className="agent-prompt preserved">{content.prompt}</p>
      </section>
      {content.first_message ? (
        <section className="card stack-small">
          <h2>First message</h2>
          <p className="agent-prompt preserved">{content.first_message}</p>
        </section>
      ) : null}
      {content.tools?.length ? <Tools agentId={agentId} tools={content.tools} /> : null}
      {children}
    </WithPanel>
  );
}

function Settings({ content }: { content: Content }) {
  return (
    <>
      <section className="card stack-small">
        <h2>Answers</h2>
        <dl className="facts">
          <ModelFacts model={content.model} />
          <Fact name="Language" value={content.language} />
          <KnowledgeFacts knowledge={content.knowledge} />
        </dl>
      </section>
      <section className="card stack-small">
        <h2>Escalation</h2>
        <Rules escalation={content.escalation} />
      </section>
      <section className="card stack-small">
        <h2>Limits</h2>
        <dl className="facts">
          <Fact name="Maximum duration" value={seconds(content.limits?.max_duration_sec)} />
          <Fact name="Silence timeout" value={seconds(content.limits?.silence_timeout_sec)} />
        </dl>
      </section>
      {content.redaction?.length ? (
        <section className="card stack-small">
          <h2>Redacted from user messages</h2>
          <p>{content.redaction.map((kind) => REDACTION_KINDS[kind][1]).join(', ')}</p>
        </section>
      ) : null}
      {content.judgement?.by === 'model' ? (
        <section className="card stack-small">
          <h2>Judgement of ended conversations</h2>
          <dl className="facts">
            <Fact name="Model" value={judgeOf(content.judgement)} />
            <Fact name="Topics" value={content.judgement.topics?.join(', ')} />
          </dl>
        </section>
      ) : null}
      <SpokenFacts heading="Voice" spoken={content.voice} />
      <SpokenFacts heading="Transcriber" spoken={content.transcriber} />
    </>
  );
}

type Spoken = NonNullable<Content['voice'] | Content['transcriber']>;

/** Shows the declared settings of a voice or transcriber, with its fallbacks in order. */
function SpokenFacts({ heading, spoken }: { heading: string; spoken: Spoken | null | undefined }) {
  if (!spoken) return null;
  const words = (value: string | number | boolean | object): string =>
    typeof value === 'object' ? Object.values(value).join(' / ') : String(value);
  return (
    <section className="card stack-small">
      <h2>{heading}</h2>
      <dl className="facts">
        {Object.entries(spoken).map(([name, value]) => (
          <Fact
            key={name}
            name={name.replaceAll('_', ' ')}
            value={Array.isArray(value) ? value.map(words).join(', ') : words(value)}
          />
        ))}
      </dl>
    </section>
  );
}

function judgeOf({ model }: NonNullable<Content['judgement']>): string {
  return model ? [model.provider, model.name].filter(Boolean).join(' / ') : 'same as for replies';
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value ?? <span className="muted">default</span>}</dd>
    </>
  );
}

function ModelFacts({ model }: { model: Content['model'] }) {
  const named = (one: { provider?: string; name?: string }): string =>
    [one.provider, one.name].filter(Boolean).join(' / ') || 'default';
  return (
    <>
      <Fact name="Model" value={named(model ?? {})} />
      {model?.fallback?.length ? (
        <Fact name="Fallback" value={model.fallback.map(named).join(', ')} />
      ) : null}
      {model?.temperature === undefined ? null : (
        <Fact name="Temperature" value={model.temperature} />
      )}
      {model?.max_tokens === undefined ? null : (
        <Fact name="Maximum tokens" value={model.max_tokens} />
      )}
    </>
  );
}

function KnowledgeFacts({ knowledge }: { knowledge: Content['knowledge'] }) {
  const { all, selector, source_names: names = [], source_ids: ids = [] } = knowledge ?? {};
  const isNamed = !all && !selector;
  return (
    <>
      <dt>Knowledge</dt>
      <dd>
        {all ? 'all sources' : null}
        {selector ? `sources with ${pairsOf(selector.match_metadata)}` : null}
        {isNamed && names.length + ids.length === 0 ? <span className="muted">none</span> : null}
        <ul>
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
          {ids.map((id) => (
            <li key={id}>
              <Link to="/knowledge/sources/$sourceId" params={{ sourceId: id }} className="mono">
                {id}
              </Link>
            </li>
          ))}
        </ul>
      </dd>
      {knowledge?.top_k === undefined ? null : <Fact name="Passages" value={knowledge.top_k} />}
      {knowledge?.min_score === undefined ? null : (
        <Fact name="Minimum score" value={knowledge.min_score} />
      )}
    </>
  );
}

type Hours = NonNullable<NonNullable<Content['escalation']>['hours']>;

function HoursText({ hours }: { hours: Hours }) {
  const times = hours.open.map(({ days, from, to }) => `${days.join(', ')} ${from}–${to}`);
  const off = hours.closed_on?.length ? `, except on ${hours.closed_on.join(', ')}` : '';
  return (
    <p className="muted small">
      Human agents are available {times.join('; ')}
      {off} ({hours.time_zone}).
    </p>
  );
}

function Rules({ escalation }: { escalation: Content['escalation'] }) {
  const rules = escalation?.rules ?? [];
  return (
    <>
      {rules.length === 0 ? <p className="muted">No rules request a human agent.</p> : null}
      <ul className="agent-list">
        {rules.map((rule, at) => (
          <li key={at}>{ruleText(rule)}</li>
        ))}
      </ul>
      {escalation?.timeout_sec === undefined ? null : (
        <p className="muted small">
          Waits up to {seconds(escalation.timeout_sec)} for a human agent.
        </p>
      )}
      {escalation?.team === undefined ? null : (
        <p className="muted small">
          Requests {escalation.team}
          {escalation.fallback_team === undefined ? '' : `, then ${escalation.fallback_team}`}.
        </p>
      )}
      {escalation?.hours === undefined ? null : <HoursText hours={escalation.hours} />}
    </>
  );
}

type Rule = NonNullable<NonNullable<AgentContent['escalation']>['rules']>[number];

export function ruleText({ when, keywords, count, reason, team }: Rule): string {
  const what = {
    user_request: 'The user requests a human agent',
    keyword: `The user says ${(keywords ?? []).join(', ')}`,
    tool_failure: `A tool fails ${count ?? 1}× in a row`,
    low_confidence: `No answer is found ${count ?? 1}× in a row`,
    mood: `The user’s messages show a bad mood ${count ?? 2}× in a row`,
    turn_limit: `The user has written ${counted(count ?? 0, 'message')}`,
  }[when];
  const whom = team === undefined ? what : `${what}: requests ${team}`;
  return reason === undefined ? whom : `${whom} (${reason})`;
}

type ToolsProps = { agentId: string; tools: NonNullable<AgentContent['tools']> };

function Tools({ agentId, tools }: ToolsProps) {
  return (
    <section className="card stack-small">
      <h2>Tools</h2>
      <ul className="agent-list">
        {tools.map((tool) => (
          <li key={tool.name}>
            <details>
              <summary>
                <span className="mono">{tool.name}</span>{' '}
                <span className="muted small">{TYPES[tool.type]}</span>
                {tool.description ? <p className="small muted">{tool.description}</p> : null}
              </summary>
              <div className="stack-small">
                <Json value={tool} label={tool.name} />
                {tool.type === 'webhook' ? (
                  <CallOnce agentId={agentId} draft={draftOf(tool)} />
                ) : null}
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Formats seconds: `90` becomes `90 s`, `1800` becomes `30 min`. */
function seconds(sec: number | undefined): string | undefined {
  if (sec === undefined) return undefined;
  if (sec % 3_600 === 0) return `${sec / 3_600} h`;
  return sec % 60 === 0 ? `${sec / 60} min` : `${sec} s`;
}
