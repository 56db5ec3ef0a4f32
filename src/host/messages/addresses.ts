import { messageFor } from '../../contract/messages/message.ts';
import { isLocalHost } from '../../engine/api/address.ts';
import { RefusedError } from '../../engine/base/errors.ts';

/**
 * An address for messages. Others could read them on their way, so http is for this machine and private networks only;
 * and a password in an address ends up in logs of others. Throws RefusedError, which repeats no address.
 */
export function messageAddress(text: string): URL {
  const url = URL.parse(text.trim());
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocalHost(url.hostname));
  if (url && isSafe && url.username === '' && url.password === '') return url;
  throw new RefusedError(
    'bad_message_address',
    messageFor('failure.messageAddress'),
    messageFor('remedy.messageAddress'),
  );
}
