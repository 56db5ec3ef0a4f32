import type { PowerMonitor } from 'electron';
import type { PowerEvent } from '../../contract/desktop.ts';
import { streamOf } from './stream.ts';

/** That the machine is about to sleep, and that it is awake again. */
export function powerEvents(
  monitor: Pick<PowerMonitor, 'on' | 'off'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<PowerEvent, void, void> {
  return streamOf((hear) => {
    const suspend = (): void => hear('suspend');
    const wake = (): void => hear('wake');
    monitor.on('suspend', suspend);
    monitor.on('resume', wake);
    return () => {
      monitor.off('suspend', suspend);
      monitor.off('resume', wake);
    };
  }, signal);
}
