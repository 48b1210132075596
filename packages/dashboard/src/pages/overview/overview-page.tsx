import { Page } from '../../ui/page.tsx';
import { Needing } from '../../ui/needing.tsx';
import { DeliveryLatency } from './delivery-latency.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LiveAgents } from './live-agents.tsx';
import { NeedsNow } from './needs-now.tsx';
import { Outcomes } from './outcomes.tsx';
import './overview.css';

/** The start page: what needs attention, the first steps, and recent conversations, live agents and deliveries. */
export function OverviewPage() {
  return (
    <Page title="Overview">
      <Needing scope="read">
        <NeedsNow />
        <FirstSteps />
        <div className="columns">
          <div className="stack">
            <Outcomes />
            <LiveAgents />
          </div>
          <DeliveryLatency />
        </div>
      </Needing>
    </Page>
  );
}
