import { say } from '../../contract/messages/words.ts';
import type { WindowScope, WindowState } from '../../contract/night-window.ts';
import { stateInWords, windowInWords } from '../../contract/window-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withProject } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { noProjectAt, viewDataFolder, wantedScopes, type View } from '../read-only-view.ts';
import { printTo, type Session } from '../session.ts';
import { windowOf, type WindowOptions } from '../window-options.ts';

export interface WindowCommand extends Omit<WindowOptions, 'window'> {
  readonly hours?: string;
  readonly project: string;
  readonly batch?: string;
  readonly remove?: boolean;
  readonly startNow?: boolean;
  readonly json?: boolean;
}

/** A window with the name of its project or batch. */
interface Named {
  readonly name: string;
  readonly state: WindowState;
}

/** Sets, removes or skips the night window of a project or a batch, and prints the result. */
export async function nightWindow(session: Session, options: WindowCommand): Promise<ExitStatus> {
  const { hours, days, timeZone, remove = false, startNow = false } = options;
  const wanted = windowOf({
    ...(hours !== undefined && { window: hours }),
    ...(days !== undefined && { days }),
    ...(timeZone !== undefined && { timeZone }),
  });
  if ([wanted !== undefined, remove, startNow].filter(Boolean).length > 1) {
    throw new UsageError(say('cli.windowOneThing'), say('cli.windowOneThingRemedy'));
  }
  if (wanted || remove || startNow) {
    await withProject(session, 'dailies window', options.project, async ({ api: { windows } }) => {
      const scopes = look(session, options, ({ scopes: found }) => found);
      if (!startNow) return each(scopes, (scope) => windows.change({ scope, window: wanted ?? null }));
      const closed = windowsOf(session, options).filter(({ state }) => !state.isOpen);
      return each(closed, ({ state }) => windows.startNow({ scope: state.scope }));
    });
  }
  tell(session, windowsOf(session, options), options.json === true);
  return exitStatus.saved;
}

async function each<Item>(items: readonly Item[], work: (item: Item) => unknown): Promise<void> {
  for (const item of items) await work(item);
}

interface Looked {
  readonly view: View;
  readonly scopes: readonly WindowScope[];
}

function look<Seen>(session: Session, { project, batch }: WindowCommand, see: (looked: Looked) => Seen): Seen {
  return viewDataFolder(session.dataFolder, (view) => {
    if (!view) throw noProjectAt(session, project);
    const found = wantedScopes(view, { project, ...(batch !== undefined && { batch }) }, session);
    const scopes = found.map(({ projectId = '', batchId }): WindowScope =>
      batchId === undefined ? { scope: 'project', projectId } : { scope: 'batch', batchId },
    );
    return see({ view, scopes });
  });
}

/** The windows of the project and of its batches, or of one batch. */
function windowsOf(session: Session, options: WindowCommand): Named[] {
  return look(session, options, ({ view, scopes }) => {
    const now = session.shell.clock.now();
    return view.windows.list().flatMap((stored) => {
      const { scope } = stored;
      const owner = scope.scope === 'batch' ? view.batches.get(scope.batchId) : view.projects.get(scope.projectId);
      const isWanted = scopes.some((wanted) =>
        wanted.scope === 'batch'
          ? scope.scope === 'batch' && scope.batchId === wanted.batchId
          : owner !== null && ('projectId' in owner ? owner.projectId : owner.id) === wanted.projectId,
      );
      return isWanted && owner ? [{ name: owner.name, state: windowAt(stored, now) }] : [];
    });
  });
}

function tell(session: Session, windows: readonly Named[], json: boolean): void {
  const { stdout } = session.shell;
  if (json) {
    for (const { name, state } of windows) stdout.write(jsonLine({ type: 'window', name, ...state }));
    return;
  }
  const print = printTo(session);
  if (windows.length === 0) print(say('cli.noWindow'));
  for (const { name, state } of windows) {
    print(
      say('cli.window', {
        ...{ scope: state.scope.scope, name: plainText(name) },
        ...{ window: windowInWords(state), state: stateInWords(state) },
      }),
    );
  }
}
