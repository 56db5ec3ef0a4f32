import type { AccountState } from '../../../lib/state/settings.svelte.ts';
import type { Estimate, StartPlan, StartMode } from '../../../../contract/batch.ts';
import type { ParsedCap } from '../../../lib/caps.ts';
import { costInWords } from '../../../lib/cost.ts';
import { moneyInWords } from '../../../../contract/in-words.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { t } from '../../../../contract/messages/words.ts';

/** `118.5 s` of video that a plan asks for; null when no line says. */
export function toSeconds(plan: Estimate): number | null {
  const known = plan.lines.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  return known.length === 0 ? null : known.reduce((sum, seconds) => sum + seconds, 0);
}

export function secondsInWords(seconds: number): string {
  if (seconds < 120) return t('start.seconds', { value: seconds });
  return seconds < 7200 ? t('start.minutes', { value: seconds / 60 }) : t('start.hours', { value: seconds / 3600 });
}

export function estimateInWords(estimate: Estimate): string {
  const seconds = toSeconds(estimate);
  const takesWithVideo = estimate.lines.reduce((sum, line) => sum + (line.videoInput ? line.takes : 0), 0);
  const videoInput = takesWithVideo === 0 ? [] : [t('start.withVideoInputCount', { count: takesWithVideo })];
  const length = seconds === null ? [] : [secondsInWords(seconds)];
  return [t('common.takes', { count: estimate.newTakes }), ...length, costInWords(estimate), ...videoInput].join(
    t('common.listSeparator'),
  );
}

const MAX_NAMED = 3;

/** Takes that failed and that starting the list does not send again: `1 take failed: 009`; null when there is none. */
export function failedInWords({ failed }: StartPlan): string | null {
  if (failed.length === 0) return null;
  const all = [...new Set(failed)];
  const shots = all.slice(0, MAX_NAMED).join(t('common.listSeparator'));
  return t('start.failed', { count: failed.length, shots, others: Math.max(0, all.length - MAX_NAMED) });
}

export const nothingNewInWords = ({ failed }: StartPlan): string =>
  t(failed.length === 0 ? 'start.allTakesMade' : 'start.noNewTakes');

/** The files to upload first; null without any. */
export function uploadsInWords({ uploads }: StartPlan): string | null {
  if (uploads.length === 0) return null;
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  return t('start.uploads', { count: uploads.length, size: bytesForPeople(bytes) });
}

export function differencesInWords({ added, changed, unchanged, removed }: StartPlan): string {
  const parts = [
    ['start.countNew', added.length],
    ['start.countChanged', changed.length],
    ['start.countUnchanged', unchanged],
    ['start.countLeftOut', removed.length],
  ] as const;
  return parts
    .filter(([, count]) => count > 0)
    .map(([key, count]) => t(key, { count }))
    .join(t('common.listSeparator'));
}

export const isImportAgain = ({ changed, unchanged, removed }: StartPlan): boolean =>
  changed.length + unchanged + removed.length > 0;

/** One of the batches that the list could go into, with its new takes: `Add to “Keeper”: 4 new takes, 2.00 USD`. */
export function startModeInWords(mode: StartMode): string {
  const made = t('start.addTo', { isNew: mode.isNew ? 'yes' : 'no', batch: mode.name, count: mode.newTakes });
  return mode.newTakes === 0 ? made : [made, costInWords(mode)].join(t('common.listSeparator'));
}

/** The help below each field of a cap: the amounts to compare it with. */
export function capHelpInWords(plan: StartPlan, parsed: ParsedCap): { money: string; takes: string } {
  const spent = plan.cap?.spent;
  const { money, takes } = parsed.ok ? parsed.cap : { money: null, takes: null };
  const lines = {
    money: comparedWith(costInWords(plan), spent && moneyInWords(spent.money, plan.currency)),
    takes: comparedWith(
      t('start.newTakes', { count: plan.newTakes }),
      spent && t('common.takes', { count: spent.takes }),
    ),
  };
  const isShort = {
    money: money !== null && money < (plan.price ?? 0) + (spent?.money ?? 0),
    takes: takes !== null && takes < plan.newTakes + (spent?.takes ?? 0),
  };
  return {
    money: isShort.money ? t('start.capBelow', { estimate: lines.money }) : lines.money,
    takes: isShort.takes ? t('start.capBelow', { estimate: lines.takes }) : lines.takes,
  };
}

const comparedWith = (estimate: string, used = 'none'): string => t('start.capUsed', { used, estimate });

/** Whose takes they are; null while that is not known. */
type Payer = Pick<AccountState, 'name' | 'baseUrl' | 'key' | 'isOnly'> | null;

/** Where takes go to, before they are started: null while it is not known. */
export function destinationInWords(payer: Payer, isSample: boolean): string | null {
  if (isSample) return t('start.sentToSample');
  return payer && t('start.sentToService', { service: payer.baseUrl || 'none', ...accountIn(payer) });
}

/** The setting that must be made before any of them can be sent; null when nothing is missing. */
export function missingInWords(payer: Payer, isSample: boolean): string | null {
  if (payer === null || isSample) return null;
  const hasAddress = payer.baseUrl !== '';
  const hasKey = payer.key.present && payer.key.keptFor === undefined;
  if (hasAddress && hasKey) return null;
  return t('start.missing', { what: hasAddress ? 'key' : hasKey ? 'address' : 'both', ...accountIn(payer) });
}

const accountIn = ({ isOnly, name }: NonNullable<Payer>) => ({ named: isOnly ? 'no' : 'yes', account: name });
