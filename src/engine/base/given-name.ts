import { LONGEST_NAME } from '../../contract/units.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { RefusedError } from './errors.ts';

/**
 * The name that a person gave to a project or a batch, as it is kept. Throws RefusedError for none, and for one that is
 * longer than a window takes: nothing could be started under it there.
 */
export function givenName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw refusal('name_missing', messageFor('failure.nameMissing'), messageFor('remedy.enterName'));
  if (name.length <= LONGEST_NAME) return name;
  const problem = messageFor('failure.nameTooLong', { length: name.length, most: LONGEST_NAME });
  throw refusal('name_too_long', problem, messageFor('remedy.chooseOtherName'));
}

const refusal = (code: string, problem: Text, remedy: Text): RefusedError => new RefusedError(code, problem, remedy);
