import { havingWords } from '../choices.ts';
import type { LibraryAsset } from '../../../contract/asset.ts';
import { nameOrder, t } from '../../../contract/messages/words.ts';
import type { Tone } from '../words.ts';

export type StandingFilter = 'any' | 'not-ready' | Standing;
export type Order = 'newest' | 'name' | 'size' | 'standing';

/** The person's filter. `hidden` shows only hidden assets. */
export interface Wanted {
  readonly text: string;
  readonly group: string | null;
  readonly type: string;
  readonly standing: StandingFilter;
  readonly hidden: boolean;
  readonly order: Order;
}

export const everything: Wanted = {
  text: '',
  group: null,
  type: 'any',
  standing: 'any',
  hidden: false,
  order: 'newest',
};

export const isFiltered = ({ text, type, standing, hidden }: Wanted): boolean =>
  text.trim() !== '' || type !== 'any' || standing !== 'any' || hidden;

export function findAssets(all: readonly LibraryAsset[], wanted: Wanted): readonly LibraryAsset[] {
  return havingWords(wanted.text, all, toText)
    .filter(
      (asset) =>
        asset.hidden === wanted.hidden &&
        (wanted.group === null || asset.groupId === wanted.group) &&
        (wanted.type === 'any' || asset.type === wanted.type) &&
        fitsStanding(asset, wanted.standing),
    )
    .sort(orders[wanted.order]);
}

function fitsStanding(asset: LibraryAsset, wanted: StandingFilter): boolean {
  if (wanted === 'any') return true;
  const standing = toStanding(asset);
  return wanted === 'not-ready' ? standing !== 'ready' : standing === wanted;
}

/** What a person may find it by: its name, ids, files, or the purpose of its upload. */
function toText({ name, reference, description, groupName = '', uploadedFor, local }: LibraryAsset): string {
  const paths = local?.paths ?? [];
  return [name, reference, description, groupName, uploadedFor?.model, uploadedFor?.role, ...paths].join('\n');
}

type Compare = (a: LibraryAsset, b: LibraryAsset) => number;

const collator = nameOrder();
const urgency: Readonly<Record<Standing, number>> = { failed: 0, missing: 1, disabled: 2, waiting: 3, ready: 4 };

const byName: Compare = (a, b) => collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
const orders: Readonly<Record<Order, Compare>> = {
  newest: (a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || byName(a, b),
  name: byName,
  size: (a, b) => toBytes(b) - toBytes(a) || byName(a, b),
  standing: (a, b) => urgency[toStanding(a)] - urgency[toStanding(b)] || byName(a, b),
};

export const toBytes = ({ size, local }: LibraryAsset): number => size ?? local?.bytes ?? 0;

export const toSeconds = ({ duration, local }: LibraryAsset): number | null => duration ?? local?.duration ?? null;

/** Whether an asset can be used, in one word: its readiness, unless the service does not have it any more. */
export type Standing = LibraryAsset['readiness'] | 'missing';

export const toStanding = (asset: LibraryAsset): Standing =>
  asset.missingSince === null ? asset.readiness : 'missing';

interface StandingWords {
  readonly word: string;
  readonly tone: Tone;
  readonly meaning: string;
}

export const assetStatusWords: Readonly<Record<Standing, StandingWords>> = {
  failed: {
    word: t('state.failed'),
    tone: 'bad',
    meaning: t('library.failedMeaning'),
  },
  missing: {
    word: t('library.missing'),
    tone: 'unsure',
    meaning: t('library.missingMeaning'),
  },
  disabled: { word: t('library.disabled'), tone: 'off', meaning: t('library.disabledMeaning') },
  waiting: {
    word: t('library.syncing'),
    tone: 'working',
    meaning: t('library.syncingMeaning'),
  },
  ready: { word: t('library.ready'), tone: 'good', meaning: t('library.readyMeaning') },
};

/** The reason, where the service gave one; else its meaning. */
export function toReason(asset: LibraryAsset): string {
  const standing = toStanding(asset);
  return standing === 'failed' && asset.syncError ? asset.syncError : assetStatusWords[standing].meaning;
}

/** The service's review of an asset, with its caution; null without a review. */
export function toReview(asset: LibraryAsset): { readonly word: string; readonly caution: string } | null {
  if (asset.missingSince !== null) return null;
  const word = asset.reviewStatus ?? (asset.reviewPassed === undefined ? null : passedWord(asset.reviewPassed));
  if (word === null || word === '') return null;
  const misleads = toStanding(asset) !== 'ready' && asset.reviewPassed === true;
  return { word, caution: misleads ? t('library.reviewCaution') : '' };
}

const passedWord = (passed: boolean): string => (passed ? t('library.reviewPassed') : t('library.reviewNotPassed'));
