import { t } from '../../contract/messages/words.ts';
import { type PrivateHost, startPrivateHost } from '../../server/private/host.ts';
import { exitStatus, type ExitStatus, statusFor } from '../exit.ts';
import { toSummary } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { startHere } from '../own-engine.ts';
import { toSettings } from '../service-access.ts';
import { aborted, type Session } from '../session.ts';
import { createBudgetNotices, machineHere } from '../studio-link.ts';
import { type Given, JSON_LINES, verb, word } from '../verb.ts';

const WORKER = [
  word('--name <name>', 'cli.optWorkerName'),
  word('--root <name=dir>', 'cli.optWorkerRoot', { several: true }),
  word('--until-idle', 'cli.optUntilIdle'),
  JSON_LINES,
] as const;

export const verbs = [verb('worker', 'cli.helpWorker', WORKER, (session, options) => work(session, options))];

/** Works for a studio until the person stops it, or nothing is left. Shares its engine with commands, as `serve` does. */
async function work(session: Session, { name, root, untilIdle = false }: Given<typeof WORKER>): Promise<ExitStatus> {
  const here = await machineHere(session, { name, root });
  const hosted = await startHere(session, { settings: toSettings(session), caller: 'command' });
  const { engine, services } = hosted;
  let shared: PrivateHost | null = null;
  const counts = () => ({ ...engine.stores.tally.counts({}), waiting: engine.stores.queries.waiting({}) });
  try {
    const worker = await hosted.studio.enter(() => true, here.machine);
    shared = await startPrivateHost(services);
    engine.announce(shared.socket);
    await worker.ready;
    engine.queue.run({});
    const roots = [...here.roots].map(([each, path]) => `${each}=${path}`).join(', ');
    if (session.json)
      session.printJson({ type: 'worker', machine: here.machine, roots: Object.fromEntries(here.roots) });
    else session.print(t('cli.workerStarted', { machine: plainText(here.machine), roots: plainText(roots) }));
    const notices = createBudgetNotices(session, (object, line) =>
      session.json ? session.printJson(object) : session.print(line),
    );
    const waiting = async (): Promise<number> => {
      await worker.member.readBudgets();
      return notices(engine.stores);
    };
    const over = new AbortController();
    const { signal } = over;
    void Promise.race([aborted(session.interrupted), ...(untilIdle ? [worker.untilIdle()] : [])]).then(() =>
      over.abort(),
    );
    while (!signal.aborted) {
      await waiting();
      await session.shell.clock.sleep(LOOK_MS, { signal }).catch(() => undefined);
    }
    const held = (await waiting()) > 0 ? ({ reason: 'cap_reached' } as const) : null;
    if (session.interrupted.aborted)
      session.complain(t('cli.stopping', { count: engine.queue.status().underWay.submit }));
    if (session.json) session.printJson(toSummary(counts()));
    return session.interrupted.aborted ? exitStatus.interrupted : statusFor(counts(), held);
  } finally {
    await shared?.close();
    await hosted.stop();
  }
}

/** How often it looks whether budgets are used up, ms. */
const LOOK_MS = 5000;
