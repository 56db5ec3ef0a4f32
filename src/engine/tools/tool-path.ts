import { messageFor } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import { RefusedError } from '../base/errors.ts';

/** The path of a tool, which is a setting. Throws RefusedError where a person has emptied it. */
export function toolPath({ paths }: Settings, name: string): string {
  const path = paths[name];
  if (path) return path;
  throw new RefusedError('path_not_set', messageFor('failure.pathNotSet', { name }), messageFor('remedy.setPath'));
}
