import { t, spoken } from '../../../contract/messages/words.ts';
import {
  picksPerTake,
  pricePerPickedSecond,
  pricePerTake,
  successRate,
  type StatisticsPeriod,
  type TakeStatistics,
} from '../../../contract/ledger.ts';
import { averageInWords } from '../../../contract/in-words.ts';
import { dayAndYear, lengthForPeople, monthAndYear, percent } from '../../lib/format.ts';
import { dayFor } from './amounts.ts';

export const figures = ['success', 'time', 'pricePerTake', 'picksPerTake', 'pricePerSecond', 'requests'] as const;
export type Figure = (typeof figures)[number];

export const figureNames: Readonly<Record<Figure, string>> = {
  success: t('stats.success'),
  time: t('stats.time'),
  pricePerTake: t('stats.pricePerTake'),
  picksPerTake: t('stats.picksPerTake'),
  pricePerSecond: t('stats.pricePerSecond'),
  requests: t('common.requests'),
};

/** Null where a figure has no base. Pure. */
export function valueFor(row: TakeStatistics, figure: Figure): number | null {
  switch (figure) {
    case 'success':
      return successRate(row);
    case 'time':
      return row.medianMs;
    case 'pricePerTake':
      return pricePerTake(row);
    case 'picksPerTake':
      return picksPerTake(row);
    case 'pricePerSecond':
      return pricePerPickedSecond(row);
    case 'requests':
      return row.requests;
  }
}

/** A figure as people read it; a dash where it has no base. Pure. */
export function figureInWords(value: number | null, figure: Figure, currency: string): string {
  if (value === null) return '–';
  switch (figure) {
    case 'success':
      return percent(value);
    case 'time':
      return lengthForPeople(value);
    case 'pricePerTake':
    case 'pricePerSecond':
      return averageInWords(value, currency);
    case 'picksPerTake':
      return value.toLocaleString(spoken(), { maximumFractionDigits: 2 });
    case 'requests':
      return t('common.number', { value });
  }
}

/** Why a figure has no base, or what it is based on; a word for people. Pure. */
export function baseFor(row: TakeStatistics, figure: Figure): string {
  switch (figure) {
    case 'success':
      return row.saved + row.failed === 0
        ? t('stats.nothingOver')
        : t('stats.savedOf', { saved: row.saved, count: row.saved + row.failed });
    case 'time':
      return row.p90Ms === null ? t('stats.noSaved') : t('stats.p90', { time: lengthForPeople(row.p90Ms) });
    case 'pricePerTake':
      return noPrice(row) ?? (row.saved === 0 ? t('stats.noSaved') : t('common.takes', { count: row.saved }));
    case 'picksPerTake':
      return row.saved === 0 ? t('stats.noSaved') : t('stats.picks', { count: row.picked });
    case 'pricePerSecond': {
      if (row.pickedSeconds === 0 && row.picksWithoutSeconds === 0) return t('stats.noFilms');
      const without = noPrice({ charged: row.filmsCharged, unpriced: row.filmsUnpriced });
      if (without !== null) return without;
      return row.picksWithoutSeconds > 0
        ? t('stats.noLength', { count: row.picksWithoutSeconds })
        : t('stats.pickedSeconds', { seconds: Math.round(row.pickedSeconds) });
    }
    case 'requests':
      return t('stats.open', { count: row.open });
  }
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
