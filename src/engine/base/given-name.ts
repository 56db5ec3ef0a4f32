import { LONGEST_NAME } from '../../contract/units.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { RefusedError } from './errors.ts';

/**
 * The name of a project or batch as it is stored. Throws RefusedError for an empty name, and for one longer than the
 * window's field accepts: a run could not be started there under it.
 */
export function givenName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw refusal('name_missing', messageFor('failure.nameMissing'), messageFor('remedy.enterName'));
  if (name.length <= LONGEST_NAME) return name;
  const problem = messageFor('failure.nameTooLong', { length: name.length, most: LONGEST_NAME });
  throw refusal('name_too_long', problem, messageFor('remedy.chooseOtherName'));
}

const refusal = (code: string, problem: Text, remedy: Text): RefusedError => new RefusedError(code, problem, remedy);
