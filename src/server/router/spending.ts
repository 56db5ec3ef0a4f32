import { statisticsCsv } from '../../engine/statistics.ts';
import type { Services } from '../services.ts';
import type { SpentGroup } from '../../contract/ledger.ts';
import type { Implementer } from './implementer.ts';

export const spendingRouter = (os: Implementer, { engine: { spending }, caller }: Services) => ({
  totals: os.spending.totals.handler(({ input }) => spending.totals(input)),
  by: os.spending.by.handler(({ input: { by, most, ...scope } }) => costliest(spending.totalsBy(scope, by), most)),
  csv: os.spending.csv.handler(async function* ({ input }) {
    yield* spending.csv(input);
  }),
  statistics: os.spending.statistics.handler(({ input }) => spending.statistics(input)),
  statisticsCsv: os.spending.statisticsCsv.handler(async ({ input }) =>
    statisticsCsv(await spending.statistics(input)),
  ),
  night: os.spending.night.handler(() => ({ from: spending.night() })),
  caps: os.spending.caps.handler(() => spending.caps()),
  changeCap: os.spending.changeCap.handler(({ input: { scope, change } }) => spending.changeCap(scope, change, caller)),
});

/** All of them in their order where they are few; else those that cost most. */
function costliest(groups: readonly SpentGroup[], most: number): SpentGroup[] {
  if (groups.length <= most) return [...groups];
  const cost = ({ totals: { settled, unclear, reserved } }: SpentGroup): number =>
    [settled, unclear, reserved].reduce((sum, { price }) => sum + (price ?? 0), 0);
  return groups.toSorted((a, b) => cost(b) - cost(a)).slice(0, most);
}
