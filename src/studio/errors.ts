import { DailiesError } from '../engine/base/errors.ts';
import { type Message, messageFor, type Text } from '../contract/messages/message.ts';

interface Facts {
  readonly found?: number;
  readonly own?: number;
  readonly name?: string;
}

/** What happened and what to do, by the code of the error; some are raised by the functions of the database. */
const WORDS = {
  studio_away: () => [messageFor('studio.away'), messageFor('studio.awayRemedy')],
  studio_address: () => [messageFor('studio.badAddress'), messageFor('studio.badAddressRemedy')],
  studio_insecure: () => [messageFor('studio.insecure'), messageFor('studio.insecureRemedy')],
  studio_authority: ({ name = '' }) => [messageFor('studio.authority', { name }), messageFor('studio.authorityRemedy')],
  studio_password: () => [messageFor('studio.passwordInUrl'), messageFor('studio.passwordRemedy')],
  studio_none: () => [messageFor('studio.none'), messageFor('studio.noneRemedy')],
  studio_login: () => [messageFor('studio.loginRefused'), messageFor('studio.loginRemedy')],
  studio_missing: () => [messageFor('studio.missing'), messageFor('studio.missingRemedy')],
  studio_newer: ({ found = 0, own = 0 }) => [
    messageFor('studio.newer', { found, own }),
    messageFor('studio.newerRemedy'),
  ],
  studio_older: ({ found = 0, own = 0 }) => [
    messageFor('studio.older', { found, own }),
    messageFor('studio.olderRemedy'),
  ],
  studio_rights: () => [messageFor('studio.noRight'), messageFor('studio.noRightRemedy')],
  studio_not_joined: ({ name = '' }) => [
    messageFor('studio.notJoined', { name }),
    messageFor('studio.notJoinedRemedy'),
  ],
  studio_halted: () => [messageFor('studio.halted'), messageFor('studio.haltedRemedy')],
  studio_fenced: ({ name = '' }) => [messageFor('studio.fenced', { name }), messageFor('studio.fencedRemedy')],
  studio_other_studio: () => [messageFor('studio.otherStudio'), messageFor('studio.otherStudioRemedy')],
  studio_person_taken: ({ name = '' }) => [
    messageFor('studio.personTaken', { name }),
    messageFor('studio.takenRemedy'),
  ],
  studio_other_person: ({ name = '' }) => [
    messageFor('studio.otherPerson', { name }),
    messageFor('studio.otherRemedy'),
  ],
  studio_batch_taken: ({ name = '' }) => [messageFor('studio.batchTaken', { name }), messageFor('studio.batchRemedy')],
  studio_machine_taken: ({ name = '' }) => [
    messageFor('studio.machineTaken', { name }),
    messageFor('studio.machineTakenRemedy'),
  ],
  studio_bad_root: ({ name = '' }) => [messageFor('studio.badRoot', { name }), messageFor('studio.badRootRemedy')],
  studio_bad_path: ({ name = '' }) => [messageFor('studio.badPath', { name }), messageFor('studio.badPathRemedy')],
  studio_project_moved: ({ name = '' }) => [
    messageFor('studio.projectMoved', { name }),
    messageFor('studio.movedRemedy'),
  ],
  studio_project_copy: ({ name = '' }) => [messageFor('studio.projectCopy', { name }), messageFor('studio.copyRemedy')],
  studio_unknown_person: ({ name = '' }) => [messageFor('studio.unknownPerson', { name }), ''],
  studio_unknown_project: ({ name = '' }) => [messageFor('studio.unknownProject', { name }), ''],
  studio_unknown_machine: ({ name = '' }) => [messageFor('studio.unknownMachine', { name }), ''],
  /** Ours, or one that PostgreSQL alone can explain: the name is its own text. */
  studio_failed: ({ name = '' }) => [messageFor('studio.failed', { reason: name }), ''],
} as const satisfies Record<string, (facts: Facts) => readonly [Message, Message | '']>;

export type StudioErrorCode = keyof typeof WORDS;

/** What a studio's database refused, or that it cannot be reached. Never repeats a password or an address. */
export class StudioError extends DailiesError {
  readonly code: StudioErrorCode;
  readonly remedy: Text;

  constructor(code: StudioErrorCode, facts: Facts = {}, options?: ErrorOptions) {
    const [text, remedy] = WORDS[code](facts);
    super(text, options);
    this.code = code;
    this.remedy = remedy;
  }

  /** The database cannot be reached now, and what was asked may have been done. */
  get isAway(): boolean {
    return this.code === 'studio_away';
  }
}

/** Raised by our functions: its message is the end of a code, its detail a name. */
const REFUSED = 'DL001';
/** Classes of SQLSTATE for a server that is away, stops, or has no connection left; and all codes of the system. */
const AWAY = /^(?:08|57|53|55P03|58|25006|E[A-Z]+$)/;
/** What pg says of a connection that ended under it. It has no code. */
const CUT =
  /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout exceeded|Cannot use a pool)/;
const LOGIN = /^28/;
const RIGHTS = '42501';

/** The error for a person. Throws what is a defect of ours. */
export function toStudioError(error: unknown): StudioError {
  if (error instanceof StudioError) return error;
  const { code, message, detail } = error as { code?: string; message: string; detail?: string };
  const cause = { cause: error };
  if (code === REFUSED) {
    const known = `studio_${message}`;
    return known in WORDS
      ? new StudioError(known as StudioErrorCode, { name: detail ?? '' }, cause)
      : new StudioError('studio_failed', { name: message }, cause);
  }
  // What pg says where a password is asked for and none was given, or the server does not know it either.
  if (/^SASL/.test(message)) return new StudioError('studio_login', {}, cause);
  if (isCertificate(code) || /SSL conn/.test(message)) return new StudioError('studio_insecure', {}, cause);
  if (code === undefined ? CUT.test(message) : AWAY.test(code)) return new StudioError('studio_away', {}, cause);
  if (code === undefined) throw error;
  if (LOGIN.test(code)) return new StudioError('studio_login', {}, cause);
  if (code === RIGHTS) return new StudioError('studio_rights', {}, cause);
  return new StudioError('studio_failed', { name: message }, cause);
}

const isCertificate = (code: string | undefined): boolean =>
  code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code);
