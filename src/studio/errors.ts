import { DailiesError } from '../engine/base/errors.ts';
import type { Text } from '../contract/messages/message.ts';

export type StudioErrorCode =
  | 'studio_away'
  | 'studio_address'
  | 'studio_password'
  | 'studio_missing'
  | 'studio_newer'
  | 'studio_older'
  | 'studio_halted'
  | 'studio_fenced'
  | 'studio_rights'
  | 'studio_refused';

/** What a studio's database refused, or that it cannot be reached. It never repeats a password. */
export class StudioError extends DailiesError {
  readonly code: StudioErrorCode;
  readonly remedy: Text;

  constructor(code: StudioErrorCode, text: Text, remedy: Text, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
    this.remedy = remedy;
  }

  /** The database cannot be reached now; what was asked may have been done. */
  get isAway(): boolean {
    return this.code === 'studio_away';
  }
}
