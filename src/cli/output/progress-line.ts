import type { Shell } from '../shell.ts';

const EVERY_MS = 200;

export function progressLine({ stderr, clock }: Pick<Shell, 'stderr' | 'clock'>) {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = (): void => {
    if (isShown) stderr.control?.('\r\u001B[K');
    isShown = false;
  };
  return {
    clear,
    show(text: () => string): void {
      if (stderr.isTTY !== true || clock.now() - shownAt < EVERY_MS) return;
      clear();
      stderr.write(text());
      isShown = true;
      shownAt = clock.now();
    },
  };
}
