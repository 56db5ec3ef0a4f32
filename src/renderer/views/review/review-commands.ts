import type { Command } from '../../lib/state/commands.svelte.ts';
import { desktop } from '../../lib/state/desktop.svelte.ts';
import { canUndoOffered, undoOffered } from '../../lib/toasts.ts';
import { isOnControl } from './held-keys.ts';
import { resizeTiles, toggle } from './preferences.svelte.ts';
import { firstOutput, mediumOf } from './take-media.ts';
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

/** What can be done with takes, wherever they are shown. */
export function reviewCommands(session: ReviewSession, actions: ReviewActions): Command[] {
  const hasTake = (): boolean => session.focus !== null;
  const hasFiles = (): boolean => session.judged.some(({ outputs }) => outputs.length > 0);
  return [
    ...ratings(session, hasTake),
    ...flags(session, hasTake),
    ...ways(session, hasTake),
    ...[
      { id: 'note', title: 'Write a note', keys: 'n', run: () => (session.noting = true), enabled: hasTake },
      {
        id: 'undo',
        title: 'Take the last verdict or new take back',
        keys: '$mod+z',
        run: () => (canUndoOffered() ? undoOffered() : session.verdicts.undo()),
        enabled: () => canUndoOffered() || session.verdicts.canUndo,
      },
      {
        id: 'advance',
        title: 'Go on after a verdict, or stay',
        keys: 'Shift+a',
        run: () => toggle('autoAdvance'),
      },
      { id: 'find', title: 'Search takes', keys: '/', run: actions.find },
      {
        id: 'find-meaning',
        title: 'Search by meaning, or by words',
        keys: 'Shift+s',
        run: actions.findByMeaning,
        enabled: () => session.mode === 'grid',
      },
      { id: 'group', title: 'Takes of a shot together', keys: 's', run: () => toggle('grouped') },
      { id: 'panel', title: 'Show the recipe', keys: 'd', run: () => toggle('panel') },
      { id: 'export', title: 'Export selects', keys: 'e', run: actions.exportTakes },
      {
        id: 'reveal',
        title: 'Show the file in its folder',
        keys: 'Shift+r',
        run: () => {
          const [take] = session.judged.filter(({ outputs }) => outputs.length > 0);
          if (take) desktop.reveal(take.id);
        },
        enabled: hasFiles,
      },
      { id: 'copy-path', title: 'Copy the path', keys: 'Shift+c', run: actions.copyPaths, enabled: hasFiles },
      { id: 'again', title: 'New take of this shot', keys: '$mod+Enter', run: actions.newTake, enabled: hasTake },
      {
        id: 'again-changed',
        title: 'New take with changes',
        keys: '$mod+Shift+Enter',
        run: actions.newTakeWithChanges,
        enabled: hasTake,
      },
      {
        id: 'describe',
        title: 'Describe the picture',
        run: actions.describe,
        enabled: () => session.focus !== null && mediumOf(session.focus, firstOutput(session.focus)) === 'still',
      },
    ].map((command): Command => ({ ...command, id: `review-${command.id}`, group: 'Review' })),
  ];
}

function ratings(session: ReviewSession, enabled: () => boolean): Command[] {
  return [0, 1, 2, 3, 4, 5].map((rating) => ({
    id: `review-rate-${rating}`,
    title: rating === 0 ? 'Take the rating off' : `Rate ${rating} of 5`,
    group: 'Verdict',
    keys: String(rating),
    run: () => session.judge({ rating }),
    enabled,
  }));
}

function flags(session: ReviewSession, enabled: () => boolean): Command[] {
  const each = [
    { id: 'pick', title: 'Pick', keys: 'p', flag: 'pick' },
    { id: 'reject', title: 'Reject', keys: 'x', flag: 'reject' },
    { id: 'unflag', title: 'Take the flag off', keys: 'u', flag: null },
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
      title: 'Open the take',
      keys: 'Enter',
      run: () => session.enter(),
      enabled: () => session.mode !== 'single' && hasTake() && !isOnControl(),
    },
    { id: 'back', title: 'Back', keys: 'Escape', run: () => session.back() },
    { id: 'next', title: 'Next take', keys: 'ArrowRight', run: () => session.step(1), enabled: hasTake },
    { id: 'before', title: 'Take before', keys: 'ArrowLeft', run: () => session.step(-1), enabled: hasTake },
    {
      id: 'newer',
      title: 'Next take of the shot',
      keys: 'ArrowDown',
      run: () => session.stepInShot(1),
      enabled: isOpen,
    },
    {
      id: 'older',
      title: 'Take of the shot before',
      keys: 'ArrowUp',
      run: () => session.stepInShot(-1),
      enabled: isOpen,
    },
    { id: 'compare', title: 'Compare', keys: 'c', run: () => void session.compare(), enabled: hasTake },
    { id: 'all', title: 'Select all takes', keys: '$mod+a', run: () => void session.selectAll(), enabled: inGrid },
    {
      id: 'larger',
      title: 'Larger pictures',
      keys: '[Shift]++',
      run: () => resizeTiles(40),
      enabled: inGrid,
    },
    {
      id: 'smaller',
      title: 'Smaller pictures',
      keys: '-',
      run: () => resizeTiles(-40),
      enabled: inGrid,
    },
  ];
  return each.map((command) => ({ ...command, id: `review-${command.id}`, group: 'Takes' }));
}
