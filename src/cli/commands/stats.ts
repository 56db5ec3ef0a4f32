import { say } from '../../contract/messages/words.ts';
import {
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  StatisticsPeriod,
  type TakeStatistics,
} from '../../contract/statistics.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { readStatistics, statisticsCsv, Tally } from '../../engine/queries/statistics.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { columnsOf, writeNew } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, tableLines } from '../output/text.ts';
import { averageInWords } from '../../contract/money.ts';
import { viewDataFolder, wantedScopes } from '../look.ts';
import { readTime } from '../report-time.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
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
  const { shell, dataFolder } = session;
  const from = options.since === undefined ? undefined : readTime(options.since, shell.clock.now(), nightStart);
  if (from === null) throw new UsageError(say('cli.notTime'), '');
  const period = options.by;
  const { currency } = settingsOf(session);
  const statistics = await viewDataFolder(dataFolder, (view) => {
    if (!view) return Promise.resolve(new Tally(period).statistics(currency));
    const [scope] = wantedScopes(view, options, session);
    const { projectId } = { projectId: undefined, ...scope };
    return readStatistics(
      view.ledger,
      { period, ...(projectId !== undefined && { projectId }), ...(from !== undefined && { from }) },
      currency,
    );
  });
  if (options.csv !== undefined) {
    const file = writeNew(session, options.csv, statisticsCsv(statistics));
    printTo(session)(say('cli.statsWritten', { file: plainText(file) }));
    return exitStatus.saved;
  }
  if (options.json) {
    for (const row of statistics.rows) shell.stdout.write(jsonLine({ type: 'statistics', ...row, ...figuresOf(row) }));
    shell.stdout.write(
      jsonLine({ type: 'statistics_total', ...statistics.all, ...figuresOf(statistics.all), currency }),
    );
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (statistics.rows.length === 0) {
    print(say('cli.nothingSent'));
    return exitStatus.saved;
  }
  const total = { ...statistics.all, period: say('cli.statsAll') };
  for (const line of tableOf([...statistics.rows, total], currency)) print(line);
  if (statistics.all.charged === null) print(say('cli.statsNoPrices'));
  else if (statistics.all.unpriced > 0) print(say('cli.statsUnpriced', { count: statistics.all.unpriced }));
  if (statistics.all.picksWithoutSeconds > 0) {
    print(say('cli.statsNoLength', { count: statistics.all.picksWithoutSeconds }));
  }
  return exitStatus.saved;
}

const figuresOf = (row: TakeStatistics) => ({
  successRate: successRate(row),
  pricePerTake: pricePerTake(row),
  picksPerTake: picksPerTake(row),
  pricePerPickedSecond: pricePerPickedSecond(row),
});

/** A dash is a figure without a base. */
const NONE = '–';

function tableOf(rows: readonly TakeStatistics[], currency: string): string[] {
  const columns = columnsOf(
    ...([
      'cli.statsPeriod',
      'cli.spendBy.model',
      '>cli.spendRequests',
      '>cli.columnSaved',
      '>cli.statsSuccess',
    ] as const),
    ...(['>cli.statsMedian', '>cli.statsP90', '>cli.statsPricePerTake', '>cli.statsPicksPerTake'] as const),
    '>cli.statsPricePerSecond',
  );
  const money = (price: number | null): string => (price === null ? NONE : averageInWords(price, currency));
  const seconds = (ms: number | null): string =>
    ms === null ? NONE : say('time.seconds', { seconds: Math.round(ms / 1000) });
  const cells = rows.map((row) => {
    const rate = successRate(row);
    const picks = picksPerTake(row);
    return [
      row.period,
      plainText(row.model),
      String(row.requests),
      String(row.saved),
      rate === null ? NONE : say('common.percent', { percent: Math.floor(rate * 100) }),
      seconds(row.medianMs),
      seconds(row.p90Ms),
      money(pricePerTake(row)),
      picks === null ? NONE : picks.toFixed(2),
      money(pricePerPickedSecond(row)),
    ];
  });
  return tableLines(columns, cells);
}
