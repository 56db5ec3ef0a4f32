import { standingFor } from '../../contract/job.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import {
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  type Statistics,
  type StatisticsPeriod,
  type TakeStatistics,
  type LedgerLine,
} from '../../contract/ledger.ts';
import { createYielder } from '../base/slices.ts';
import { reportLines } from '../batches/csv-text.ts';
import { MICROS, type LedgerScope, type LedgerStore, type RequestOfTake } from '../db/ledger-store.ts';

const AT_ONCE = 2000;

export async function readStatistics(
  ledger: LedgerStore,
  scope: Pick<LedgerScope, 'projectId' | 'from'>,
  period: StatisticsPeriod,
  currency: string,
): Promise<Statistics> {
  const tally = createPeriodTally(period);
  const pause = createYielder();
  for (let after = 0, ended = false; !ended;) {
    const requests = ledger.requestsOfTakes(scope, after, AT_ONCE);
    for (const request of requests) {
      tally.add(request);
      after = request.line;
    }
    ended = requests.length < AT_ONCE;
    await pause();
  }
  return tally.statistics(currency);
}

export function createPeriodTally(period: StatisticsPeriod) {
  const groups = new Map<string, Group>();
  /** Dates cost more than everything else: most requests are of the quarter of the one before. */
  let quarter = { at: Number.NaN, name: '' };

  function periodOf(at: number): string {
    // Time zones begin their days on a quarter of an hour.
    const started = Math.floor(at / 900_000);
    if (started !== quarter.at) quarter = { at: started, name: periodFor(at, period) };
    return quarter.name;
  }

  return {
    add(request: RequestOfTake): void {
      for (const each of ['', periodOf(request.at)]) {
        for (const model of ['', request.model]) {
          const name = `${each} ${model}`;
          const group = groups.get(name) ?? newGroup(each, model);
          groups.set(name, group);
          addTo(group, request);
        }
      }
    },
    statistics(currency: string): Statistics {
      const rows = [...groups.values()]
        .map(toStatistics)
        .toSorted((a, b) => compare(a.period, b.period) || compare(a.model, b.model));
      return {
        currency,
        all: rows.find(({ period: of, model }) => of === '' && model === '') ?? toStatistics(newGroup('', '')),
        models: rows.filter(({ period: of, model }) => of === '' && model !== ''),
        periods: rows.filter(({ period: of, model }) => of !== '' && model === ''),
        rows: rows.filter(({ period: of, model }) => of !== '' && model !== ''),
      };
    },
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** First day of the period that a time is in, where the person is: `2026-05-04`. Pure. */
export function periodFor(at: number, period: StatisticsPeriod): string {
  const day = new Date(at);
  if (period === 'week') day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
  if (period === 'month') day.setDate(1);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(day.getFullYear())}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

interface Group {
  /** Charges in millionths. */
  readonly sum: TakeStatistics;
  readonly times: number[];
}

const newGroup = (period: string, model: string): Group => ({
  sum: {
    ...{ period, model, requests: 0, saved: 0, failed: 0, open: 0, picked: 0, picksWithoutSeconds: 0 },
    ...{ medianMs: null, p90Ms: null, charged: null, unpriced: 0, filmsCharged: null, filmsUnpriced: 0 },
    pickedSeconds: 0,
  },
  times: [],
});

function addTo({ sum, times }: Group, request: RequestOfTake): void {
  const { kind, ledger, micros, savedAt, at, flag, seconds } = request;
  const outcome = toOutcome(request);
  const isFilm = kindSpecs[kind].seconds !== undefined;
  sum.requests += 1;
  sum[outcome] += 1;
  if (ledger === 'settled' && micros === null) {
    sum.unpriced += 1;
    if (isFilm) sum.filmsUnpriced += 1;
  } else if (ledger === 'settled' && micros !== null) {
    sum.charged = (sum.charged ?? 0) + micros;
    if (isFilm) sum.filmsCharged = (sum.filmsCharged ?? 0) + micros;
  }
  if (outcome !== 'saved') return;
  // Before its newest request, it was saved by an earlier one.
  if (savedAt !== null && savedAt >= at) times.push(savedAt - at);
  if (flag !== 'pick') return;
  sum.picked += 1;
  if (!isFilm) return;
  if (seconds === null) sum.picksWithoutSeconds += 1;
  else sum.pickedSeconds += seconds;
}

function toStatistics({ sum, times }: Group): TakeStatistics {
  const sorted = Float64Array.from(times).sort();
  const toPrice = (micros: number | null): number | null => (micros === null ? null : micros / MICROS);
  return {
    ...sum,
    ...{ medianMs: quantile(sorted, 0.5), p90Ms: quantile(sorted, 0.9) },
    ...{ charged: toPrice(sum.charged), filmsCharged: toPrice(sum.filmsCharged) },
  };
}

/** A take is made by its newest request: an earlier one failed. */
function toOutcome({ ledger, isNewest, state, paused }: RequestOfTake): 'saved' | 'failed' | 'open' {
  if (!isNewest) return ledger === 'reserved' ? 'open' : 'failed';
  if (ledger === 'released') return 'failed';
  const standing = standingFor(state, paused);
  if (standing === 'saved') return 'saved';
  return standing === 'unfinished' || standing === 'unknown' ? 'open' : 'failed';
}

/** The smallest value that so large a share of all do not exceed; null of none. `sorted`: ascending. Pure. */
export function quantile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const COLUMNS = [
  ...['period', 'model', 'requests', 'saved', 'failed', 'open', 'success_rate', 'median_seconds', 'p90_seconds'],
  ...['charged', 'currency', 'unpriced', 'price_per_take', 'picked', 'picks_per_take', 'picked_seconds'],
  ...['picks_without_seconds', 'price_per_picked_second'],
];
/** A spreadsheet takes the file for Unicode then. */
const MARK = '\uFEFF';

/** The rows by period and model as a table for a spreadsheet. What has no base is empty. Pure. */
export function statisticsCsv({ rows, currency }: Statistics): string {
  const figure = (value: number | null, digits: number): string => (value === null ? '' : value.toFixed(digits));
  const seconds = (ms: number | null): string => figure(ms === null ? null : ms / 1000, 1);
  const lines = rows.map((row) => [
    ...[row.period, row.model, row.requests, row.saved, row.failed, row.open],
    ...[figure(successRate(row), 3), seconds(row.medianMs), seconds(row.p90Ms)],
    ...[figure(row.charged, 6), row.charged === null ? '' : currency, row.unpriced, figure(pricePerTake(row), 6)],
    ...[row.picked, figure(picksPerTake(row), 3), row.pickedSeconds, row.picksWithoutSeconds],
    figure(pricePerPickedSecond(row), 6),
  ]);
  return MARK + reportLines([COLUMNS, ...lines]);
}

const LEDGER_COLUMNS = 'at,state,project,batch,shot,take,tool,model,price,currency,told'.split(',');
const LINES_AT_ONCE = 500;

export function* ledgerCsv(lines: Iterable<LedgerLine>, currency: string): Generator<string> {
  let piece = [MARK, ...reportLines([LEDGER_COLUMNS])];
  for (const line of lines) {
    piece.push(...reportLines([cellsFor(line, currency)]));
    if (piece.length < LINES_AT_ONCE) continue;
    yield piece.join('');
    piece = [];
  }
  yield piece.join('');
}

const cellsFor = (line: LedgerLine, currency: string): (string | number)[] => [
  new Date(line.at).toISOString(),
  ...[line.state, line.project ?? '', line.batch ?? '', line.shot ?? '', line.take ?? '', line.tool ?? ''],
  ...[line.model, line.price ?? '', line.price === null ? '' : currency, line.told ?? ''],
];
