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
  const tally = new PeriodTally(period);
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

export class PeriodTally {
  readonly #period: StatisticsPeriod;
  readonly #groups = new Map<string, Group>();
  /** Dates cost more than everything else: most requests are of the hour of the one before. */
  #hour = { at: Number.NaN, name: '' };

  constructor(period: StatisticsPeriod) {
    this.#period = period;
  }

  add(request: RequestOfTake): void {
    const period = this.#periodOf(request.at);
    for (const each of ['', period]) {
      for (const model of ['', request.model]) this.#groupOf(each, model).add(request);
    }
  }

  statistics(currency: string): Statistics {
    const rows = [...this.#groups.values()]
      .map((group) => group.statistics())
      .toSorted((a, b) => compare(a.period, b.period) || compare(a.model, b.model));
    return {
      currency,
      all: rows.find(({ period, model }) => period === '' && model === '') ?? new Group('', '').statistics(),
      models: rows.filter(({ period, model }) => period === '' && model !== ''),
      periods: rows.filter(({ period, model }) => period !== '' && model === ''),
      rows: rows.filter(({ period, model }) => period !== '' && model !== ''),
    };
  }

  #groupOf(period: string, model: string): Group {
    const name = `${period} ${model}`;
    let group = this.#groups.get(name);
    if (!group) this.#groups.set(name, (group = new Group(period, model)));
    return group;
  }

  #periodOf(at: number): string {
    // Time zones begin their days on a quarter of an hour.
    const hour = Math.floor(at / 900_000);
    if (hour !== this.#hour.at) this.#hour = { at: hour, name: periodFor(at, this.#period) };
    return this.#hour.name;
  }
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

class Group {
  readonly #of: Pick<TakeStatistics, 'period' | 'model'>;
  readonly #times: number[] = [];
  readonly #count = { requests: 0, saved: 0, failed: 0, open: 0, picked: 0, picksWithoutSeconds: 0 };
  readonly #bill = new Bill();
  readonly #filmBill = new Bill();
  #pickedSeconds = 0;

  constructor(period: string, model: string) {
    this.#of = { period, model };
  }

  add(request: RequestOfTake): void {
    const count = this.#count;
    count.requests += 1;
    const outcome = toOutcome(request);
    count[outcome] += 1;
    const isFilm = kindSpecs[request.kind].seconds !== undefined;
    if (request.ledger === 'settled') this.#bill.add(request.micros);
    if (request.ledger === 'settled' && isFilm) this.#filmBill.add(request.micros);
    if (outcome !== 'saved') return;
    const took = request.savedAt === null ? null : request.savedAt - request.at;
    // Before its newest request, it was saved by an earlier one.
    if (took !== null && took >= 0) this.#times.push(took);
    if (request.flag !== 'pick') return;
    count.picked += 1;
    if (!isFilm) return;
    if (request.seconds === null) count.picksWithoutSeconds += 1;
    else this.#pickedSeconds += request.seconds;
  }

  statistics(): TakeStatistics {
    const times = Float64Array.from(this.#times).sort();
    return {
      ...this.#of,
      ...this.#count,
      medianMs: quantile(times, 0.5),
      p90Ms: quantile(times, 0.9),
      charged: this.#bill.charged,
      unpriced: this.#bill.unpriced,
      filmsCharged: this.#filmBill.charged,
      filmsUnpriced: this.#filmBill.unpriced,
      pickedSeconds: this.#pickedSeconds,
    };
  }
}

class Bill {
  #micros: number | null = null;
  unpriced = 0;

  add(micros: number | null): void {
    if (micros === null) this.unpriced += 1;
    else this.#micros = (this.#micros ?? 0) + micros;
  }

  get charged(): number | null {
    return this.#micros === null ? null : this.#micros / MICROS;
  }
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

const LEDGER_COLUMNS = [
  'at',
  'state',
  'project',
  'batch',
  'shot',
  'take',
  'tool',
  'model',
  'price',
  'currency',
  'told',
];
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
