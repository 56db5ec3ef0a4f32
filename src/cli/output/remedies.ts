import type { Text } from '../../contract/messages/message.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';
import { remedyAction, type RemedyAction } from '../../contract/remedies.ts';
import type { Gate } from '../../contract/events.ts';
import { AuthenticationError, NoAnswerError, NotFoundError, UnexpectedAnswerError } from '../../engine/api/errors.ts';
import type { DailiesError } from '../../engine/base/errors.ts';
import { SharedRefusal } from '../engine.ts';
import { plainText } from './text.ts';

const commands: Readonly<Partial<Record<RemedyAction, `cli.remedy${string}` & MessageKey>>> = {
  set_key: 'cli.remedySetRightKey',
  set_address: 'cli.remedySetAddress',
  set_prices: 'cli.remedySetPrices',
  add_credit: 'cli.remedyAddCredit',
};

/** Remedies that differ on a command line, by error code. */
const typed: Readonly<Record<string, `cli.remedy${string}` & MessageKey>> = {
  data_folder_in_use: 'cli.remedyFolderInUse',
  project_in_use: 'cli.remedyProjectInUse',
  batch_archived: 'cli.remedyUnarchiveBatch',
  project_archived: 'cli.remedyUnarchiveProject',
  data_folder_unusable: 'cli.remedyFolderUnusable',
  newer_database: 'cli.remedyNewerDatabase',
  internal: 'cli.remedyInternal',
  key_not_kept: 'cli.remedyKeyNotKept',
  no_setting: 'cli.remedyNoSetting',
  unfit_setting: 'cli.remedyUnfitSetting',
  unknown_job: 'cli.remedyUnknownJob',
  agent_cap_reached: 'cli.remedyAgentCap',
};

const missing: ReadonlySet<string> = new Set(['key_missing', 'no_key']);

export function remedyHere({ code, remedy }: { readonly code: string; readonly remedy: Text }): string {
  if (missing.has(code)) return say('cli.remedySetKey');
  const action = remedyAction({ code, remedy });
  const known = typed[code] ?? (action === null ? undefined : commands[action]);
  return known === undefined ? plainText(remedy) : say(known);
}

export function errorRemedy(error: DailiesError): string {
  const told = error instanceof SharedRefusal ? error.service : undefined;
  if (error instanceof AuthenticationError || told === 'key') return say('cli.remedySetRightKey');
  const remedy = remedyHere(error);
  const isAboutTheWay = [NoAnswerError, UnexpectedAnswerError, NotFoundError].some((type) => error instanceof type);
  return isAboutTheWay || told === 'way' ? `${remedy} ${say('cli.remedyDoctor')}` : remedy;
}

/** What to do about a gate; null when it opens automatically. */
export function gateRemedy({ reason }: Gate): string | null {
  if (reason === 'database') return say('cli.remedyDoctor');
  const action = remedyAction({ code: reason, remedy: '' });
  return action === null ? null : remedyHere({ code: reason, remedy: '' });
}
