import type { Desktop, Features } from '../desktop.ts';

/** Brings up everything that only a desktop app can do. */
export function installFeatures(_desktop: Desktop): Features {
  return {
    serveDesktop: () => undefined,
    runsWithoutWindow: () => false,
  };
}
