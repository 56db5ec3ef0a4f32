import { say } from '../../../contract/messages/words.ts';
import type { LibraryAsset } from '../../../contract/asset.ts';
import type { Tone } from '../words.ts';

/** Whether an asset can be used, in one word: its readiness, unless the service does not have it any more. */
export type Standing = LibraryAsset['readiness'] | 'missing';

export const standingOf = (asset: LibraryAsset): Standing =>
  asset.missingSince === null ? asset.readiness : 'missing';

interface StandingWords {
  readonly word: string;
  readonly tone: Tone;
  readonly meaning: string;
}

/** In the order of urgency. */
export const assetStatusWords: Readonly<Record<Standing, StandingWords>> = {
  failed: {
    word: say('state.failed'),
    tone: 'bad',
    meaning: say('library.failedMeaning'),
  },
  missing: {
    word: say('library.missing'),
    tone: 'unsure',
    meaning: say('library.missingMeaning'),
  },
  disabled: { word: say('library.disabled'), tone: 'off', meaning: say('library.disabledMeaning') },
  waiting: {
    word: say('library.syncing'),
    tone: 'working',
    meaning: say('library.syncingMeaning'),
  },
  ready: { word: say('library.ready'), tone: 'good', meaning: say('library.readyMeaning') },
};

/** The reason, where the service gave one; else its meaning. */
export function reasonOf(asset: LibraryAsset): string {
  const standing = standingOf(asset);
  return standing === 'failed' && asset.syncError ? asset.syncError : assetStatusWords[standing].meaning;
}

/** The service's review of an asset, with its caution; null without a review. */
export function reviewOf(asset: LibraryAsset): { readonly word: string; readonly caution: string } | null {
  if (asset.missingSince !== null) return null;
  const word = asset.reviewStatus ?? (asset.reviewPassed === undefined ? null : passedWord(asset.reviewPassed));
  if (word === null || word === '') return null;
  const misleads = standingOf(asset) !== 'ready' && asset.reviewPassed === true;
  return { word, caution: misleads ? say('library.reviewCaution') : '' };
}

const passedWord = (passed: boolean): string => (passed ? say('library.reviewPassed') : say('library.reviewNotPassed'));
