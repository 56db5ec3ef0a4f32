import type { App, Dialog } from 'electron';
import type { Logger } from '../engine/base/ports.ts';
import { say } from '../contract/messages/words.ts';

export interface FailuresParts {
  readonly app: Pick<App, 'on'>;
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly logger: Logger;
  readonly quit: () => void;
}

/**
 * Notes unexpected errors of this process, and shows the first one without details. The queue is in its own process and
 * goes on; the person sees best whether the window still works.
 */
export function watchForFailures(process: Pick<NodeJS.Process, 'on'>, parts: FailuresParts): void {
  const { app, dialog, logger, quit } = parts;
  let told = false;
  const fail = (error: unknown): void => {
    logger.error('Something failed in the app itself', { error });
    if (told) return;
    told = true;
    const asking = dialog.showMessageBox({
      type: 'error',
      message: say('desktop.wentWrong'),
      detail: say('desktop.wentWrongDetail'),
      buttons: [say('common.goOn'), say('common.quit')],
      defaultId: 0,
      cancelId: 0,
    });
    asking.then(
      ({ response }) => response === 1 && quit(),
      () => quit(),
    );
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // `EngineLink` logs the end of the engine.
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (type !== 'Utility') logger.warn('A process of the app ended', { type, reason, exitCode });
  });
}
