import { t } from '../../contract/messages/words.ts';
import type { WindowScope, WindowState } from '../../contract/night-window.ts';
import { stateInWords, windowInWords } from '../../contract/in-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withProject } from '../connect.ts';
import { refused } from '../exit.ts';
import { noProjectAt, viewDataFolder, wantedScopes, type View } from '../look.ts';
import { toWindow } from '../options.ts';
import { printList } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';

const NIGHT_WINDOW = [
  word('[HOURS]', 'cli.argHours'),
  OF_PROJECT,
  word('--batch <name>', 'cli.optBatch'),
  word('--days <days>', 'cli.optWindowDays'),
  word('--time-zone <zone>', 'cli.optTimeZone'),
  word('--remove', 'night.remove'),
  word('--start-now', 'cli.optStartNow'),
  JSON_LINES,
] as const;

export const verbs = [
  verb('window', 'cli.helpWindow', NIGHT_WINDOW, async (session, options) => {
    const { hours, days, timeZone, remove = false, startNow = false } = options;
    const wanted = toWindow({
      ...(hours !== undefined && { window: hours }),
      ...(days !== undefined && { days }),
      ...(timeZone !== undefined && { timeZone }),
    });
    if ([wanted !== undefined, remove, startNow].filter(Boolean).length > 1) throw refused('cli.windowOneThing');
    const look = <Seen>(see: (view: View, scopes: WindowScope[]) => Seen): Seen =>
      viewDataFolder(session.dataFolder, (view) => see(view, scopesFor(view, session, options)));
    const rows = () => look((view, scopes) => windowsFor(view, scopes, session.shell.clock.now()));
    if (wanted || remove || startNow) {
      await withProject(session, options.project, async ({ api: { windows } }) => {
        const closed = startNow ? rows().filter(({ state }) => !state.isOpen) : [];
        for (const { state } of closed) await windows.startNow({ scope: state.scope });
        const changed = startNow ? [] : look((_view, scopes) => scopes);
        for (const scope of changed) await windows.change({ scope, window: wanted ?? null });
      });
    }
    printList(session, {
      type: 'window',
      rows: rows(),
      object: ({ name, state }) => ({ name, ...state }),
      cells({ name, state }) {
        const facts = { scope: state.scope.scope, name: plainText(name) };
        return [t('cli.window', { ...facts, window: windowInWords(state), state: stateInWords(state) })];
      },
      none: t('cli.noWindow'),
    });
  }),
];

function scopesFor(view: View, session: Session, { project, batch }: Given<typeof NIGHT_WINDOW>): WindowScope[] {
  if (view.isNew) throw noProjectAt(session, project);
  return wantedScopes(view, { project, ...(batch !== undefined && { batch }) }, session).map(
    ({ projectId = '', batchId }) =>
      batchId === undefined ? { scope: 'project', projectId } : { scope: 'batch', batchId },
  );
}

function windowsFor(
  view: View,
  scopes: readonly WindowScope[],
  now: number,
): { readonly name: string; readonly state: WindowState }[] {
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
}
