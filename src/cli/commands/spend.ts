import {
  type CapChange,
  type CapScope,
  SpentBy,
  type SpentGroup,
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  StatisticsPeriod,
  type TakeStatistics,
} from '../../contract/ledger.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t } from '../../contract/messages/words.ts';
import { averageInWords, moneyInWords } from '../../contract/in-words.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { ledgerCsv, readStatistics, statisticsCsv } from '../../engine/queries/statistics.ts';
import { withProject } from '../connect.ts';
import { refused } from '../exit.ts';
import { viewDataFolder, wantedScopes, type Wanted } from '../look.ts';
import { timeGiven } from '../options.ts';
import { toColumns, printList, writeNew } from '../output/list.ts';
import { plainText, withSmallLetter } from '../output/text.ts';
import { capLine } from '../output/words.ts';
import { accountNeeded, toSettings } from '../service-access.ts';
import type { Session } from '../session.ts';
import { amount, BATCH, count, JSON_LINES, PROJECT, verb, word } from '../verb.ts';

/** The title of what is added up by. */
const SPENT_BY = {
  ...{ model: 'common.model', batch: 'common.batch', project: 'common.project', shot: 'common.shot' },
  ...{ account: 'common.account', take: 'common.take', night: 'spending.night', month: 'spending.month' },
  ...{ day: 'cli.column.day', tool: 'cli.column.tool' },
} as const satisfies Record<SpentBy, PlainKey>;

const SPEND = [
  PROJECT,
  BATCH,
  word('--by <what>', 'cli.optSpendBy', { choices: SpentBy.options, default: 'model' }),
  word('--csv <file>', 'cli.optCsv'),
  JSON_LINES,
] as const;
const CAP = [
  word('--project <dir>', 'cli.optCapProject'),
  BATCH,
  word('--max-spend <amount>', 'cli.optCapSpend', { parse: amount }),
  word('--max-takes <n>', 'cli.optCapTakes', { parse: count }),
  word('--remove', 'cli.optSecretForget'),
  JSON_LINES,
] as const;
const STATS = [
  PROJECT,
  word('--since <time>', 'cli.optHistorySince'),
  word('--by <period>', 'cli.optStatsBy', { choices: StatisticsPeriod.options, default: 'month' }),
  word('--csv <file>', 'cli.optCsv', { conflicts: ['json'] }),
  JSON_LINES,
] as const;

export const verbs = [
  verb('spend', 'cli.helpSpend', SPEND, (session, options) => void spend(session, options)),
  verb('cap', 'cli.helpCap', CAP, async (session, options) => {
    const { maxSpend, maxTakes, remove } = options;
    const change: CapChange = remove
      ? { money: null, takes: null }
      : { ...(maxSpend !== undefined && { money: maxSpend }), ...(maxTakes !== undefined && { takes: maxTakes }) };
    if (Object.keys(change).length === 0) throw refused('cli.capWhat');
    await withProject(session, options.project, async ({ api }) => {
      const scopes = viewDataFolder(session.dataFolder, (view) => wantedScopes(view, options, session));
      for (const { projectId, batchId } of scopes)
        await api.spending.changeCap({ scope: capScopeFor(session, projectId, batchId), change });
    });
    spend(session, { by: 'model' });
  }),
  verb('stats', 'cli.helpStats', STATS, async (session, options) => {
    const from = options.since === undefined ? undefined : timeGiven(session, options.since);
    const { currency } = toSettings(session);
    const statistics = await viewDataFolder(session.dataFolder, (view) => {
      const { projectId } = { projectId: undefined, ...wantedScopes(view, options, session)[0] };
      const scope = { ...(projectId !== undefined && { projectId }), ...(from !== undefined && { from }) };
      return readStatistics(view.ledger, scope, options.by, currency);
    });
    if (options.csv !== undefined) {
      const file = writeNew(session, options.csv, statisticsCsv(statistics));
      return session.print(t('cli.written', { file: plainText(file) }));
    }
    const { rows, all } = statistics;
    printList<TakeStatistics>(session, {
      type: 'statistics',
      rows,
      object: (row) => ({ ...row, ...figuresFor(row) }),
      columns: toColumns(
        ...(['night.from', 'common.model', '>common.requests', '>batch.saved'] as const),
        ...(['>stats.success', '>cli.statsMedian', '>cli.statsP90', '>stats.pricePerTake'] as const),
        ...(['>stats.picksPerTake', '>stats.pricePerSecond'] as const),
      ),
      cells: (row) => cellsFor(row, currency),
      total: { ...all, period: withSmallLetter(t('common.all')) },
      none: t('cli.nothingSent'),
      below: rows.length === 0 ? [] : remarksOn(all),
      last: { type: 'statistics_total', ...all, ...figuresFor(all), currency },
    });
  }),
];

function spend(session: Session, { by, csv, ...wanted }: Wanted & { readonly by: SpentBy; readonly csv?: string }) {
  const { currency } = toSettings(session);
  viewDataFolder(session.dataFolder, (view) => {
    const { ledger } = view;
    const scopes = wantedScopes(view, wanted, session);
    if (csv !== undefined) {
      const lines = scopes.flatMap((scope) => [...ledger.lines(scope)]);
      const file = writeNew(session, csv, [...ledgerCsv(lines, currency)].join(''));
      return session.print(t('cli.written', { file: plainText(file) }));
    }
    const rows = scopes.flatMap((scope) => ledger.totalsBy(scope, by));
    const isSending = rows.some(({ totals }) => totals.reserved.requests > 0);
    const money = (price: number | null): string => (price === null ? '' : moneyInWords(price, currency));
    printList(session, {
      type: 'spent',
      rows,
      object: (row) => ({ name: groupName(row), totals: row.totals }),
      columns: toColumns(
        ...([SPENT_BY[by], '>common.requests', '>queue.charged'] as const),
        ...(isSending ? (['>queue.attemptUnderWay'] as const) : []),
        ...(['>queue.maybeCharged', '>cli.spendUnpriced'] as const),
      ),
      cells: (row) => {
        const { settled, unclear, reserved } = row.totals;
        return [
          ...[plainText(groupName(row)), String(settled.requests + unclear.requests + reserved.requests)],
          ...[money(settled.price), ...(isSending ? [money(reserved.price)] : [])],
          ...[money(unclear.price), String(settled.unpriced + unclear.unpriced + reserved.unpriced)],
        ];
      },
      none: t('cli.nothingSent'),
    });
    const caps = ledger.caps(nightStart(session.shell.clock.now()));
    printList(session, { type: 'cap', rows: caps, cells: (cap) => [capLine(cap, currency)] });
  });
}

function groupName({ name, label, take, batch }: SpentGroup): string {
  if (name === '' && label === null) return t('spending.other');
  const known = label ?? name;
  const shown = take === null ? known : t('cli.takeName', { shot: known, take: String(take) });
  return batch === null ? shown : t('common.inBatch', { name: shown, batch });
}

function capScopeFor(session: Session, projectId: string | undefined, batchId: string | undefined): CapScope {
  if (batchId !== undefined) return { scope: 'batch', batchId };
  if (projectId !== undefined) return { scope: 'project', projectId };
  if (session.options.account === undefined) return { scope: 'night' };
  return { scope: 'account', accountId: accountNeeded(session).id ?? '' };
}

const remarksOn = ({ charged, unpriced, picksWithoutSeconds: count }: TakeStatistics): string[] => [
  charged === null ? t('cli.statsNoPrices') : unpriced > 0 ? t('cli.statsUnpriced', { count: unpriced }) : '',
  count > 0 ? t('cli.statsNoLength', { count }) : '',
];

const figuresFor = (row: TakeStatistics) => ({
  successRate: successRate(row),
  pricePerTake: pricePerTake(row),
  picksPerTake: picksPerTake(row),
  pricePerPickedSecond: pricePerPickedSecond(row),
});

/** A dash is a figure without a base. */
const NONE = '–';

function cellsFor(row: TakeStatistics, currency: string): string[] {
  const money = (price: number | null): string => (price === null ? NONE : averageInWords(price, currency));
  const seconds = (ms: number | null): string =>
    ms === null ? NONE : t('time.seconds', { seconds: Math.round(ms / 1000) });
  const rate = successRate(row);
  return [
    ...[row.period, plainText(row.model), String(row.requests), String(row.saved)],
    rate === null ? NONE : t('common.percent', { percent: Math.floor(rate * 100) }),
    ...[seconds(row.medianMs), seconds(row.p90Ms), money(pricePerTake(row))],
    ...[picksPerTake(row)?.toFixed(2) ?? NONE, money(pricePerPickedSecond(row))],
  ];
}
