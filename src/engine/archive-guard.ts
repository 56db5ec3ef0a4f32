import type { Engine } from './engine-api.ts';
import { requireUnarchivedBatch } from './batches/batch-rules.ts';
import { requireUnarchived } from './projects/overview.ts';
import type { Stores } from './db/stores.ts';

/** What a call changes something of. No project: nothing of one alone. No batch: nothing of a batch that is read only. */
interface Touched {
  readonly projectId: string | null;
  readonly batchId?: string;
}

/** Calls that change something of projects and batches, each with a function from what it is given to these. */
type Changes<Section> = {
  readonly [Name in keyof Section]?: Section[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => readonly Touched[]
    : never;
};

/**
 * The engine as hosts get it: projects and batches in the archive are read only. Here alone is decided which calls that
 * concerns; what makes, moves or sends takes asks again in its turn, since either may be archived while it waits. Lists
 * refuse by `DraftsContext.project` and where they start, commands by `CommandRunner`; jobs, and takes on their way to the trash or out of it, by
 * their answers, one for each.
 */
export function readOnlyInArchive(engine: Engine, { projects, batches, jobs }: Stores): Engine {
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
        const ofNow = touchedBy(now, name);
        const ofLater = touchedBy(later, name);
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
  const refuse = (touched: readonly Touched[]): void => {
    const projectIds = new Set(touched.map(({ projectId }) => projectId));
    for (const id of projectIds) if (id !== null) requireUnarchived(projects, id);
    for (const id of new Set(touched.map(({ batchId }) => batchId))) {
      const batch = id === undefined ? null : batches.get(id);
      if (batch) requireUnarchivedBatch(batches, batch);
    }
  };

  const ofOne = ({ projectId }: Touched): Touched[] => [{ projectId }];
  const ofTakes = (takeIds: readonly string[]): Touched[] => jobs.placesOf(takeIds);
  const projectsOfTakes = (takeIds: readonly string[]): Touched[] => ofTakes(takeIds).flatMap(ofOne);
  const { tools } = engine;

  return {
    ...engine,
    tools: {
      ...tools,
      prompts: guarded(tools.prompts, { later: { rewrite: ofOne, shots: ofOne } }),
      research: guarded(tools.research, { later: { search: ofOne, readPage: ofOne } }),
      describe: guarded(tools.describe, {
        later: { describe: ({ picture }) => ('takeId' in picture ? projectsOfTakes([picture.takeId]) : []) },
      }),
      meaning: guarded(tools.meaning, { later: { index: ofOne, search: ofOne } }),
    },
  };
}

function touchedBy(changes: object, name: string | symbol): ((...given: unknown[]) => readonly Touched[]) | undefined {
  return Object.hasOwn(changes, name)
    ? (Reflect.get(changes, name) as (...given: unknown[]) => readonly Touched[])
    : undefined;
}
