import type { Engine } from './engine-api.ts';
import { requireUnarchived } from './projects/overview.ts';
import type { Stores } from './stores.ts';

/** Null: nothing of one project alone. */
type ProjectIds = readonly (string | null)[];

/** Calls that change something of projects, each with a function from what it is given to these projects. */
type Changes<Section> = {
  readonly [Name in keyof Section]?: Section[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => ProjectIds
    : never;
};

interface OfProject {
  readonly projectId: string | null;
}

/**
 * The engine as hosts get it: what is in the archive is read only. Here alone is decided which calls that concerns; what
 * makes, moves or sends takes asks again in its turn, since a project may be archived while it waits. Lists refuse by
 * `DraftsContext.project`, jobs by their answers, one for each.
 */
export function readOnlyInArchive(engine: Engine, { projects, batches, jobs, presets }: Stores): Engine {
  /** Calls of `now` throw, those of `later` reject. */
  const guarded = <Section extends object>(
    section: Section,
    { now = {}, later = {} }: { readonly now?: Changes<Section>; readonly later?: Changes<Section> },
  ): Section =>
    new Proxy(section, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...given: unknown[]) => unknown;
        const ofNow = projectsOf(now, name);
        const ofLater = projectsOf(later, name);
        if (ofLater) {
          return async (...given: unknown[]): Promise<unknown> => {
            refuse(ofLater(...given));
            return call(...given);
          };
        }
        return (...given: unknown[]): unknown => {
          if (ofNow) refuse(ofNow(...given));
          return call(...given);
        };
      },
    });
  const refuse = (ids: ProjectIds): void => {
    for (const id of new Set(ids)) if (id !== null) requireUnarchived(projects, id);
  };

  const own = (projectId: string): ProjectIds => [projectId];
  const ofOne = ({ projectId }: OfProject): ProjectIds => [projectId];
  const ofTakes = (takeIds: readonly string[]): ProjectIds => jobs.projectsOf(takeIds);
  const ofBatch = (batchId: string): ProjectIds => [batches.get(batchId)?.projectId ?? null];
  const ofPreset = (id: string): ProjectIds => [presets.get(id)?.projectId ?? null];
  const ofScope = (scope: { projectId: string } | { batchId: string } | object): ProjectIds => {
    if ('projectId' in scope) return [scope.projectId];
    return 'batchId' in scope ? ofBatch(scope.batchId) : [];
  };
  const { tools } = engine;

  return {
    ...engine,
    review: guarded(engine.review, {
      now: { judge: ofTakes, restore: (before) => ofTakes(before.map(({ takeId }) => takeId)) },
      later: { another: ({ takeId }) => ofTakes([takeId]) },
    }),
    trash: guarded(engine.trash, { later: { put: ofTakes, restore: ofTakes, empty: own } }),
    savedViews: guarded(engine.savedViews, { now: { save: ofOne, remove: own } }),
    spending: guarded(engine.spending, { now: { changeCap: ofScope } }),
    windows: guarded(engine.windows, { now: { change: ofScope, startNow: ofScope } }),
    prompts: guarded(engine.prompts, {
      now: {
        setVariable: ofOne,
        removeVariable: ofOne,
        savePreset: ofOne,
        renamePreset: ofPreset,
        removePreset: ofPreset,
      },
    }),
    projects: guarded(engine.projects, { now: { forget: own }, later: { rename: own, archive: own } }),
    batches: guarded(engine.batches, {
      now: { unarchive: ofBatch, setNotes: ofBatch, order: own },
      later: { rename: ofBatch, archive: ofBatch },
    }),
    // What lies in the archive is not looked after either.
    jobs: { ...engine.jobs, lookAtFiles: (jobIds) => engine.jobs.lookAtFiles(jobs.outsideArchive(jobIds)) },
    tools: {
      ...tools,
      prompts: guarded(tools.prompts, { later: { rewrite: ofOne, shots: ofOne } }),
      research: guarded(tools.research, { later: { search: ofOne, readPage: ofOne } }),
      describe: guarded(tools.describe, {
        later: { describe: ({ picture }) => ('takeId' in picture ? ofTakes([picture.takeId]) : []) },
      }),
      meaning: guarded(tools.meaning, { later: { index: ofOne, search: ofOne } }),
      clippings: guarded(tools.clippings, { later: { keep: own, remove: own, restore: own, picture: own } }),
    },
  };
}

function projectsOf(changes: object, name: string | symbol): ((...given: unknown[]) => ProjectIds) | undefined {
  return Object.hasOwn(changes, name) ? (Reflect.get(changes, name) as (...given: unknown[]) => ProjectIds) : undefined;
}
