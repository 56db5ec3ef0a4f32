import { say } from '../../../../contract/messages/words.ts';
import { commandTable, type Command, type CommandLine } from '../../../lib/state/commands.svelte.ts';
import { isOnControl } from '../held-keys.ts';
import type { Transport } from './transport.svelte.ts';
import type { ZoomGroup } from './zoom-group.svelte.ts';

export function playerCommands(transport: Transport, enabled: () => boolean): Command[] {
  const keys: readonly CommandLine[] = [
    ['back', say('review.playBackward'), 'j', () => transport.shuttle(-1)],
    ['stop', say('common.stop'), 'k', () => transport.pause()],
    ['forward', say('review.playForward'), 'l', () => transport.shuttle(1)],
    ['frame-back', say('review.frameBack'), ',', () => transport.step(-1)],
    ['frame-on', say('review.frameForward'), '.', () => transport.step(1)],
    ['frames-back', say('review.tenFramesBack'), 'Shift+<', () => transport.step(-10)],
    ['frames-on', say('review.tenFramesForward'), 'Shift+>', () => transport.step(10)],
    ['in', say('review.markIn'), 'i', () => transport.markIn()],
    ['out', say('review.markOut'), 'o', () => transport.markOut()],
    ['clear-marks', say('review.clearMarks'), 'Shift+o', () => transport.clearMarks()],
    ['loop', say('review.loop'), 'Shift+l', () => (transport.loop = !transport.loop)],
    ['mute', say('review.muteOrUnmute'), 'm', () => (transport.sound.muted = !transport.sound.muted)],
    ['louder', say('review.volumeUp'), 'Shift+ArrowUp', () => (transport.sound.volume += 0.1)],
    ['quieter', say('review.volumeDown'), 'Shift+ArrowDown', () => (transport.sound.volume -= 0.1)],
  ];
  const canToggle = () => enabled() && !isOnControl();
  return commandTable('Player', 'player-', [
    ['toggle', say('review.playOrPause'), 'Space', () => transport.toggle(), canToggle],
    ...keys.map(([id, title, key, run]): CommandLine => [id, title, key, run, enabled]),
  ]);
}

export async function toggleFullscreen(stage: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await stage?.requestFullscreen();
}

export const zoomCommands = (zoom: ZoomGroup, enabled: () => boolean): Command[] =>
  commandTable('Picture', 'zoom-', [
    ['toggle', say('review.fitOrActual'), 'z', () => zoom.toggle(), enabled],
    ['in', say('review.zoomIn'), '[Shift]++', () => zoom.zoom(1), enabled],
    ['in-plain', say('review.zoomIn'), '=', () => zoom.zoom(1), enabled],
    ['out', say('review.zoomOut'), '-', () => zoom.zoom(-1), enabled],
  ]);
