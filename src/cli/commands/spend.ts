import {
  type CapChange,
  type CapScope,
  type CapState,
  type LedgerTotals,
  SpentBy,
  type SpentGroup,
} from '../../contract/ledger.ts';
import { say } from '../../contract/messages/words.ts';
import { ledgerCsv } from '../../engine/queries/ledger-csv.ts';
import type { LedgerScope, LedgerStore } from '../../engine/db/ledger-store.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { withProject } from '../connect.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { columnsOf, writeNew } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, tableLines } from '../output/text.ts';
import { moneyInWords } from '../../contract/money.ts';
import { capLine } from '../output/words.ts';
import { viewDataFolder, wantedScopes } from '../look.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { amount, BATCH, count, JSON_LINES, PROJECT, verb, word, type Given } from '../verb.ts';

const SPEND = [
  PROJECT,
  BATCH,
  word('--by <what>', 'cli.optSpendBy', { choices: SpentBy.options, default: 'model' }),
  word('--csv <file>', 'cli.optSpendCsv'),
  JSON_LINES,
] as const;
const CAP = [
  word('--project <dir>', 'cli.optCapProject'),
  BATCH,
  word('--max-spend <amount>', 'cli.optCapSpend', { parse: amount }),
  word('--max-takes <n>', 'cli.optCapTakes', { parse: count }),
  word('--remove', 'cli.optCapRemove'),
  JSON_LINES,
] as const;

export const verbs = [verb('spend', 'cli.helpSpend', SPEND, spend), verb('cap', 'cli.helpCap', CAP, cap)];

function spend(session: Session, options: Given<typeof SPEND>): Promise<ExitStatus> {
  viewDataFolder(session.dataFolder, (view) => {
    const ledger = view?.ledger ?? null;
    const scopes = view ? wantedScopes(view, options, session) : [];
    if (options.csv !== undefined) return writeLines(session, ledger, scopes, options.csv);
    const { by } = options;
    const rows = scopes.flatMap((scope) => ledger?.totalsBy(scope, by) ?? []);
    const caps = ledger?.caps(nightStart(session.shell.clock.now())) ?? [];
    const named = rows.map((row) => ({ name: nameOf(row), totals: row.totals }));
    if (options.json) printJson(session, named, caps);
    else tell(session, by, { rows: named, caps });
  });
  return Promise.resolve(exitStatus.saved);
}

interface Row {
  readonly name: string;
  readonly totals: LedgerTotals;
}

function printJson({ shell }: Session, rows: readonly Row[], caps: readonly CapState[]): void {
  for (const row of rows) shell.stdout.write(jsonLine({ type: 'spent', ...row }));
  for (const cap of caps) shell.stdout.write(jsonLine({ type: 'cap', ...cap }));
}

function tell(
  session: Session,
  by: SpentBy,
  { rows, caps }: { readonly rows: readonly Row[]; readonly caps: readonly CapState[] },
): void {
  const print = printTo(session);
  const { currency } = settingsOf(session);
  if (rows.length === 0) print(say('cli.nothingSpent'));
  else {
    const isSending = rows.some(({ totals }) => totals.reserved.requests > 0);
    const titles = columnsOf(
      `cli.spendBy.${by}`,
      ...(['>cli.spendRequests', '>cli.spendCharged'] as const),
      ...(isSending ? (['>cli.spendSending'] as const) : []),
      ...(['>cli.spendMaybe', '>cli.spendUnpriced'] as const),
    );
    const cells = rows.map(({ name, totals: { settled, unclear, reserved } }) => [
      plainText(name),
      String(settled.requests + unclear.requests + reserved.requests),
      moneyOf(settled.price, currency),
      ...(isSending ? [moneyOf(reserved.price, currency)] : []),
      moneyOf(unclear.price, currency),
      String(settled.unpriced + unclear.unpriced + reserved.unpriced),
    ]);
    for (const line of tableLines(titles, cells)) print(line);
  }
  for (const cap of caps) print(capLine(cap, currency));
}

const moneyOf = (price: number | null, currency: string): string =>
  price === null ? '' : moneyInWords(price, currency);

function nameOf({ name, label, take, batch }: SpentGroup): string {
  if (name === '') return say('cli.spendOther');
  const known = label ?? name;
  const shown = take === null ? known : say('cli.takeName', { shot: known, take: String(take) });
  return batch === null ? shown : say('common.inBatch', { name: shown, batch });
}

function writeLines(session: Session, ledger: LedgerStore | null, scopes: readonly LedgerScope[], name: string): void {
  const lines = scopes.flatMap((scope) => [...(ledger?.lines(scope) ?? [])]);
  const path = writeNew(session, name, [...ledgerCsv(lines, settingsOf(session).currency)].join(''));
  printTo(session)(say('cli.spendWritten', { count: lines.length, file: plainText(path) }));
}

async function cap(session: Session, options: Given<typeof CAP>): Promise<ExitStatus> {
  const { maxSpend, maxTakes, remove } = options;
  const change: CapChange = remove
    ? { money: null, takes: null }
    : { ...(maxSpend !== undefined && { money: maxSpend }), ...(maxTakes !== undefined && { takes: maxTakes }) };
  if (Object.keys(change).length === 0) throw new UsageError(say('cli.capWhat'), say('cli.capWhatRemedy'));
  await withProject(session, 'dailies cap', options.project, async ({ api }) => {
    const scopes = viewDataFolder(session.dataFolder, (view) => (view ? wantedScopes(view, options, session) : [{}]));
    for (const { projectId, batchId } of scopes)
      await api.spending.changeCap({ scope: capScopeOf(projectId, batchId), change });
  });
  return spend(session, { by: 'model', ...(options.json && { json: true }) });
}

function capScopeOf(projectId: string | undefined, batchId: string | undefined): CapScope {
  if (batchId !== undefined) return { scope: 'batch', batchId };
  return projectId === undefined ? { scope: 'night' } : { scope: 'project', projectId };
}
