import type { SpentGroup } from '../../contract/ledger.ts';
import { ledgerCsv } from '../../engine/queries/ledger-csv.ts';
import { readStatistics, statisticsCsv, type StatisticsWanted } from '../../engine/queries/statistics.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import type { Implementer } from './implementer.ts';

export function spendingRouter(os: Implementer, services: Services) {
  const { spending, stores } = services.engine;
  const currency = (): string => services.settings.get().currency;
  const statistics = (wanted: StatisticsWanted) => readStatistics(stores.ledger, wanted, currency());
  return {
    totals: os.spending.totals.handler(({ input }) => stores.ledger.totals(input)),
    by: os.spending.by.handler(({ input: { by, most, ...scope } }) =>
      costliest(stores.ledger.totalsBy(scope, by), most),
    ),
    csv: os.spending.csv.handler(async function* ({ input }) {
      yield* ledgerCsv(stores.ledger.lines(input), currency());
    }),
    statistics: os.spending.statistics.handler(({ input }) => statistics(input)),
    statisticsCsv: os.spending.statisticsCsv.handler(async ({ input }) => statisticsCsv(await statistics(input))),
    night: os.spending.night.handler(() => ({ from: spending.night() })),
    caps: os.spending.caps.handler(() => spending.caps()),
    ...commandHandlers(os.spending, 'spending', services),
  };
}

/** All of them in their order where they are few; else those that cost most. */
function costliest(groups: readonly SpentGroup[], most: number): SpentGroup[] {
  if (groups.length <= most) return [...groups];
  const cost = ({ totals: { settled, unclear, reserved } }: SpentGroup): number =>
    [settled, unclear, reserved].reduce((sum, { price }) => sum + (price ?? 0), 0);
  return groups.toSorted((a, b) => cost(b) - cost(a)).slice(0, most);
}
