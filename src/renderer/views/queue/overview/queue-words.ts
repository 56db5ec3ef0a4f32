import type { QueueView } from '../../../../contract/events.ts';
import { t } from '../../../../contract/messages/words.ts';

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
