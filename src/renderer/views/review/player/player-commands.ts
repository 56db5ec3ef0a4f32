import type { Command } from '../../../lib/state/commands.svelte.ts';
import { isOnControl } from '../held-keys.ts';
import type { Transport } from './transport.svelte.ts';
import type { ZoomGroup } from './zoom-group.svelte.ts';

type Entry = readonly [id: string, title: string, keys: string, run: () => void];

/** Keys of the player, as editors know them. */
export function playerCommands(transport: Transport, enabled: () => boolean): Command[] {
  const entries: readonly Entry[] = [
    ['back', 'Play backwards, faster with each press', 'j', () => transport.shuttle(-1)],
    ['stop', 'Stop', 'k', () => transport.pause()],
    ['forward', 'Play, faster with each press', 'l', () => transport.shuttle(1)],
    ['frame-back', 'One frame back', ',', () => transport.step(-1)],
    ['frame-on', 'One frame on', '.', () => transport.step(1)],
    ['frames-back', 'Ten frames back', 'Shift+<', () => transport.step(-10)],
    ['frames-on', 'Ten frames on', 'Shift+>', () => transport.step(10)],
    ['in', 'Mark in', 'i', () => transport.markIn()],
    ['out', 'Mark out', 'o', () => transport.markOut()],
    ['clear-marks', 'Clear in and out', 'Shift+o', () => transport.clearMarks()],
    ['loop', 'Loop on or off', 'Shift+l', () => (transport.loop = !transport.loop)],
    ['mute', 'Sound on or off', 'm', () => (transport.sound.muted = !transport.sound.muted)],
    ['louder', 'Louder', 'Shift+ArrowUp', () => (transport.sound.volume += 0.1)],
    ['quieter', 'Quieter', 'Shift+ArrowDown', () => (transport.sound.volume -= 0.1)],
  ];
  return [
    {
      id: 'player-toggle',
      title: 'Play or pause',
      group: 'Player',
      keys: 'Space',
      run: () => transport.toggle(),
      enabled: () => enabled() && !isOnControl(),
    },
    ...entries.map(([id, title, keys, run]): Command => ({
      id: `player-${id}`,
      title,
      group: 'Player',
      keys,
      run,
      enabled,
    })),
  ];
}

export function zoomCommands(zoom: ZoomGroup, enabled: () => boolean): Command[] {
  const entries: readonly Entry[] = [
    ['toggle', 'Fit or pixel by pixel', 'z', () => zoom.toggle()],
    ['in', 'Larger', '[Shift]++', () => zoom.zoom(1)],
    ['in-plain', 'Larger', '=', () => zoom.zoom(1)],
    ['out', 'Smaller', '-', () => zoom.zoom(-1)],
  ];
  return entries.map(([id, title, keys, run]) => ({ id: `zoom-${id}`, title, group: 'Picture', keys, run, enabled }));
}
