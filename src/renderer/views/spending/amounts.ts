import {
  type LedgerTotals,
  type SpentBy,
  type SpentGroup,
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  type StatisticsPeriod,
  type TakeStatistics,
} from '../../../contract/ledger.ts';
import { t, spoken } from '../../../contract/messages/words.ts';
import { priceAlone, averageInWords } from '../../../contract/in-words.ts';
import { dayAndYear, monthAndYear, lengthForPeople, percent } from '../../lib/format.ts';

/** How far back the view looks, in nights; null is all. */
export const ranges = [
  { value: '1', nights: 1 },
  { value: '7', nights: 7 },
  { value: '30', nights: 30 },
  { value: 'all', nights: null },
] as const;

const DAY_MS = 24 * 60 * 60_000;

/** From when on, ms; undefined for all. `night`: when the present night began. A day more or less by the clock is rounded away. Pure. */
export function fromOf(range: string, night: number): number | undefined {
  const nights = ranges.find(({ value }) => value === range)?.nights ?? null;
  if (nights === null) return undefined;
  const from = new Date(night - (nights - 1) * DAY_MS);
  from.setHours(12, 0, 0, 0);
  return from.getTime();
}

export interface Cost {
  readonly charged: number;
  /** Sent, without a clear answer. What is being sent is neither. */
  readonly maybe: number;
  readonly requests: number;
}

export function toCost({ settled, unclear, reserved }: LedgerTotals): Cost {
  return {
    charged: settled.price ?? 0,
    maybe: unclear.price ?? 0,
    requests: settled.requests + unclear.requests + reserved.requests,
  };
}

/** What a group is known to have cost; a dash before anything is settled. Pure. */
export const chargedInWords = ({ requests, price, unpriced }: LedgerTotals['settled'], currency: string): string =>
  priceAlone(
    requests === 0 || unpriced === requests ? null : price,
    currency,
    requests === 0 ? '–' : t('start.unknownPrice'),
  );

export function groupName({ name, label, take, batch }: SpentGroup, by: SpentBy): string {
  // Of an account it is the id: empty for the first one.
  if (by === 'account') return label || t('spending.removedAccount');
  if (name === '') return t('spending.other');
  if (by === 'night') return dayAndYear(dayFor(name));
  if (by === 'month') return monthAndYear(dayFor(`${name}-01`));
  const known = label ?? name;
  const shown = take === null ? known : t('review.takeName', { shot: known, take });
  return batch === null ? shown : t('common.inBatch', { name: shown, batch });
}

/** The noon of a day, as `2026-05-04`, ms. */
export const dayFor = (name: string): number => new Date(`${name}T12:00:00`).getTime();

export interface NightCost extends Cost {
  /** When it began, ms. */
  readonly at: number;
}

/** The last `most` nights, the oldest first, with those in which nothing was sent. Pure. */
export function everyNight(groups: readonly SpentGroup[], most: number): NightCost[] {
  const costs = new Map(groups.map(({ name, totals }) => [dayFor(name), toCost(totals)]));
  const first = Math.min(...costs.keys());
  const night = new Date(Math.max(...costs.keys()));
  const nights: NightCost[] = [];
  // By the calendar: a night may have 23 or 25 hours.
  for (; night.getTime() >= first && nights.length < most; night.setDate(night.getDate() - 1)) {
    const at = night.getTime();
    nights.unshift({ at, ...(costs.get(at) ?? { charged: 0, maybe: 0, requests: 0 }) });
  }
  return nights;
}

interface FigureWords {
  readonly title: string;
  /** Null where it has no base. */
  readonly value: (row: TakeStatistics) => number | null;
  readonly words: (value: number, currency: string) => string;
  /** What it is based on, or why it has no base. */
  readonly base: (row: TakeStatistics) => string;
}

export const tiles = {
  success: {
    title: t('stats.success'),
    value: successRate,
    words: percent,
    base: ({ saved, failed }) =>
      saved + failed === 0 ? t('stats.nothingOver') : t('stats.savedOf', { saved, count: saved + failed }),
  },
  time: {
    title: t('stats.time'),
    value: ({ medianMs }) => medianMs,
    words: lengthForPeople,
    base: ({ p90Ms }) => (p90Ms === null ? t('stats.noSaved') : t('stats.p90', { time: lengthForPeople(p90Ms) })),
  },
  pricePerTake: {
    title: t('stats.pricePerTake'),
    value: pricePerTake,
    words: averageInWords,
    base: (row) => noPrice(row) ?? (row.saved === 0 ? t('stats.noSaved') : t('common.takes', { count: row.saved })),
  },
  picksPerTake: {
    title: t('stats.picksPerTake'),
    value: picksPerTake,
    words: (value) => value.toLocaleString(spoken(), { maximumFractionDigits: 2 }),
    base: ({ saved, picked }) => (saved === 0 ? t('stats.noSaved') : t('stats.picks', { count: picked })),
  },
  pricePerSecond: {
    title: t('stats.pricePerSecond'),
    value: pricePerPickedSecond,
    words: averageInWords,
    base: ({ pickedSeconds, picksWithoutSeconds: without, filmsCharged, filmsUnpriced }) => {
      if (pickedSeconds === 0 && without === 0) return t('stats.noFilms');
      const counted =
        without > 0
          ? t('stats.noLength', { count: without })
          : t('stats.pickedSeconds', { seconds: Math.round(pickedSeconds) });
      return noPrice({ charged: filmsCharged, unpriced: filmsUnpriced }) ?? counted;
    },
  },
} as const satisfies Readonly<Record<string, FigureWords>>;

/** What the plot can show: the tiles, and how many requests there were. */
export const figures: Readonly<Record<string, Omit<FigureWords, 'base'>>> = {
  ...tiles,
  requests: {
    title: t('common.requests'),
    value: ({ requests }) => requests,
    words: (value) => t('common.number', { value }),
  },
};

/** A figure of a row as people read it; a dash where it has no base. Pure. */
export function figureInWords(
  row: TakeStatistics,
  { value, words }: Omit<FigureWords, 'base'>,
  currency: string,
): string {
  const found = value(row);
  return found === null ? '–' : words(found, currency);
}

function noPrice({ charged, unpriced }: Pick<TakeStatistics, 'charged' | 'unpriced'>): string | null {
  if (unpriced > 0) return t('stats.unpriced', { count: unpriced });
  return charged === null ? t('stats.noPrices') : null;
}

export function periodName(first: string, period: StatisticsPeriod): string {
  if (period === 'month') return monthAndYear(dayFor(first));
  const day = dayAndYear(dayFor(first));
  return period === 'week' ? t('stats.weekOf', { day }) : day;
}
