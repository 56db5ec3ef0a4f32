import { resolve } from 'node:path';
import { moneyInWords } from '../contract/in-words.ts';
import { parsedJson } from '../contract/json.ts';
import { t } from '../contract/messages/words.ts';
import { MICROS } from '../engine/db/ledger-store.ts';
import type { Stores } from '../engine/db/stores.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import type { BudgetState } from '../studio/types.ts';
import { refused } from './exit.ts';
import { plainText } from './output/text.ts';
import { toSettings } from './service-access.ts';
import type { Session } from './session.ts';

export interface MachineGiven {
  readonly name?: string | undefined;
  readonly root?: readonly string[] | undefined;
}

export interface MachineHere {
  readonly machine: string;
  readonly person: string;
  readonly roots: ReadonlyMap<string, string>;
}

/** What of the studio is loaded only by a command that has one. */
const membership = () => import('../host/membership.ts');

/**
 * Who this machine is in the studio, and where it has the roots: as given, else as they were given last. Throws StudioError
 * where it has joined none, and UsageError without any root.
 */
export async function machineHere(session: Session, { name, root = [] }: MachineGiven): Promise<MachineHere> {
  const { readMembership, writeMembership } = await membership();
  const { StudioError } = await import('../studio/errors.ts');
  const known = readMembership(session.dataFolder);
  if (known?.person == null || known.machine === null) throw new StudioError('studio_none');
  const given = await Promise.all(root.map((each) => readRoot(session, each)));
  const roots = given.length > 0 ? Object.fromEntries(given) : known.roots;
  if (Object.keys(roots).length === 0) throw refused('cli.studioWithoutRoot');
  const { address, person, machine } = known;
  writeMembership(session.dataFolder, { address, roots });
  return { machine: name ?? machine, person, roots: new Map(Object.entries(roots)) };
}

/** `nas=/mnt/nas`. */
async function readRoot({ shell }: Session, text: string): Promise<readonly [name: string, path: string]> {
  const [, name, path] = /^([\w-]{1,40})=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw refused('cli.notRoot', { text });
  return [name, await realPath(resolve(shell.cwd, path))];
}

/** The budgets of the studio as this data folder saw them last. */
const budgetsSeen = ({ jobs }: Pick<Stores, 'jobs'>): readonly BudgetState[] =>
  (parsedJson(jobs.studio.budgets) as readonly BudgetState[] | undefined) ?? [];

/** How many takes wait for a budget: all of them, or those of a batch. */
const waitingFor = ({ waiting }: BudgetState, batchId?: string): number =>
  batchId === undefined ? Object.values(waiting).reduce((sum, takes) => sum + takes, 0) : (waiting[batchId] ?? 0);

export const budgetObject = (session: Session, budget: BudgetState): object => ({
  ...{ scope: budget.scope, name: budget.name, title: budget.title, waiting: waitingFor(budget) },
  ...{ maxTakes: budget.limit.takes, maxSpend: budget.limit.micros === null ? null : budget.limit.micros / MICROS },
  ...{ takes: budget.used.takes, spent: budget.used.micros / MICROS, currency: toSettings(session).currency },
});

/** What is used of a budget. Of one that is used up, also how many takes wait for it, and how to raise it. */
export function budgetLine(session: Session, budget: BudgetState, takes = waitingFor(budget)): string {
  const { scope, name, title, limit, used } = budget;
  const { currency } = toSettings(session);
  const money = (micros: number): string => moneyInWords(micros / MICROS, currency);
  const areTakesUsed = limit.takes !== null && used.takes >= limit.takes;
  const line = t('cli.studioBudget', {
    scope,
    name: plainText(title),
    used: [
      ...(limit.takes === null ? [] : [t('cli.studioOfTakes', { used: used.takes, most: limit.takes })]),
      ...(limit.micros === null
        ? []
        : [t('cli.studioOfMoney', { used: money(used.micros), most: money(limit.micros) })]),
    ],
  });
  if (takes === 0 && !areTakesUsed && (limit.micros === null || used.micros < limit.micros)) return line;
  const option = areTakesUsed ? '--max-takes' : '--max-spend';
  const which = scope === 'night' ? ['--night'] : [`--${scope}`, plainText(scope === 'project' ? title : name)];
  const command = session.line('studio', 'budget', ...which, option, 'N');
  return `${line}. ${t('cli.studioUsedUp', { scope, count: takes, option, command })}`;
}

/** Says once of each budget that takes wait for it: with what `batchId` names, those of that batch. */
export function createBudgetNotices(session: Session, show: (object: object, line: string) => void) {
  const said = new Set<string>();
  return (stores: Pick<Stores, 'jobs'>, batchId?: string): number => {
    const waiting = budgetsSeen(stores).filter((budget) => waitingFor(budget, batchId) > 0);
    for (const budget of waiting) {
      const id = `${budget.scope} ${budget.name}`;
      if (said.has(id)) continue;
      said.add(id);
      const object = { type: 'budget_used_up', ...budgetObject(session, budget) };
      show(object, budgetLine(session, budget, waitingFor(budget, batchId)));
    }
    return Math.max(0, ...waiting.map((budget) => waitingFor(budget, batchId)));
  };
}
