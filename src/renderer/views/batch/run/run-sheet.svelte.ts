import type { BatchView } from '../../../../contract/batch.ts';
import type { JobView, Standing } from '../../../../contract/job.ts';
import { kindLabel } from '../../../../contract/kinds/index.ts';
import { t, saySentences, sayText } from '../../../../contract/messages/words.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { changeStream } from '../../../lib/state/changes.svelte.ts';
import { resource, type Resource } from '../../../lib/state/resource.svelte.ts';
import { stateWords } from '../../../lib/words.ts';
import { columnWidths } from '../draft/arranged-columns.svelte.ts';
import type { GridColumn, GridSource } from '../grid/grid-source.ts';
import { countedTakes, mostUrgent, ShotJobs, toStrip } from './shot-jobs.ts';

interface RunColumn {
  readonly title: string;
  /** Pixels. */
  readonly width: number;
  /** `jobs`: those that still count. */
  readonly text: (shot: {
    readonly key: string;
    readonly all: readonly JobView[];
    readonly jobs: readonly JobView[];
  }) => string;
}

/** In the order on screen. */
const runColumns: Readonly<Record<string, RunColumn>> = {
  shot: { title: t('common.shot'), width: 104, text: ({ key }) => key },
  state: {
    ...{ title: t('common.state'), width: 224 },
    text: ({ jobs }) => {
      const speaker = mostUrgent(jobs);
      return speaker === null ? '' : stateWords(speaker.state, speaker.paused).word;
    },
  },
  takes: {
    ...{ title: t('group.takes'), width: 72 },
    text: ({ jobs }) =>
      jobs.length === 0 ? '' : `${jobs.filter((job) => job.standing === 'saved').length} / ${jobs.length}`,
  },
  strip: {
    ...{ title: t('batch.contactStrip'), width: 208 },
    text: ({ all }) =>
      toStrip(all)
        .map(({ take }) => String(take))
        .join(t('common.listSeparator')),
  },
  prompt: { title: t('common.prompt'), width: 380, text: ({ all }) => all.at(-1)?.prompt ?? '' },
  problem: {
    ...{ title: t('batch.problem'), width: 320 },
    text: ({ jobs }) => {
      const failure = jobs.find((job) => job.standing === 'failed' || job.standing === 'unknown')?.failure;
      return failure === undefined ? '' : saySentences(failure.message, failure.remedy);
    },
  },
  model: { title: t('common.model'), width: 164, text: ({ all }) => all.at(-1)?.model ?? '' },
  kind: { title: t('common.kind'), width: 72, text: ({ all }) => sayText(kindLabel(all.at(-1)?.kind ?? '')) },
};
const shown = Object.entries(runColumns);

/** The shots of a batch as it runs, each with its state. */
export class RunSheet implements GridSource {
  readonly editable = false;
  readonly run: BatchRun;
  /** Only shots with such a take; null for all. */
  standing = $state<Standing | null>(null);
  readonly columns: readonly GridColumn[] = $derived(shown.map(([name, column]) => shapeFor(name, column)));
  readonly #shots: readonly string[] = $derived.by(() => {
    const { standing } = this;
    const { jobs } = this.run;
    if (standing === null) return jobs.shots;
    return jobs.shots.filter((shot) => countedTakes(jobs.ofShot(shot)).some((job) => job.standing === standing));
  });

  constructor(run: BatchRun) {
    this.run = run;
  }

  get rowCount(): number {
    return this.#shots.length;
  }

  isStrip(column: number): boolean {
    return shown[column]?.[0] === 'strip';
  }

  jobsAt(row: number): readonly JobView[] {
    return this.run.jobs.ofShot(this.shotAt(row));
  }

  shotAt(row: number): string {
    return this.#shots[row] ?? '';
  }

  /** The shot of a row once all rows are known: a filter passes over every shot whose takes were not read yet. */
  async knownShotAt(row: () => number): Promise<string> {
    await this.run.wasRead;
    return this.shotAt(row());
  }

  /** As a spreadsheet numbers the rows of the list. */
  number(row: number): number {
    return this.run.jobs.placeOf(this.shotAt(row)) + 2;
  }

  text(row: number, column: number): string {
    const all = this.jobsAt(row);
    return shown[column]?.[1].text({ key: this.shotAt(row), all, jobs: countedTakes(all) }) ?? '';
  }
}

function shapeFor(name: string, { title, width }: RunColumn): GridColumn {
  const ownWidth = columnWidths.of(title);
  return {
    ...{ key: `run ${name}`, title, width: ownWidth ?? width, defect: null, sorted: null },
    subtitle: name === 'takes' ? t('batch.saved') : '',
    alignEnd: name === 'takes',
    isCustom: name === 'state' || name === 'strip',
    stretches: name === 'prompt' && ownWidth === undefined,
  };
}

const PAGE = 5000;
/** How often the batch's own line is read at most, ms. */
const READ_EVERY_MS = 800;

export class BatchRun {
  readonly batchId: string;
  /** Null once it is gone. */
  readonly batch: Resource<string, BatchView | null>;
  jobs = $state.raw(ShotJobs.of([]));
  trouble = $state.raw<Trouble | null>(null);
  isRead = $state(false);
  #reading = 0;
  /** What changed while the jobs are read: a page may be older than it. */
  #changedMeanwhile: ((jobs: ShotJobs) => ShotJobs)[] | null = null;
  readonly #firstRead = Promise.withResolvers<undefined>();
  /** Resolves once the jobs were read, or could not be. */
  readonly wasRead = this.#firstRead.promise;

  constructor(projectId: string, batchId: string) {
    this.batchId = batchId;
    this.batch = resource({
      of: () => batchId,
      read: async () => (await api.batches.list({ projectId })).find(({ id }) => id === batchId) ?? null,
      changedBy: ({ projects, jobs }) => projects.includes(projectId) || jobs.some((job) => job.batchId === batchId),
      everyMs: READ_EVERY_MS,
    });
    $effect(() => this.#follow());
  }

  async read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    this.#changedMeanwhile = [];
    try {
      const jobs: JobView[] = [];
      for (let total = Infinity; jobs.length < total;) {
        const page = await api.jobs.list({ batchId: this.batchId, start: jobs.length, count: PAGE });
        jobs.push(...page.jobs);
        total = page.jobs.length === 0 ? jobs.length : page.total;
      }
      if (reading !== this.#reading) return;
      this.jobs = this.#changedMeanwhile.reduce((known, change) => change(known), ShotJobs.of(jobs));
      this.trouble = null;
      this.isRead = true;
    } catch (error) {
      if (reading !== this.#reading) return;
      this.trouble = toTrouble(error);
    }
    this.#changedMeanwhile = null;
    this.#firstRead.resolve(undefined);
  }

  #follow(): () => void {
    void this.read();
    return changeStream.listen((changes) => {
      const ours = changes.jobs.filter((job) => job.batchId === this.batchId);
      if (changes.resync) void this.read();
      this.#change((jobs) => (ours.length === 0 ? jobs : jobs.with(ours)).judged(changes.verdicts));
    });
  }

  #change(change: (jobs: ShotJobs) => ShotJobs): void {
    this.#changedMeanwhile?.push(change);
    this.jobs = change(this.jobs);
  }
}
