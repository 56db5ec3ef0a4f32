import { say } from '../../contract/messages/words.ts';
import type { WindowScope, WindowState } from '../../contract/night-window.ts';
import { stateInWords, windowInWords } from '../../contract/window-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withProject } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { printList } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { noProjectAt, viewDataFolder, wantedScopes, type View } from '../look.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';
import { windowOf } from '../window-options.ts';

const NIGHT_WINDOW = [
  word('[HOURS]', 'cli.argHours'),
  OF_PROJECT,
  word('--batch <name>', 'cli.optWindowBatch'),
  word('--days <days>', 'cli.optWindowDays'),
  word('--time-zone <zone>', 'cli.optTimeZone'),
  word('--remove', 'cli.optWindowRemove'),
  word('--start-now', 'cli.optStartNow'),
  JSON_LINES,
] as const;
type WindowCommand = Given<typeof NIGHT_WINDOW>;

export const verbs = [verb('window', 'cli.helpWindow', NIGHT_WINDOW, nightWindow)];

interface Named {
  readonly name: string;
  readonly state: WindowState;
}

async function nightWindow(session: Session, options: WindowCommand): Promise<ExitStatus> {
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
  return printList(session, options.json, {
    type: 'window',
    rows: windowsOf(session, options),
    object: ({ name, state }) => ({ name, ...state }),
    cells({ name, state }) {
      const facts = { scope: state.scope.scope, name: plainText(name) };
      return [say('cli.window', { ...facts, window: windowInWords(state), state: stateInWords(state) })];
    },
    none: say('cli.noWindow'),
  });
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
    if (view.isNew) throw noProjectAt(session, project);
    const found = wantedScopes(view, { project, ...(batch !== undefined && { batch }) }, session);
    const scopes = found.map(({ projectId = '', batchId }): WindowScope =>
      batchId === undefined ? { scope: 'project', projectId } : { scope: 'batch', batchId },
    );
    return see({ view, scopes });
  });
}

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
