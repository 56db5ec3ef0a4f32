import {
  ArchiveRestore,
  CircleDashed,
  Clapperboard,
  ClipboardCopy,
  Columns2,
  FolderOpen,
  GalleryHorizontal,
  Gem,
  GitCompareArrows,
  Maximize2,
  MonitorPlay,
  NotebookPen,
  Plus,
  RefreshCw,
  RotateCcw,
  Share,
  SlidersHorizontal,
  Tag,
  TextQuote,
  ThumbsDown,
  ThumbsUp,
  Trash2,
  type LucideIcon,
} from '@lucide/svelte';
import { t } from '../../../contract/messages/words.ts';
import type { MenuEntry } from '../../lib/components/Menu.svelte';
import { firstOutput, mediumFor } from '../../lib/media/take-media.ts';
import { commandTable, entriesFor, type Command, type CommandLine } from '../../lib/state/commands.svelte.ts';
import { desktop } from '../../lib/state/desktop.svelte.ts';
import { projects, unlessArchived } from '../../lib/state/projects.svelte.ts';
import { reviewMerge } from '../../lib/state/review-merge.svelte.ts';
import { resizeTiles, toggle } from './preferences.svelte.ts';
import { reviewPlace } from './review-place.svelte.ts';
import type { ReviewSession } from './review-session.svelte.ts';
import { copyPaths } from './take-actions.ts';

type Opens = Readonly<Record<'find' | 'findByMeaning' | 'newTake' | 'change', () => void>>;

export function reviewCommands(session: ReviewSession, opens: Opens): Command[] {
  const hasTake = (): boolean => session.focus !== null;
  const hasFiles = (): boolean => session.judged.some(({ outputs }) => outputs.length > 0);
  const isStringOut = (): boolean => session.mode === 'string-out';
  const isOpen = (): boolean => session.mode === 'single' || session.mode === 'compare';
  const inGrid = (): boolean => session.mode === 'grid';
  const isOnTile = (): boolean => inGrid() && hasTake();
  const canEnter = (): boolean => session.mode !== 'single' && hasTake();
  const isStale = (): boolean => session.judged.some(({ stale }) => stale !== undefined);
  const isStill = (): boolean =>
    session.focus !== null && mediumFor(session.focus, firstOutput(session.focus)) === 'still';

  const ratings = [0, 1, 2, 3, 4, 5].map((rating): CommandLine => {
    const title = rating === 0 ? t('review.clearRating') : t('review.rateStars', { stars: rating });
    return [`rate-${rating}`, title, String(rating), () => session.judge({ rating }), hasTake];
  });
  return [
    ...commandTable('Verdict', 'review-', [
      ...ratings,
      ['pick', t('review.pick'), 'p', () => session.judge({ flag: 'pick' }), hasTake],
      ['alternate', t('review.alternate'), 'a', () => session.judge({ flag: 'alternate' }), hasTake],
      ['reject', t('review.reject'), 'x', () => session.judge({ flag: 'reject' }), hasTake],
      ['unflag', t('review.clearFlag'), 'u', () => session.judge({ flag: null }), hasTake],
    ]).map(unlessArchived),
    ...commandTable('Takes', 'review-', [
      ['enter', t('review.openTake'), 'Enter', () => session.enter(), canEnter],
      ['back', t('common.back'), 'Escape', () => session.back()],
      ['next', t('review.nextTake'), 'ArrowRight', () => session.step(1), hasTake],
      ['before', t('review.previousTake'), 'ArrowLeft', () => session.step(-1), hasTake],
      ['newer', t('review.nextTakeOfShot'), 'ArrowDown', () => session.stepInShot(1), isOpen],
      ['older', t('review.previousTakeOfShot'), 'ArrowUp', () => session.stepInShot(-1), isOpen],
      ['compare', t('review.compare'), 'c', () => session.compare(), hasTake],
      ['pair', t('review.pair'), 'Shift+p', () => session.pair(), hasTake],
      ['string-out', t('stringOut.open'), 'v', () => reviewPlace.showStringOut('all'), () => !isStringOut()],
      ['around', t('stringOut.around'), 'b', () => session.playAround(), hasTake],
      ['all', t('review.selectAllTakes'), '$mod+a', () => session.picking.selectAll(), isOnTile],
      ['larger', t('review.largerThumbnails'), '[Shift]++', () => resizeTiles(40), isOnTile],
      ['smaller', t('review.smallerThumbnails'), '-', () => resizeTiles(-40), isOnTile],
    ]),
    // What changes takes, makes new ones or asks the service about them, but for verdicts.
    ...commandTable('Review', 'review-', [
      ['note', t('review.noteEdit'), 'n', () => session.whenSelected(() => (session.dialog = 'note')), hasTake],
      ['tag', t('review.tagEdit'), 't', () => session.whenSelected(() => (session.dialog = 'tags')), hasTake],
      ['find-meaning', t('review.searchByMeaning'), 'Shift+s', opens.findByMeaning, inGrid],
      ['again', t('review.newTakeOfShot'), '$mod+Enter', opens.newTake, hasTake],
      ['again-changed', t('review.newTakeWithChanges'), '$mod+Shift+Enter', opens.change, hasTake],
      [
        'again-stale',
        t('stale.makeAgainDots'),
        '',
        () => session.whenSelected(() => (session.dialog = 'again')),
        isStale,
      ],
      ['retake', t('review.retake'), 'r', () => session.whenSelected(() => session.retake()), hasTake],
      ['finals', t('review.finals'), '', () => session.whenSelected(() => (session.dialog = 'finals'))],
      ['describe', t('review.describePicture'), '', () => (session.dialog = 'describe'), isStill],
    ]).map(unlessArchived),
    ...commandTable('Review', 'review-', [
      ['advance', t('review.autoAdvance'), 'Shift+a', () => toggle('autoAdvance')],
      ['advance-stars', t('review.advanceAfterStars'), '', () => toggle('advanceAfterStars')],
      ['find', t('review.searchTakes'), '/', opens.find],
      ['group', t('review.groupByShot'), 's', () => reviewPlace.toggleGroup('shot')],
      ['panel', t('queue.toggleDetails'), 'd', () => toggle('panel')],
      ['export', t('review.exportSelects'), 'e', () => (session.dialog = 'export')],
      ['export-cut', t('cut.exportDots'), 'Shift+e', () => (session.dialog = 'cut')],
      ['reel', t('reel.exportDots'), '', () => (session.dialog = 'reel')],
      ['merge-review', t('reel.mergeDots'), '', () => reviewMerge.choose(), () => !projects.isReadOnly],
      ['reveal', t('review.showInFolder'), 'Shift+r', () => reveal(session), hasFiles],
      ['copy-path', t('review.copyPath'), 'Shift+c', () => copyPaths(session.judged), hasFiles],
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
  ['pair', GitCompareArrows],
  ['around', GalleryHorizontal],
  null,
  ['pick', ThumbsUp],
  ['alternate', CircleDashed],
  ['reject', ThumbsDown],
  ['note', NotebookPen],
  ['tag', Tag],
  null,
  ['again', Plus],
  ['again-changed', SlidersHorizontal],
  ['again-stale', RefreshCw],
  ['retake', RotateCcw],
  ['finals', Gem],
  ['describe', TextQuote],
  null,
  ['reveal', FolderOpen],
  ['copy-path', ClipboardCopy],
  ['export', Share],
  ['export-cut', Clapperboard],
  ['reel', MonitorPlay],
  null,
  ['trash', Trash2],
  ['untrash', ArchiveRestore],
];

/** The menu of a take: its commands, with their keys, so that people learn them here. */
export function takeMenu(commands: readonly Command[]): (MenuEntry | null)[] {
  return shown.flatMap((entry) => {
    if (entry === null) return [null];
    const [id, icon] = entry;
    const label = id === 'reveal' && { label: desktop.showInFolder };
    return entriesFor(commands, [`review-${id}`]).map((line) => ({ ...line, icon, ...label }));
  });
}
