import { reasonFacts, type Gate } from '../../contract/events.ts';
import { sayText, t } from '../../contract/messages/words.ts';
import type { WindowState } from '../../contract/night-window.ts';
import { momentInWords } from '../../contract/in-words.ts';

interface Obstacles {
  readonly gates: readonly Pick<Gate, 'reason' | 'cap' | 'message'>[];
  readonly window: WindowState | undefined;
  /** The sample project has a free service of its own: trouble with the other one, and what that costs, do not stop it. */
  readonly isSample: boolean;
}

/** Why takes that were queued just now are not sent; empty where nothing holds them back. Pure. */
export function unsentInWords({ gates, window, isSample }: Obstacles): string {
  const holding = gates.filter(
    ({ reason, cap }) => !(isSample && (reasonFacts.get(reason)?.isOfService || cap?.scope.scope === 'night')),
  );
  const weighty = [...reasonFacts].flatMap(([reason, { isSlow }]) => (isSlow ? [] : [reason]));
  const found = weighty.flatMap((reason) => holding.filter((gate) => gate.reason === reason));
  if (found[0]) return sayText(found[0].message);
  if (window?.isOpen !== false || window.changesAt === null) return '';
  return t('window.unsentWindowClosed', { time: momentInWords(window.changesAt, window.window.timeZone) });
}

interface Takes {
  readonly projectId: string;
  readonly batchId: string;
  readonly model?: string;
  /** Of the account that pays; null for the first one, absent for the sample. */
  readonly accountId?: string | null | undefined;
}

type Holds = Pick<Gate, 'window' | 'cap' | 'projectId' | 'model' | 'accountId'>;

/** Whether the gate holds these takes back: one without a project, batch, account or model holds back all there are. */
export function isHeldBy(takes: Takes, { window, cap, projectId, model, accountId }: Holds): boolean {
  if (accountId !== undefined && accountId !== takes.accountId) return false;
  const scope = window?.scope ?? cap?.scope;
  if (scope?.scope === 'batch') return scope.batchId === takes.batchId;
  if (scope?.scope === 'project') return scope.projectId === takes.projectId;
  if (scope?.scope === 'account') return takes.accountId !== undefined && scope.accountId === (takes.accountId ?? '');
  if (projectId !== undefined) return projectId === takes.projectId;
  return model === undefined || model === takes.model;
}
