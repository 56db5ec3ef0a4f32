import { app, dialog, powerMonitor } from 'electron';
import { messageOf } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import { orLate } from '../engine/base/time-limit.ts';
import type { EngineLink } from './engine-link.ts';
import type { MainWindow } from './window.ts';
import { say } from '../contract/messages/words.ts';

/** Time for the engine to say whether it is sending, ms. */
const ANSWER_LIMIT_MS = 2000;
/** After this time the app says what it waits for, ms. */
const SILENCE_MS = 2000;
/** Longest wait for running requests, ms: the longest answers take ten minutes. */
const DRAIN_LIMIT_MS = 15 * 60_000;

type Signals = Pick<NodeJS.Process, 'on'>;
type Stage = 'open' | 'asking' | 'draining' | 'over';

/**
 * Quits the app, for every way of quitting. Asks only while a request is being sent; always drains, since sent requests
 * are paid for; at a second quit it stops waiting.
 */
export class Quit {
  readonly #engine: Pick<EngineLink, 'isRunning' | 'client' | 'stop'>;
  readonly #window: Pick<MainWindow, 'close' | 'destroy'>;
  readonly #mayBeSending: () => boolean;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #works: (() => void | Promise<void>)[] = [];
  readonly #onSessionEndWork: (() => void)[] = [];
  readonly #force = new AbortController();
  #sessionEnds = false;
  #stage: Stage = 'open';

  /** `mayBeSending` says whether a request may be on its way to the service, as far as we can say at once. */
  constructor(
    engine: Pick<EngineLink, 'isRunning' | 'client' | 'stop'>,
    window: Pick<MainWindow, 'close' | 'destroy'>,
    mayBeSending: () => boolean,
    { clock, logger, signals = process }: Readonly<{ clock: Clock; logger: Logger; signals?: Signals }>,
  ) {
    this.#engine = engine;
    this.#window = window;
    this.#mayBeSending = mayBeSending;
    this.#clock = clock;
    this.#logger = logger;
    app.on('before-quit', (event) => {
      if (this.#stage === 'over') return;
      event.preventDefault();
      this.begin();
    });
    this.#watchForSessionEnd(signals);
  }

  get isUnderWay(): boolean {
    return this.#stage !== 'open';
  }

  /** Adds work to do before the engine is drained, which waits for it. */
  before(work: () => void | Promise<void>): void {
    this.#works.push(work);
  }

  /** Adds work to do at once when the session ends, at any point of quitting; nothing waits for it. */
  onSessionEnd(work: () => void): void {
    this.#onSessionEndWork.push(work);
  }

  /**
   * Quits as the menu does: asks when something is being sent just then, drains, ends. `last` ends the program once all is
   * drained; without it, `app.quit` does.
   */
  begin(last?: () => void): void {
    if (this.#stage === 'draining') this.#force.abort();
    if (this.#stage !== 'open') return;
    this.#stage = 'asking';
    void this.#askThenEnd(last ?? (() => app.quit()));
  }

  withoutAsking(): void {
    this.#sessionEnds = true;
    for (const work of this.#onSessionEndWork) work();
    if (this.#stage === 'draining' || this.#stage === 'over') return;
    this.#stage = 'draining';
    void this.#end(() => app.quit());
  }

  /** The machine shuts down or the person logs out: there is no one to ask. Each system has its own event for it. */
  #watchForSessionEnd(signals: Signals): void {
    // Electron looks at the first listener whether the end of the session is wanted, before that listener counts: on Linux
    // 'shutdown' would never come if it were the first.
    powerMonitor.on('resume', () => undefined);
    powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
      event?.preventDefault();
      this.withoutAsking();
    });
    // At a logout Linux has no other event, and the engine's process gets it too: the answer to a question would come
    // too late.
    signals.on('SIGTERM', () => this.withoutAsking());
    signals.on('SIGHUP', () => this.withoutAsking());
    app.on('browser-window-created', (_event, window) => {
      // Windows says so to windows alone, and waits at this moment alone: after 'session-end' it ends the processes as it
      // likes.
      window.on('query-session-end', (event) => {
        if (this.#stage === 'over' || (this.#stage === 'open' && !this.#mayBeSending())) return;
        event.preventDefault();
        this.withoutAsking();
      });
      window.on('session-end', () => this.withoutAsking());
    });
  }

  async #askThenEnd(last: () => void): Promise<void> {
    const agreed = (await this.#agreesToQuit()) && (await this.#window.close());
    if (this.#stage !== 'asking') return;
    this.#stage = agreed ? 'draining' : 'open';
    if (agreed) await this.#end(last);
  }

  async #agreesToQuit(): Promise<boolean> {
    const sending = await this.#takesBeingSent();
    if (sending === 0) return true;
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: say('desktop.quitWhileSending', { count: sending }),
      detail: say('desktop.quitWhileSendingDetail'),
      buttons: [say('desktop.waitAndQuit'), say('common.keepRunning')],
      defaultId: 0,
      cancelId: 1,
    });
    return response === 0;
  }

  /** 0 also when the engine does not say: then the drain, which follows, is careful enough. */
  async #takesBeingSent(): Promise<number> {
    if (!this.#engine.isRunning) return 0;
    const asked = this.#engine.client.queue.view().then(
      ({ status }) => status.underWay.submit,
      () => 0,
    );
    return orLate(this.#clock, ANSWER_LIMIT_MS, asked, 0);
  }

  async #end(last: () => void): Promise<void> {
    const drained = new AbortController();
    for (const work of this.#works) await this.#tryTo(work);
    void this.#showWait(drained.signal);
    void this.#clock.sleep(DRAIN_LIMIT_MS, { signal: drained.signal }).then(
      () => this.#force.abort(),
      () => undefined,
    );
    await this.#tryTo(() => this.#engine.stop(this.#force.signal));
    drained.abort();
    this.#logger.info('Dailies ends', { drained: !this.#force.signal.aborted });
    this.#stage = 'over';
    // Its page would ask a person, who may stay, about a window without an engine. Windows waits only while it is there.
    this.#window.destroy();
    if (this.#sessionEnds) app.quit();
    else last();
  }

  async #tryTo(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#logger.error('Something failed while Dailies ended', { reason: messageOf(error) });
    }
  }

  /** The window is closed, and the program is still in the dock: says why. */
  async #showWait(drained: AbortSignal): Promise<void> {
    const isLong = await this.#clock.sleep(SILENCE_MS, { signal: drained }).then(
      () => true,
      () => false,
    );
    if (!isLong) return;
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: say('desktop.quitWaiting'),
      detail: say('desktop.quitWaitingDetail'),
      buttons: [say('common.wait'), say('desktop.quitNow')],
      defaultId: 0,
      cancelId: 0,
      signal: drained,
    });
    if (response === 1 && !drained.aborted) this.#force.abort();
  }
}
