import { hostname } from 'node:os';
import { accountsIn, isSameName } from '../../contract/accounts.ts';
import { type BudgetLimit, type BudgetScope, SILENT_MS } from '../../contract/studio.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t } from '../../contract/messages/words.ts';
import type { StudioDatabase } from '../../studio/database.ts';
import type { BudgetState, StudioStatus, TakeState } from '../../studio/types.ts';
import { keyFingerprint, toOrigin } from '../../engine/api/address.ts';
import { MICROS } from '../../engine/db/ledger-store.ts';
import { withNameHere } from '../../host/studio.ts';
import { readSettings } from '../../host/settings-file.ts';
import { exitStatus, refused } from '../exit.ts';
import { knownFolder } from '../look.ts';
import { printList, printOne, toColumns } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { keyIfAny, settingsForAccount } from '../service-access.ts';
import type { Session } from '../session.ts';
import { agree, canAsk } from '../shell.ts';
import { budgetLine, budgetObject } from '../studio-link.ts';
import { amount, count, JSON_LINES, verb, word, type Given } from '../verb.ts';

const POSTGRES = word('--postgres <url>', 'cli.optPostgres');
const INIT = [POSTGRES, word('--time-zone <zone>', 'cli.optStudioZone'), JSON_LINES] as const;
const JOIN = [
  word('<PERSON>', 'cli.argPerson'),
  word('--name <machine>', 'cli.optMachine'),
  POSTGRES,
  JSON_LINES,
] as const;
const PEOPLE = [
  word('[NAME]', 'cli.argPerson'),
  word('--weight <n>', 'cli.optWeight', { parse: count }),
  JSON_LINES,
] as const;
const BUDGET = [
  word('--person <name>', 'cli.optBudgetPerson', { conflicts: ['project', 'night'] }),
  word('--project <dir>', 'cli.optBudgetProject', { conflicts: ['night'] }),
  word('--night', 'cli.optBudgetNight'),
  word('--max-takes <n>', 'cli.optCapTakes', { parse: count }),
  word('--max-spend <amount>', 'cli.optCapSpend', { parse: amount }),
  word('--remove', 'cli.optSecretForget', { conflicts: ['maxTakes', 'maxSpend'] }),
  JSON_LINES,
] as const;
const DEAD = [word('<MACHINE>', 'cli.argMachine'), word('--yes', 'cli.optYesDead'), JSON_LINES] as const;

const RATE = [
  word('<ACCOUNT>', 'cli.argAccount'),
  word('--submits <n>', 'cli.optSubmits', { parse: amount }),
  word('--polls <n>', 'cli.optPolls', { parse: count }),
  word('--uploads <n>', 'cli.optUploads', { parse: count }),
  JSON_LINES,
] as const;

export const verbs = [
  verb('studio init', 'cli.helpStudioInit', INIT, init),
  verb('studio join', 'cli.helpStudioJoin', JOIN, join),
  verb('studio status', 'cli.helpStudioStatus', [JSON_LINES], (session) =>
    asVisitor(session, (studio) => showStatus(session, studio)),
  ),
  verb('studio people', 'cli.helpStudioPeople', PEOPLE, (session, given) =>
    asVisitor(session, async (studio) => {
      const { name, weight } = given;
      if ((name === undefined) !== (weight === undefined)) throw refused('cli.studioWeight');
      if (name !== undefined && weight !== undefined) await studio.setWeight(name, weight);
      showPeople(session, await studio.status());
    }),
  ),
  verb('studio budget', 'cli.helpStudioBudget', BUDGET, (session, given) =>
    asVisitor(session, (studio) => budget(session, studio, given)),
  ),
  verb(
    'studio rate',
    'cli.helpStudioRate',
    RATE,
    (session, { account, submits = null, polls = null, uploads = null }) =>
      asVisitor(session, async (studio) => {
        const own = (await accountsHere(session)).find(({ name }) => isSameName(name, account));
        const rate = { submits, polls, uploads };
        if (submits === 0 || (await studio.setRate(own?.keyFingerprint ?? account, rate)) === 0) {
          throw refused('cli.studioNoAccount', { account });
        }
        await showAccounts(session, await studio.status());
      }),
  ),
  verb('studio declare-dead', 'cli.helpStudioDead', DEAD, (session, { machine, yes }) =>
    asVisitor(session, async (studio) => {
      if (yes !== true) await agree(session.shell, t('cli.studioDeadQuestion', { machine: plainText(machine) }));
      const dead = await studio.declareDead(machine);
      printOne(
        session,
        { type: 'declared_dead', machine, ...dead },
        t('cli.studioDead', { ...dead, machine: plainText(machine) }),
      );
    }),
  ),
  verb('studio reconcile', 'cli.helpStudioReconcile', [JSON_LINES], (session) =>
    asVisitor(session, async (studio) => {
      const { missing } = await studio.reconcile();
      const line =
        missing.length > 0 ? t('studio.untold', { machines: missing.map(plainText) }) : t('cli.studioReconciled');
      printOne(session, { type: 'reconciled', done: missing.length === 0, missing }, line);
      return missing.length > 0 ? exitStatus.held : exitStatus.saved;
    }),
  ),
];

/** What of the studio is loaded, with a database driver, only by a command that has one. */
const load = async () => ({
  ...(await import('../../host/membership.ts')),
  ...(await import('../../studio/database.ts')),
});

type Found = Awaited<ReturnType<Awaited<ReturnType<typeof load>>['findStudio']>>;

/** Finds the studio and does something in it; asks for a password where one is wanted and nothing has it. */
async function withStudio<Result>(
  { shell, dataFolder, complain }: Session,
  given: string | undefined,
  work: (found: Found) => Promise<Result>,
): Promise<Result> {
  const { findStudio, keepPassword } = await load();
  const found = await findStudio(shell, dataFolder, given);
  try {
    return await work(found);
  } catch (error) {
    const isAsked = (error as { code?: unknown }).code === 'studio_login' && found.password === null && canAsk(shell);
    if (!isAsked) throw error;
    const password = await (await shell.questions()).secret(t('cli.studioPassword', { address: found.address.text }));
    const result = await work({ ...found, password });
    if (!(await keepPassword(shell, { ...found, password }))) complain(t('studio.passwordNotKept'));
    return result;
  }
}

/** Without being a machine of the studio: it looks, or does what the admin may. */
const asVisitor = <Result>(
  session: Session,
  work: (studio: StudioDatabase) => Promise<Result>,
  given?: string,
): Promise<Result> =>
  withStudio(session, given, async (found) => {
    const { connectStudio, NOTHING_SEEN } = await load();
    const studio = await connectStudio({ ...found, machine: null, logger: QUIET, seen: NOTHING_SEEN });
    try {
      return await work(studio);
    } finally {
      await studio.close();
    }
  });

const ignore = (): void => undefined;
const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

async function init(session: Session, { postgres, timeZone }: Given<typeof INIT>): Promise<void> {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { writeMembership } = await load();
  const { initStudio } = await import('../../studio/schema/migrate.ts');
  await withStudio(session, postgres, async (found) => {
    const { before } = await initStudio({ ...found, name: 'dailies init' }, zone);
    const address = found.address.text;
    writeMembership(session.dataFolder, { address });
    printOne(
      session,
      { type: 'studio', address, before },
      t('cli.studioMade', { address, made: before === null ? 'new' : 'old' }),
    );
  });
}

async function join(session: Session, { person, name, postgres }: Given<typeof JOIN>): Promise<void> {
  const machine = name ?? hostname();
  const { readMembership, writeMembership } = await load();
  await asVisitor(
    session,
    async (studio) => {
      const address = studio.address.text;
      const { instance } = readMembership(session.dataFolder) ?? writeMembership(session.dataFolder, { address });
      await studio.join(person, machine, instance);
      writeMembership(session.dataFolder, { address, person, machine });
      const line = t('cli.studioJoined', { person: plainText(person), machine: plainText(machine), address });
      printOne(session, { type: 'joined', person, machine, address }, line);
    },
    postgres,
  );
}

async function budget(session: Session, studio: StudioDatabase, given: Given<typeof BUDGET>): Promise<void> {
  const { person, project, night, maxTakes, maxSpend, remove } = given;
  const limit: Partial<BudgetLimit> =
    remove === true
      ? { takes: null, micros: null }
      : {
          ...(maxTakes !== undefined && { takes: maxTakes }),
          ...(maxSpend !== undefined && { micros: Math.round(maxSpend * MICROS) }),
        };
  const isChange = Object.keys(limit).length > 0;
  if (isChange !== (person !== undefined || project !== undefined || night === true))
    throw refused('cli.studioBudgetWhat');
  const status = await studio.status();
  if (isChange) {
    const scope: BudgetScope =
      person !== undefined
        ? { scope: 'person', name: person }
        : project === undefined
          ? { scope: 'night' }
          : { scope: 'project', id: projectIn(session, status, project) };
    await studio.setBudget(scope, limit);
  }
  showBudgets(session, await studio.budgets());
}

/** A folder of this machine, or the name of a project of the studio. Throws UsageError. */
function projectIn(session: Session, { projects }: StudioStatus, named: string): string {
  const folder = knownFolder(session, named);
  const found = projects.find(
    ({ id, name, root, path }) => id === folder || named === name || named === `${root}/${path}`,
  );
  if (found) return found.id;
  throw refused('cli.studioNoProject', { project: named });
}

async function showStatus(session: Session, studio: StudioDatabase): Promise<void> {
  const status = await studio.status();
  const { studio: id, version, isHalted, haltedBy, takes, machines, budgets } = status;
  if (session.json) session.printJson({ type: 'studio', studio: id, version, isHalted, haltedBy, takes });
  else {
    if (isHalted) session.print(t('studio.halted'));
    if (haltedBy !== null) session.print(t('cli.studioHaltedBy', { machine: plainText(haltedBy) }));
    const counts = STATES.flatMap(([state, key]) =>
      takes[state] > 0 ? [t('common.namedValue', { name: t(key), value: String(takes[state]) })] : [],
    );
    session.print(counts.length > 0 ? counts.join(', ') : t('cli.studioNoTakes'));
  }
  printList(session, {
    type: 'machine',
    rows: machines,
    columns: toColumns(
      'cli.column.machine',
      'cli.column.person',
      'common.state',
      '>cli.column.held',
      '>cli.column.sent',
    ),
    cells: ({ name, person, held, granted, sent, ...rest }) => [
      ...[plainText(name), plainText(person), stateOf(rest), String(held), String(granted + sent)],
    ],
  });
  showPeople(session, status);
  await showAccounts(session, status);
  showBudgets(session, budgets);
}

const STATES = [
  ['waiting', 'state.waiting'],
  ['held', 'cli.studioHeld'],
  ['granted', 'state.sending'],
  ['sent', 'state.generating'],
  ['unclear', 'state.needsDecision'],
  ['done', 'cli.studioDone'],
  ['cancelled', 'state.cancelled'],
] as const satisfies readonly (readonly [TakeState, PlainKey])[];

function stateOf({ isFenced, silentMs }: { readonly isFenced: boolean; readonly silentMs: number }): string {
  if (isFenced) return t('cli.studioFenced');
  return silentMs > SILENT_MS
    ? t('cli.studioSilent', { minutes: Math.floor(silentMs / SILENT_MS) })
    : t('cli.studioWorking');
}

function showPeople(session: Session, { people }: StudioStatus): void {
  printList(session, {
    type: 'person',
    rows: people,
    columns: toColumns(
      'cli.column.person',
      '>cli.column.weight',
      '>state.waiting',
      '>cli.column.inFlight',
      '>cli.studioDone',
    ),
    cells: ({ name, weight, waiting, inFlight, done }) => [
      plainText(name),
      ...[weight, waiting, inFlight, done].map(String),
    ],
    none: t('cli.studioNobody'),
  });
}

/** The accounts that this machine has a key of. */
async function accountsHere(session: Session) {
  const found = accountsIn(readSettings(session.dataFolder)).map(async (account) => {
    const { baseUrl } = settingsForAccount(session, account);
    const key = baseUrl === '' ? null : await keyIfAny(session, account).catch(() => null);
    if (key === null) return [];
    return [{ name: account.name, keyFingerprint: keyFingerprint(key.key), origin: toOrigin(baseUrl) }];
  });
  return (await Promise.all(found)).flat();
}

async function showAccounts(session: Session, { accounts }: StudioStatus): Promise<void> {
  printList(session, {
    type: 'account',
    rows: accounts.map(withNameHere(await accountsHere(session))),
    columns: toColumns('cli.column.account', '>cli.column.inFlight', '>cli.column.perSecond', '>cli.column.ceiling'),
    cells: ({ name, inFlight, ceilings, rate }) => [
      ...[plainText(name), String(inFlight), [rate.submits, rate.polls, rate.uploads].join(' / ')],
      Object.entries(ceilings)
        .map(([model, most]) => `${plainText(model)} ${most}`)
        .join(', '),
    ],
  });
}

function showBudgets(session: Session, budgets: readonly BudgetState[]): void {
  printList(session, {
    type: 'budget',
    rows: budgets,
    object: (budget) => budgetObject(session, budget),
    cells: (budget) => [budgetLine(session, budget)],
    none: t('cli.studioNoBudget'),
  });
}
