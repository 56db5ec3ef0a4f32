import { type CapChange, type CapScope, SpentBy, type SpentGroup } from '../../contract/ledger.ts';
import { say } from '../../contract/messages/words.ts';
import { ledgerCsv } from '../../engine/queries/ledger-csv.ts';
import type { LedgerScope, LedgerStore } from '../../engine/db/ledger-store.ts';
import { nightStart } from '../../engine/projects/spending.ts';
import { withProject } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { columnsOf, printLine, printList, writeNew } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { moneyInWords } from '../../contract/money.ts';
import { capLine } from '../output/words.ts';
import { viewDataFolder, wantedScopes } from '../look.ts';
import { settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
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

function spend(session: Session, options: Given<typeof SPEND>): ExitStatus {
  const { by, json } = options;
  const { currency } = settingsOf(session);
  return viewDataFolder(session.dataFolder, (view) => {
    const { ledger } = view;
    const scopes = wantedScopes(view, options, session);
    if (options.csv !== undefined) return writeLines(session, ledger, scopes, options.csv);
    const rows = scopes.flatMap((scope) => ledger.totalsBy(scope, by));
    const isSending = rows.some(({ totals }) => totals.reserved.requests > 0);
    printList(session, json, {
      type: 'spent',
      rows,
      object: (row) => ({ name: nameOf(row), totals: row.totals }),
      columns: columnsOf(
        ...([`cli.spendBy.${by}`, '>cli.spendRequests', '>cli.spendCharged'] as const),
        ...(isSending ? (['>cli.spendSending'] as const) : []),
        ...(['>cli.spendMaybe', '>cli.spendUnpriced'] as const),
      ),
      cells: (row) => {
        const { settled, unclear, reserved } = row.totals;
        return [
          ...[plainText(nameOf(row)), String(settled.requests + unclear.requests + reserved.requests)],
          moneyOf(settled.price, currency),
          ...(isSending ? [moneyOf(reserved.price, currency)] : []),
          ...[moneyOf(unclear.price, currency), String(settled.unpriced + unclear.unpriced + reserved.unpriced)],
        ];
      },
      none: say('cli.nothingSpent'),
    });
    return printList(session, json, {
      type: 'cap',
      rows: ledger.caps(nightStart(session.shell.clock.now())),
      object: (cap) => cap,
      cells: (cap) => [capLine(cap, currency)],
    });
  });
}

const moneyOf = (price: number | null, currency: string): string =>
  price === null ? '' : moneyInWords(price, currency);

function nameOf({ name, label, take, batch }: SpentGroup): string {
  if (name === '') return say('cli.spendOther');
  const known = label ?? name;
  const shown = take === null ? known : say('cli.takeName', { shot: known, take: String(take) });
  return batch === null ? shown : say('common.inBatch', { name: shown, batch });
}

function writeLines(session: Session, ledger: LedgerStore, scopes: readonly LedgerScope[], name: string): ExitStatus {
  const lines = scopes.flatMap((scope) => [...ledger.lines(scope)]);
  const path = writeNew(session, name, [...ledgerCsv(lines, settingsOf(session).currency)].join(''));
  return printLine(session, say('cli.spendWritten', { count: lines.length, file: plainText(path) }));
}

async function cap(session: Session, options: Given<typeof CAP>): Promise<ExitStatus> {
  const { maxSpend, maxTakes, remove } = options;
  const change: CapChange = remove
    ? { money: null, takes: null }
    : { ...(maxSpend !== undefined && { money: maxSpend }), ...(maxTakes !== undefined && { takes: maxTakes }) };
  if (Object.keys(change).length === 0) throw new UsageError(say('cli.capWhat'), say('cli.capWhatRemedy'));
  await withProject(session, 'dailies cap', options.project, async ({ api }) => {
    const scopes = viewDataFolder(session.dataFolder, (view) => wantedScopes(view, options, session));
    for (const { projectId, batchId } of scopes)
      await api.spending.changeCap({ scope: capScopeOf(projectId, batchId), change });
  });
  return spend(session, { by: 'model', ...(options.json && { json: true }) });
}

function capScopeOf(projectId: string | undefined, batchId: string | undefined): CapScope {
  if (batchId !== undefined) return { scope: 'batch', batchId };
  return projectId === undefined ? { scope: 'night' } : { scope: 'project', projectId };
}
