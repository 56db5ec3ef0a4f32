import { say } from '../../contract/messages/words.ts';
import type { ViewFilter } from '../../contract/saved-views.ts';
import { withQuietEngine } from '../connect.ts';
import { type ExitStatus } from '../exit.ts';
import { wantedScopes } from '../look.ts';
import { lookAtProject, viewCalled } from '../named.ts';
import { printList, printLine } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { type Session } from '../session.ts';
import { BATCH, JSON_LINES, OF_PROJECT, verb, word, type Given } from '../verb.ts';
import { tableVerbs } from './table.ts';
import { requireReadable } from './takes.ts';

const LIST = [OF_PROJECT, JSON_LINES] as const;
const SAVE = [
  word('<NAME>', 'cli.argNewName'),
  OF_PROJECT,
  BATCH,
  word('--where <query>', 'cli.optWhere', { required: true }),
] as const;
const RENAME = [word('<VIEW>', 'cli.optView'), word('<NAME>', 'cli.argNewName'), OF_PROJECT] as const;

const own = [
  verb('views list', 'cli.helpViewsList', LIST, listViews),
  verb('views save', 'cli.helpViewsSave', SAVE, saveView),
  verb('views rename', 'cli.helpViewsRename', RENAME, renameView),
];
export const verbs = [...own, ...tableVerbs('views', own)];

function listViews(session: Session, { project, json }: Given<typeof LIST>): ExitStatus {
  const rows = lookAtProject(session, project, ({ savedViews }, { id }) => savedViews.list(id));
  return printList(session, json, {
    type: 'view',
    rows,
    object: (view) => view,
    // What `filter` holds besides its search is in --json, and in review.
    cells: ({ name, filter: { text = '' } }) => [
      say('cli.view', { name: plainText(name), search: text === '' ? '' : shortText(text, 200) }),
    ],
    none: say('cli.noViews'),
  });
}

async function saveView(session: Session, options: Given<typeof SAVE>): Promise<ExitStatus> {
  const { name, where, project } = options;
  requireReadable(where);
  const { projectId, batchId } = lookAtProject(session, project, (view, { id }) => {
    const [scope] = wantedScopes(view, options, session);
    return { projectId: id, batchId: scope?.batchId };
  });
  const filter: ViewFilter = { text: where, sort: 'list', ...(batchId !== undefined && { batchId }) };
  await withQuietEngine(session, 'dailies views', ({ api }) => api.savedViews.save({ projectId, name, filter }));
  return printLine(session, say('review.viewSaved', { name: plainText(name) }));
}

async function renameView(session: Session, options: Given<typeof RENAME>): Promise<ExitStatus> {
  const { name } = options;
  const view = viewCalled(session, options.view, options);
  await withQuietEngine(session, 'dailies views', ({ api }) => api.savedViews.save({ ...view, name }));
  return printLine(session, say('cli.viewRenamed', { before: plainText(view.name), name: plainText(name) }));
}
