import { t } from '../../src/contract/messages/words.ts';
import { expect, test } from './support/app.ts';
import { goTo } from './support/window.ts';

/** What is read of an element: tests are type-checked without the browser's own types. */
interface Drawn {
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(of: Drawn): { readonly borderBottomColor: string } };
  };
}

test("shows selection and verdicts with the system's colours alone", async ({ app, page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await app.open();
  await goTo(page, t('place.queue'));
  const edge = (name: string) =>
    page
      .getByRole('tab', { name: new RegExp(`^${name}`) })
      .evaluate((tab: Drawn) => tab.ownerDocument.defaultView.getComputedStyle(tab).borderBottomColor);
  const other = await edge(t('state.failed'));
  await expect.poll(() => edge(t('queue.groupUnderWay'))).not.toBe(other);
  const current = page.getByRole('navigation').getByRole('button', { name: /^Queue/ });
  await expect(current).toHaveCSS('outline-style', 'solid');
  await expect(page.getByRole('main').getByRole('progressbar').first()).toHaveCSS('outline-style', 'solid');
});
