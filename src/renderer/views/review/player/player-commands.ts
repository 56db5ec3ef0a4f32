import { t } from '../../../../contract/messages/words.ts';
import { commandTable, type Command, type CommandLine } from '../../../lib/state/commands.svelte.ts';
import { unlessArchived } from '../../../lib/state/projects.svelte.ts';
import type { FrameMarks } from '../marks/frame-marks.svelte.ts';
import type { Playback } from './transport.svelte.ts';
import type { ZoomGroup } from './zoom-group.svelte.ts';

/** Where in and out are kept: with the take, or while it is played. */
interface Marking {
  markIn(): void;
  markOut(): void;
  clearMarks(): void;
}

export function playerCommands(
  transport: Playback,
  enabled: () => boolean,
  stage: () => HTMLElement | null,
  marking: Marking,
): Command[] {
  const keys: readonly CommandLine[] = [
    ['toggle', () => t(transport.playing ? 'common.pause' : 'review.play'), 'Space', () => transport.toggle()],
    ['back', t('review.playBackward'), 'j', () => transport.shuttle(-1)],
    ['stop', t('common.stop'), 'k', () => transport.pause()],
    ['forward', t('review.playForward'), 'l', () => transport.shuttle(1)],
    ['frame-back', t('review.frameBack'), ',', () => transport.step(-1)],
    ['frame-on', t('review.frameForward'), '.', () => transport.step(1)],
    ['frames-back', t('review.tenFramesBack'), 'Shift+<', () => transport.step(-10)],
    ['frames-on', t('review.tenFramesForward'), 'Shift+>', () => transport.step(10)],
    ['in', t('review.markIn'), 'i', () => marking.markIn()],
    ['out', t('review.markOut'), 'o', () => marking.markOut()],
    ['clear-marks', t('review.clearMarks'), 'Shift+o', () => marking.clearMarks()],
    ['loop', t('review.loop'), 'Shift+l', () => (transport.loop = !transport.loop)],
    ['mute', t('review.mute'), 'm', () => (transport.sound.muted = !transport.sound.muted)],
    ['louder', t('review.volumeUp'), 'Shift+ArrowUp', () => (transport.sound.volume += 0.1)],
    ['quieter', t('review.volumeDown'), 'Shift+ArrowDown', () => (transport.sound.volume -= 0.1)],
  ];
  return commandTable('Player', 'player-', [
    ['full', t('menu.role.togglefullscreen'), 'f', () => toggleFullscreen(stage())],
    ...keys.map(([id, title, key, run]): CommandLine => [id, title, key, run, enabled]),
  ]);
}

export function frameCommands(frames: FrameMarks): Command[] {
  const isFilm = (): boolean => frames.isFilm;
  const hasNotes = (): boolean => frames.notes.length > 0;
  return [
    ...commandTable('Player', 'frames-', [
      ['to-in', t('review.goToIn'), 'Home', () => frames.goTo('in'), isFilm],
      ['to-out', t('review.goToOut'), 'End', () => frames.goTo('out'), isFilm],
      ['next-note', t('review.nextFrameNote'), 'Shift+m', () => frames.showNext(), hasNotes],
    ]),
    ...commandTable('Player', 'frames-', [
      ['note', t('review.noteAtThisFrame'), 'Shift+n', () => frames.begin(), isFilm],
    ]).map(unlessArchived),
  ];
}

async function toggleFullscreen(stage: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await stage?.requestFullscreen();
}

export const zoomCommands = (zoom: ZoomGroup, enabled: () => boolean): Command[] =>
  commandTable('Picture', 'zoom-', [
    ['toggle', t('review.fitOrActual'), 'z', () => zoom.toggle(), enabled],
    ['in', t('menu.role.zoomIn'), '[Shift]++', () => zoom.zoom(1), enabled],
    ['in-plain', t('menu.role.zoomIn'), '=', () => zoom.zoom(1), enabled],
    ['out', t('menu.role.zoomOut'), '-', () => zoom.zoom(-1), enabled],
  ]);
