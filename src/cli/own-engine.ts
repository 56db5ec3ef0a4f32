import { createRouterClient, ORPCError } from '@orpc/server';
import type { Session } from './session.ts';
import { type HostedEngine, type HostedEngineOptions, startHostedEngine } from '../host/hosted-engine.ts';
import type { KeysOfEngine } from '../host/key.ts';
import type { Settings } from '../contract/settings.ts';
import type { Engine } from '../engine/engine.ts';
import { actFor } from '../engine/base/acting-session.ts';
import type { Scope } from '../engine/db/job-store.ts';
import { createRouter } from '../server/router/router.ts';
import { ToldTakes } from '../server/runs.ts';
import { callable, type CommandEngine, type Watch } from './engine.ts';
import { plainText } from './output/text.ts';
import { t } from '../contract/messages/words.ts';

function ownEngine({ interrupted }: Session, { engine, services }: HostedEngine): CommandEngine {
  const client = createRouterClient(createRouter({ ...services, stopping: interrupted }));
  return {
    sharedBy: null,
    recovery: engine.recovery,
    api: callable(client, toCause, interrupted),
    async *listen(stream) {
      yield* stream;
    },
    async watch(scope, { resumePaused, progress }) {
      // This process hears its own engine more directly, to its very end.
      await progress?.return();
      return watch(engine, scope, resumePaused);
    },
  };
}

/** What an engine of this process threw, in place of what a caller elsewhere would be told of it. */
const toCause = (error: unknown): unknown =>
  error instanceof ORPCError && error.cause !== undefined ? error.cause : error;

function watch(engine: Engine, scope: Scope, resumePaused: boolean): Watch {
  const takes = engine.stores.queries.list({ ...scope, current: true });
  return {
    takes,
    async go(onEvent) {
      const told = new ToldTakes(takes);
      engine.subscribe((event) => {
        if (event.type === 'job') told.isOf(event.job);
        // A project folder that was taken may have changed many at once.
        const changed = event.type === 'many' ? told.changed(engine.stores.queries.list(scope)) : null;
        if (changed) for (const job of changed) onEvent({ type: 'job', job });
        else onEvent(event);
      });
      if (resumePaused) await engine.commands.run('queue.resume', {}, 'command');
      const paused = engine.queue.status().gates.find(({ reason }) => reason === 'paused_by_user');
      // No window can resume it here.
      if (paused) return { is: 'halted', gate: paused };
      engine.queue.run(scope);
      return engine.queue.settled();
    },
    whenPaused: null,
    interruptNotice: () => t('cli.stopping', { count: engine.queue.status().underWay.submit }),
  };
}

export interface EngineNeeds {
  readonly settings: Settings;
  readonly keys: KeysOfEngine;
  readonly agent?: string | undefined;
  /** It hands a list to the studio: an engine of this process becomes a member of it first. */
  readonly studio?: boolean | undefined;
}

export async function withEngine<Result>(
  session: Session,
  { settings, keys, agent, studio }: EngineNeeds,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  const caller = agent === undefined ? 'command' : 'agent';
  const hosted = await startHere(session, { settings, caller, keys });
  try {
    const member = studio === true ? await hosted.studio.enterToHandOver() : null;
    const pull = () => Promise.all([member?.pull(), member?.readBudgets()]).then(() => undefined);
    const engine = { ...ownEngine(session, hosted), ...(member && { pull }) };
    return await (agent === undefined ? work(engine) : actFor(agent, () => work(engine)));
  } finally {
    await hosted.stop();
  }
}

/** Starts an engine in this process, which keeps the computer awake while it works. Throws DataFolderInUseError. */
export async function startHere(
  session: Session,
  options: Pick<HostedEngineOptions, 'settings' | 'caller' | 'keys'>,
): Promise<HostedEngine> {
  const { shell, dataFolder, command, complain } = session;
  let isTold = false;
  // A person at the terminal is told once that the computer may fall asleep.
  const awake = await shell.awakeHelper(() => {
    if (!isTold && shell.stderr.isTTY === true) complain(t('cli.mayFallAsleep'));
    isTold = true;
  });
  const hosted = await startHostedEngine(shell, {
    ...{ ...options, dataFolder, command },
    // Node.js does not say whether a computer runs on its battery.
    power: () => ({ keepsAwake: awake.state, onBattery: false }),
    hasPendingWork: (hasPendingWork) => awake.need(hasPendingWork),
    sayAtOnce: (message) => complain(plainText(message)),
  });
  return { ...hosted, stop: () => hosted.stop().finally(() => awake.need(false)) };
}
