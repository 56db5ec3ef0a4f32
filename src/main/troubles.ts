import { app, dialog, type MessageBoxOptions } from 'electron';
import type { Logger } from '../engine/base/ports.ts';
import type { EngineLink } from './engine-link.ts';
import { IN_USE, type EngineTrouble } from './engine-messages.ts';
import type { Quit } from './quit.ts';
import { t, sayText } from '../contract/messages/words.ts';

type Choice = 'common.tryAgain' | 'common.quit' | 'common.wait';

export function createTroubles(engine: Pick<EngineLink, 'tryAgain'>, quit: Pick<Quit, 'begin'>) {
  let open: AbortController | null = null;
  let waitedFor = '';

  const tell = async (
    what: Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>,
    choices: readonly Choice[],
  ): Promise<void> => {
    if (open) return;
    const { signal } = (open = new AbortController());
    const { response } = await dialog.showMessageBox({
      ...what,
      buttons: choices.map((choice) => t(choice)),
      defaultId: 0,
      cancelId: choices.length - 1,
      signal,
    });
    open = null;
    if (signal.aborted) return;
    const choice = choices[response];
    if (choice === 'common.tryAgain') engine.tryAgain();
    if (choice === 'common.quit') quit.begin();
  };

  return {
    over(): void {
      open?.abort();
      waitedFor = '';
    },
    couldNotStart({ code, ...trouble }: EngineTrouble): void {
      const [message, detail] = [sayText(trouble.message), sayText(trouble.remedy)];
      if (code !== IN_USE) {
        void tell({ type: 'error', message, detail }, ['common.tryAgain', 'common.quit']);
      } else if (waitedFor !== message) {
        // Shown once: a person who chose to wait is not asked again at every check.
        waitedFor = message;
        void tell({ type: 'info', message, detail }, ['common.wait', 'common.quit']);
      }
    },
    keepsEnding(deaths: number): void {
      const message = t('desktop.engineFailing');
      const detail = t('desktop.engineFailingDetail', { count: deaths });
      void tell({ type: 'error', message, detail }, ['common.tryAgain', 'common.quit']);
    },
    /** Shows the wait again: the person has opened the app a second time and sees nothing. */
    remind(): void {
      waitedFor = '';
    },
  };
}

/** Notes unexpected errors of this process, and shows the first without details. The queue's process goes on. */
export function watchForFailures(process: Pick<NodeJS.Process, 'on'>, logger: Logger, quit: Pick<Quit, 'begin'>): void {
  let told = false;
  const fail = (error: unknown): void => {
    logger.error('Something failed in the app itself', { error });
    if (told) return;
    told = true;
    const asking = dialog.showMessageBox({
      type: 'error',
      message: t('desktop.wentWrong'),
      detail: t('desktop.wentWrongDetail'),
      buttons: [t('common.goOn'), t('common.quit')],
      defaultId: 0,
      cancelId: 0,
    });
    asking.then(
      ({ response }) => response === 1 && quit.begin(),
      () => quit.begin(),
    );
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // `EngineLink` logs the end of the engine.
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (type !== 'Utility') logger.warn('A process of the app ended', { type, reason, exitCode });
  });
}
