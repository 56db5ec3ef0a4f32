import type { JobView, Standing } from '../../../../contract/job.ts';
import { kindLabel } from '../../../../contract/kinds/index.ts';
import { say, saySentences, sayText } from '../../../../contract/messages/words.ts';
import { groupingNamed, rowGroupings } from '../../../lib/grouping.ts';
import { stateWords } from '../../../lib/words.ts';
import type { ArrangedList } from '../draft/column-layouts.svelte.ts';
import { columnWidths } from '../draft/column-widths.svelte.ts';
import { columnNamed } from '../draft/column-meaning.ts';
import type { DraftSheet } from '../draft/draft-sheet.svelte.ts';
import { groupNames, keptGrouping, rowGroupTitle } from '../draft/list-groups.ts';
import { type ShotRow, shotsOf } from '../draft/rows-as-shots.ts';
import { GroupedRows } from '../grid/grouped-rows.svelte.ts';
import type { GridColumn, GridGroups, GridSource } from '../grid/grid-source.ts';
import { groupRows, type OrderedRows } from '../grid/row-groups.ts';
import type { BatchRun } from './batch-run.svelte.ts';
import { stripOf } from './contact-strip.ts';
import { countedTakes, mostUrgent } from './shot-jobs.ts';

type OwnColumn = 'shot' | 'state' | 'takes' | 'strip' | 'kind' | 'model' | 'prompt' | 'problem';
type RunColumn =
  | { readonly is: 'own'; readonly name: OwnColumn }
  | { readonly is: 'list'; readonly column: GridColumn; readonly at: number };

const titles: Readonly<Record<OwnColumn, string>> = {
  shot: say('common.shot'),
  state: say('common.state'),
  takes: say('batch.takes'),
  strip: say('batch.contactStrip'),
  kind: say('common.kind'),
  model: say('common.model'),
  prompt: say('common.prompt'),
  problem: say('batch.problem'),
};

const widths: Readonly<Record<OwnColumn, number>> = {
  shot: 104,
  state: 224,
  takes: 72,
  strip: 208,
  kind: 72,
  model: 164,
  prompt: 380,
  problem: 320,
};

/**
 * The rows of a batch as it runs: those of its list, if we have it, with the state of each shot beside them; else rows
 * made from the jobs.
 */
export class RunSheet {
  readonly run: BatchRun;
  readonly #list: () => DraftSheet | null;
  readonly #whole: () => Promise<boolean> | undefined;
  /** Only shots with such a take; null for all. */
  standing = $state<Standing | null>(null);

  readonly #columns: readonly RunColumn[] = $derived.by(() => {
    const list = this.#list();
    const own = (name: OwnColumn): RunColumn => ({ is: 'own', name });
    if (list === null)
      return (['shot', 'state', 'takes', 'strip', 'prompt', 'problem', 'model', 'kind'] as const).map(own);
    const { columns } = list.session.view;
    const [shot, prompt] = [columnNamed(columns, 'shot'), columnNamed(columns, 'prompt')];
    const listed = list.columns.map((column, at) => ({
      column: { is: 'list' as const, column: { ...column, defect: null, sorted: null, isCustom: false }, at },
      index: list.listColumn(at),
    }));
    const prompts = listed.filter(({ index }) => index === prompt);
    const others = listed.filter(({ index }) => index !== shot && index !== prompt);
    return [
      ...(['shot', 'state', 'takes', 'strip'] as const).map(own),
      ...prompts.map(({ column }) => column),
      own('problem'),
      ...others.map(({ column }) => column),
    ];
  });
  readonly #shapes: readonly GridColumn[] = $derived(this.#columns.map((column) => shapeOf(column)));
  /** Rows of the list in this window, else of the one that was started. */
  readonly #all: readonly ShotRow[] = $derived.by(() => {
    const list = this.#list();
    const { jobs } = this.run;
    if (list === null) return jobs.shots.map((shot) => ({ shot, listRow: jobs.placeOf(shot) }));
    return shotsOf(list.session);
  });
  readonly #rows: readonly ShotRow[] = $derived.by(() => {
    const standing = this.standing;
    if (standing === null) return this.#all;
    return this.#all.filter(({ shot }) =>
      countedTakes(this.run.jobs.ofShot(shot)).some((job) => job.standing === standing),
    );
  });

  /** Empty without groups. */
  readonly groupingName: string = $derived.by(() => keptGrouping(this.list, this.#list()?.session.view.columns ?? []));
  readonly #grouping = $derived(groupingNamed(this.groupingName, rowGroupings));
  readonly #ordered: OrderedRows | null = $derived.by(() => this.#inGroups());
  /** Places among those of `#rows`. */
  readonly rows = new GroupedRows(
    () => this.#ordered,
    () => this.#rows.length,
  );
  readonly #groups: GridGroups | null = $derived.by(() => {
    const grouping = this.#grouping;
    if (grouping === undefined || this.#ordered === null) return null;
    const { rows } = this;
    return {
      headings: rows.headings,
      titleOf: ({ name }) => rowGroupTitle(grouping, name, this.#list()?.session.view.columns ?? []),
      fold: (index, isFolded) => rows.fold(index, isFolded),
    };
  });

  constructor(run: BatchRun, list: () => DraftSheet | null) {
    this.run = run;
    // Until the list was read, the jobs alone say what there is.
    this.#list = () => (list()?.session.list.isRead ? list() : null);
    this.#whole = () => list()?.session.list.whole;
  }

  /** What its groups are kept for. */
  get list(): ArrangedList {
    const { batchId } = this.run;
    return { id: this.#list()?.session.id ?? batchId, batchId };
  }

  #inGroups(): OrderedRows | null {
    const [grouping, list] = [this.#grouping, this.#list()];
    if (grouping === undefined) return null;
    const nameOf =
      list === null
        ? (shot: ShotRow) => this.run.jobs.ofShot(shot.shot).at(-1)?.[grouping.by === 'kind' ? 'kind' : 'model'] ?? ''
        : (
            (name) => (shot: ShotRow) =>
              name(shot.listRow)
          )(groupNames(grouping, list.grouped));
    const rows = this.#rows;
    const places = Int32Array.from(rows.keys());
    return groupRows(places, (place) => {
      const row = rows[place];
      return row === undefined ? '' : nameOf(row);
    });
  }

  #rowAt(row: number): ShotRow | undefined {
    return this.#rows[this.rows.rowAt(row)];
  }

  isStrip(column: number): boolean {
    const shape = this.#columns[column];
    return shape?.is === 'own' && shape.name === 'strip';
  }

  jobsAt(row: number): readonly JobView[] {
    return this.run.jobs.ofShot(this.shotAt(row));
  }

  shotAt(row: number): string {
    return this.#rowAt(row)?.shot ?? '';
  }

  /** The shot of a row once all rows are known: a filter passes over every shot whose takes were not read yet. */
  async knownShotAt(row: () => number): Promise<string> {
    await Promise.all([this.run.wasRead, this.#whole()]);
    return this.shotAt(row());
  }

  readonly source: GridSource = ((sheet: RunSheet): GridSource => ({
    get rowCount() {
      return sheet.rows.rowCount;
    },
    get columns() {
      return sheet.#shapes;
    },
    text: (row, column) => sheet.#text(row, column),
    mark: () => null,
    number: (row) => (sheet.#rowAt(row)?.listRow ?? row) + 2,
    rowMark: () => null,
    editable: false,
    get groups() {
      return sheet.#groups;
    },
  }))(this);

  #text(row: number, column: number): string {
    const shape = this.#columns[column];
    const place = this.#rowAt(row);
    if (shape === undefined || place === undefined) return '';
    if (shape.is === 'list') return this.#list()?.text(place.listRow, shape.at) ?? '';
    return ownText(shape.name, place.shot, this.run.jobs.ofShot(place.shot));
  }
}

function ownText(name: OwnColumn, shot: string, all: readonly JobView[]): string {
  const newest = all.at(-1);
  const jobs = countedTakes(all);
  switch (name) {
    case 'shot':
      return shot;
    case 'takes':
      return jobs.length === 0 ? '' : `${jobs.filter((job) => job.standing === 'saved').length} / ${jobs.length}`;
    case 'strip':
      return stripOf(all)
        .map(({ take }) => String(take))
        .join(say('common.listSeparator'));
    case 'kind':
      return sayText(kindLabel(newest?.kind ?? ''));
    case 'model':
      return newest?.model ?? '';
    case 'prompt':
      return newest?.prompt ?? '';
    case 'problem': {
      const failure = jobs.find((job) => job.standing === 'failed' || job.standing === 'unknown')?.failure;
      return failure === undefined ? '' : saySentences(failure.message, failure.remedy);
    }
    case 'state': {
      const speaker = mostUrgent(jobs);
      return speaker === null ? '' : stateWords(speaker.state, speaker.paused).word;
    }
  }
}

function shapeOf(column: RunColumn): GridColumn {
  if (column.is === 'list') return column.column;
  const { name } = column;
  const title = titles[name];
  const ownWidth = columnWidths.of(title);
  return {
    key: `run ${name}`,
    title,
    subtitle: name === 'takes' ? say('batch.saved') : '',
    width: ownWidth ?? widths[name],
    alignEnd: name === 'takes',
    defect: null,
    sorted: null,
    isCustom: name === 'state' || name === 'strip',
    stretches: name === 'prompt' && ownWidth === undefined,
  };
}
