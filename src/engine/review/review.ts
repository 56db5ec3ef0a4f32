import { toPath, placeIn } from '../files/place.ts';
import { MAX_NEAR, type NearTo } from '../../contract/tool.ts';
import type { Estimate } from '../../contract/batch.ts';
import {
  type RefreshPlan,
  changedFields,
  type GivenVerdict,
  noVerdict,
  stillHolds,
  type MorePlan,
  type MoreTakes,
  type NewTake,
  tagsOf,
  type TakeDetails,
  type TakeFilter,
  type TakeGroup,
  type FlagCounts,
  type TonightTakes,
  type TakeView,
  type Verdict,
  type VerdictChange,
  withChange,
  withoutChange,
} from '../../contract/review.ts';
import type { Actor, HistoryFacts } from '../../contract/history.ts';
import { sumOfAmounts, type AtStake, type Spending } from '../../contract/ledger.ts';
import { messageFor } from '../../contract/messages/message-for.ts';
import type { Text } from '../../contract/messages/message.ts';
import { MAX_TAG_LENGTH, MAX_TAGS, toTag } from '../../contract/verdict.ts';
import { nextOpening } from '../../contract/night-window.ts';
import type { Output } from '../../contract/take.ts';
import type { LedgerScope } from '../db/ledger-store.ts';
import type { Window } from '../db/review-store.ts';
import { refused, RefusedError } from '../base/errors.ts';
import { settingsOn } from '../../contract/accounts.ts';
import { estimate, toPriceFacts, priceFor } from '../batches/price.ts';
import { readEach } from '../base/slices.ts';
import { recipeFor } from '../projects/recipe-file.ts';
import type { StepContext } from '../jobs/step-context.ts';
import { addTakes, plannedTake, type PlannedTake, plannedTakes, unknownTake } from './another-take.ts';
import { exportTakes, takesToExport } from './export-takes.ts';
import { frameProblem } from './frame-checks.ts';

/** A take and its verdict before. `set`: what was set of it, where that is not what was asked for. */
export interface JudgedTake {
  readonly takeId: string;
  readonly verdict: Verdict;
  readonly set?: VerdictChange | undefined;
}

/** One published file of a take. `project` is the absolute folder of the project, `output.file` relative to it. */
export interface TakeFile {
  readonly projectId: string;
  readonly project: string;
  readonly output: Output;
}

/** A verdict that `person` gave on another machine of the studio. */
export interface StudioJudgement {
  readonly takeId: string;
  readonly verdict: Verdict;
  readonly person: string;
}

const NOTHING = { requests: 0, price: null, unpriced: 0 };

export function openReview(
  steps: StepContext,
  on: {
    /** How close the takes of a project are to a question, the closest first; see `openMeaning`. */
    readonly scores: (projectId: string, near: NearTo) => Promise<ReadonlyMap<string, number>>;
    readonly judged: (verdicts: GivenVerdict[]) => void;
    readonly added: (take: TakeView) => void;
  },
) {
  function spent(scope: LedgerScope): Spending | null {
    const { settings, ledger } = steps;
    if (settingsOn(settings, ledger.serviceOf(scope)).prices.length === 0) return null;
    const { settled, unclear, reserved } = ledger.totals(scope);
    return { currency: settings.currency, charged: settled, sending: reserved, maybe: unclear };
  }

  async function idsFor({ near, ...filter }: TakeFilter): Promise<string[]> {
    const { review: store } = steps;
    if (!near) return store.ids(filter);
    const fitting = new Set(store.ids(filter));
    const nearest = [...(await on.scores(filter.projectId, near)).keys()];
    return nearest.filter((id) => fitting.has(id)).slice(0, MAX_NEAR);
  }

  function takeFor(takeId: string): TakeView {
    const take = steps.review.take(takeId);
    if (!take) throw unknownTake(takeId);
    return take;
  }

  /** Of these takes the stale ones to make again, the newest of each shot, with the version of the shot to make. */
  function toRefresh(takeIds: readonly string[]): { readonly id: string; readonly shotId: string }[] {
    const stale = steps.sources.stale(takeIds);
    const made = steps.sources.toRefresh([...stale.keys()]);
    const staleToo = steps.sources.stale(made.flatMap(({ others }) => others));
    const left = made.filter(({ others }) => others.every((id) => staleToo.has(id)));
    return [...new Map(left.map((take) => [take.shot, take])).values()];
  }

  function projectOf(ids: readonly string[]): string {
    const [projectId = '', ...others] = new Set(ids.map((id) => takeFor(id).projectId));
    if (others.length === 0) return projectId;
    throw refused('several_projects', 'failure.severalProjects');
  }

  function currentVerdict(takeId: string): Verdict {
    const verdict = steps.review.verdict(takeId);
    if (verdict) return verdict;
    if (!steps.jobs.get(takeId)) throw unknownTake(takeId);
    return noVerdict;
  }

  function changedBy(takeId: string, verdict: Verdict, change: VerdictChange): Verdict {
    const now = withChange(verdict, change);
    if (tagsOf(now).length > MAX_TAGS) {
      const { shot, take } = takeFor(takeId);
      throw refused('too_many_tags', messageFor('failure.tooManyTags', { shot, take: String(take), most: MAX_TAGS }));
    }
    const problem = change.marks || change.addNotes ? frameProblem(takeFor(takeId), change) : null;
    if (problem) throw refused('no_such_frames', problem, 'remedy.chooseFrames');
    return now;
  }

  /** Saves what changed of it, with its line; returns what changed of the takes that were asked for. */
  function save(given: readonly Judgement[], { window, by, isUndo }: Judging): GivenVerdict[] {
    const { review: store, history } = steps;
    const asked: GivenVerdict[] = [];
    const also: GivenVerdict[] = [];
    for (const { takeId, before, now, isAlso } of given) {
      const projectId = steps.jobs.get(takeId)?.projectId;
      const changed = changedFields(before, now);
      if (projectId === undefined || changed.length === 0) continue;
      // The window shows at once what it asked for, and learns the rest from the event.
      if (isAlso) also.push({ projectId, takeId, verdict: now, changed, by: '' });
      else asked.push({ projectId, takeId, verdict: now, changed, by: window });
    }
    const at = steps.ports.clock.now();
    steps.jobs.inOneCommit(() => {
      for (const { takeId, now } of given) {
        store.saveVerdict(takeId, now, false);
        steps.jobs.studio.judged(takeId, at);
      }
      for (const [projectId, ofProject] of Map.groupBy(asked, (change) => change.projectId)) {
        const line = isUndo
          ? ({ code: 'verdicts.undone', facts: { verdicts: ofProject.length } } as const)
          : ({ code: 'takes.judged', facts: toCounts(ofProject) } as const);
        history.note({ ...line, by, at, projectId }, window);
      }
    });
    on.judged([...asked, ...also]);
    return asked;
  }

  /** `names`: what was set is named for each take, not only for those that were not asked for. */
  function judgeAll(
    given: readonly { readonly takeId: string; readonly set: VerdictChange }[],
    { window, by, names = false }: { readonly window: string; readonly by: Actor; readonly names?: boolean },
  ) {
    const { review: store } = steps;
    const asked = new Map(given.map((each) => [each.takeId, each]));
    const picked = [...asked.values()].filter(({ set }) => set.flag === 'pick').map(({ takeId }) => takeId);
    if (picked.length > 0) store.requireOnePickEach(picked);
    const losing = picked.length > 0 ? store.otherPicks(picked) : [];
    // A pick that another take replaces may have a change of its own.
    const also = new Set(losing.filter((takeId) => asked.get(takeId)?.set.flag === undefined));
    const judged = [...new Set([...asked.keys(), ...also])].map((takeId) => {
      const demoted = also.has(takeId) && ({ flag: 'alternate' } as const);
      const set = { ...asked.get(takeId)?.set, ...demoted };
      return { takeId, set, isAlso: !asked.has(takeId), before: currentVerdict(takeId) };
    });
    const changing = judged
      .map((each) => ({ ...each, now: changedBy(each.takeId, each.before, each.set) }))
      .filter(({ before, now }) => changedFields(before, now).length > 0);
    const counts = toCounts(save(changing, { window, by, isUndo: false }));
    const before = changing.map(({ takeId, before: verdict, set, isAlso }): JudgedTake => {
      return { takeId, verdict, ...((isAlso || names) && { set }) };
    });
    return { before, counts };
  }

  return {
    ids: idsFor,
    spent,
    async list(filter: TakeFilter, window: Window): Promise<{ total: number; takes: TakeView[] }> {
      const { review: store } = steps;
      const { total, ids } = filter.near ? pageFor(await idsFor(filter), window) : store.takes(filter, window);
      return { total, takes: await readEach(ids, (id) => store.take(id)) };
    },

    groups(filter: TakeFilter): TakeGroup[] {
      return filter.near ? [] : steps.review.groups(filter);
    },

    async tally(filter: Omit<TakeFilter, 'sort' | 'group'>): Promise<FlagCounts> {
      const { review: store } = steps;
      if (!filter.near) return store.tally(filter);
      const flags = (await idsFor({ ...filter, sort: 'list' })).map((id) => store.verdict(id)?.flag ?? 'none');
      const count = (flag: (typeof flags)[number]): number => flags.filter((each) => each === flag).length;
      return { pick: count('pick'), alternate: count('alternate'), reject: count('reject'), none: count('none') };
    },

    tonight(projectId: string): TonightTakes {
      const waiting = steps.windows.tonight(projectId);
      const now = steps.ports.clock.now();
      return {
        takes: waiting.slice(0, MAX_IN_TRAY).map(({ takeId }) => takeFor(takeId)),
        total: waiting.length,
        at: waiting.map((hours) => nextOpening(hours, now) ?? now).reduce<number | null>(earlier, null),
      };
    },

    details(takeId: string): TakeDetails {
      const take = takeFor(takeId);
      const { review: store } = steps;
      const job = steps.jobs.get(takeId);
      const batch = steps.batches.get(take.batchId);
      const shot = job && steps.batches.shot(job.shotId);
      const project = steps.projects.get(take.projectId);
      if (!job || !batch || !shot || !project) throw new Error(`Take ${takeId} has lost its shot.`);
      return {
        take,
        recipe: recipeFor(steps, job, batch, shot.spec),
        attempts: steps.jobs.attempts.of(takeId),
        spent: spent({ jobId: takeId }),
        siblings: store.siblings(takeId).map((id) => takeFor(id)),
        usedIn: steps.sources.usedIn(takeId),
        paths: take.outputs.map(({ file }) => toPath(placeIn(project.path, file))),
      };
    },

    /**
     * Sets the given fields and keeps the others. Returns the earlier verdicts of what changed, and how many of the takes
     * asked for did. `window` identifies the window that judges, so that it recognizes its own events. The pick before a
     * new one becomes an alternate. Throws RefusedError, and sets nothing, for unknown takes, invalid tags, frames that a
     * take does not have and two picks of one shot.
     */
    judge(takeIds: readonly string[], wanted: VerdictChange, window = '', by: Actor = 'window') {
      const change = withOwnTags(wanted);
      return judgeAll(
        takeIds.map((takeId) => ({ takeId, set: change })),
        { window, by },
      );
    },

    /** The same with a change for each take; `before` names for each what was set. Throws RefusedError. */
    judgeEach(each: readonly { readonly takeId: string; readonly verdict: VerdictChange }[], by: Actor) {
      const given = each.map(({ takeId, verdict }) => ({ takeId, set: withOwnTags(verdict) }));
      return judgeAll(given, { window: '', by, names: true });
    },

    /** Undoes `change` except where set or picked again since; returns the changed takes. Throws RefusedError. */
    restore(
      before: readonly JudgedTake[],
      change: VerdictChange,
      { window = '', by = 'window', each = false }: RestoredBy = {},
    ): { takeIds: string[] } {
      const held = before
        .map(({ takeId, verdict, set }) => ({
          ...{ takeId, set: set ?? change, was: verdict, isAlso: set !== undefined && !each },
        }))
        .map((judged) => ({ ...judged, before: currentVerdict(judged.takeId) }))
        .filter((judged) => stillHolds(judged.before, judged.set))
        .map((judged) => ({ ...judged, now: withoutChange(judged.before, judged.set, judged.was) }));
      const losing = new Set(held.filter(({ now }) => now.flag !== 'pick').map(({ takeId }) => takeId));
      const hasOtherPick = (takeId: string): boolean => steps.review.otherPicks([takeId]).some((id) => !losing.has(id));
      const back = held.filter(
        ({ takeId, now, before: { flag } }) => flag === now.flag || now.flag !== 'pick' || !hasOtherPick(takeId),
      );
      return { takeIds: save(back, { window, by, isUndo: true }).map(({ takeId }) => takeId) };
    },

    /** Takes verdicts over as they are: their recipes have them already. The last one counts. */
    judgedElsewhere(projectId: string, given: readonly StudioJudgement[]): void {
      const { review: store, history, jobs } = steps;
      const changes = given.flatMap(({ takeId, verdict, person }) => {
        const changed = changedFields(store.verdict(takeId) ?? noVerdict, verdict);
        const isHere = jobs.get(takeId)?.projectId === projectId;
        return isHere && changed.length > 0 ? [{ projectId, takeId, verdict, changed, by: '', person }] : [];
      });
      if (changes.length === 0) return;
      const at = steps.ports.clock.now();
      jobs.inOneCommit(() => {
        for (const { takeId, verdict } of changes) store.saveVerdict(takeId, verdict, true);
        for (const [person, ofPerson] of Map.groupBy(changes, (change) => change.person)) {
          const line = { code: 'takes.judgedElsewhere', facts: { person, verdicts: ofPerson.length } } as const;
          history.note({ ...line, by: 'engine', at, projectId });
        }
      });
      on.judged(changes.map(({ person: _, ...change }) => change));
    },

    /** Queues another take of a shot ahead of everything else; `also` is done in its commit. Throws RefusedError. */
    async another(wanted: NewTake, also?: (projectId: string) => void): Promise<TakeView> {
      const take = takeFor(wanted.takeId);
      const [id = ''] = await steps.claims.withLock(take.projectId, async () =>
        addTakes(steps, [await plannedTake(steps, wanted)], wanted.tonight, () => also?.(take.projectId)),
      );
      const added = takeFor(id);
      on.added(added);
      return added;
    },

    /** What making these takes again would make, and its price; see `RefreshPlan`. */
    refreshPlan(takeIds: readonly string[]): RefreshPlan {
      const { settings, projects, batches, jobs } = steps;
      const made = toRefresh(takeIds);
      const shots = made.flatMap(({ shotId }) => batches.shot(shotId) ?? []);
      const [{ id = '' } = {}] = made;
      const { projectId = '' } = jobs.get(id) ?? {};
      const wanted = shots.map(({ spec }) => ({ shot: spec, takes: 1 }));
      const cost = estimate(wanted, settingsOn(settings, projects.service(projectId)));
      return { ...cost, ids: made.map((take) => take.id), left: new Set(takeIds).size - made.length };
    },

    /**
     * Makes those of these takes again that `refreshPlan` names, and returns the new ones and why others were not made;
     * `also` is told how many are in each commit.
     */
    async refresh(takeIds: readonly string[], also: (takes: number, projectId: string) => void) {
      const queued: string[] = [];
      const left: Text[] = [];
      for (const [projectId, ids] of Map.groupBy(takeIds, (id) => takeFor(id).projectId)) {
        await steps.claims.withLock(projectId, async () => {
          const wanted = toRefresh(ids);
          for (let start = 0; start < wanted.length; start += TAKES_IN_COMMIT) {
            const planned: PlannedTake[] = [];
            for (const { id, shotId } of wanted.slice(start, start + TAKES_IN_COMMIT)) {
              const again = { takeId: id, changes: { cells: {} }, derivation: { how: 'again' } } as const;
              const plan = await plannedTake(steps, again, shotId).catch((error: unknown) => {
                if (!(error instanceof RefusedError)) throw error;
                const { shot, take } = takeFor(id);
                left.push(messageFor('trash.takeStays', { shot, take, reason: error.text }));
              });
              if (plan) planned.push(plan);
            }
            if (planned.length === 0) continue;
            queued.push(...addTakes(steps, planned, undefined, () => also(planned.length, projectId)));
          }
        });
      }
      for (const id of queued) on.added(takeFor(id));
      return { queued, left };
    },

    /** Queues several takes that are made otherwise, all or none; `also` is done in their commit. Throws RefusedError. */
    async more(wanted: MoreTakes, also: (projectId: string, count: number) => void) {
      const projectId = projectOf(wanted.ids);
      const { ids, left } = await steps.claims.withLock(projectId, async () => {
        const plan = await plannedTakes(steps, wanted);
        const { planned } = plan;
        if (planned.length === 0) return { ids: [], left: plan.left };
        const add = () => also(projectId, planned.length);
        return { ids: addTakes(steps, planned, wanted.tonight, add), left: plan.left };
      });
      const takes = await readEach(ids, takeFor);
      for (const take of takes) on.added(take);
      return { takes, left };
    },

    async planMore(wanted: MoreTakes): Promise<MorePlan> {
      const { planned, left } = await plannedTakes(steps, wanted);
      const { settings, projects } = steps;
      const shots = planned.map(({ spec }) => ({ shot: spec, takes: 1 }));
      return { ...estimate(shots, settingsOn(settings, projects.service(projectOf(wanted.ids)))), left };
    },

    /** What another take, changed or not, would cost by the user's prices. Throws RefusedError. */
    async estimate(wanted: NewTake): Promise<Estimate> {
      const { spec } = await plannedTake(steps, wanted);
      const { settings, projects } = steps;
      const service = projects.service(takeFor(wanted.takeId).projectId);
      return estimate([{ shot: spec, takes: 1 }], settingsOn(settings, service));
    },

    async atStake(takeIds: readonly string[]): Promise<AtStake> {
      const { jobs, batches, ledger, projects, settings, ports } = steps;
      const stakes = await readEach(takeIds, (jobId) => {
        const job = jobs.get(jobId);
        const shot = job && batches.shot(job.shotId);
        if (!job || !shot) return null;
        const { settled, unclear, reserved } = ledger.totals({ jobId });
        const { prices } = settingsOn(settings, projects.service(job.projectId));
        const price = priceFor(toPriceFacts(shot.spec), ports.clock.now(), prices);
        return {
          first: [settled, unclear, reserved].reduce(sumOfAmounts),
          again: { requests: 1, price, unpriced: price === null ? 1 : 0 },
        };
      });
      return {
        currency: settings.currency,
        first: stakes.map(({ first }) => first).reduce(sumOfAmounts, NOTHING),
        again: stakes.map(({ again }) => again).reduce(sumOfAmounts, NOTHING),
      };
    },

    export: (takeIds: readonly string[], folder: string): ReturnType<typeof exportTakes> =>
      exportTakes(takesToExport(steps, takeIds.map(takeFor)), folder),

    file(takeId: string, number: number): TakeFile | null {
      const job = steps.jobs.get(takeId);
      const project = job && steps.projects.get(job.projectId);
      const output = steps.outputs.outputs(takeId).find((each) => each.number === number);
      return project && output ? { projectId: project.id, project: project.path, output } : null;
    },

    /** All published files of a take, in order. Throws RefusedError for an unknown take. */
    files(takeId: string): TakeFile[] {
      const { outputs, projectId } = takeFor(takeId);
      const project = steps.projects.get(projectId);
      return project ? outputs.map((output) => ({ projectId, project: project.path, output })) : [];
    },
  };
}
export type Review = ReturnType<typeof openReview>;

const MAX_IN_TRAY = 500;
const TAKES_IN_COMMIT = 50;

const earlier = (one: number | null, other: number): number => Math.min(one ?? other, other);

interface Judgement {
  readonly takeId: string;
  readonly before: Verdict;
  readonly now: Verdict;
  readonly isAlso: boolean;
}

export interface RestoredBy {
  readonly window?: string;
  readonly by?: Actor;
  /** Takes that name what was set of them were asked for, too. */
  readonly each?: boolean | undefined;
}

interface Judging {
  readonly window: string;
  readonly by: Actor;
  readonly isUndo: boolean;
}

function toCounts(changes: readonly GivenVerdict[]): HistoryFacts<'takes.judged'> {
  const count = (field: GivenVerdict['changed'][number], fits = (_: Verdict) => true): number =>
    changes.filter(({ changed, verdict }) => changed.includes(field) && fits(verdict)).length;
  return {
    verdicts: changes.length,
    picks: count('flag', ({ flag }) => flag === 'pick'),
    alternates: count('flag', ({ flag }) => flag === 'alternate'),
    rejects: count('flag', ({ flag }) => flag === 'reject'),
    unflagged: count('flag', ({ flag }) => flag === null),
    stars: count('rating'),
    notes: changes.filter(({ changed }) => changed.includes('note') || changed.includes('notes')).length,
    tags: count('tags'),
  };
}

/** Tags in the form they are stored. Throws RefusedError for an invalid tag. */
function withOwnTags({ addTags, removeTags, ...change }: VerdictChange): VerdictChange {
  const own = (tags: readonly string[]): string[] =>
    tags.map((text) => {
      const tag = toTag(text);
      if (tag !== null) return tag;
      throw refused(
        'bad_tag',
        messageFor('failure.badTag', { tag: text }),
        messageFor('remedy.writeTag', { most: MAX_TAG_LENGTH }),
      );
    });
  return { ...change, ...(addTags && { addTags: own(addTags) }), ...(removeTags && { removeTags: own(removeTags) }) };
}

const pageFor = (ids: readonly string[], { start, count }: Window): { total: number; ids: readonly string[] } => ({
  total: ids.length,
  ids: ids.slice(start, start + count),
});
