import { say } from '../../../contract/messages/words.ts';
import type { Command } from '../../lib/state/commands.svelte.ts';
import { desktop } from '../../lib/state/desktop.svelte.ts';
import { unlessArchived } from '../../lib/state/projects.svelte.ts';
import { isOnControl } from './held-keys.ts';
import { resizeTiles, toggle } from './preferences.svelte.ts';
import { firstOutput, mediumOf } from '../../lib/media/take-media.ts';
import { reviewPlace } from './review-place.svelte.ts';
import type { ReviewSession } from './review-session.svelte.ts';

interface ReviewActions {
  readonly find: () => void;
  readonly findByMeaning: () => void;
  readonly exportTakes: () => void;
  readonly newTake: () => void;
  readonly newTakeWithChanges: () => void;
  readonly describe: () => void;
  readonly copyPaths: () => void;
}

export function reviewCommands(session: ReviewSession, actions: ReviewActions): Command[] {
  const hasTake = (): boolean => session.focus !== null;
  const hasFiles = (): boolean => session.judged.some(({ outputs }) => outputs.length > 0);
  return [
    ...ratings(session, hasTake).map(unlessArchived),
    ...flags(session, hasTake).map(unlessArchived),
    ...ways(session, hasTake),
    ...[
      ...changes(session, actions, hasTake).map(unlessArchived),
      {
        id: 'advance',
        title: say('review.autoAdvance'),
        keys: 'Shift+a',
        run: () => toggle('autoAdvance'),
      },
      { id: 'find', title: say('review.searchTakes'), keys: '/', run: actions.find },
      { id: 'group', title: say('review.groupByShot'), keys: 's', run: () => reviewPlace.toggleGroup('shot') },
      { id: 'panel', title: say('review.showOrHideRecipe'), keys: 'd', run: () => toggle('panel') },
      { id: 'export', title: say('review.exportSelects'), keys: 'e', run: actions.exportTakes },
      {
        id: 'reveal',
        title: say('review.showInFolder'),
        keys: 'Shift+r',
        run: () => {
          const [take] = session.judged.filter(({ outputs }) => outputs.length > 0);
          if (take) desktop.reveal(take.id);
        },
        enabled: hasFiles,
      },
      { id: 'copy-path', title: say('review.copyPath'), keys: 'Shift+c', run: actions.copyPaths, enabled: hasFiles },
    ].map((command): Command => ({ ...command, id: `review-${command.id}`, group: 'Review' })),
  ];
}

/** What changes takes, makes new ones or asks the service about them, but for verdicts. */
function changes(session: ReviewSession, actions: ReviewActions, hasTake: () => boolean) {
  return [
    { id: 'note', title: say('review.noteEdit'), keys: 'n', run: () => (session.noting = true), enabled: hasTake },
    { id: 'tag', title: say('review.tagEdit'), keys: 't', run: () => (session.tagging = true), enabled: hasTake },
    {
      id: 'find-meaning',
      title: say('review.searchMeaningOrWords'),
      keys: 'Shift+s',
      run: actions.findByMeaning,
      enabled: () => session.mode === 'grid',
    },
    { id: 'again', title: say('review.newTakeOfShot'), keys: '$mod+Enter', run: actions.newTake, enabled: hasTake },
    {
      id: 'again-changed',
      title: say('review.newTakeWithChanges'),
      keys: '$mod+Shift+Enter',
      run: actions.newTakeWithChanges,
      enabled: hasTake,
    },
    {
      id: 'describe',
      title: say('review.describePicture'),
      run: actions.describe,
      enabled: () => session.focus !== null && mediumOf(session.focus, firstOutput(session.focus)) === 'still',
    },
  ];
}

function ratings(session: ReviewSession, enabled: () => boolean): Command[] {
  return [0, 1, 2, 3, 4, 5].map((rating) => ({
    id: `review-rate-${rating}`,
    title: rating === 0 ? say('review.clearRating') : say('review.rateStars', { stars: rating }),
    group: 'Verdict',
    keys: String(rating),
    run: () => session.judge({ rating }),
    enabled,
  }));
}

function flags(session: ReviewSession, enabled: () => boolean): Command[] {
  const each = [
    { id: 'pick', title: say('review.pick'), keys: 'p', flag: 'pick' },
    { id: 'reject', title: say('review.reject'), keys: 'x', flag: 'reject' },
    { id: 'unflag', title: say('review.clearFlag'), keys: 'u', flag: null },
  ] as const;
  return each.map(({ id, title, keys, flag }) => ({
    id: `review-${id}`,
    title,
    group: 'Verdict',
    keys,
    run: () => session.judge({ flag }),
    enabled,
  }));
}

function ways(session: ReviewSession, hasTake: () => boolean): Command[] {
  const isOpen = (): boolean => session.mode !== 'grid';
  const inGrid = (): boolean => session.mode === 'grid' && hasTake();
  const each = [
    {
      id: 'enter',
      title: say('review.openTake'),
      keys: 'Enter',
      run: () => session.enter(),
      enabled: () => session.mode !== 'single' && hasTake() && !isOnControl(),
    },
    { id: 'back', title: say('common.back'), keys: 'Escape', run: () => session.back() },
    { id: 'next', title: say('review.nextTake'), keys: 'ArrowRight', run: () => session.step(1), enabled: hasTake },
    {
      id: 'before',
      title: say('review.previousTake'),
      keys: 'ArrowLeft',
      run: () => session.step(-1),
      enabled: hasTake,
    },
    {
      id: 'newer',
      title: say('review.nextTakeOfShot'),
      keys: 'ArrowDown',
      run: () => session.stepInShot(1),
      enabled: isOpen,
    },
    {
      id: 'older',
      title: say('review.previousTakeOfShot'),
      keys: 'ArrowUp',
      run: () => session.stepInShot(-1),
      enabled: isOpen,
    },
    { id: 'compare', title: say('review.compare'), keys: 'c', run: () => void session.compare(), enabled: hasTake },
    {
      id: 'all',
      title: say('review.selectAllTakes'),
      keys: '$mod+a',
      run: () => void session.selectAll(),
      enabled: inGrid,
    },
    {
      id: 'larger',
      title: say('review.largerThumbnails'),
      keys: '[Shift]++',
      run: () => resizeTiles(40),
      enabled: inGrid,
    },
    {
      id: 'smaller',
      title: say('review.smallerThumbnails'),
      keys: '-',
      run: () => resizeTiles(-40),
      enabled: inGrid,
    },
  ];
  return each.map((command) => ({ ...command, id: `review-${command.id}`, group: 'Takes' }));
}
