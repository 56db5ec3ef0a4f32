import type { Gate } from '../../contract/events.ts';
import { AuthenticationError, NoAnswerError, NotFoundError, UnexpectedAnswerError } from '../../engine/api/errors.ts';
import type { DailiesError } from '../../engine/base/errors.ts';
import { SharedRefusal } from '../engine/shared-errors.ts';
import { plainText } from './text.ts';

const SET_KEY = 'Set it with `dailies config set api-key`, or in DAILIES_API_KEY.';
const SET_RIGHT_KEY = 'Set the right key with `dailies config set api-key`, or in DAILIES_API_KEY.';
const DOCTOR = '`dailies doctor` looks at address, key, clock and disk.';

/** What to type, by what is wrong. The engine says what is to be done; how it is done here, only a command line knows. */
const typed: Readonly<Record<string, string>> = {
  key_missing: SET_KEY,
  key_refused: SET_RIGHT_KEY,
  no_credit: 'Add credit at the service, then `dailies resume`.',
  http_401: SET_RIGHT_KEY,
  no_key: SET_KEY,
  bad_key: SET_RIGHT_KEY,
  bad_address: 'Set it to one like https://host or https://host/prefix: `dailies config set base-url URL`.',
  data_folder_in_use:
    'Wait for it, or stop it; for a project that it does not work on, name another data folder with --data.',
  project_in_use: 'Wait for it, stop it, or name its data folder with --data.',
  data_folder_unusable: 'Make it a folder on a local disk that you may write to, or name another one with --data.',
  newer_database: 'Install the newer release again, or name another data folder with --data.',
  internal: 'Run `dailies doctor`; if it finds nothing, report this with the log file.',
  key_not_kept: 'Agree to a file that only you can read with --allow-file, or set DAILIES_API_KEY for each run.',
  no_setting: '`dailies config get` lists them all.',
  unfit_setting: '`dailies config set NAME VALUE` sets it; with --default it goes back to its default.',
  unknown_job: '`dailies jobs list` shows them all.',
};

/** What to do about something, on one line: the command to type, where there is one. */
export function remedyHere({ code, remedy }: { readonly code: string; readonly remedy: string }): string {
  return typed[code] ?? plainText(remedy);
}

/** What to do about an error that ended a command. */
export function errorRemedy(error: DailiesError): string {
  const told = error instanceof SharedRefusal ? error.service : undefined;
  if (error instanceof AuthenticationError || told === 'key') return SET_RIGHT_KEY;
  const remedy = remedyHere(error);
  const isAboutTheWay = [NoAnswerError, UnexpectedAnswerError, NotFoundError].some((type) => error instanceof type);
  return isAboutTheWay || told === 'way' ? `${remedy} ${DOCTOR}` : remedy;
}

/** What to do about what holds the queue back; none for what passes by itself. */
export function gateRemedy({ reason }: Gate): string | null {
  if (reason === 'database') return DOCTOR;
  const isForPeople = reason === 'key_refused' || reason === 'key_missing' || reason === 'no_credit';
  return isForPeople ? (typed[reason] ?? null) : null;
}
