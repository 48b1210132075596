import type { Turn } from '../data/conversations.ts';
import { count } from '../ui/figure.tsx';
import { msText } from '../ui/time.tsx';
import { Passages } from './passages.tsx';

/** Shows the passages, tokens and times of a turn. Renders nothing for a turn without them. */
export function TurnFacts({ turn, isOpen }: { turn: Turn; isOpen: boolean }) {
  const { retrieval, model, latency } = turn;
  if (!retrieval && !model && !latency) return null;
  return (
    <div className="turn-facts small">
      {model || latency ? <Spent turn={turn} /> : null}
      {retrieval ? <Passages retrieval={retrieval} isOpen={isOpen} /> : null}
    </div>
  );
}

const PARTS = [
  ['retrieval_ms', 'search'],
  ['model_ms', 'model'],
  ['tools_ms', 'tools'],
  ['platform_ms', 'other'],
] as const;

/** Formats a cost with up to six decimals, because a turn costs a fraction of a cent. */
const amounts = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

function Spent({ turn: { model, latency } }: { turn: Turn }) {
  const parts = PARTS.flatMap(([key, name]) =>
    latency?.[key] === undefined ? [] : [`${name} ${msText(latency[key])}`],
  );
  return (
    <dl className="turn-spent">
      {latency?.['turn_ms'] === undefined ? null : (
        <Fact name="Total" title={parts.join(' · ')}>
          {msText(latency['turn_ms'])}
        </Fact>
      )}
      {model ? (
        <>
          <Fact name="First token">{msText(model.time_to_first_token_ms)}</Fact>
          <Fact
            name="Tokens"
            title={`${count(model.usage.cached_input_tokens)} input tokens were cached${model.usage.estimated ? '; estimated' : ''}`}
          >
            {model.usage.estimated ? '≈ ' : ''}
            {count(model.usage.input_tokens)} in, {count(model.usage.output_tokens)} out
          </Fact>
          <Fact name="Model" title={`${model.provider}; ${model.steps} requests`}>
            {model.name}
          </Fact>
          {model.cost ? (
            <Fact name="Cost">
              {amounts.format(model.cost.amount)} {model.cost.currency}
            </Fact>
          ) : null}
        </>
      ) : null}
    </dl>
  );
}

function Fact({
  name,
  title,
  children,
}: {
  name: string;
  title?: string;
  children: React.ReactNode;
}) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd className="numeric">{children}</dd>
    </div>
  );
}
