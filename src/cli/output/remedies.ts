import { say, type MessageKey } from '../../contract/messages/words.ts';
import type { Gate } from '../../contract/events.ts';
import { AuthenticationError, NoAnswerError, NotFoundError, UnexpectedAnswerError } from '../../engine/api/errors.ts';
import type { DailiesError } from '../../engine/base/errors.ts';
import { SharedRefusal } from '../engine/shared-errors.ts';
import { plainText } from './text.ts';

/** What to type, by what is wrong. The engine says what is to be done; how it is done here, only a command line knows. */
const typed: Readonly<Record<string, `cli.remedy${string}` & MessageKey>> = {
  key_missing: 'cli.remedySetKey',
  key_refused: 'cli.remedySetRightKey',
  no_credit: 'cli.remedyAddCredit',
  http_401: 'cli.remedySetRightKey',
  no_key: 'cli.remedySetKey',
  bad_key: 'cli.remedySetRightKey',
  bad_address: 'cli.remedySetAddress',
  data_folder_in_use: 'cli.remedyFolderInUse',
  project_in_use: 'cli.remedyProjectInUse',
  data_folder_unusable: 'cli.remedyFolderUnusable',
  newer_database: 'cli.remedyNewerDatabase',
  internal: 'cli.remedyInternal',
  key_not_kept: 'cli.remedyKeyNotKept',
  no_setting: 'cli.remedyNoSetting',
  unfit_setting: 'cli.remedyUnfitSetting',
  unknown_job: 'cli.remedyUnknownJob',
};

/** What to do about something, on one line: the command to type, where there is one. */
export function remedyHere({ code, remedy }: { readonly code: string; readonly remedy: string }): string {
  const known = typed[code];
  return known === undefined ? plainText(remedy) : say(known);
}

/** What to do about an error that ended a command. */
export function errorRemedy(error: DailiesError): string {
  const told = error instanceof SharedRefusal ? error.service : undefined;
  if (error instanceof AuthenticationError || told === 'key') return say('cli.remedySetRightKey');
  const remedy = remedyHere(error);
  const isAboutTheWay = [NoAnswerError, UnexpectedAnswerError, NotFoundError].some((type) => error instanceof type);
  return isAboutTheWay || told === 'way' ? `${remedy} ${say('cli.remedyDoctor')}` : remedy;
}

/** What to do about what holds the queue back; none for what passes by itself. */
export function gateRemedy({ reason }: Gate): string | null {
  if (reason === 'database') return say('cli.remedyDoctor');
  const isForPeople = reason === 'key_refused' || reason === 'key_missing' || reason === 'no_credit';
  const known = isForPeople ? typed[reason] : undefined;
  return known === undefined ? null : say(known);
}
