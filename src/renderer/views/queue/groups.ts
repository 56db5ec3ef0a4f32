import { nameOrder, sayText, t } from '../../../contract/messages/words.ts';
import type { QueueView } from '../../../contract/events.ts';
import { isUnsent, type JobView } from '../../../contract/job.ts';
import { havingWords } from '../../lib/choices.ts';
import { stateWords, waitWords, type Tone } from '../../lib/words.ts';

/** The groups of the queue, one for each question of a person. */
export type GroupName = 'under-way' | 'undecided' | 'failed' | 'waiting' | 'done';

interface GroupWords {
  readonly name: GroupName;
  readonly title: string;
  readonly tone: Tone;
  /** Heads the column with its time. */
  readonly elapsed: string;
}

/** In the order of the tabs. */
export const groups: readonly [GroupWords, ...GroupWords[]] = [
  { name: 'under-way', tone: 'working', title: t('queue.groupUnderWay'), elapsed: t('queue.elapsed') },
  { name: 'undecided', tone: 'unsure', title: t('state.needsDecision'), elapsed: t('queue.since') },
  { name: 'failed', tone: 'bad', title: t('state.failed'), elapsed: t('queue.since') },
  { name: 'waiting', tone: 'waiting', title: t('state.waiting'), elapsed: t('queue.waitingSince') },
  { name: 'done', tone: 'good', title: t('queue.groupDone'), elapsed: t('projects.historyWhen') },
];

/** The group of a job. A held job waits, whatever happened to it before; one that was set aside is finished. */
export function toGroup(job: Pick<JobView, 'state' | 'standing' | 'paused' | 'isSetAside'>): GroupName {
  if (job.isSetAside) return 'done';
  switch (job.standing) {
    case 'unknown':
      return 'undecided';
    case 'failed':
      return 'failed';
    case 'saved':
    case 'cancelled':
      return 'done';
    case 'unfinished':
      return isUnsent(job) || (job.paused !== null && job.paused !== 'elsewhere') ? 'waiting' : 'under-way';
  }
}

/** When a take at the service is probably done, by the usual time of its model, ms; null when that is not known. */
export function expectedAt(job: JobView, times: QueueView['taskTimes'] = []): number | null {
  const usual = times.find(({ model }) => model === job.model)?.ms;
  return usual === undefined || job.sentAt === undefined || toGroup(job) !== 'under-way' ? null : job.sentAt + usual;
}

/**
 * Jobs by group. What waits is in the order of the line, every other group in the order in which its jobs came into it:
 * a change moves one row to the end of another group and leaves all others at their places.
 */
export class GroupedJobs {
  /** A job that comes into another group goes to the end. */
  readonly #jobs = new Map<string, JobView>();
  /** Those of groups in which nothing changed are the same arrays as before. */
  lists: Readonly<Record<GroupName, readonly JobView[]>> = {
    ...{ 'under-way': [], undecided: [], failed: [] },
    ...{ waiting: [], done: [] },
  };

  get(id: string): JobView | undefined {
    return this.#jobs.get(id);
  }

  put(jobs: Iterable<JobView>): void {
    const touched = new Set<GroupName>();
    for (const job of jobs) {
      const known = this.#jobs.get(job.id);
      if (known && known.updatedAt > job.updatedAt) continue;
      if (known && toGroup(known) !== toGroup(job)) {
        this.#jobs.delete(job.id);
        touched.add(toGroup(known));
      }
      this.#jobs.set(job.id, job);
      touched.add(toGroup(job));
    }
    if (touched.size === 0) return;
    const members = Map.groupBy(this.#jobs.values(), toGroup);
    const lists = { ...this.lists };
    for (const name of touched) lists[name] = inOrder(name, members.get(name) ?? []);
    this.lists = lists;
  }
}

function inOrder(name: GroupName, list: JobView[]): readonly JobView[] {
  if (name === 'waiting') return list.sort(inLine);
  // A person looks for the takes that were saved last.
  return name === 'done' ? list.reverse().sort((a, b) => b.updatedAt - a.updatedAt) : list;
}

/** The order in which they are sent; those queued at the same moment stay in the order in which they came. */
const inLine = (a: JobView, b: JobView): number =>
  b.priority - a.priority || a.turn - b.turn || a.createdAt - b.createdAt;

const texts = new WeakMap<JobView, string>();

/** Jobs in which every word of `text` is found: in shot, prompt, model, names, ids, state or reason. */
export const matching = (jobs: readonly JobView[], text: string): readonly JobView[] => havingWords(text, jobs, toText);

function toText(job: JobView): string {
  const known = texts.get(job);
  if (known !== undefined) return known;
  const { shot, kind, model, prompt, project, batch, id, taskId, requestId, traceId, worker } = job;
  const reason = job.failure && sayText(job.failure.message);
  const state = stateWords(job.state, job.paused, job.wait).word;
  const text = [
    shot,
    kind,
    model,
    prompt,
    project,
    batch,
    id,
    taskId,
    requestId,
    traceId,
    worker,
    state,
    reason,
    waitWords(job),
  ].join('\n');
  texts.set(job, text);
  return text;
}

export const jobGroupings = ['batch', 'shot', 'model'] as const;
export type JobGrouping = (typeof jobGroupings)[number];

interface Heading {
  readonly title: string;
  readonly count: number;
}

export interface HeadedRows {
  readonly jobs: readonly JobView[];
  /** By the job that they are above. */
  readonly headings: ReadonlyMap<string, Heading>;
}

/** Puts jobs under headings, by name, each in the order its jobs had. Linear time but for the sorting of names. Pure. */
export function headedRows(jobs: readonly JobView[], by: JobGrouping | undefined): HeadedRows {
  if (by === undefined) return { jobs, headings: new Map() };
  const toTitle = (job: JobView) => (by === 'batch' ? `${job.project} · ${job.batch}` : job[by]);
  const names = nameOrder();
  const sections = [...Map.groupBy(jobs, toTitle)].sort(([one], [other]) => names.compare(one, other));
  const headings = new Map(
    sections.map(([title, members]) => [members[0]?.id ?? '', { title, count: members.length }] as const),
  );
  return { jobs: sections.flatMap(([, members]) => members), headings };
}

/** `places` in their order, each job as it is now; jobs of `current` that have no place yet come after them. */
export function keepPlaces(
  places: readonly JobView[],
  current: readonly JobView[],
  latest: (id: string) => JobView | undefined,
): readonly JobView[] {
  const placed = new Set(places.map((job) => job.id));
  return [...places.map((job) => latest(job.id) ?? job), ...current.filter((job) => !placed.has(job.id))];
}
