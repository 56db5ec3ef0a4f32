import { say } from '../../contract/messages/words.ts';
import {
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  StatisticsPeriod,
  type TakeStatistics,
} from '../../contract/statistics.ts';
import { readStatistics, statisticsCsv } from '../../engine/queries/statistics.ts';
import type { ExitStatus } from '../exit.ts';
import { columnsOf, printLine, printList, writeNew } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { averageInWords } from '../../contract/money.ts';
import { viewDataFolder, wantedScopes } from '../look.ts';
import { timeGiven } from '../report-time.ts';
import { settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, PROJECT, verb, word, type Given } from '../verb.ts';

const STATS = [
  PROJECT,
  word('--since <time>', 'cli.optStatsSince'),
  word('--by <period>', 'cli.optStatsBy', { choices: StatisticsPeriod.options, default: 'month' }),
  word('--csv <file>', 'cli.optStatsCsv', { conflicts: ['json'] }),
  JSON_LINES,
] as const;

export const verbs = [verb('stats', 'cli.helpStats', STATS, stats)];

async function stats(session: Session, options: Given<typeof STATS>): Promise<ExitStatus> {
  const from = options.since === undefined ? undefined : timeGiven(session, options.since);
  const { currency } = settingsOf(session);
  const statistics = await viewDataFolder(session.dataFolder, (view) => {
    const { projectId } = { projectId: undefined, ...wantedScopes(view, options, session)[0] };
    const scope = { ...(projectId !== undefined && { projectId }), ...(from !== undefined && { from }) };
    return readStatistics(view.ledger, { period: options.by, ...scope }, currency);
  });
  if (options.csv !== undefined) {
    const file = writeNew(session, options.csv, statisticsCsv(statistics));
    return printLine(session, say('cli.statsWritten', { file: plainText(file) }));
  }
  const { rows, all } = statistics;
  return printList<TakeStatistics>(session, options.json, {
    type: 'statistics',
    rows,
    object: (row) => ({ ...row, ...figuresOf(row) }),
    columns: columnsOf(
      ...(['cli.statsPeriod', 'cli.spendBy.model', '>cli.spendRequests', '>cli.columnSaved'] as const),
      ...(['>cli.statsSuccess', '>cli.statsMedian', '>cli.statsP90', '>cli.statsPricePerTake'] as const),
      ...(['>cli.statsPicksPerTake', '>cli.statsPricePerSecond'] as const),
    ),
    cells: (row) => cellsOf(row, currency),
    total: { ...all, period: say('cli.statsAll') },
    none: say('cli.nothingSent'),
    below: rows.length === 0 ? [] : remarksOn(all),
    last: { type: 'statistics_total', ...all, ...figuresOf(all), currency },
  });
}

function remarksOn({ charged, unpriced, picksWithoutSeconds: count }: TakeStatistics): string[] {
  return [
    charged === null ? say('cli.statsNoPrices') : unpriced > 0 ? say('cli.statsUnpriced', { count: unpriced }) : '',
    count > 0 ? say('cli.statsNoLength', { count }) : '',
  ];
}

const figuresOf = (row: TakeStatistics) => ({
  successRate: successRate(row),
  pricePerTake: pricePerTake(row),
  picksPerTake: picksPerTake(row),
  pricePerPickedSecond: pricePerPickedSecond(row),
});

/** A dash is a figure without a base. */
const NONE = '–';

function cellsOf(row: TakeStatistics, currency: string): string[] {
  const money = (price: number | null): string => (price === null ? NONE : averageInWords(price, currency));
  const seconds = (ms: number | null): string =>
    ms === null ? NONE : say('time.seconds', { seconds: Math.round(ms / 1000) });
  const rate = successRate(row);
  return [
    ...[row.period, plainText(row.model), String(row.requests), String(row.saved)],
    rate === null ? NONE : say('common.percent', { percent: Math.floor(rate * 100) }),
    ...[seconds(row.medianMs), seconds(row.p90Ms), money(pricePerTake(row))],
    ...[picksPerTake(row)?.toFixed(2) ?? NONE, money(pricePerPickedSecond(row))],
  ];
}
