import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Grouping, TakeFilter } from '../../src/contract/review.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ReviewStore } from '../../src/engine/db/review-store.ts';
import { limitOf, type Finding } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { PROJECT, seedSavedTakes, takeId } from '../window/seed-project.ts';
import { makeStills } from '../window/stills.ts';

const TAKES = 50_000;
/** Takes that the window reads in one go. */
const PAGE = 100;
const GOAL = { atMost: 20 };
/** What is sorted, or looked for in every take. */
const SEARCH_GOAL = { atMost: 50 };
const unit = { name: 'ms', digits: 1 };
const SAVED = { projectId: PROJECT, standing: 'saved', sort: 'list' } as const;
const SCENES = { by: 'column', column: 'scene' } as const;

/**
 * What the engine does for one page of a review of 50,000 takes, a fifth of them judged, in its one thread: counts, order and the takes. Time
 * of the processor, which is the same on a busy machine as on a quiet one.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  seedSavedTakes({ dataFolder, projectPath, takes: TAKES, stills: await makeStills(join(folder, 'stills')) });
  const db = openDatabase(dataFolder);
  const store = new ReviewStore(db);

  const judged = Array.from({ length: TAKES / 5 }, (_, index) => index * 5);
  db.facts.transaction(() => {
    for (const index of judged)
      store.saveVerdict(
        takeId(index),
        {
          rating: index % 6,
          flag: index % 2 === 0 ? 'pick' : 'reject',
          note: '',
          ...(index % 3 === 0 && { tags: ['hero'] }),
        },
        true,
      );
  })();

  const page =
    (start: number, change: Partial<TakeFilter> = {}) =>
    () => {
      const { ids } = store.takes(
        { projectId: PROJECT, standing: 'saved', sort: 'list', ...change },
        { start, count: PAGE },
      );
      for (const id of ids) store.take(id);
    };
  const measured = (what: string, work: () => unknown, goal = GOAL): Finding => {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) times.push(workOf(work));
    return limitOf(what, unit, spreadOf(times.slice(1)), goal);
  };
  const grouped = (what: string, group: Grouping): Finding[] => [
    measured(`… first page ${what}`, page(0, { group }), SEARCH_GOAL),
    measured(
      `… groups ${what}`,
      () => store.groups({ projectId: PROJECT, standing: 'saved', sort: 'list', group }),
      SEARCH_GOAL,
    ),
  ];
  const findings = [
    measured('First page of a review of 50,000 takes', page(0)),
    measured('… last page', page(TAKES - PAGE)),
    measured('… last page of the newest', page(TAKES - PAGE, { sort: 'newest' })),
    measured('… first page by rating', page(0, { sort: 'rating' })),
    measured('… last page by rating', page(TAKES - PAGE, { sort: 'rating' })),
    measured('… first page of takes without a flag', page(0, { flag: 'none' })),
    measured('… text that four takes have', page(0, { text: '"shot 4999:"' }), SEARCH_GOAL),
    measured('… text that all takes have', page(0, { text: 'lighthouse' }), SEARCH_GOAL),
    measured('… two words that all takes have', page(0, { text: 'lighthouse storm' }), SEARCH_GOAL),
    measured('… four words that all takes have', page(0, { text: 'lighthouse storm waves cold' }), SEARCH_GOAL),
    measured('… a word that a tenth has beside one that all have', page(0, { text: 'lighthouse sc0001' }), SEARCH_GOAL),
    measured('… a word that no take has', page(0, { text: 'windmill' }), SEARCH_GOAL),
    measured('… a word of file names', page(0, { text: '9_t1' }), SEARCH_GOAL),
    measured('… a word by a column', page(0, { text: 'lighthouse', group: SCENES }), SEARCH_GOAL),
    measured('… groups of it', () => store.groups({ ...SAVED, text: 'lighthouse', group: SCENES }), SEARCH_GOAL),
    measured('… counts of it by flag', () => store.tally({ ...SAVED, text: 'lighthouse' }), SEARCH_GOAL),
    measured('… search by fields: rating, model, flag', page(0, { text: 'rating:>=4 model:v* -flag:reject' })),
    measured('… search by a column of the list', page(0, { text: 'scene:12' }), SEARCH_GOAL),
    measured('… search by a tag', page(0, { text: 'tag:hero' }), SEARCH_GOAL),
    ...(['batch', 'shot', 'model', 'verdict', 'tag'] as const).flatMap((by) => grouped(`by ${by}`, { by })),
    ...grouped('by a column of the list', { by: 'column', column: 'scene' }),
    measured('… search for what has a note', page(0, { text: 'has:note' }), SEARCH_GOAL),
    measured('… counts by flag', () => store.tally({ projectId: PROJECT, standing: 'saved' })),
  ];
  db.close();
  return findings;
};

/** Processor time of this process, ms. */
function workOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
