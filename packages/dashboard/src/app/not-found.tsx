import { ButtonLink } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <p>There is no page at this address.</p>
      <p>
        <ButtonLink to="/">Go to the overview</ButtonLink>
      </p>
    </Page>
  );
}
