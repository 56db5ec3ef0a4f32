import {
  ArchiveRestore,
  ClipboardCopy,
  Columns2,
  FolderOpen,
  Maximize2,
  NotebookPen,
  Plus,
  Share,
  SlidersHorizontal,
  Tag,
  TextQuote,
  ThumbsDown,
  ThumbsUp,
  Trash2,
  type LucideIcon,
} from '@lucide/svelte';
import { say } from '../../../contract/messages/words.ts';
import type { MenuEntry } from '../../lib/components/Menu.svelte';
import { firstOutput, mediumOf } from '../../lib/media/take-media.ts';
import { commandTable, type Command, type CommandLine } from '../../lib/state/commands.svelte.ts';
import { desktop } from '../../lib/state/desktop.svelte.ts';
import { unlessArchived } from '../../lib/state/projects.svelte.ts';
import { isOnControl } from './held-keys.ts';
import { resizeTiles, toggle } from './preferences.svelte.ts';
import { reviewPlace } from './review-place.svelte.ts';
import type { ReviewSession } from './review-session.svelte.ts';
import { copyPaths } from './take-actions.ts';

type Opens = Readonly<Record<'find' | 'findByMeaning' | 'exportTakes' | 'newTake' | 'change' | 'describe', () => void>>;

export function reviewCommands(session: ReviewSession, opens: Opens): Command[] {
  const hasTake = (): boolean => session.focus !== null;
  const hasFiles = (): boolean => session.judged.some(({ outputs }) => outputs.length > 0);
  const isOpen = (): boolean => session.mode !== 'grid';
  const inGrid = (): boolean => session.mode === 'grid';
  const isOnTile = (): boolean => inGrid() && hasTake();
  const canEnter = (): boolean => session.mode !== 'single' && hasTake() && !isOnControl();
  const isStill = (): boolean =>
    session.focus !== null && mediumOf(session.focus, firstOutput(session.focus)) === 'still';

  const ratings = [0, 1, 2, 3, 4, 5].map((rating): CommandLine => {
    const title = rating === 0 ? say('review.clearRating') : say('review.rateStars', { stars: rating });
    return [`rate-${rating}`, title, String(rating), () => session.judge({ rating }), hasTake];
  });
  return [
    ...commandTable('Verdict', 'review-', [
      ...ratings,
      ['pick', say('review.pick'), 'p', () => session.judge({ flag: 'pick' }), hasTake],
      ['reject', say('review.reject'), 'x', () => session.judge({ flag: 'reject' }), hasTake],
      ['unflag', say('review.clearFlag'), 'u', () => session.judge({ flag: null }), hasTake],
    ]).map(unlessArchived),
    ...commandTable('Takes', 'review-', [
      ['enter', say('review.openTake'), 'Enter', () => session.enter(), canEnter],
      ['back', say('common.back'), 'Escape', () => session.back()],
      ['next', say('review.nextTake'), 'ArrowRight', () => session.step(1), hasTake],
      ['before', say('review.previousTake'), 'ArrowLeft', () => session.step(-1), hasTake],
      ['newer', say('review.nextTakeOfShot'), 'ArrowDown', () => session.stepInShot(1), isOpen],
      ['older', say('review.previousTakeOfShot'), 'ArrowUp', () => session.stepInShot(-1), isOpen],
      ['compare', say('review.compare'), 'c', () => session.compare(), hasTake],
      ['all', say('review.selectAllTakes'), '$mod+a', () => session.selectAll(), isOnTile],
      ['larger', say('review.largerThumbnails'), '[Shift]++', () => resizeTiles(40), isOnTile],
      ['smaller', say('review.smallerThumbnails'), '-', () => resizeTiles(-40), isOnTile],
    ]),
    // What changes takes, makes new ones or asks the service about them, but for verdicts.
    ...commandTable('Review', 'review-', [
      ['note', say('review.noteEdit'), 'n', () => (session.noting = true), hasTake],
      ['tag', say('review.tagEdit'), 't', () => (session.tagging = true), hasTake],
      ['find-meaning', say('review.searchMeaningOrWords'), 'Shift+s', opens.findByMeaning, inGrid],
      ['again', say('review.newTakeOfShot'), '$mod+Enter', opens.newTake, hasTake],
      ['again-changed', say('review.newTakeWithChanges'), '$mod+Shift+Enter', opens.change, hasTake],
      ['describe', say('review.describePicture'), '', opens.describe, isStill],
    ]).map(unlessArchived),
    ...commandTable('Review', 'review-', [
      ['advance', say('review.autoAdvance'), 'Shift+a', () => toggle('autoAdvance')],
      ['find', say('review.searchTakes'), '/', opens.find],
      ['group', say('review.groupByShot'), 's', () => reviewPlace.toggleGroup('shot')],
      ['panel', say('review.showOrHideRecipe'), 'd', () => toggle('panel')],
      ['export', say('review.exportSelects'), 'e', opens.exportTakes],
      ['reveal', say('review.showInFolder'), 'Shift+r', () => reveal(session), hasFiles],
      ['copy-path', say('review.copyPath'), 'Shift+c', () => copyPaths(session.judged), hasFiles],
    ]),
  ];
}

function reveal({ judged }: ReviewSession): void {
  const take = judged.find(({ outputs }) => outputs.length > 0);
  if (take) desktop.reveal(take.id);
}

/** The most used commands, in the order of the work; `null` is a line. */
const shown: readonly (readonly [id: string, icon: LucideIcon] | null)[] = [
  ['enter', Maximize2],
  ['compare', Columns2],
  null,
  ['pick', ThumbsUp],
  ['reject', ThumbsDown],
  ['note', NotebookPen],
  ['tag', Tag],
  null,
  ['again', Plus],
  ['again-changed', SlidersHorizontal],
  ['describe', TextQuote],
  null,
  ['reveal', FolderOpen],
  ['copy-path', ClipboardCopy],
  ['export', Share],
  null,
  ['trash', Trash2],
  ['untrash', ArchiveRestore],
];

/** The menu of a take: its commands, with their keys, so that people learn them here. */
export function takeMenu(commands: readonly Command[]): (MenuEntry | null)[] {
  return shown.flatMap((entry) => {
    if (entry === null) return [null];
    const [id, icon] = entry;
    const command = commands.find((each) => each.id === `review-${id}`);
    if (!command) return [];
    const { title, keys, run, enabled } = command;
    const label = id === 'reveal' ? desktop.showInFolder : title;
    return [{ label, icon, run, disabled: !(enabled?.() ?? true), ...(keys !== undefined && { keys }) }];
  });
}
