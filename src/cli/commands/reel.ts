import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Cut } from '../../contract/cut.ts';
import { t } from '../../contract/messages/words.ts';
import {
  chosenChanges,
  countConflicts,
  MAX_REVIEW_LENGTH,
  readReview,
  type MergeRow,
  type ReelReview,
  type ReviewPlan,
} from '../../contract/reel-review.ts';
import { changesInWords } from '../../contract/review-words.ts';
import { toText } from '../../engine/base/errors.ts';
import { exportReel } from '../../engine/kit/export-reel.ts';
import { planReview } from '../../engine/review/merge-review.ts';
import { cutCalled, takesAsCut } from '../../engine/review/cuts.ts';
import { reelPageFor } from '../../server/reports/reel-page.ts';
import { withProject } from '../connect.ts';
import { refused, UsageError } from '../exit.ts';
import { cutNamed, lookAtProject, noProjectAt, viewDataFolder, viewProject, type View } from '../look.ts';
import { copied, printList, printOne } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, PROJECT, verb, word } from '../verb.ts';
import { DRY_RUN, fittingTakes, requireReadable } from './chosen-takes.ts';

const REEL = [
  word('--to <dir>', 'cli.optKitTo'),
  PROJECT,
  word('--cut <name>', 'cli.optCut', { conflicts: ['where'] }),
  word('--where <query>', 'cli.optReelWhere'),
  JSON_LINES,
] as const;
const MERGE = [
  word('<FILE>', 'cli.argReview'),
  PROJECT,
  word('--take <side>', 'cli.optReviewTake', { choices: ['mine', 'theirs'] as const, default: 'mine' }),
  DRY_RUN,
  JSON_LINES,
] as const;

export const verbs = [
  verb('reel', 'cli.helpReelMake', REEL, async (session, { to, project, cut: named, where }) => {
    // Not required by the parser, which would ask for them below this verb as well.
    if (to === undefined) throw refused('cli.missingArgument', { name: '--to' });
    if (project === undefined) throw refused('cli.missingArgument', { name: '--project' });
    requireReadable(where);
    const folder = resolve(session.shell.cwd, to);
    const { files } = await lookAtProject(session, project, (view, { id: projectId }) => {
      const cut =
        where === undefined
          ? cutCalled(view, projectId, cutNamed(session, project, named)).cut
          : foundTakes(session, view, { project, where: `state:saved ${where}`, name: basename(folder) });
      return copied(session, exportReel(view, { projectId, cut, folder }, reelPageFor));
    });
    printOne(session, { type: 'exported', folder, files }, t('cli.kitExported', { files, folder: plainText(folder) }));
  }),
  verb('reel merge', 'cli.helpReelMerge', MERGE, async (session, { file, project, take, dryRun = false }) => {
    const review = await reviewIn(session, file);
    const folder = project ?? projectFolderFor(session, review);
    if (dryRun) {
      const plan = await viewProject(session, folder, ({ view, project: found }) => {
        if (!found) throw noProjectAt(session, folder);
        return planReview(view, found.id, review);
      });
      return show(session, plan, take === 'theirs', false);
    }
    await withProject(session, folder, async ({ api }) => {
      const { id: projectId } = lookAtProject(session, folder, (_view, found) => found);
      const plan = await api.takes.planReview({ projectId, review });
      const each = chosenChanges(plan, () => take === 'theirs');
      if (each.length > 0) await api.takes.mergeReview({ each });
      show(session, plan, take === 'theirs', true);
    });
  }),
];

function foundTakes(
  session: Session,
  view: View,
  { name, ...wanted }: { readonly project: string; readonly where: string; readonly name: string },
): Cut {
  const ids = fittingTakes(view, wanted, session).map(({ id }) => id);
  if (ids.length === 0) throw refused('cli.noSelects');
  return takesAsCut(view, name, ids);
}

/** Throws UsageError for a file that is no review. */
async function reviewIn({ shell }: Session, file: string): Promise<ReelReview> {
  const path = resolve(shell.cwd, file);
  const text = await readReviewFile(path).catch((error: unknown) => {
    throw new UsageError(t('cli.reviewUnreadable', { path, reason: toText(error) }), t('remedy.lookAndRepeat'));
  });
  const read = readReview(text);
  if (read.ok) return read.review;
  throw new UsageError(read.problem, t('remedy.askForReview'));
}

/** One that is too large is not read to its end: it says so itself. A pipe would wait for a writer. */
async function readReviewFile(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(t('reel.notReview'));
  return found.size > 4 * MAX_REVIEW_LENGTH ? ' '.repeat(MAX_REVIEW_LENGTH + 1) : readFile(path, 'utf8');
}

const projectFolderFor = ({ dataFolder }: Session, { projectId }: ReelReview): string =>
  viewDataFolder(dataFolder, ({ projects }) => {
    const project = projects.get(projectId);
    if (project) return project.path;
    throw new UsageError(t('reel.otherProject'), t('remedy.openOtherProject'));
  });

function show(session: Session, plan: ReviewPlan, isTheirs: boolean, isDone: boolean): void {
  const { reviewer, reel, rows, left } = plan;
  const differing = countConflicts(plan);
  const takes = chosenChanges(plan, () => isTheirs).length;
  printList(session, {
    ...{ type: 'take', rows },
    cells: (row) => linesFor(row, isTheirs),
    below: [
      t(isDone ? 'cli.reviewMerged' : 'cli.reviewWouldMerge', { reviewer: plainText(reviewer), takes }),
      differing > 0 && !isTheirs ? t('cli.reviewDiffers', { count: differing }) : '',
    ],
    last: { type: isDone ? 'merged' : 'plan', reviewer, reel, takes, conflicts: differing, left: left.length },
  });
  for (const reason of left) session.complain(plainText(reason));
}

function linesFor({ shot, take, change, conflicts }: MergeRow, isTheirs: boolean): string[] {
  const name = t('cli.takeName', { shot: plainText(shot), take: String(take) });
  const said = (words: readonly string[]): string => plainText(words.join(', '));
  const sets = changesInWords(change);
  return [
    ...(sets.length > 0 ? [`${name}: ${said(sets)}`] : []),
    ...conflicts.map(({ mine, theirs }) =>
      t(isTheirs ? 'cli.reviewTakesTheirs' : 'cli.reviewKeepsMine', {
        ...{ name, mine: said(changesInWords(mine)), theirs: said(changesInWords(theirs)) },
      }),
    ),
  ];
}
