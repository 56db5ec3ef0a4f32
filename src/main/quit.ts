import { app, dialog, powerMonitor } from 'electron';
import { toMessage } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { orLate } from '../engine/base/time-limit.ts';
import type { EngineLink } from './engine-link.ts';
import type { MainWindow } from './window.ts';
import { t } from '../contract/messages/words.ts';

const ANSWER_LIMIT_MS = 2000;
const SILENCE_MS = 2000;
/** Longest wait for running requests, ms: the longest answers take ten minutes. */
const DRAIN_LIMIT_MS = 15 * 60_000;

/**
 * Quits the app, for every way of quitting. Asks only while a request is being sent; always drains, since sent requests
 * are paid for; at a second quit it stops waiting. `mayBeSending` says whether a request may be on its way to the
 * service, as far as we can say at once.
 */
export function createQuit(
  engine: Pick<EngineLink, 'isRunning' | 'client' | 'stop'>,
  window: Pick<MainWindow, 'close' | 'destroy'>,
  mayBeSending: () => boolean,
  { clock, logger, signals = process }: { clock: Clock; logger: Logger; signals?: Pick<NodeJS.Process, 'on'> },
) {
  const works: (() => void | Promise<void>)[] = [];
  const onSessionEndWork: (() => void)[] = [];
  const force = new AbortController();
  let sessionEnds = false;
  let stage: 'open' | 'asking' | 'draining' | 'over' = 'open';
  const stageNow = (): typeof stage => stage;

  const askThenEnd = async (last: () => void): Promise<void> => {
    const agreed = (await agreesToQuit(engine, clock)) && (await window.close());
    // The session may have ended over the question.
    if (stageNow() !== 'asking') return;
    stage = agreed ? 'draining' : 'open';
    if (agreed) await end(last);
  };

  const end = async (last: () => void): Promise<void> => {
    const drained = new AbortController();
    for (const work of works) await tryTo(work);
    void showWait(drained.signal);
    void clock.sleep(DRAIN_LIMIT_MS, { signal: drained.signal }).then(
      () => force.abort(),
      () => undefined,
    );
    await tryTo(() => engine.stop(force.signal));
    drained.abort();
    logger.info('Dailies ends', { drained: !force.signal.aborted });
    stage = 'over';
    // Its page would ask a person, who may stay, about a window without an engine. Windows waits only while it is there.
    window.destroy();
    if (sessionEnds) app.quit();
    else last();
  };

  const tryTo = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.error('Something failed while Dailies ended', { reason: toMessage(error) });
    }
  };

  /** The window is closed, and the program is still in the dock: says why. */
  const showWait = async (drained: AbortSignal): Promise<void> => {
    const isLong = await clock.sleep(SILENCE_MS, { signal: drained }).then(
      () => true,
      () => false,
    );
    if (!isLong) return;
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: t('desktop.quitWaiting'),
      detail: t('desktop.quitWaitingDetail'),
      buttons: [t('common.wait'), t('desktop.quitNow')],
      defaultId: 0,
      cancelId: 0,
      signal: drained,
    });
    if (response === 1 && !drained.aborted) force.abort();
  };

  const begin = (last: () => void = () => app.quit()): void => {
    if (stage === 'draining') force.abort();
    if (stage !== 'open') return;
    stage = 'asking';
    void askThenEnd(last);
  };

  /** The machine shuts down or the person logs out: there is no one to ask. */
  const withoutAsking = (): void => {
    sessionEnds = true;
    for (const work of onSessionEndWork) work();
    if (stage === 'draining' || stage === 'over') return;
    stage = 'draining';
    void end(() => app.quit());
  };

  app.on('before-quit', (event) => {
    if (stage === 'over') return;
    event.preventDefault();
    begin();
  });
  // Each system has its own event for the end of the session. Electron looks at the first listener whether that is
  // wanted, before that listener counts: on Linux 'shutdown' would never come if it were the first.
  powerMonitor.on('resume', () => undefined);
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault();
    withoutAsking();
  });
  // At a logout Linux has no other event, and the engine's process gets it too: the answer to a question would come
  // too late.
  signals.on('SIGTERM', withoutAsking);
  signals.on('SIGHUP', withoutAsking);
  app.on('browser-window-created', (_event, made) => {
    // Windows says so to windows alone, and waits at this moment alone: after 'session-end' it ends the processes as it
    // likes.
    made.on('query-session-end', (event) => {
      if (stage === 'over' || (stage === 'open' && !mayBeSending())) return;
      event.preventDefault();
      withoutAsking();
    });
    made.on('session-end', withoutAsking);
  });

  return {
    get isUnderWay(): boolean {
      return stage !== 'open';
    },
    /** Adds work to do before the engine is drained, which waits for it. */
    before: (work: () => void | Promise<void>): void => void works.push(work),
    /** Adds work to do at once when the session ends, at any point of quitting; nothing waits for it. */
    onSessionEnd: (work: () => void): void => void onSessionEndWork.push(work),
    /**
     * Quits as the menu does: asks when something is being sent just then, drains, ends. `last` ends the program once
     * all is drained; without it, `app.quit` does.
     */
    begin,
  };
}

export type Quit = ReturnType<typeof createQuit>;

async function agreesToQuit({ isRunning, client }: Pick<EngineLink, 'isRunning' | 'client'>, clock: Clock) {
  if (!isRunning) return true;
  // 0 also when the engine does not say: then the drain, which follows, is careful enough.
  const asked = client.queue.view().then(
    ({ status }) => status.underWay.submit,
    () => 0,
  );
  const sending = await orLate(clock, ANSWER_LIMIT_MS, asked, 0);
  if (sending === 0) return true;
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: t('desktop.quitWhileSending', { count: sending }),
    detail: t('desktop.quitWhileSendingDetail'),
    buttons: [t('desktop.waitAndQuit'), t('common.keepRunning')],
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}
