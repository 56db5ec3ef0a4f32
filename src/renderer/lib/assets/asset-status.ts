import { t } from '../../../contract/messages/words.ts';
import type { LibraryAsset } from '../../../contract/asset.ts';
import type { Tone } from '../words.ts';

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
