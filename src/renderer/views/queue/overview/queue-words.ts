import type { QueueView } from '../../../../contract/events.ts';
import { t } from '../../../../contract/messages/words.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

export function throughputInWords(savedPerMinute: readonly number[]): string {
  const total = sum(savedPerMinute);
  if (total === 0) return t('queue.noneSaved');
  const most = Math.max(...savedPerMinute);
  return t('queue.savedChart', { total, now: savedPerMinute.at(-1) ?? 0, most });
}

export function minuteInWords(savedPerMinute: readonly number[], index: number): string {
  const ago = savedPerMinute.length - 1 - index;
  return t('queue.savedInMinute', { count: savedPerMinute[index] ?? 0, ago });
}

/** A round top for the scale that leaves the bars room: never less than 4, or one take would fill it. */
export function topOfScale(savedPerMinute: readonly number[]): number {
  return Math.max(4, Math.ceil(Math.max(0, ...savedPerMinute) * 1.1));
}

export const savedInHour = sum;

/** Whether the computer stays awake while no one uses it. Null: it is not known to be kept awake. */
export function awakeWords({ keepsAwake, onBattery }: Pick<QueueView, 'keepsAwake' | 'onBattery'>): {
  readonly word: string;
  readonly meaning: string;
  /** It can stop the queue, and a person can do something about it. */
  readonly isWarning: boolean;
} {
  if (onBattery) return { word: t('queue.onBattery'), meaning: t('queue.onBatteryMeaning'), isWarning: true };
  if (keepsAwake === null)
    return { word: t('queue.notKeptAwake'), meaning: t('queue.notKeptAwakeMeaning'), isWarning: true };
  if (keepsAwake) return { word: t('queue.keptAwake'), meaning: t('queue.keptAwakeMeaning'), isWarning: false };
  return { word: t('queue.maySleep'), meaning: t('queue.maySleepMeaning'), isWarning: false };
}
